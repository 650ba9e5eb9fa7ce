// Memory stays bounded, bad input never traps, and a trap does no lasting harm.
import assert from "node:assert/strict";
import test from "node:test";
import { ReceiptError, ReceiptTrap, ReceiptValidator } from "../app-receipt.js";
import { cases, generator, mutate, read, receipt, sandbox, vectors } from "./support.js";

/** Makes validators whose memories can be measured. */
async function watched(make) {
  const memories = [];
  const { Instance } = WebAssembly;
  WebAssembly.Instance = class extends Instance {
    constructor(...parameters) {
      super(...parameters);
      memories.push(this.exports.memory);
    }
  };
  const validator = await make();
  return { validator, memories, end: () => (WebAssembly.Instance = Instance) };
}

test("20,000 receipts leave the memory as it was, and 2,000 inputs of garbage keep it below 1 MiB", async (context) => {
  const { validator, memories, end } = await watched(() => sandbox());
  context.after(end);
  const good = receipt();
  const next = generator(7);
  const size = () => memories[0].buffer.byteLength;
  for (let index = 0; index < 100; index++) validator.judge(good);
  const before = size();
  for (let index = 0; index < 20000; index++) assert.equal(validator.judge(good).status, "valid");
  assert.equal(size(), before);
  for (let index = 0; index < 2000; index++) {
    // The cache of certificates fills up to its limits, and the buffer for JSON grows to the largest text.
    const input = index % 2 ? Uint8Array.from({ length: next(6000) }, () => next(256)) : mutate(good, next);
    assert.notEqual(validator.judge(input).status, undefined);
    validator.inspectUnverified(input);
  }
  assert.ok(size() < 1 << 20);
  assert.equal(memories.length, 1, "no instance was replaced");
  context.diagnostic(`${before / 1024} KiB before and after 20,000 receipts, ${size() / 1024} KiB after 2,000 others`);
});

test("receipts under many different certificates leave the memory bounded", async (context) => {
  const { validator, memories, end } = await watched(() => sandbox());
  context.after(end);
  const next = generator(11);
  const files = cases().map(({ path }) => read(path));
  const round = () => {
    for (let index = 0; index < 1500; index++) validator.judge(mutate(files[next(files.length)], next));
  };
  round();
  round();
  assert.ok(memories[0].buffer.byteLength < 8 << 20, `${memories[0].buffer.byteLength} octets`);
});

test("mutants of every vector never trap, and none of them is valid with other values", async (context) => {
  const next = generator(3);
  let valid = 0;
  let refused = 0;
  for (const { path, options } of cases()) {
    const validator = await ReceiptValidator.create(options);
    const original = read(path);
    const known = validator.judge(original);
    for (let index = 0; index < 60; index++) {
      const verdict = validator.judge(mutate(original, next));
      if (verdict.status !== "valid") {
        refused++;
        continue;
      }
      // A change outside of what is signed and looked at, such as in base64's white space.
      valid++;
      assert.deepEqual(verdict.receipt, known.receipt);
    }
    validator.free();
  }
  assert.ok(refused > 4000);
  context.diagnostic(`${refused} mutants refused, ${valid} valid with the same values`);
});

test("a huge input is refused, and its memory is given back", async (context) => {
  const { validator, memories, end } = await watched(() => sandbox());
  context.after(end);
  assert.equal(validator.judge(new Uint8Array(40 << 20).fill(0x30)).status, "unsupported");
  assert.equal(validator.judge(receipt()).status, "valid");
  assert.ok(memories.at(-1).buffer.byteLength < 8 << 20);
});

test("the limit of the input bounds what is copied", async (context) => {
  const { validator, memories, end } = await watched(() => sandbox({ limits: { inputBytes: 1000 } }));
  context.after(end);
  // What an input at the limit takes, whatever pages the module itself has filled.
  validator.judge(new Uint8Array(1000).fill(0x30));
  const before = memories[0].buffer.byteLength;
  // 3 GiB do not fit into the module's memory. The host gives the octets no memory until they are written.
  const huge = new Uint8Array(3 * 2 ** 30);
  huge[0] = 0x30;
  for (const input of [huge, "A".repeat(1 << 28)]) {
    assert.equal(validator.judge(input).code, "der.input-too-large");
  }
  assert.equal(memories.length, 1, "no instance was replaced");
  assert.equal(memories[0].buffer.byteLength, before);
  assert.deepEqual(validator.inspectUnverified(huge), { certificates: [] });
});

test("a text at the limit is judged whole", async () => {
  const input = receipt();
  // The limit of the validator, and the library's own.
  for (const limits of [{ inputBytes: input.length }, {}]) {
    const validator = await sandbox({ limits });
    // Spaces fill the text up to twice the limit.
    const text = Buffer.from(input).toString("base64").padStart(2 * (limits.inputBytes ?? 8 << 20));
    assert.equal(validator.judge(text).status, "valid");
    assert.equal(validator.judge(` ${text} `).code, "der.input-too-large");
  }
});

test("a trap is reported, and the validator goes on with a new instance", async (context) => {
  const { validator, memories, end } = await watched(() => sandbox());
  context.after(end);
  // A stand-in for a defect: the instance's data is overwritten.
  new Uint8Array(memories[0].buffer).fill(0xff);
  assert.throws(() => validator.judge(receipt()), (error) => {
    assert.ok(error instanceof ReceiptTrap);
    assert.ok(!(error instanceof ReceiptError));
    assert.ok(error.cause instanceof WebAssembly.RuntimeError);
    return true;
  });
  assert.equal(validator.judge(receipt()).status, "valid");
  assert.equal(memories.length, 2);
});

test("an instance that trapped is not called again", async (context) => {
  const { Instance } = WebAssembly;
  context.after(() => (WebAssembly.Instance = Instance));
  for (const name of ["app_receipt_inspect_unverified", "app_receipt_result_json", "app_receipt_result_error"]) {
    let isBroken = false;
    const later = [];
    WebAssembly.Instance = class {
      constructor(...parameters) {
        const exports = { ...new Instance(...parameters).exports };
        for (const [key, body] of Object.entries(exports)) {
          if (typeof body !== "function") continue;
          exports[key] = (...values) => {
            if (isBroken) later.push(key);
            if (key !== name) return body(...values);
            isBroken = true;
            throw new WebAssembly.RuntimeError("unreachable");
          };
        }
        this.exports = exports;
      }
    };
    const validator = await sandbox();
    const call = name.includes("inspect") ? "inspectUnverified" : name.includes("error") ? "validate" : "judge";
    assert.throws(() => validator[call](call === "validate" ? "" : receipt()), ReceiptTrap);
    assert.deepEqual([isBroken, later], [true, []], name);
  }
});

test("the stack stays far below its size", async (context) => {
  const { validator, memories, end } = await watched(() => sandbox());
  context.after(end);
  // The stack is the first 64 KiB of memory and grows down. A fresh memory is zero.
  for (const { path } of cases()) {
    validator.judge(read(path));
    validator.inspectUnverified(read(path));
  }
  validator.judge(new Uint8Array(100000).fill(0x30).fill(0x80, 1, 2));
  validator.judge(Uint8Array.from({ length: 100000 }, (_, index) => (index % 2 ? 0x80 : 0x24)));
  const stack = new Uint8Array(memories[0].buffer, 0, 64 << 10);
  const used = stack.length - stack.findIndex((octet) => octet !== 0);
  context.diagnostic(`${used} octets of the stack were used`);
  assert.ok(used < 32 << 10);
});
