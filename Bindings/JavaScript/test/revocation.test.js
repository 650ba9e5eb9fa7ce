// Distrust, and evidence about revocation, for receipts and tokens.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import test from "node:test";
import { ReceiptError, ReceiptValidator, TokenError, TokenValidator } from "../app-receipt.js";
import { read, receipt, root, sandbox, vectors } from "./support.js";

/** When the pieces of evidence.tsv are fresh, when they were not made, and when they are stale. */
const FRESH = new Date("2026-06-15T12:00:00Z"), EARLY = new Date("2026-06-14T12:00:00Z"), STALE = new Date("2026-09-01");

const lines = (path) => readFileSync(`${vectors}${path}`, "utf8").trimEnd().split("\n").slice(1).map((line) => line.split("\t"));
/** The pieces of Vectors/revocation/evidence.tsv, such as `token 0 ocsp good issuer`. */
const pieces = Object.fromEntries(lines("revocation/evidence.tsv").map((row) =>
  [row.slice(0, 5).join(" "), new Uint8Array(Buffer.from(row[5], "hex"))]));
const header = readFileSync(`${vectors}tokens/header.txt`, "utf8").trim();
const token = lines("tokens/tokens.tsv").find(([name]) => name === "every member of a transaction")[8].replace("~", header);
const fingerprint = (octets) => new Uint8Array(createHash("sha256").update(octets).digest());

/** A receipt and a token: how each is judged, and where the certificates of its path stand, from the signer's on. */
const inputs = {
  receipt: {
    create: (options) => sandbox(options), Validator: ReceiptValidator, ErrorType: ReceiptError, places: [2, 0],
    judge: (validator) => validator.judge(receipt()), validate: (validator) => validator.validate(receipt()),
    mismatch: "rsa.signature-mismatch",
  },
  token: {
    create: (options) => TokenValidator.create({
      environments: ["Sandbox"], bundleIdentifiers: ["com.example.app"], roots: [read(`${vectors}tokens/root.der`)], ...options,
    }),
    Validator: TokenValidator, ErrorType: TokenError, places: [0, 1],
    judge: (validator) => validator.judge("transaction", token), validate: (validator) => validator.validate("transaction", token),
    mismatch: "ecdsa.signature-mismatch",
  },
};

/** The options with pieces such as `0 ocsp good issuer`, with commas between them. */
function evidence(path, names) {
  const options = {};
  for (const name of names.split(", ")) {
    const option = name.includes(" ocsp ") ? "ocspResponses" : "revocationLists";
    (options[option] ??= []).push(pieces[`${path} ${name}`] ?? assert.fail(name));
  }
  return options;
}

/** Judges twice: the second time, the cache knows the path. */
async function judge(path, options) {
  const { create, judge, validate, ErrorType } = inputs[path];
  const validator = await create(options);
  const verdict = judge(validator);
  assert.deepEqual(judge(validator), verdict);
  if (verdict.status === "valid") assert.deepEqual(validate(validator).not_checked, verdict.not_checked);
  else assert.throws(() => validate(validator), (error) => error instanceof ErrorType && error.code === verdict.code);
  validator.free();
  return verdict;
}

async function refused(path, code, certificate, options) {
  const verdict = await judge(path, options);
  const { status, step, error } = verdict;
  assert.deepEqual([status, step, verdict.code, error?.certificate],
    ["invalid", "revocation", code, inputs[path].places[certificate]], JSON.stringify(verdict));
}

/** Checks that the input is valid, and whether revocation was not checked. */
async function accepted(path, isListed, options) {
  const { status, not_checked } = await judge(path, options);
  assert.deepEqual([status, not_checked?.includes("revocation")], ["valid", isListed]);
}

const modes = [{}, { revocation: "required" }, { revocation: "if-present" }];

