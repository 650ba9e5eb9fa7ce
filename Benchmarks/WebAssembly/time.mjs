// node time.mjs MODULE RECEIPT ROOT: the time of a validation in V8.
import { readFileSync } from 'node:fs';

const [file, receipt, root] = process.argv.slice(2).map(path => readFileSync(path));
const began = process.hrtime.bigint();
const { instance } = await WebAssembly.instantiate(file, {});
const { allocate, memory, prepare, validate, validateAgain } = instance.exports;
const place = bytes => {
    const address = allocate(bytes.length);
    new Uint8Array(memory.buffer).set(bytes, address);
    return address;
};
const milliseconds = since => Number(process.hrtime.bigint() - since) / 1e6;
const [receiptAddress, rootAddress] = [place(receipt), place(root)];
if (prepare(receiptAddress, receipt.length, rootAddress, root.length) !== 1 || validate() !== 1) process.exit(1);
console.log(`V8 ${process.versions.v8}, compiled and first validation: ${milliseconds(began).toFixed(1)} ms`);
for (const [name, run] of [['three signatures', validate], ['one signature', validateAgain]]) {
    const times = [];
    for (let round = 0; round < 1000; round++) {
        const start = process.hrtime.bigint();
        if (run() !== 1) process.exit(1);
        if (round >= 500) times.push(milliseconds(start));
    }
    times.sort((one, other) => one - other);
    console.log(`V8, ${name}: median ${times[250].toFixed(3)} ms, minimum ${times[0].toFixed(3)} ms`);
}
