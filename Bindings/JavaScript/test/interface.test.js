// The module's interface, typed errors, and messages for wrong arguments.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { ReceiptError, ReceiptValidator } from "../app-receipt.js";
import inlined from "../app-receipt.base64.js";
import { cases, read, receipt, root, sandbox, vectors } from "./support.js";

const octets = read(new URL("../app-receipt.wasm", import.meta.url));

test("the module imports nothing, and exports its memory and the listed functions", () => {
  const module = new WebAssembly.Module(octets);
  assert.deepEqual(WebAssembly.Module.imports(module), []);
  const lists = ["exports", "exports-tokens", "exports-evidence"].map((file) => readFileSync(`${root}Bindings/WebAssembly/${file}`, "utf8"));
  const exported = WebAssembly.Module.exports(module).map(({ name }) => name);
  assert.deepEqual(exported.sort(), [...lists.join("").trim().split("\n"), "memory"].sort());
});

test("a module is taken as octets, compiled, and from base64", async () => {
  assert.deepEqual(new Uint8Array(Buffer.from(inlined, "base64")), octets);
  for (const module of [octets, octets.slice().buffer, new WebAssembly.Module(octets)]) {
    assert.equal((await sandbox({ module })).judge(receipt()).status, "valid");
  }
  const empty = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
  for (const module of ["app-receipt.wasm", null, new Uint8Array(8), Promise.resolve(octets)]) {
    await assert.rejects(sandbox({ module }), { name: "TypeError", message: /module: give a WebAssembly.Module/ });
  }
  await assert.rejects(sandbox({ module: empty }), { name: "TypeError", message: /take app-receipt.wasm and app-receipt.js/ });
});

test("a host that is not Node fetches the module, once, and a missing file says what to do", () => {
  const program = `
    const { readFile } = await import("node:fs/promises");
    const { log } = console;
    let count = 0;
    globalThis.process = undefined;
    globalThis.fetch = async (url) => count++ ? new Response(await readFile(url)) : new Response("", { status: 404 });
    const { ReceiptValidator } = await import(${JSON.stringify(new URL("../app-receipt.js", import.meta.url))});
    const options = { environments: "any", bundleIdentifiers: "any" };
    await ReceiptValidator.create(options).catch((error) => log(error.message));
    await ReceiptValidator.create(options);
    log((await ReceiptValidator.create(options)).judge("").status, count);`;
  const folder = mkdtempSync(join(tmpdir(), "app-receipt-"));
  const file = join(folder, "program.mjs");
  writeFileSync(file, program);
  const output = execFileSync(process.execPath, [file], { encoding: "utf8" });
  rmSync(folder, { recursive: true });
  assert.match(output, /status 404; put app-receipt.wasm beside app-receipt.js, or pass `module`\n\w+ 2\n$/);
});

test("a receipt is taken as octets, as a view of other octets, and as base64", async () => {
  const validator = await sandbox();
  const whole = new Uint8Array(receipt().length + 9);
  whole.set(receipt(), 9);
  const forms = [receipt(), receipt().buffer, new DataView(whole.buffer, 9), whole.subarray(9), Buffer.from(receipt()),
    Buffer.from(receipt()).toString("base64")];
  for (const form of forms) assert.equal(validator.validate(form).bundle_id, "com.example.receipts");
  for (const wrong of [undefined, null, 7, {}, [1, 2]]) {
    assert.throws(() => validator.validate(wrong), { name: "TypeError", message: /give a Uint8Array or base64/ });
  }
  assert.equal(validator.judge("").step, "input");
  assert.equal(validator.judge(new Uint8Array()).step, "input");
  assert.equal(validator.judge("Grüße").step, "input");
});

