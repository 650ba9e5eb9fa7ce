// Tokens of StoreKit 2: verdicts, payloads, options and errors.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";
import { ReceiptError, ReceiptValidator, TokenError, TokenValidator } from "../app-receipt.js";
import { generator, hasShared, mutate, read, root, shared, vectors } from "./support.js";

const header = readFileSync(`${vectors}tokens/header.txt`, "utf8").trim();
const minted = read(`${vectors}tokens/root.der`);
/** The rows of Vectors/tokens/tokens.tsv. `~` stands for the text of header.txt. */
const rows = readFileSync(`${vectors}tokens/tokens.tsv`, "utf8").trimEnd().split("\n").slice(1).map((line) => {
  const [name, kind, trust, pinned, device, now, step, code, text] = line.split("\t");
  return { name, kind, trust, pinned, device, now, step, code, token: text.replaceAll("~", header) };
});
const row = (name) => rows.find((one) => one.name === name) ?? assert.fail(name);

const app = { environments: ["Production", "Sandbox"], bundleIdentifiers: ["com.example.app"], roots: [minted] };

/** A root that is known by its certificate may be missing in x5c, or be another certificate with its key. */
const isAccepted = ({ name, step }) => step === "accept" || name === "root missing" || name === "the root issued anew with its key";

/** The options under which a row has its verdict. */
function optionsOf({ trust, pinned, device, now }) {
  const options = { ...app, appAppleId: 1234567890 };
  if (trust !== "pinned") options.environments = [...app.environments, "Xcode", "LocalTesting"];
  if (pinned) options.roots = [Buffer.from(pinned, "base64")];
  if (trust === "self-signed") {
    delete options.roots;
    options.trustAnySelfSignedProvingIntegrityOnly = true;
  }
  if (trust === "xcode") options.xcodeTesting = true;
  if (device) options.deviceVerificationId = device;
  if (now) Object.assign(options, { now: Number(now), maximumAge: 3600 * 1000 });
  return options;
}

test("every token of tokens.tsv gets its verdict, its step and its code", async (context) => {
  const validators = new Map();
  for (const one of rows) {
    const { name, kind, step, code, token } = one;
    const options = optionsOf(one);
    const key = JSON.stringify([one.trust, one.pinned, one.device, one.now]);
    if (!validators.has(key)) validators.set(key, await TokenValidator.create(options));
    const validator = validators.get(key);
    const verdict = validator.judge(kind, token);
    assert.equal(verdict.kind, kind, name);
    if (isAccepted(one)) {
      assert.equal(verdict.status, "valid", name);
      const { not_checked, ...payload } = validator.validate(kind, token);
      assert.deepEqual([payload, not_checked], [verdict.payload, verdict.not_checked], name);
      continue;
    }
    assert.deepEqual([verdict.step, verdict.code, verdict.payload], [step, code, undefined], name);
    assert.throws(() => validator.validate(kind, token), (error) => {
      assert.ok(error instanceof TokenError && !(error instanceof ReceiptError), name);
      const { message, offset, certificate, reading, found, expected, nestedToken } = error;
      const { nested_token: nested = null, ...reason } = verdict.error;
      assert.deepEqual({ message, offset, certificate, reading, found, expected, nested: nestedToken }, { ...reason, nested }, name);
      assert.deepEqual([error.name, error.step, error.code, error.kind], ["TokenError", step, code, verdict.status], name);
      assert.ok(error.number > 0, name);
      return true;
    });
  }
  assert.ok(rows.length > 200);
  context.diagnostic(`${rows.length} of ${rows.length} tokens agree`);
});

