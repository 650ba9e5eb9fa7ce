// Judges files and times one of them, in any host that runs JavaScript. Prints what Tests/Bindings/table reads.
import { ReceiptValidator } from "../../Bindings/JavaScript/app-receipt.js";

const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];

// Browsers round the time to 0.1 ms, so ten calls are timed together.
const batch = 10;
const milliseconds = (body) => {
  const start = performance.now();
  for (let index = 0; index < batch; index++) body(index);
  return (performance.now() - start) / batch;
};

/** `read` gives the octets of a file, and `print` takes a line. */
export async function judge([root, timed, ...files], read, print) {
  const options = { environments: "any", bundleIdentifiers: "any", roots: [await read(root)] };
  const receipt = await read(timed);
  const validator = await ReceiptValidator.create(options);
  validator.validate(receipt);
  if (files.length > 0) {
    // The first receipts are slow in V8 until its compiler has finished.
    for (let index = 0; index < 500; index++) validator.validate(receipt);
    const first = [];
    for (let round = 0; round < 31; round++) {
      const fresh = [];
      for (let index = 0; index < batch; index++) fresh.push(await ReceiptValidator.create(options));
      first.push(milliseconds((index) => fresh[index].validate(receipt)));
      for (const one of fresh) one.free();
    }
    print(`new\t${median(first)}`);
    const again = [];
    for (let round = 0; round < 31; round++) again.push(milliseconds(() => validator.validate(receipt)));
    print(`remembered\t${median(again)}`);
  }
  for (const file of files) {
    const { status, step, code } = validator.judge(await read(file));
    print(["verdict", status, step ?? "", code ?? ""].join("\t"));
  }
}