test("a receipt whose buffer was transferred is a TypeError, and the validator goes on", async () => {
  const validator = await sandbox();
  const transferred = (make) => {
    const buffer = new ArrayBuffer(100);
    const made = make(buffer);
    structuredClone(buffer, { transfer: [buffer] });
    return made;
  };
  const gone = [(buffer) => buffer, (buffer) => new Uint8Array(buffer, 10), (buffer) => new DataView(buffer)].map(transferred);
  const buffer = new ArrayBuffer(100, { maxByteLength: 200 });
  // Node 18 has no buffers that shrink.
  if (buffer.resizable) {
    gone.push(new Uint8Array(buffer, 50, 50), new DataView(buffer, 50, 50));
    buffer.resize(10);
  }
  for (const input of gone) {
    assert.throws(() => validator.judge(input), { name: "TypeError", message: /transferred or has shrunk/ });
  }
  assert.equal(validator.judge(receipt()).status, "valid");
});

test("a later change of the caller's octets changes no verdict", async () => {
  const { path, options } = cases().find(({ policy, expected }) => policy.device_identifier && expected.status === "valid");
  const roots = options.roots.map((one) => Buffer.from(one));
  const devices = options.devices.map((one) => Buffer.from(one));
  const validator = await ReceiptValidator.create({ ...options, roots, devices });
  for (const one of [...roots, ...devices]) one.fill(0);
  // A huge input makes the validator replace its instance, which then reads the options again.
  validator.judge(new Uint8Array(40 << 20));
  assert.equal(validator.judge(read(path)).status, "valid");
});

test("an error has a step, a code, a number, a kind, an offset, a certificate and a reading", async () => {
  const validator = await sandbox();
  const input = read(`${vectors}receipts/leaf-without-marker.der`);
  assert.throws(() => validator.validate(input), (error) => {
    assert.ok(error instanceof ReceiptError && error instanceof Error);
    assert.equal(error.name, "ReceiptError");
    assert.equal(error.step, "leaf-marker");
    assert.equal(error.code, "receipt.missing-leaf-marker");
    assert.equal(error.kind, "invalid");
    assert.ok(Number.isInteger(error.number) && error.number > 0);
    assert.ok(error.offset > 0 && error.offset < input.length);
    assert.equal(error.offset, validator.judge(input).error.offset);
    assert.ok(Number.isInteger(error.certificate));
    assert.ok(error.reading.length > 0);
    return true;
  });
  assert.throws(() => validator.validate("eyJhbGciOiJFUzI1NiJ9.e30.c2ln"), { name: "ReceiptError", kind: "unsupported" });
  assert.throws(() => validator.validate(""), { name: "ReceiptError", certificate: null });
});

test("options change the verdict", async () => {
  const step = async (more, input = receipt()) => (await sandbox(more)).judge(input).step;
  assert.equal(await step({}), null);
  assert.equal(await step({ environments: ["Production", "ProductionSandbox"] }), null);
  assert.equal(await step({ environments: ["Production"] }), "environment");
  assert.equal(await step({ bundleIdentifiers: ["com.example.other"] }), "bundle-identifier");
  assert.equal(await step({ bundleIdentifiers: "any", environments: "any" }), null);
  assert.equal(await step({ appVersion: "41" }), "app-version");
  assert.equal(await step({ devices: [new Uint8Array(16), new Uint8Array(6)] }), "device-hash");
  assert.equal(await step({ roots: undefined }), "root");
  assert.equal(await step({ pathTime: new Date("2050-01-01") }), "certificate-path");
  assert.notEqual(await step({ minimumDigest: 512 }), null);
  assert.equal(await step({ limits: { inputBytes: 100 } }), "container");
  const unmarked = read(`${vectors}receipts/leaf-without-marker.der`);
  const any = { environments: "any", bundleIdentifiers: "any" };
  assert.equal(await step(any, unmarked), "leaf-marker");
  assert.equal(await step({ ...any, requireMarkers: false }, unmarked), null);
});