test("genuine tokens of the sandbox are valid, and have the values that they were signed with", async (context) => {
  if (!hasShared()) return context.skip("../shared is missing");
  const folder = `${shared}jws/`;
  const validator = await TokenValidator.create({ environments: "any", bundleIdentifiers: "any" });
  let count = 0;
  for (const file of readdirSync(folder).filter((name) => /^(foreign|sandbox|xcode).*\.jws$/.test(name))) {
    const { kind, group } = JSON.parse(readFileSync(`${folder}${file.replace(/jws$/, "json")}`, "utf8"));
    const text = readFileSync(`${folder}${file}`, "utf8");
    const claims = JSON.parse(Buffer.from(text.split(".")[1], "base64url"));
    const { status, step, payload } = validator.judge(kind, text);
    if (group !== "Sandbox") {
      assert.notEqual(status, "valid", file);
      continue;
    }
    // A notification of 2022 has no date.
    if (!("signedDate" in claims) && kind === "notification") {
      assert.equal(step, "signed-date", file);
      continue;
    }
    assert.equal(status, "valid", file);
    for (const [member, value] of Object.entries(claims)) {
      if (/Date$/.test(member)) assert.equal(Date.parse(payload[member]), value, `${file}: ${member}`);
      else if (typeof value !== "object") assert.equal(payload[member], value, `${file}: ${member}`);
    }
    count++;
  }
  assert.ok(count > 50);
  context.diagnostic(`${count} genuine tokens are valid`);
});

test("the tokens inside a notification are the objects that they hold", async () => {
  const validator = await TokenValidator.create(app);
  const { token } = row("a notification with data");
  const payload = validator.validate("notification", token);
  for (const nested of ["signedTransactionInfo", "signedRenewalInfo"]) {
    assert.equal(payload.data[nested].originalTransactionId, "2000000000000001");
  }
  const body = JSON.stringify({ signedPayload: token });
  for (const form of [body, ` ${body}\n`, Buffer.from(body), new TextEncoder().encode(token).buffer]) {
    assert.deepEqual(validator.validate("notification", form), payload);
  }
  // The member of another kind holds no notification.
  assert.equal(validator.judge("notification", JSON.stringify({ signedTransactionInfo: token })).step, "form");
});

test("numbers keep all their digits", async () => {
  const validator = await TokenValidator.create(app);
  const { token } = row("numbers beyond 2 to the 53");
  const unverified = validator.inspectUnverified("transaction", token).unverified_payload;
  for (const payload of [validator.validate("transaction", token), validator.judge("transaction", token).payload, unverified]) {
    const { price, quantity, revocationReason, offerType, unknown_members } = payload;
    assert.deepEqual([price, quantity, revocationReason], ["9007199254740993", "9223372036854775807", "-9223372036854775808"]);
    assert.equal(offerType, Number.MAX_SAFE_INTEGER);
    assert.deepEqual(unknown_members, {
      newInteger: "9007199254740993",
      newNumbers: ["-12345678901234567890", "0.12345678901234567", "1e400", -1.5],
      newText: '"9007199254740993',
      newObject: { "9007199254740993": Number.MAX_SAFE_INTEGER },
    });
  }
});

test("an error names the refused token inside a notification", async () => {
  const validator = await TokenValidator.create(app);
  const { kind, token } = row("a nested transaction with another signature");
  assert.throws(() => validator.validate(kind, token), { nestedToken: "signedTransactionInfo", step: "signature" });
  const other = row("bundleId ''");
  assert.throws(() => validator.validate(other.kind, other.token),
    { nestedToken: null, step: "bundle-identifier", found: "", expected: ["com.example.app"] });
});

test("options change the verdict, and a token is never valid under another kind", async () => {
  const { token } = row("every member of a transaction");
  const step = async (more) => {
    const validator = await TokenValidator.create({ ...app, ...more });
    return validator.judge("transaction", token).step;
  };
  assert.equal(await step({}), null);
  assert.equal(await step({ environments: "any", bundleIdentifiers: "any" }), null);
  assert.equal(await step({ environments: ["LocalTesting"] }), "environment");
  assert.equal(await step({ bundleIdentifiers: ["com.example.other"] }), "bundle-identifier");
  assert.equal(await step({ roots: undefined }), "root");
  assert.equal(await step({ pathTime: new Date("2090-01-01") }), "certificate-path");
  assert.equal(await step({ limits: { tokenBytes: 1000 } }), "form");
  assert.notEqual(await step({ limits: { members: 5 } }), null);
  assert.equal(await step({ now: new Date("2090-01-01"), maximumAge: 1000 }), "age");
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", minted));
  assert.equal(await step({ distrusted: [new Uint8Array(32), digest] }), "distrust");
  const validator = await TokenValidator.create(app);
  for (const kind of ["renewal-info", "notification", "app-transaction", "realtime-request"]) {
    // An app transaction has its date in another member, which is missing.
    assert.equal(validator.judge(kind, token).step, kind === "app-transaction" ? "signed-date" : "payload", kind);
  }
});