for (const path of Object.keys(inputs)) {
  test(`${path}: good evidence is enough`, async () => {
    const all = ["0 ocsp good issuer, 1 ocsp good issuer"];
    // The token's authorities must not sign lists.
    if (path === "receipt") all.push("0 crl good issuer, 1 crl good issuer", "0 crl good issuer, 1 ocsp good issuer");
    for (const names of all) {
      for (const mode of modes) await accepted(path, false, { ...evidence(path, names), now: FRESH, ...mode });
    }
  });

  test(`${path}: a revoked certificate is refused in each mode`, async () => {
    for (const [names, certificate, now] of [
      ["0 ocsp revoked issuer, 1 ocsp good issuer", 0, FRESH], ["0 ocsp good issuer, 1 ocsp revoked issuer", 1, FRESH],
      ["0 ocsp good issuer, 0 ocsp revoked issuer", 0, FRESH], ["1 ocsp revoked issuer", 1, FRESH], ["0 ocsp revoked issuer", 0, STALE],
    ]) {
      for (const mode of modes) {
        await refused(path, "revocation.revoked", certificate, { ...evidence(path, names), now, ...mode });
        if (path !== "receipt") continue;
        await refused(path, "revocation.revoked", certificate, { ...evidence(path, names.replaceAll("ocsp", "crl")), now, ...mode });
      }
    }
  });

  test(`${path}: evidence that proves nothing is not good`, async () => {
    const both = "0 ocsp good issuer, 1 ocsp good issuer";
    const { mismatch } = inputs[path];
    for (const [names, certificate, code, now] of [
      [both, 0, "revocation.stale", STALE], [both, 0, "revocation.not-yet-valid", EARLY],
      ["0 ocsp good issuer", 1, "revocation.no-evidence", FRESH], ["1 ocsp good issuer", 0, "revocation.no-evidence", FRESH],
      ["0 ocsp good other, 1 ocsp good issuer", 0, mismatch, FRESH], ["0 ocsp good issuer, 1 ocsp good other", 1, mismatch, FRESH],
      // A forged revocation revokes nothing.
      ["0 ocsp revoked other, 1 ocsp good issuer", 0, mismatch, FRESH],
    ]) {
      for (const kind of path === "receipt" ? ["ocsp", "crl"] : ["ocsp"]) {
        const options = { ...evidence(path, names.replaceAll("ocsp", kind)), now };
        for (const mode of modes.slice(0, 2)) await refused(path, code, certificate, { ...options, ...mode });
        await accepted(path, true, { ...options, revocation: "if-present" });
      }
    }
    const other = path === "receipt" ? "token" : "receipt";
    await refused(path, "revocation.no-evidence", 0, { ...evidence(other, "0 ocsp revoked issuer, 1 crl revoked issuer"), now: FRESH });
  });

  test(`${path}: distrust of a certificate or of its key comes before revocation`, async () => {
    const root = read(`${vectors}${path === "receipt" ? "certificates" : "tokens"}/root.der`);
    const revoked = { ...evidence(path, "0 ocsp revoked issuer"), now: FRESH };
    for (const more of [{}, revoked]) {
      const { step } = await judge(path, { distrusted: [new Uint8Array(32), fingerprint(root)], ...more });
      assert.equal(step, "distrust");
    }
    assert.equal((await judge(path, { distrusted: [new Uint8Array(32)], ...revoked })).step, "revocation");
    assert.equal((await judge(path, { distrusted: [new Uint8Array(32)] })).status, "valid");
  });

  test(`${path}: wrong evidence is refused with advice`, async () => {
    const { create, Validator } = inputs[path];
    const good = evidence(path, "0 ocsp good issuer");
    const list = evidence(path, "0 crl good issuer");
    for (const [options, type, message] of [
      [good, TypeError, /now: evidence about revocation needs the present time/],
      [{ revocation: "required", now: FRESH }, TypeError, /revocation: give ocspResponses or revocationLists/],
      [{ ...good, now: FRESH, revocation: "yes" }, RangeError, /revocation: give "required" or "if-present"/],
      [{ ...good, now: FRESH, revocation: "toString" }, RangeError, /revocation: give "required"/],
      [{ ...good, now: FRESH, revocation: true }, TypeError, /revocation: give "required"/],
      [{ ...good, now: FRESH, revocation: null }, TypeError, /revocation: give "required"/],
      [{ ocspResponses: [], now: FRESH }, TypeError, /ocspResponses: give an array/],
      [{ revocationLists: pieces[`${path} 0 crl good issuer`], now: FRESH }, TypeError, /revocationLists: give an array/],
      [{ ocspResponses: ["MII"], now: FRESH }, TypeError, /ocspResponses: give a Uint8Array/],
      [{ ocspResponses: [new Uint8Array(5)], now: FRESH }, RangeError, /ocspResponses: give a successful OCSP response in DER/],
      [{ ocspResponses: list.revocationLists, now: FRESH }, RangeError, /ocspResponses: give a successful OCSP response/],
      [{ revocationLists: good.ocspResponses, now: FRESH }, RangeError, /revocationLists: give a revocation list in DER/],
      [{ ocspResponses: new Array(17).fill(good.ocspResponses[0]), now: FRESH }, RangeError, /at most 16/],
      [{ revocationLists: new Array(17).fill(list.revocationLists[0]), now: FRESH }, RangeError, /at most 16/],
      [{ distrusted: [new Uint8Array(20)] }, RangeError, /distrusted: give the 32 octets/],
      [{ distrusted: [] }, TypeError, /distrusted: give an array/],
      [{ distrusted: ["00"] }, TypeError, /distrusted: give a Uint8Array/],
    ]) {
      await assert.rejects(create(options), (error) => {
        assert.ok(error instanceof type, `${message}: ${error}`);
        assert.match(error.message, message);
        return true;
      });
    }
    await create({ ocspResponses: new Array(16).fill(good.ocspResponses[0]), now: FRESH });
    // Under a prototype, evidence and a mode are none.
    for (const [name, value] of [["revocation", "if-present"], ["ocspResponses", good.ocspResponses], ["distrusted", [new Uint8Array(32)]]]) {
      const options = { ...list, now: FRESH };
      Object.prototype[name] = value;
      try {
        // One list does not prove the issuer's certificate, nor that the token's may sign lists.
        await refused(path, path === "receipt" ? "revocation.no-evidence" : "crl.missing-crl-sign", path === "receipt" ? 1 : 0, options);
      } finally {
        delete Object.prototype[name];
      }
    }
    await assert.rejects(Validator.create({ ...good, now: FRESH }), /environments is required/);
  });

  test(`${path}: evidence is copied, also for the instance after a trap or a huge input`, async () => {
    const { create, judge } = inputs[path];
    const options = evidence(path, "0 ocsp good issuer, 1 ocsp revoked issuer");
    options.ocspResponses = options.ocspResponses.map((piece) => piece.slice());
    const validator = await create({ ...options, now: FRESH });
    for (const piece of options.ocspResponses) piece.fill(0);
    assert.equal(judge(validator).code, "revocation.revoked");
    const huge = "A".repeat(1 << 26);
    assert.notEqual((path === "receipt" ? validator.judge(huge) : validator.judge("transaction", huge)).status, "valid");
    assert.equal(judge(validator).code, "revocation.revoked");
  });
}