test("wrong options are refused with advice", async () => {
  const cases = [
    [{ environments: undefined }, TypeError, /environments is required: give "any", or an array/],
    [{ environments: "Production" }, TypeError, /environments: give "any", or an array/],
    [{ environments: [] }, TypeError, /environments: give/],
    [{ environments: ["Sandbox"] }, RangeError, /"Sandbox" is none; give "any"/],
    [{ bundleIdentifiers: undefined }, TypeError, /bundleIdentifiers is required/],
    [{ bundleIdentifiers: [7] }, TypeError, /bundleIdentifiers: give/],
    [{ bundleIdentifiers: new Array(1) }, TypeError, /bundleIdentifiers: give/],
    [{ bundleIdentifiers: [""] }, RangeError, /"" is none; give "any"/],
    [{ bundleIdentifiers: ["com.\ud800"] }, RangeError, /is none; give "any"/],
    [{ environments: new Array(1) }, TypeError, /environments: give/],
    [{ appVersion: "\udc00" }, RangeError, /appVersion: give well-formed Unicode/],
    [{ bundleIdentifier: ["com.example.app"] }, TypeError, /bundleIdentifier: there is no such option; there are environments/],
    [{ appVersion: 42 }, TypeError, /appVersion: give a string/],
    [{ devices: [new Uint8Array(5)] }, RangeError, /devices: give the 16 octets/],
    [{ devices: [] }, TypeError, /devices: give an array/],
    [{ roots: [new Uint8Array(5)] }, RangeError, /roots: give a root certificate in DER/],
    [{ roots: ["-----BEGIN"] }, TypeError, /roots: give a Uint8Array/],
    [{ issuers: [new Uint8Array(5)] }, RangeError, /issuers: give an intermediate's certificate/],
    [{ roots: undefined, requireMarkers: false }, TypeError, /needs `roots`/],
    [{ requireMarkers: "no" }, TypeError, /give true or false/],
    [{ xcodeTesting: true, requireMarkers: false }, TypeError, /leave out requireMarkers/],
    [{ now: new Date("never") }, RangeError, /now: give a Date/],
    [{ now: "2025-01-01" }, TypeError, /now: give a Date/],
    [{ pathTime: 0.5 }, RangeError, /pathTime: give a Date/],
    [{ minimumDigest: 128 }, RangeError, /give 160, 256, 384 or 512/],
    [{ limits: { bytes: 1 } }, TypeError, /there is no such limit; there are inputBytes/],
    [{ limits: { depth: 0 } }, RangeError, /limits.depth: give an integer from 1/],
    [{ limits: { depth: 1e6 } }, RangeError, /limits.depth: give an integer from 1/],
  ];
  for (const [more, type, message] of cases) {
    await assert.rejects(sandbox(more), (error) => {
      assert.ok(error instanceof type, `${JSON.stringify(more)}: ${error}`);
      assert.match(error.message, message);
      return true;
    });
  }
  await assert.rejects(ReceiptValidator.create(), { name: "TypeError", message: /options: give an object/ });
  assert.throws(() => new ReceiptValidator(), { name: "TypeError", message: /ReceiptValidator.create/ });
});

test("options are read as own properties: a polluted prototype changes nothing", async () => {
  const unmarked = read(`${vectors}receipts/leaf-without-marker.der`);
  const wrong = {
    environments: "any", bundleIdentifiers: "any", appVersion: "41", devices: [new Uint8Array(16)], issuers: 7,
    requireMarkers: false, xcodeTesting: true, now: "x", pathTime: 0, minimumDigest: 512, limits: { depth: 1 }, module: 7,
  };
  for (const [name, value] of Object.entries(wrong)) {
    const roots = [read(`${vectors}certificates/root.der`)];
    const own = { environments: ["ProductionSandbox"], bundleIdentifiers: ["com.example.receipts"], roots };
    const isRequired = name in own;
    delete own[name];
    Object.prototype[name] = value;
    try {
      if (isRequired) {
        await assert.rejects(ReceiptValidator.create(own), { name: "TypeError", message: new RegExp(`^${name} is required`) });
      } else {
        const validator = await ReceiptValidator.create(own);
        assert.equal(validator.judge(receipt()).step, null, name);
        assert.equal(validator.judge(unmarked).step, "leaf-marker", name);
      }
    } finally {
      delete Object.prototype[name];
    }
  }
  // Under a prototype of their own, options are none.
  await assert.rejects(ReceiptValidator.create(Object.create({ environments: "any", bundleIdentifiers: "any" })), /is required/);
});

test("a freed validator says so", async () => {
  const validator = await sandbox();
  validator.free();
  validator.free();
  assert.throws(() => validator.judge(receipt()), { name: "TypeError", message: /free\(\) was called/ });
});
