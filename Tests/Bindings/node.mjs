// node node.mjs ROOT TIMED FILE...: judges the files, and times TIMED. Prints what Tests/Bindings/table reads.
import { readFileSync } from "node:fs";
import { ReceiptValidator } from "../../Bindings/JavaScript/app-receipt.js";

const [root, timed, ...files] = process.argv.slice(2);
const options = { environments: "any", bundleIdentifiers: "any", roots: [readFileSync(root)] };
const receipt = readFileSync(timed);
const milliseconds = (body) => {
  const start = process.hrtime.bigint();
  body();
  return Number(process.hrtime.bigint() - start) / 1e6;
};
const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];

const validator = await ReceiptValidator.create(options);
validator.validate(receipt);
if (files.length > 0) {
  // The first receipts are slow in V8 until its compiler has finished.
  for (let index = 0; index < 500; index++) validator.validate(receipt);
  const first = [];
  for (let index = 0; index < 301; index++) {
    const fresh = await ReceiptValidator.create(options);
    first.push(milliseconds(() => fresh.validate(receipt)));
    fresh.free();
  }
  console.log(`new\t${median(first)}`);
  const again = [];
  for (let index = 0; index < 301; index++) again.push(milliseconds(() => validator.validate(receipt)));
  console.log(`remembered\t${median(again)}`);
}
for (const file of files) {
  const { status, step, code } = validator.judge(readFileSync(file));
  console.log(["verdict", status, step ?? "", code ?? ""].join("\t"));
}