test("without evidence, revocation is among the checks that were not made", async () => {
  for (const path of Object.keys(inputs)) await accepted(path, true, {});
  await accepted("receipt", true, { now: FRESH });
  await accepted("token", true, { now: FRESH, maximumAge: 1e12 });
});

test("an authority that must not sign lists signs none", async () => {
  for (const status of ["good", "revoked"]) {
    const options = { ...evidence("token", `0 crl ${status} issuer, 1 ocsp good issuer`), now: FRESH };
    await refused("token", "crl.missing-crl-sign", 0, options);
    await accepted("token", true, { ...options, revocation: "if-present" });
  }
});

test("evidence needs no age, and an age needs no evidence", async () => {
  const good = { ...evidence("token", "0 ocsp good issuer, 1 ocsp good issuer"), now: FRESH };
  assert.deepEqual((await judge("token", { ...good, maximumAge: 1 })).step, "age");
  const { not_checked } = await judge("token", good);
  assert.ok(not_checked.includes("age"));
});

/** The elements of a DER value, each whole. */
function elements(value) {
  const contents = (octets) => {
    const count = octets[1] < 0x80 ? 0 : octets[1] & 0x7f;
    const start = 2 + count;
    const length = count ? octets.subarray(2, start).reduce((sum, octet) => 256 * sum + octet, 0) : octets[1];
    return [start, start + length];
  };
  const [start, end] = contents(value);
  const found = [];
  for (let at = start; at < end;) {
    const length = contents(value.subarray(at))[1];
    found.push(value.subarray(at, at + length));
    at += length;
  }
  return found;
}

function sequence(...parts) {
  const body = Buffer.concat(parts);
  const digits = body.length.toString(16);
  const length = Buffer.from(digits.padStart(digits.length + (digits.length % 2), "0"), "hex");
  return Buffer.concat([body.length < 0x80 ? Buffer.from([0x30]) : Buffer.from([0x30, 0x80 | length.length]), length, body]);
}

test("a large revocation list is kept in one instance", async () => {
  const [tbs, algorithm, signature] = elements(pieces["receipt 0 crl revoked issuer"]);
  const [version, inner, issuer, thisUpdate, nextUpdate, revoked, ...rest] = elements(tbs);
  const [entry] = elements(revoked);
  const many = sequence(Buffer.alloc(800_000 * entry.length, entry));
  assert.ok(many.length > 16 << 20);
  const list = sequence(sequence(version, inner, issuer, thisUpdate, nextUpdate, many, ...rest), algorithm, signature);
  const { Instance } = WebAssembly;
  let count = 0;
  WebAssembly.Instance = class extends Instance {
    constructor(...parameters) {
      super(...parameters);
      count++;
    }
  };
  try {
    const validator = await sandbox({ revocationLists: [list], now: FRESH });
    for (let index = 0; index < 3; index++) assert.equal(validator.judge(receipt()).code, "rsa.signature-mismatch");
  } finally {
    WebAssembly.Instance = Instance;
  }
  assert.equal(count, 1);
});

test("the module for receipts alone takes distrust, and says that it takes no evidence", async () => {
  const module = read(`${root}.build/wasm/receipts.wasm`);
  const distrusted = [fingerprint(read(`${vectors}certificates/root.der`))];
  assert.equal((await sandbox({ module, distrusted })).judge(receipt()).step, "distrust");
  for (const more of [{}, { revocation: "if-present" }]) {
    const created = sandbox({ module, ...evidence("receipt", "0 ocsp good issuer"), now: FRESH, ...more });
    await assert.rejects(created, { name: "TypeError", message: /(ocspResponses|revocation): the module was built without it/ });
  }
});
