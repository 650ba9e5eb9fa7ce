// Every receipt at hand gets the verdict that is expected of it.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";
import { ReceiptError, ReceiptValidator } from "../app-receipt.js";
import { assertHolds, cases, certificates, command, hasShared, read, shared, vectors } from "./support.js";

/** Checks that judge, validate and the command agree about an input. Returns the verdict. */
function agree(validator, input, expected) {
  const verdict = validator.judge(input);
  assert.deepEqual(verdict, expected);
  try {
    const { not_checked, ...values } = validator.validate(input);
    assert.equal(verdict.status, "valid");
    assert.deepEqual(values, verdict.receipt ?? verdict.transaction_receipt);
    assert.deepEqual(not_checked, verdict.not_checked);
  } catch (error) {
    if (!(error instanceof ReceiptError)) throw error;
    assert.deepEqual([error.kind, error.step, error.code], [verdict.status, verdict.step, verdict.code]);
    const { message, offset, certificate, reading, found, expected } = error;
    assert.deepEqual({ message, offset, certificate, reading, found, expected }, verdict.error);
  }
  return verdict;
}

test("every case of cases.json has the verdict and the values that are expected", async (context) => {
  const all = cases();
  assert.ok(all.length > 70);
  for (const { name, path, options, expected } of all) {
    const validator = await ReceiptValidator.create(options);
    const input = read(path);
    assertHolds(agree(validator, input, validator.judge(input)), expected, name);
    validator.free();
  }
  context.diagnostic(`${all.length} of ${all.length} cases agree`);
});

test("every shared receipt gets the verdict of the independent implementation", async (context) => {
  if (!hasShared()) return context.skip("../shared is missing");
  const validator = await ReceiptValidator.create({ environments: "any", bundleIdentifiers: "any" });
  const any = ["--environment", "any", "--bundle-id", "any"];
  const files = readdirSync(`${shared}receipts`).filter((name) => name.endsWith(".der"));
  assert.ok(files.length >= 20);
  for (const file of files) {
    const path = `${shared}receipts/${file}`;
    const known = JSON.parse(readFileSync(path.replace(/\.der$/, ".json"), "utf8"));
    const verdict = agree(validator, read(path), command(path, ...any));
    assert.equal(verdict.status === "valid" ? "accept" : "reject", known.verdict_against_apple_root.slice(0, 6), file);
    assert.equal(verdict.sha256, known.sha256);
    // A judgement from memory, and of base64, is the same.
    assert.deepEqual(validator.judge(Buffer.from(read(path)).toString("base64")), verdict);
    if (!known.device_identifier_hex) continue;
    const devices = [new Uint8Array(Buffer.from(known.device_identifier_hex, "hex"))];
    const strict = await ReceiptValidator.create({ environments: "any", bundleIdentifiers: "any", devices });
    assert.ok(!strict.validate(read(path)).not_checked.includes("device-hash"));
  }
  const xcode = await ReceiptValidator.create({ environments: ["Xcode"], bundleIdentifiers: "any", xcodeTesting: true });
  const made = files.filter((name) => name.includes("xcode.der"));
  for (const file of made) {
    const path = `${shared}receipts/${file}`;
    agree(xcode, read(path), command(path, "--environment", "Xcode", "--bundle-id", "any", "--xcode-testing"));
  }
  const transactions = readdirSync(`${shared}transaction-receipts`).filter((name) => /\.(b64|plist)$/.test(name));
  assert.equal(transactions.length, 8);
  for (const file of transactions) {
    const path = `${shared}transaction-receipts/${file}`;
    const verdict = agree(validator, read(path), command(path, ...any));
    assert.equal(verdict.status, "valid", file);
    const record = JSON.parse(readFileSync(path.replace(/\.\w+$/, ".json"), "utf8"));
    const { purchase_info: entries, ...values } = verdict.transaction_receipt;
    assert.deepEqual(Object.fromEntries(entries.map(({ key, value }) => [key, value])), record.purchase_info, file);
    const flag = { true: true, false: false, undefined: null };
    assertHolds(values, {
      signature_version: record.version,
      product_id: record.purchase_info["product-id"],
      is_trial_period: flag[record.purchase_info["is-trial-period"]],
      is_in_intro_offer_period: flag[record.purchase_info["is-in-intro-offer-period"]],
      in_app_ownership_type: record.purchase_info["in-app-ownership-type"] ?? null,
      subscription_group_identifier: record.purchase_info["subscription-group-identifier"] ?? null,
    }, file);
  }
  const count = files.length + made.length + transactions.length;
  context.diagnostic(`${count} of ${count} judgements of shared receipts agree`);
});

test("names that are not well-formed UTF-8 show U+FFFD for each maximal subpart (Unicode Standard, Table 3-11)", async () => {
  const validator = await ReceiptValidator.create({ environments: "any", bundleIdentifiers: "any" });
  const receipt = Buffer.from(read(`${vectors}receipts/sandbox-sha256.der`));
  const name = Buffer.from([0xe1, 0x80, 0xe2, 0xf0, 0x91, 0x92, 0x41]);
  let count = 0;
  for (let at = receipt.indexOf("\x0c\x07Example"); at >= 0; at = receipt.indexOf("\x0c\x07Example", at)) {
    name.copy(receipt, at + 2);
    count += 1;
  }
  assert.ok(count >= 6);
  for (const { subject, issuer } of validator.inspectUnverified(receipt).certificates) {
    assert.match(subject, /O=\ufffd\ufffd\ufffdA/);
    assert.match(issuer, /O=\ufffd\ufffd\ufffdA/);
  }
});

test("unverified inspection shows the claims, and the certificates that the command lists", async () => {
  const validator = await ReceiptValidator.create({ environments: "any", bundleIdentifiers: "any" });
  const found = validator.inspectUnverified(read(`${vectors}receipts/sandbox-sha256.der`));
  assert.equal(found.unverified_receipt.bundle_id, "com.example.receipts");
  assert.equal(found.certificates.length, 3);
  for (const path of new Set(cases().map(({ path }) => path))) {
    const listed = validator.inspectUnverified(read(path)).certificates;
    assert.deepEqual(listed, certificates(path) ?? [], path);
  }
  assert.deepEqual(validator.inspectUnverified("no receipt"), { certificates: [] });
});
