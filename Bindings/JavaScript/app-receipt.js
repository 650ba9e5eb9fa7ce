// Validates App Store receipts, and tokens of StoreKit 2: `app-receipt.wasm`, which is compiled from Swift.
//
// The module has no imports, so it reaches neither the network nor files nor a clock. Every validator has an
// instance and a memory of its own. If the module traps, the validator makes a new instance.

/** Why an input was refused. The members are documented in app-receipt.d.ts. */
class Refusal extends Error {
  constructor(name, fields) {
    super(fields.message);
    this.name = name;
    this.step = fields.step;
    this.code = fields.code;
    this.number = fields.number;
    this.kind = fields.kind;
    this.offset = fields.offset;
    this.certificate = fields.certificate;
    this.reading = fields.reading;
    this.found = fields.found;
    this.expected = fields.expected;
  }
}

/** Why a receipt was refused. */
export class ReceiptError extends Refusal {
  constructor(fields) { super("ReceiptError", fields); }
}

/** Why a token was refused, and which token inside a notification it was. */
export class TokenError extends Refusal {
  constructor(fields) {
    super("TokenError", fields);
    this.nestedToken = fields.nestedToken;
  }
}

/** The module trapped: a defect of the library, or no memory was left. The validator can be used again. */
export class ReceiptTrap extends Error {
  constructor(cause) {
    super(
      `the module trapped (${cause.message}); this is no verdict. The validator has a new instance and can be ` +
        "used again. Please report the input as a defect unless the host was out of memory",
      { cause },
    );
    this.name = "ReceiptTrap";
  }
}

/** Validates receipts by one set of expectations. */
export class ReceiptValidator {
  #session;
  #inputBytes;

  /** Compiles the module if none is given, and makes a validator. */
  static async create(options) {
    const own = ownProperties(options);
    const configuration = receiptCalls(own);
    const inputBytes = own.limits?.inputBytes ?? INPUT_BYTES;
    return new ReceiptValidator(token, new Session("", await compile(own.module), configuration), inputBytes);
  }

  constructor(key, session, inputBytes) {
    if (key !== token) throw new TypeError("use await ReceiptValidator.create({ … }) to make a validator");
    this.#session = session;
    this.#inputBytes = inputBytes;
  }

  /** Returns the values of a valid receipt. Throws ReceiptError for any other input. */
  validate(receipt) {
    return this.#run(receipt, this.#inputBytes, (engine, input) => {
      const { json, error } = engine.judge([], input, true);
      if (error) throw new ReceiptError(error);
      return { ...(json.receipt ?? json.transaction_receipt), not_checked: json.not_checked };
    });
  }

  /** Returns the verdict with its reason or the receipt's values. Does not throw for a bad receipt. */
  judge(receipt) {
    return this.#run(receipt, this.#inputBytes, (engine, input) => engine.judge([], input, false).json);
  }

  /** Returns what a container claims. Nothing is verified: anyone can write such a receipt. */
  inspectUnverified(receipt) {
    return this.#run(receipt, INPUT_BYTES, (engine, input) => engine.inspect("inspect_unverified", [], input));
  }

  /** Returns the container that an input holds, or null if it holds none. Nothing is verified. */
  decode(receipt) {
    return this.#run(receipt, INPUT_BYTES, (engine, input) => engine.decode(input));
  }

  /** Releases the memory. The validator cannot be used afterwards. */
  free() { this.#session.free(); }

  #run(receipt, inputBytes, body) {
    return this.#session.run(() => bounded(receipt, inputBytes, "the receipt", "give a Uint8Array or base64 in a string"), body);
  }
}

/** Validates tokens of StoreKit 2, and notifications, by one set of expectations. */
export class TokenValidator {
  #session;
  #tokenBytes;

  /** Compiles the module if none is given, and makes a validator. */
  static async create(options) {
    const own = ownProperties(options);
    const configuration = tokenCalls(own);
    const tokenBytes = own.limits?.tokenBytes ?? TOKEN_BYTES;
    return new TokenValidator(token, new Session("token_", await compile(own.module), configuration), tokenBytes);
  }