test("wrong options and arguments are refused with advice", async () => {
  const cases = [
    [{ environments: undefined }, TypeError, /environments is required/],
    [{ environments: ["ProductionSandbox"] }, RangeError, /none; give "any", or an array with some of Production, Sandbox/],
    [{ bundleIdentifiers: [] }, TypeError, /bundleIdentifiers: give/],
    [{ appVersion: "42" }, TypeError, /appVersion: there is no such option/],
    [{ devices: [new Uint8Array(16)] }, TypeError, /devices: there is no such option/],
    [{ appAppleId: "1" }, TypeError, /appAppleId: give the app's Apple ID/],
    [{ appAppleId: 0 }, RangeError, /appAppleId: give the app's Apple ID/],
    [{ appAppleId: 2 ** 53 }, RangeError, /appAppleId: give/],
    [{ deviceVerificationId: "x" }, RangeError, /deviceVerificationId: give/],
    [{ distrusted: [new Uint8Array(31)] }, RangeError, /distrusted: give the 32 octets/],
    [{ distrusted: [] }, TypeError, /distrusted: give an array/],
    [{ now: 0 }, TypeError, /give both or none/],
    [{ maximumAge: 1 }, TypeError, /give both or none/],
    [{ now: 0, maximumAge: -1 }, RangeError, /maximumAge: give milliseconds/],
    [{ roots: undefined, requireMarkers: false }, TypeError, /needs `roots`/],
    [{ roots: undefined, xcodeTesting: true }, TypeError, /that Xcode exported/],
    [{ trustAnySelfSignedProvingIntegrityOnly: true }, TypeError, /leave out roots/],
    [{ trustAnySelfSignedProvingIntegrityOnly: 1 }, TypeError, /give true or false/],
    [{ limits: { inputBytes: 1 } }, TypeError, /there are tokenBytes, members/],
    [{ limits: { tokenBytes: 1 << 20 } }, RangeError, /limits.tokenBytes: give an integer from 1/],
  ];
  for (const [more, type, message] of cases) {
    await assert.rejects(TokenValidator.create({ ...app, ...more }), (error) => {
      assert.ok(error instanceof type, `${JSON.stringify(more)}: ${error}`);
      assert.match(error.message, message);
      return true;
    });
  }
  assert.throws(() => new TokenValidator(), { name: "TypeError", message: /TokenValidator.create/ });
  const validator = await TokenValidator.create(app);
  for (const kind of [undefined, "receipt", "toString", 1]) {
    assert.throws(() => validator.judge(kind, ""), { name: "TypeError", message: /give one of transaction/ });
  }
  assert.throws(() => validator.judge("transaction", {}), { name: "TypeError", message: /the token: give a string/ });
  validator.free();
  assert.throws(() => validator.judge("transaction", ""), { name: "TypeError", message: /free\(\) was called/ });
});

/** The text of a Swift source between two texts. */
function swift(file, start, end) {
  const text = readFileSync(`${root}Sources/${file}`, "utf8").split(start);
  assert.equal(text.length, 2, `${file}: ${start}`);
  return text[1].split(end)[0];
}

/** The cases of a Swift enumeration, with their raw values. */
function rawValues(file, name) {
  const cases = swift(file, `enum ${name}: String`, "\n\n").matchAll(/^ +case (\w+)(?: = "([^"]+)")?$/gm);
  return Object.fromEntries([...cases].map(([, name, value]) => [name, value ?? name]));
}

const declarations = readFileSync(new URL("../app-receipt.d.ts", import.meta.url), "utf8");

/** The members of an interface in app-receipt.d.ts with their types, in their order. */
function members(name) {
  const body = declarations.match(new RegExp(`^export interface ${name}(?: extends TokenObject)? \\{\\n?([^}]*)\\}$`, "m"));
  assert.ok(body, `no interface ${name}`);
  return [...body[1].matchAll(/^ {2}"?([\w-]+)"?: ([^;]+);$/gm)].map(([, member, type]) => [member, type]);
}

test("the declared members of tokens are those of the Swift table, with their types", () => {
  const interfaces = {
    transaction: "TransactionPayload", renewalInfo: "RenewalInfoPayload", notification: "NotificationPayload",
    appTransaction: "AppTransactionPayload", realtimeRequest: "RealtimeRequestPayload", notificationData: "NotificationData",
    summary: "NotificationSummary", externalPurchaseToken: "ExternalPurchaseToken", appData: "NotificationAppData",
    transactionCommitment: "TransactionCommitment", renewalCommitment: "RenewalCommitment",
    advancedCommerceTransaction: "AdvancedCommerceTransaction", advancedCommerceRenewal: "AdvancedCommerceRenewal",
    advancedCommerceTransactionItem: "AdvancedCommerceTransactionItem",
    advancedCommerceRenewalItem: "AdvancedCommerceRenewalItem",
    advancedCommerceDescriptors: "AdvancedCommerceDescriptors", advancedCommerceOffer: "AdvancedCommerceOffer",
    advancedCommerceRefund: "AdvancedCommerceRefund", advancedCommercePriceIncrease: "AdvancedCommercePriceIncrease",
  };
  const types = { text: "string", integer: "TokenInteger", date: "string", flag: "boolean", texts: "string[]" };
  const errors = "SignedPayloads/Validation/SignedPayloadError.swift";
  const nested = Object.entries(rawValues(errors, "NestedToken")).map(([kind, member]) => [member, interfaces[kind]]);
  const table = swift("SignedPayloads/Payload/ObjectTable.swift", "package var rows: [FieldRow] {", "\n}\n");
  const found = {};
  for (const [, object, rows] of table.matchAll(/case \.(\w+):((?:(?!case \.)[^])*)/g)) {
    found[object] = [...rows.matchAll(/\.(\w+)\("(\w+)"(?:, \.(\w+))?\)/g)].map(([, kind, member, inner]) => {
      const type = interfaces[inner] ? interfaces[inner] + (kind === "objects" ? "[]" : "")
        : Object.fromEntries(nested)[member] ?? types[kind];
      return [member, `${type} | null`];
    });
  }
  assert.deepEqual(Object.keys(found).sort(), Object.keys(interfaces).sort());
  for (const [object, name] of Object.entries(interfaces)) assert.deepEqual(members(name), found[object], name);
  const kinds = rawValues("ReceiptResults/SignedPayloadJudge.swift", "SignedPayloadKind");
  assert.deepEqual(members("TokenPayloads"), Object.entries(kinds).map(([kind, name]) => [name, interfaces[kind]]));
  assert.ok(found.transaction.length > 30);
});

test("the payload of every kind has the declared members and no others", async () => {
  const validator = await TokenValidator.create({ ...app, appAppleId: 1234567890 });
  const seen = new Set();
  const compare = (object, name) => {
    seen.add(name);
    const declared = members(name);
    assert.deepEqual(Object.keys(object), [...declared.map(([member]) => member), "unknown_members"], name);
    for (const [member, type] of declared) {
      const value = object[member];
      if (value === null) continue;
      const [wanted] = type.split(" ");
      if (/^[A-Z].*\[\]$/.test(wanted)) for (const one of value) compare(one, wanted.slice(0, -2));
      else if (/^[A-Z]/.test(wanted) && wanted !== "TokenInteger") compare(value, wanted);
      else if (wanted === "string[]") assert.ok(value.every((one) => typeof one === "string"), member);
      else assert.equal(typeof value, wanted === "TokenInteger" ? "number" : wanted, member);
    }
  };
  const kinds = Object.fromEntries(members("TokenPayloads"));
  for (const { name, kind, token, trust, now } of rows.filter(({ name }) => /^(every member|a notification with)/.test(name))) {
    assert.deepEqual([trust, now], ["pinned", ""], name);
    compare(validator.judge(kind, token).payload, kinds[kind]);
  }
  assert.equal(seen.size, 19);
});

test("kinds, environments, steps and nested tokens are those of the Swift sources", async () => {
  const declared = (name) => {
    const union = declarations.match(new RegExp(`export type ${name} =([^;]+);`)) ?? assert.fail(name);
    return [...union[1].matchAll(/"([^"]+)"/g)].map(([, value]) => value);
  };
  const names = (file, enumeration) => [...swift(file, `enum ${enumeration}:`, "public init?").matchAll(/case \.\w+: "(\w+)"/g)].map(([, name]) => name);
  const errors = "SignedPayloads/Validation/SignedPayloadError.swift";
  const kinds = Object.values(rawValues("ReceiptResults/SignedPayloadJudge.swift", "SignedPayloadKind"));
  const ofTokens = names("SignedPayloads/Validation/SignedPayloadPolicy.swift", "StoreEnvironment");
  const ofReceipts = names("AppReceipt/Trust/Expectations.swift", "ReceiptEnvironment");
  assert.deepEqual(declared("TokenKind"), kinds);
  assert.deepEqual(declared("TokenStep"), Object.values(rawValues(errors, "Step")));
  assert.deepEqual(declared("NestedToken"), Object.values(rawValues(errors, "NestedToken")));
  assert.deepEqual(declared("ReceiptStep"), Object.values(rawValues("AppReceipt/Validation/ReceiptError.swift", "Step")));
  assert.deepEqual(declared("TokenEnvironment"), ofTokens);
  assert.deepEqual(declared("ReceiptEnvironment"), ofReceipts);
  assert.ok(kinds.length === 5 && ofTokens.length === 4 && ofReceipts.length === 5);
  // The advice about a wrong value lists what the package accepts.
  const validator = await TokenValidator.create(app);
  assert.throws(() => validator.judge("", ""), { message: `the kind: give one of ${kinds.join(", ")}` });
  for (const [Validator, known] of [[TokenValidator, ofTokens], [ReceiptValidator, ofReceipts]]) {
    const created = Validator.create({ environments: [], bundleIdentifiers: "any" });
    await assert.rejects(created, { message: `environments: give "any", or an array with some of ${known.join(", ")}` });
  }
});

test("options for tokens are read as own properties", async () => {
  const { token } = row("every member of a transaction");
  for (const [name, value] of [["trustAnySelfSignedProvingIntegrityOnly", true], ["requireMarkers", false], ["pathTime", 0]]) {
    Object.prototype[name] = value;
    try {
      const validator = await TokenValidator.create(app);
      assert.equal(validator.judge("transaction", token).status, "valid", name);
    } finally {
      delete Object.prototype[name];
    }
  }
});

test("mutants never trap, and none of them is valid with other values", async () => {
  const validator = await TokenValidator.create(app);
  const next = generator(5);
  for (const name of ["every member of a transaction", "a notification with data"]) {
    const { kind, token } = row(name);
    const known = validator.judge(kind, token);
    assert.equal(known.status, "valid");
    for (let index = 0; index < 500; index++) {
      const verdict = validator.judge(kind, mutate(new TextEncoder().encode(token), next));
      if (verdict.status === "valid") assert.deepEqual(verdict.payload, known.payload);
    }
  }
});

test("inputs beyond the limit are refused, and the limit bounds what is copied", async () => {
  const validator = await TokenValidator.create(app);
  const huge = new Uint8Array(3 * 2 ** 30);
  for (const input of [huge, "A".repeat(1 << 28), `{"signedPayload":"${"A".repeat(1 << 20)}"}`]) {
    assert.equal(validator.judge("notification", input).step, "form");
  }
  assert.equal(validator.judge("transaction", row("every member of a transaction").token).status, "valid");
});

test("unverified inspection shows the claims of its kind, and the certificates", async () => {
  const validator = await TokenValidator.create({ environments: "any", bundleIdentifiers: "any" });
  const { token } = row("every member of a transaction");
  const found = validator.inspectUnverified("transaction", token);
  assert.equal(found.unverified_payload.bundleId, "com.example.app");
  assert.equal(found.certificates.length, 3);
  assert.equal(validator.inspectUnverified("notification", token).unverified_payload, undefined);
  assert.deepEqual(validator.inspectUnverified("transaction", "no token"), { certificates: [] });
});

test("the module for receipts alone validates receipts, and says that it has no tokens", async () => {
  const module = read(`${root}.build/wasm/receipts.wasm`);
  const receipts = await ReceiptValidator.create({ environments: "any", bundleIdentifiers: "any", module });
  assert.equal(receipts.judge("").step, "input");
  await assert.rejects(TokenValidator.create({ ...app, module }), { name: "TypeError", message: /built without tokens/ });
});
