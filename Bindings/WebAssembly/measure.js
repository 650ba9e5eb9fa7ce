// node measure.js RECEIPT [MODULE]: measures the package, and the module of apple-purchase-receipt-verifier.
import { randomFillSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { ReceiptValidator } from "../JavaScript/app-receipt.js";

const [path, other] = process.argv.slice(2);
const receipt = new Uint8Array(readFileSync(path));

/** The median time of a body, in milliseconds. */
function median(count, body, prepare = () => undefined) {
  const times = [];
  for (let index = 0; index < count; index++) {
    const argument = prepare();
    const start = process.hrtime.bigint();
    body(argument);
    times.push(Number(process.hrtime.bigint() - start) / 1e6);
  }
  return times.sort((a, b) => a - b)[count >> 1];
}
const row = (name, value, bytes = "") => console.log(`${name.padEnd(44)} ${value.toFixed(3).padStart(10)} ${String(bytes).padStart(10)}`);

const octets = readFileSync(new URL("../JavaScript/app-receipt.wasm", import.meta.url));
// V8 compiles functions when they are first called, and remembers modules; so only the first time counts.
let module;
row("app-receipt: compile, once", median(1, () => (module = new WebAssembly.Module(octets))), octets.length);
row("app-receipt: instantiate", median(99, () => new WebAssembly.Instance(module, {})));
const environments = ["ProductionSandbox"];
const bundleIdentifiers = "any";
const settled = [];
for (let index = 0; index < 300; index++) settled.push(await ReceiptValidator.create({ environments, bundleIdentifiers, module }));
const fresh = () => settled.pop();
const validator = fresh();
for (let index = 0; index < 500; index++) validator.validate(receipt);
row("app-receipt: first validation of a validator", median(250, (one) => one.validate(receipt), fresh));
row("app-receipt: with the remembered path", median(2000, () => validator.validate(receipt)));

if (other) {
  // The ABI of the package's module, as its _host.py calls it.
  const bytes = readFileSync(other);
  let module;
  row("the peer: compile, once", median(1, () => (module = new WebAssembly.Module(bytes))), bytes.length);
  const prefix = "aprv:verifier/verify@0.1.0#";
  const make = () => {
    const exports = new WebAssembly.Instance(module, {
      "aprv:verifier/host@0.1.0": {
        "random-get"(length, result) {
          const address = exports.cabi_realloc(0, 0, 1, length) >>> 0;
          randomFillSync(new Uint8Array(exports.memory.buffer, address, length));
          const view = new DataView(exports.memory.buffer);
          view.setUint32(result, address, true);
          view.setUint32(result + 4, length, true);
        },
      },
    }).exports;
    exports._initialize();
    return exports;
  };
  const call = (exports, name, data, ...scalars) => {
    const address = exports.cabi_realloc(0, 0, 1, data.length) >>> 0;
    new Uint8Array(exports.memory.buffer, address, data.length).set(data);
    const area = exports[prefix + name](...scalars, address, data.length) >>> 0;
    const view = new DataView(exports.memory.buffer);
    const text = new TextDecoder().decode(
      new Uint8Array(exports.memory.buffer, view.getUint32(area, true), view.getUint32(area + 4, true)),
    );
    exports[`cabi_post_${prefix}${name}`](area);
    return JSON.parse(text);
  };
  row("the peer: instantiate", median(21, make));
  const exports = make();
  call(exports, "init", new TextEncoder().encode("{}"));
  const text = new TextEncoder().encode(Buffer.from(receipt).toString("base64"));
  const answer = () => call(exports, "verify-receipt", text, BigInt(Date.now()));
  if (answer().ok === false) console.log("the peer refuses the receipt", answer());
  for (let index = 0; index < 100; index++) answer();
  row("the peer: validation", median(500, answer));
}