  constructor(key, session, tokenBytes) {
    if (key !== token) throw new TypeError("use await TokenValidator.create({ … }) to make a validator");
    this.#session = session;
    this.#tokenBytes = tokenBytes;
  }

  /** Returns the payload of a valid token of this kind. Throws TokenError for any other input. */
  validate(kind, jws) {
    return this.#run(kind, jws, this.#tokenBytes, (engine, number, input) => {
      const { json, error } = engine.judge([number], input, true);
      if (error) throw new TokenError(error);
      return { ...json.payload, not_checked: json.not_checked };
    });
  }

  /** Returns the verdict with its reason or the payload. Does not throw for a bad token. */
  judge(kind, jws) {
    return this.#run(kind, jws, this.#tokenBytes, (engine, number, input) => engine.judge([number], input, false).json);
  }

  /** Returns what a token claims. Nothing is verified: anyone can write such a token. */
  inspectUnverified(kind, jws) {
    return this.#run(kind, jws, TOKEN_BYTES,
      (engine, number, input) => engine.inspect("inspect_token_unverified", [number], input));
  }

  /** Releases the memory. The validator cannot be used afterwards. */
  free() { this.#session.free(); }

  #run(kind, jws, tokenBytes, body) {
    const number = TOKEN_KINDS.indexOf(kind) + 1;
    if (number === 0) throw new TypeError(`the kind: give one of ${TOKEN_KINDS.join(", ")}`);
    return this.#session.run(() => bounded(jws, tokenBytes, "the token", "give a string or a Uint8Array"),
      (engine, input) => body(engine, number, input));
  }
}

/** An engine that is replaced after a trap, and after an input that needed much memory. */
class Session {
  #kind;
  #module;
  #configuration;
  #engine;

  constructor(kind, module, configuration) {
    [this.#kind, this.#module, this.#configuration] = [kind, module, configuration];
    this.#engine = new Engine(kind, module, configuration);
  }

  free() {
    this.#engine = this.#module = this.#configuration = null;
  }

  run(read, body) {
    if (!this.#module) throw new TypeError("free() was called; make a new validator");
    const input = read();
    try {
      this.#engine ??= new Engine(this.#kind, this.#module, this.#configuration);
      return body(this.#engine, input);
    } catch (error) {
      if (error instanceof Refusal) throw error;
      // The instance may be in an unknown state. It is never called again.
      this.#engine = null;
      throw isTrap(error) ? new ReceiptTrap(error) : error;
    } finally {
      // Memory cannot shrink. An instance that once held a huge input is replaced.
      if (this.#engine?.isSwollen) this.#engine = null;
    }
  }
}

/** Whether the module trapped, used up the host's stack, or found no memory. Firefox has an error of its own for the stack. */
function isTrap(error) {
  return error instanceof WebAssembly.RuntimeError || error instanceof RangeError || error.name === "InternalError";
}

const token = Symbol("create");

/** 32 MiB. Receipts of 80 KB need 2 MiB. Inputs of several MiB need more, and cost a new instance each. */
const MOST_MEMORY = 32 << 20;

/** The default of the limit `inputBytes`, as in EncodingLimits.swift. */
const INPUT_BYTES = 8 << 20;

/** The default of the limit `tokenBytes`, as in TokenLimits.swift. */
const TOKEN_BYTES = 1 << 17;

/** The interface of the module that this file was written for. */
const ABI = 1;

// What the module's functions return, as in app_receipt.h.
const OK = 0, REFUSED = 1, ABSENT = 2, OUT_OF_RANGE = -2, BAD_VALUE = -3, BUFFER_TOO_SMALL = -4;

/** A string or a number in JSON text. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/** Puts a number into quotes if JavaScript could change its digits. Only the unknown members of tokens have such numbers. */
function exact(value) {
  if (value[0] === '"') return value;
  // Numbers of 64 bits keep 15 digits, unless the exponent is extreme.
  const isExact = /[.eE]/.test(value) ? /^-?[\d.]{3,16}$/.test(value) : Number.isSafeInteger(Number(value));
  return isExact ? value : `"${value}"`;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** An instance of the module, with a validator and a cache of verified certificates in it. `kind` begins the names of
 * the functions for tokens, and is empty for receipts. */
class Engine {
  #kind;
  #call;
  #validator;
  #cache;
  #results;
  #capacity = 1 << 14;
  #scratch;
  #start;

  constructor(kind, module, configuration) {
    this.#kind = kind;
    this.#call = new WebAssembly.Instance(module, {}).exports;
    this.memory = this.#call.memory;
    const abi = this.#call.app_receipt_abi?.();
    if (abi !== ABI) throw new TypeError(`the module has the interface ${abi}, not ${ABI}: take app-receipt.wasm and app-receipt.js from one package`);
    if (!this.#function("validate")) throw new TypeError("the module was built without tokens: take the package's app-receipt.wasm");
    // Two words for results: pointers, lengths. The error is a struct of 40 octets.
    this.#results = this.#allocate(48);
    this.#scratch = this.#allocate(this.#capacity);
    const policy = this.#make("policy_create", 0);
    for (const { option, name, value, fix } of configuration) {
      if (!this.#call[`app_receipt_${name}`]) throw new TypeError(`${option}: the module was built without it: take the package's app-receipt.wasm`);
      this.#expect(this.#pass(name, policy, value), option, fix);
    }
    this.#validator = this.#make(`${kind}validator_create`, policy);
    this.#cache = this.#make("cache_create", 0);
    this.#call.app_receipt_policy_release(policy);
    this.#start = this.memory.buffer.byteLength;
  }

  /** Whether the memory is large because of an input. A validator alone can have large evidence. */
  get isSwollen() { return this.memory.buffer.byteLength > Math.max(MOST_MEMORY, 2 * this.#start); }

  /** Returns the JSON of the verdict, and the error's fields if they are wanted and there is an error. */
  judge(kind, input, withError) {
    const at = this.#put(input);
    const status = this.#function("validate")(this.#validator, this.#cache, ...kind, at.address, at.length, this.#results);
    this.#call.app_receipt_deallocate(at.address);
    if (status !== OK && status !== REFUSED) throw new WebAssembly.RuntimeError(`app_receipt_validate returned ${status}`);
    const result = this.#word(0);
    const found = { json: this.#json((...room) => this.#function("result_json")(result, ...room)) };
    if (status === REFUSED && withError) {
      const { found: value, expected, nested_token: nestedToken = null } = found.json.error;
      found.error = { ...this.#error(result), found: value, expected, nestedToken };
    }
    // An instance that trapped must not be called again, so there is no `finally` here.
    this.#function("result_release")(result);
    return found;
  }

  inspect(name, kind, input) {
    const at = this.#put(input);
    const found = this.#json((...room) => this.#call[`app_receipt_${name}`](...kind, at.address, at.length, ...room));
    this.#call.app_receipt_deallocate(at.address);
    return found;
  }

  decode(input) {
    const at = this.#put(input);
    const write = (buffer, capacity) =>
      this.#call.app_receipt_decode(at.address, at.length, buffer, capacity, this.#results);
    let buffer = this.#allocate(input.length);
    let status = write(buffer, input.length);
    // UTF-8 may be longer than UTF-16.
    if (status === BUFFER_TOO_SMALL) {
      this.#call.app_receipt_deallocate(buffer);
      const capacity = this.#word(0);
      buffer = this.#allocate(capacity);
      status = write(buffer, capacity);
    }
    if (status !== OK && status !== ABSENT) throw new WebAssembly.RuntimeError(`app_receipt_decode returned ${status}`);
    const found = status === OK ? new Uint8Array(this.memory.buffer, buffer, this.#word(0)).slice() : null;
    this.#call.app_receipt_deallocate(buffer);
    this.#call.app_receipt_deallocate(at.address);
    return found;
  }

  /** Reads `app_receipt_error`: two words of 32 bits, one of 64, and five addresses of text. */
  #error(result) {
    this.#function("result_error")(result, this.#results);
    const view = new DataView(this.memory.buffer, this.#results, 40);
    const text = (offset) => {
      const start = view.getUint32(offset, true);
      const all = new Uint8Array(this.memory.buffer, start);
      return decoder.decode(all.subarray(0, all.indexOf(0)));
    };
    const certificate = view.getInt32(4, true);
    return {
      number: view.getInt32(0, true),
      certificate: certificate < 0 ? null : certificate,
      offset: Number(view.getBigInt64(8, true)),
      code: text(16),
      step: text(20),
      kind: text(24),
      message: text(28),
      reading: text(32),
    };
  }

  /** Reads JSON from a function that fills a buffer. The buffer grows to the largest result so far. */
  #json(write) {
    let status = write(this.#scratch, this.#capacity, this.#results);
    if (status === BUFFER_TOO_SMALL) {
      this.#call.app_receipt_deallocate(this.#scratch);
      this.#capacity = this.#word(0);
      this.#scratch = this.#allocate(this.#capacity);
      status = write(this.#scratch, this.#capacity, this.#results);
    }
    if (status !== OK) throw new WebAssembly.RuntimeError(`the module returned ${status} instead of JSON`);
    const text = decoder.decode(new Uint8Array(this.memory.buffer, this.#scratch, this.#word(0)));
    return JSON.parse(this.#kind ? text.replace(STRING_OR_NUMBER, exact) : text);
  }

  #pass(name, policy, value) {
    const call = this.#call[`app_receipt_${name}`];
    if (!(value instanceof Uint8Array)) return call(policy, ...(value ?? []));
    const at = this.#put(value);
    const status = call(policy, at.address, at.length);
    this.#call.app_receipt_deallocate(at.address);
    return status;
  }

  #make(name, argument) {
    this.#expect(this.#call[`app_receipt_${name}`](argument, this.#results), name, "report this as a defect");
    return this.#word(0);
  }

  #expect(status, option, fix) {
    if (status === OK) return;
    const type = status === BAD_VALUE || status === OUT_OF_RANGE ? RangeError : TypeError;
    throw new type(`${option}: ${fix}`);
  }

  #function(name) { return this.#call[`app_receipt_${this.#kind}${name}`]; }
  #allocate(length) { return this.#call.app_receipt_allocate(length) >>> 0; }
  #word(index) { return new DataView(this.memory.buffer).getUint32(this.#results + 4 * index, true); }
  #put(octets) {
    const address = this.#allocate(octets.length);
    new Uint8Array(this.memory.buffer, address, octets.length).set(octets);
    return { address, length: octets.length };
  }
}

// MARK: The module

let compiled;

/** Compiles what the caller gives, or the file beside this one, which is compiled once. */
async function compile(module) {
  if (module instanceof WebAssembly.Module) return module;
  if (module !== undefined) {
    const fix = "give a WebAssembly.Module or the octets of app-receipt.wasm, or leave it out";
    try {
      return await WebAssembly.compile(octets(module, "module", fix));
    } catch (cause) {
      if (cause instanceof WebAssembly.CompileError) throw new TypeError(`module: ${fix}`, { cause });
      throw cause;
    }
  }
  compiled ??= load().catch((error) => {
    compiled = undefined;
    throw error;
  });
  return compiled;
}

async function load() {
  let url;
  try {
    url = new URL("./app-receipt.wasm", import.meta.url);
  } catch {
    throw new TypeError("this host does not say where the module lies; pass it as `module`");
  }
  // Node cannot fetch files. Other hosts do not have the import.
  if (url.protocol === "file:" && globalThis.process?.versions?.node) {
    const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ "node:fs/promises");
    return WebAssembly.compile(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) {
    throw new Error(`${url}: status ${response.status}; put app-receipt.wasm beside app-receipt.js, or pass \`module\``);
  }
  return WebAssembly.compile(await response.arrayBuffer());
}

// MARK: Arguments

const ENVIRONMENTS = ["Production", "ProductionVPP", "ProductionSandbox", "ProductionVPPSandbox", "Xcode"];
const TOKEN_ENVIRONMENTS = ["Production", "Sandbox", "Xcode", "LocalTesting"];

/** The kinds of tokens, in the order of their numbers in app_receipt.h, which begin with 1. */
const TOKEN_KINDS = ["transaction", "renewal-info", "notification", "app-transaction", "realtime-request"];

/** The numbers of limits in app_receipt.h. */
const LIMITS = {
  inputBytes: 1, depth: 2, elements: 3, certificates: 4, extensions: 5, purposes: 6, modulusBits: 7,
  exponentBits: 8, attributes: 9, signatureChecks: 10,
};
const TOKEN_LIMITS = { tokenBytes: 1, members: 2 };

/** What evidence must prove, in the order of the numbers in app_receipt.h, which begin with 1. */
const REVOCATION = ["required", "if-present"];

const SHARED_OPTIONS = ["environments", "bundleIdentifiers", "roots", "requireMarkers", "xcodeTesting", "distrusted", "ocspResponses",
  "revocationLists", "revocation", "now", "pathTime", "limits", "module"];
const OPTIONS = [...SHARED_OPTIONS, "appVersion", "devices", "issuers", "minimumDigest"];
const TOKEN_OPTIONS = [...SHARED_OPTIONS, "appAppleId", "deviceVerificationId", "maximumAge",
  "trustAnySelfSignedProvingIntegrityOnly"];

/**
 * Returns the options that the caller gave itself. Other code may have put properties of these names on
 * Object.prototype, where they would accept more receipts.
 */
function ownProperties(options) {
  if (options === null || typeof options !== "object") {
    throw new TypeError('options: give an object, such as { environments: ["Production"], bundleIdentifiers: ["com.example.app"] }');
  }
  const own = Object.assign(Object.create(null), options);
  if (own.limits !== null && typeof own.limits === "object") own.limits = Object.assign(Object.create(null), own.limits);
  return own;
}

/** The calls of the policy's functions that options stand for. The octets are copied, because a new instance needs them. */
class Calls {
  all = [];

  constructor(options, known) {
    for (const name of Object.keys(options)) {
      if (!known.includes(name)) throw new TypeError(`${name}: there is no such option; there are ${known.join(", ")}`);
    }
    this.options = options;
  }

  add(option, name, value, fix) { this.all.push({ option, name, value, fix }); }

  /** The environments and the bundle identifiers. */
  expectations(known, accept) {
    const { options } = this;
    const environments = `give "any", or an array with some of ${known.join(", ")}`;
    for (const name of names(options.environments, "environments", environments)) {
      if (name === null) this.add("environments", "policy_accept_any_environment");
      else if (known.includes(name)) this.add("environments", accept, encoder.encode(name), environments);
      else throw new RangeError(`environments: ${JSON.stringify(name)} is none; ${environments}`);
    }
    const identifiers = 'give "any", or an array such as ["com.example.app"]';
    for (const name of names(options.bundleIdentifiers, "bundleIdentifiers", identifiers)) {
      if (name === null) this.add("bundleIdentifiers", "policy_accept_any_bundle_identifier");
      else if (name === "" || hasLoneSurrogate(name)) throw new RangeError(`bundleIdentifiers: ${JSON.stringify(name)} is none; ${identifiers}`);
      else this.add("bundleIdentifiers", "policy_accept_bundle_identifier", encoder.encode(name), identifiers);
    }
  }

  text(option, name, fix) {
    const value = this.options[option];
    if (value === undefined) return;
    if (typeof value !== "string") throw new TypeError(`${option}: ${fix}`);
    if (hasLoneSurrogate(value)) throw new RangeError(`${option}: give well-formed Unicode`);
    this.add(option, name, encoder.encode(value), fix);
  }

  /** A list of octets, each of which is given to a function. */
  list(option, name, fix) {
    const list = this.options[option];
    if (list === undefined) return;
    if (!Array.isArray(list) || list.length === 0) {
      throw new TypeError(`${option}: give an array of Uint8Array with at least one element, or leave it out`);
    }
    for (const one of list) {
      // A copy by this constructor. `slice` of Node's Buffer returns a view of the caller's octets.
      this.add(option, name, new Uint8Array(octets(one, option, `give a Uint8Array: ${fix}`)), fix);
    }
  }

  roots() {
    const { options } = this;
    this.list("roots", "policy_trust_root", "give a root certificate in DER");
    if (!flag(options, "requireMarkers", true)) {
      if (options.roots === undefined) throw new TypeError("requireMarkers: false needs `roots`; Apple's roots require the markers");
      this.add("requireMarkers", "policy_omit_markers");
    }
    if (flag(options, "xcodeTesting", false)) {
      if (options.requireMarkers === false) throw new TypeError("xcodeTesting needs no markers; leave out requireMarkers");
      this.add("xcodeTesting", "policy_trust_xcode_testing");
    }
  }

  /** What is distrusted, and evidence about revocation. Returns whether there is evidence. */
  revocation() {
    const { revocation, ocspResponses, revocationLists, now } = this.options;
    this.list("distrusted", "policy_distrust", "give the 32 octets of a SHA-256");
    const hasEvidence = ocspResponses !== undefined || revocationLists !== undefined;
    if (revocation !== undefined) {
      const fix = 'give "required" or "if-present"';
      if (typeof revocation !== "string") throw new TypeError(`revocation: ${fix}`);
      if (!REVOCATION.includes(revocation)) throw new RangeError(`revocation: ${fix}`);
      if (!hasEvidence) throw new TypeError("revocation: give ocspResponses or revocationLists, or leave it out");
      this.add("revocation", "policy_set_revocation", [REVOCATION.indexOf(revocation) + 1], fix);
    }
    if (hasEvidence && now === undefined) throw new TypeError("now: evidence about revocation needs the present time");
    const piece = "in DER with nextUpdate, and at most 16 of them";
    this.list("ocspResponses", "policy_add_ocsp_response", `give a successful OCSP response ${piece}`);
    this.list("revocationLists", "policy_add_revocation_list", `give a revocation list ${piece}`);
    return hasEvidence;
  }

  times() {
    for (const [option, name] of [["now", "policy_set_now"], ["pathTime", "policy_set_path_time"]]) {
      const value = this.options[option];
      this.integer(option, name, value instanceof Date ? value.getTime() : value, "give a Date, or milliseconds since 1970 as an integer");
    }
  }

  integer(option, name, value, fix, ...before) {
    if (value === undefined) return;
    if (typeof value !== "number") throw new TypeError(`${option}: ${fix}`);
    if (!Number.isSafeInteger(value)) throw new RangeError(`${option}: ${fix}`);
    this.add(option, name, [...before, BigInt(value)], fix);
  }

  limits(known, setter) {
    const { limits } = this.options;
    if (limits === undefined) return;
    if (limits === null || typeof limits !== "object") {
      throw new TypeError(`limits: give an object, such as { ${Object.keys(known)[0]}: 100000 }`);
    }
    for (const [name, value] of Object.entries(limits)) {
      const option = `limits.${name}`;
      if (!Object.hasOwn(known, name)) throw new TypeError(`${option}: there is no such limit; there are ${Object.keys(known).join(", ")}`);
      if (value === undefined) throw new TypeError(`${option}: give an integer from 1 to the default`);
      this.integer(option, setter, value, "give an integer from 1 to the default", known[name]);
    }
  }
}

function receiptCalls(options) {
  const calls = new Calls(options, OPTIONS);
  calls.expectations(ENVIRONMENTS, "policy_accept_environment");
  calls.text("appVersion", "policy_require_app_version", 'give a string, such as "42"');
  calls.list("devices", "policy_accept_device", "give the 16 octets of identifierForVendor or the 6 octets of a MAC address");
  calls.roots();
  calls.list("issuers", "policy_add_issuer", "give an intermediate's certificate in DER");
  calls.revocation();
  calls.times();
  if (options.minimumDigest !== undefined) {
    const fix = "give 160, 256, 384 or 512";
    if (typeof options.minimumDigest !== "number") throw new TypeError(`minimumDigest: ${fix}`);
    if (![160, 256, 384, 512].includes(options.minimumDigest)) throw new RangeError(`minimumDigest: ${fix}`);
    calls.add("minimumDigest", "policy_set_minimum_digest", [options.minimumDigest], fix);
  }
  calls.limits(LIMITS, "policy_set_limit");
  return calls.all;
}

function tokenCalls(options) {
  const calls = new Calls(options, TOKEN_OPTIONS);
  calls.expectations(TOKEN_ENVIRONMENTS, "policy_accept_token_environment");
  calls.integer("appAppleId", "policy_require_app_apple_id", options.appAppleId, "give the app's Apple ID, a positive integer");
  calls.text("deviceVerificationId", "policy_require_device_verification", "give AppStore.deviceVerificationID, a UUID");
  calls.roots();
  if (options.xcodeTesting && options.roots === undefined) {
    throw new TypeError("xcodeTesting: give the certificate that Xcode exported as `roots`");
  }
  const anySigner = "trustAnySelfSignedProvingIntegrityOnly";
  if (flag(options, anySigner, false)) {
    if (options.roots !== undefined) throw new TypeError(`${anySigner}: leave out roots`);
    calls.add(anySigner, "policy_trust_any_self_signed_proving_integrity_only");
  }
  const hasEvidence = calls.revocation();
  if (!hasEvidence && (options.now === undefined) !== (options.maximumAge === undefined)) {
    throw new TypeError("maximumAge and now: give both or none");
  }
  calls.times();
  calls.integer("maximumAge", "policy_set_maximum_age", options.maximumAge, "give milliseconds as an integer");
  calls.limits(TOKEN_LIMITS, "policy_set_token_limit");
  return calls.all;
}

/** Returns the accepted names; a single null stands for any. */
function names(value, option, fix) {
  if (value === "any") return [null];
  if (value === undefined) throw new TypeError(`${option} is required: ${fix}`);
  // The copy has undefined where the array has a hole.
  const list = Array.isArray(value) ? [...value] : [];
  if (list.length === 0 || list.some((name) => typeof name !== "string")) throw new TypeError(`${option}: ${fix}`);
  return list;
}

/** Whether text holds half a surrogate pair, which UTF-8 cannot encode. */
function hasLoneSurrogate(text) {
  return /\p{Surrogate}/u.test(text);
}

function flag(options, name, standard) {
  const value = options[name] ?? standard;
  if (typeof value !== "boolean") throw new TypeError(`${name}: give true or false`);
  return value;
}

/**
 * Returns an input's octets, or the UTF-8 of its text. An input beyond the limits is cut, so that the limits bound
 * what is copied, too. The module refuses it as too large.
 */
function bounded(input, limit, name, fix) {
  // Text may have twice as many characters as the container or the token may have bytes, and one more is rounded off.
  const longest = 2 * limit + 2;
  const all = typeof input === "string" ? encoder.encode(input.slice(0, longest)) : octets(input, name, fix);
  return all.subarray(0, longest);
}

const validated = Object.getPrototypeOf(Uint8Array.prototype).keys;

/** Returns a view of the octets of a buffer or of a view. Throws TypeError for anything else. */
function octets(value, name, fix) {
  const isView = ArrayBuffer.isView(value);
  if (!isView && !(value instanceof ArrayBuffer)) throw new TypeError(`${name}: ${fix}`);
  try {
    // The methods of typed arrays throw for a view that its buffer no longer covers. Its length would be 0.
    if (isView && !(value instanceof DataView)) validated.call(value);
    return isView ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : new Uint8Array(value);
  } catch (cause) {
    throw new TypeError(`${name}: its buffer was transferred or has shrunk; ${fix}`, { cause });
  }
}
