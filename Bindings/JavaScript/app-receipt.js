// Validates App Store receipts: `app-receipt.wasm`, which is compiled from Swift, behind three functions.
//
// The module has no imports, so it reaches neither the network nor files nor a clock. Every validator has an
// instance and a memory of its own. If the module traps, the validator makes a new instance.

/** Why a receipt was refused. The members are documented in app-receipt.d.ts. */
export class ReceiptError extends Error {
  constructor(fields) {
    super(fields.message);
    this.name = "ReceiptError";
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
  #module;
  #configuration;
  #inputBytes;
  #engine;

  /** Compiles the module if none is given, and makes a validator. */
  static async create(options) {
    const own = ownProperties(options);
    const configuration = checked(own);
    const inputBytes = own.limits?.inputBytes ?? INPUT_BYTES;
    return new ReceiptValidator(token, await compile(own.module), configuration, inputBytes);
  }

  constructor(key, module, configuration, inputBytes) {
    if (key !== token) throw new TypeError("use await ReceiptValidator.create({ … }) to make a validator");
    this.#module = module;
    this.#configuration = configuration;
    this.#inputBytes = inputBytes;
    this.#engine = new Engine(module, configuration);
  }

  /** Returns the values of a valid receipt. Throws ReceiptError for any other input. */
  validate(receipt) {
    return this.#run(receipt, this.#inputBytes, (engine, input) => {
      const { json, error } = engine.judge(input, true);
      if (error) throw new ReceiptError(error);
      return { ...(json.receipt ?? json.transaction_receipt), not_checked: json.not_checked };
    });
  }

  /** Returns the verdict with its reason or the receipt's values. Does not throw for a bad receipt. */
  judge(receipt) {
    return this.#run(receipt, this.#inputBytes, (engine, input) => engine.judge(input, false).json);
  }

  /** Returns what a container claims. Nothing is verified: anyone can write such a receipt. */
  inspectUnverified(receipt) {
    return this.#run(receipt, INPUT_BYTES, (engine, input) => engine.inspect(input));
  }

  /** Returns the container that an input holds, or null if it holds none. Nothing is verified. */
  decode(receipt) {
    return this.#run(receipt, INPUT_BYTES, (engine, input) => engine.decode(input));
  }

  /** Releases the memory. The validator cannot be used afterwards. */
  free() {
    this.#engine = this.#module = this.#configuration = null;
  }

  #run(receipt, inputBytes, body) {
    if (!this.#module) throw new TypeError("free() was called; make a new validator");
    const input = bounded(receipt, inputBytes);
    try {
      this.#engine ??= new Engine(this.#module, this.#configuration);
      return body(this.#engine, input);
    } catch (error) {
      if (error instanceof ReceiptError) throw error;
      // The instance may be in an unknown state. It is never called again.
      this.#engine = null;
      throw isTrap(error) ? new ReceiptTrap(error) : error;
    } finally {
      // Memory cannot shrink. An instance that once held a huge input is replaced.
      if (this.#engine?.memory.buffer.byteLength > MOST_MEMORY) this.#engine = null;
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

/** The interface of the module that this file was written for. */
const ABI = 1;

// What the module's functions return, as in app_receipt.h.
const OK = 0, REFUSED = 1, ABSENT = 2, OUT_OF_RANGE = -2, BAD_VALUE = -3, BUFFER_TOO_SMALL = -4;

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** An instance of the module, with a validator and a cache of verified certificates in it. */
class Engine {
  #call;
  #validator;
  #cache;
  #results;
  #capacity = 1 << 14;
  #scratch;

  constructor(module, configuration) {
    this.#call = new WebAssembly.Instance(module, {}).exports;
    this.memory = this.#call.memory;
    const abi = this.#call.app_receipt_abi?.();
    if (abi !== ABI) throw new TypeError(`the module has the interface ${abi}, not ${ABI}: take app-receipt.wasm and app-receipt.js from one package`);
    // Two words for results: pointers, lengths. The error is a struct of 40 octets.
    this.#results = this.#allocate(48);
    this.#scratch = this.#allocate(this.#capacity);
    const policy = this.#make("policy_create", 0);
    for (const { option, name, value, fix } of configuration) {
      this.#expect(this.#pass(name, policy, value), option, fix);
    }
    this.#validator = this.#make("validator_create", policy);
    this.#cache = this.#make("cache_create", 0);
    this.#call.app_receipt_policy_release(policy);
  }

  /** Returns the JSON of the verdict, and the error's fields if they are wanted and there is an error. */
  judge(input, withError) {
    const { app_receipt_validate: validate, app_receipt_result_release: release } = this.#call;
    const at = this.#put(input);
    const status = validate(this.#validator, this.#cache, at.address, at.length, this.#results);
    this.#call.app_receipt_deallocate(at.address);
    if (status !== OK && status !== REFUSED) throw new WebAssembly.RuntimeError(`app_receipt_validate returned ${status}`);
    const result = this.#word(0);
    const found = { json: this.#json((...room) => this.#call.app_receipt_result_json(result, ...room)) };
    if (status === REFUSED && withError) {
      const { found: value, expected } = found.json.error;
      found.error = { ...this.#error(result), found: value, expected };
    }
    // An instance that trapped must not be called again, so there is no `finally` here.
    release(result);
    return found;
  }

  inspect(input) {
    const at = this.#put(input);
    const found = this.#json((...room) => this.#call.app_receipt_inspect_unverified(at.address, at.length, ...room));
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
    this.#call.app_receipt_result_error(result, this.#results);
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
    return JSON.parse(decoder.decode(new Uint8Array(this.memory.buffer, this.#scratch, this.#word(0))));
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

/** The numbers of limits in app_receipt.h. */
const LIMITS = {
  inputBytes: 1, depth: 2, elements: 3, certificates: 4, extensions: 5, purposes: 6, modulusBits: 7,
  exponentBits: 8, attributes: 9, signatureChecks: 10,
};

const OPTIONS = new Set([
  "environments", "bundleIdentifiers", "appVersion", "devices", "roots", "requireMarkers", "xcodeTesting", "issuers",
  "now", "pathTime", "minimumDigest", "limits", "module",
]);

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

/** Turns options into calls of the policy's functions. The octets are copied, because a new instance needs them. */
function checked(options) {
  for (const name of Object.keys(options)) {
    if (!OPTIONS.has(name)) throw new TypeError(`${name}: there is no such option; there are ${[...OPTIONS].join(", ")}`);
  }
  const calls = [];
  const add = (option, name, value, fix) => calls.push({ option, name, value, fix });
  const utf8 = (text) => encoder.encode(text);

  const environments = `give "any", or an array with some of ${ENVIRONMENTS.join(", ")}`;
  for (const name of names(options.environments, "environments", environments)) {
    if (name === null) add("environments", "policy_accept_any_environment");
    else if (ENVIRONMENTS.includes(name)) add("environments", "policy_accept_environment", utf8(name), environments);
    else throw new RangeError(`environments: ${JSON.stringify(name)} is none; ${environments}`);
  }
  const identifiers = 'give "any", or an array such as ["com.example.app"]';
  for (const name of names(options.bundleIdentifiers, "bundleIdentifiers", identifiers)) {
    if (name === null) add("bundleIdentifiers", "policy_accept_any_bundle_identifier");
    else if (name === "" || hasLoneSurrogate(name)) throw new RangeError(`bundleIdentifiers: ${JSON.stringify(name)} is none; ${identifiers}`);
    else add("bundleIdentifiers", "policy_accept_bundle_identifier", utf8(name), identifiers);
  }
  if (options.appVersion !== undefined) {
    if (typeof options.appVersion !== "string") throw new TypeError('appVersion: give a string, such as "42"');
    if (hasLoneSurrogate(options.appVersion)) throw new RangeError("appVersion: give well-formed Unicode");
    add("appVersion", "policy_require_app_version", utf8(options.appVersion), "give a string");
  }
  const lists = [
    ["devices", "policy_accept_device", "give the 16 octets of identifierForVendor or the 6 octets of a MAC address"],
    ["roots", "policy_trust_root", "give a root certificate in DER"],
    ["issuers", "policy_add_issuer", "give an intermediate's certificate in DER"],
  ];
  for (const [option, name, fix] of lists) {
    if (options[option] === undefined) continue;
    if (!Array.isArray(options[option]) || options[option].length === 0) {
      throw new TypeError(`${option}: give an array of Uint8Array with at least one element, or leave it out`);
    }
    for (const one of options[option]) {
      // A copy by this constructor. `slice` of Node's Buffer returns a view of the caller's octets.
      add(option, name, new Uint8Array(octets(one, option, `give a Uint8Array: ${fix}`)), fix);
    }
  }
  if (!flag(options, "requireMarkers", true)) {
    if (options.roots === undefined) throw new TypeError("requireMarkers: false needs `roots`; Apple's roots require the markers");
    add("requireMarkers", "policy_omit_markers");
  }
  if (flag(options, "xcodeTesting", false)) {
    if (options.requireMarkers === false) throw new TypeError("xcodeTesting needs no markers; leave out requireMarkers");
    add("xcodeTesting", "policy_trust_xcode_testing");
  }
  for (const [option, name] of [["now", "policy_set_now"], ["pathTime", "policy_set_path_time"]]) {
    if (options[option] === undefined) continue;
    const fix = "give a Date, or milliseconds since 1970 as an integer";
    const time = options[option] instanceof Date ? options[option].getTime() : options[option];
    if (typeof time !== "number") throw new TypeError(`${option}: ${fix}`);
    if (!Number.isSafeInteger(time)) throw new RangeError(`${option}: ${fix}`);
    add(option, name, [BigInt(time)], fix);
  }
  if (options.minimumDigest !== undefined) {
    const fix = "give 160, 256, 384 or 512";
    if (typeof options.minimumDigest !== "number") throw new TypeError(`minimumDigest: ${fix}`);
    if (![160, 256, 384, 512].includes(options.minimumDigest)) throw new RangeError(`minimumDigest: ${fix}`);
    add("minimumDigest", "policy_set_minimum_digest", [options.minimumDigest], fix);
  }
  if (options.limits !== undefined) {
    if (options.limits === null || typeof options.limits !== "object") {
      throw new TypeError("limits: give an object, such as { inputBytes: 100000 }");
    }
    for (const [name, value] of Object.entries(options.limits)) {
      const option = `limits.${name}`;
      const fix = "give an integer from 1 to the default";
      if (!Object.hasOwn(LIMITS, name)) throw new TypeError(`${option}: there is no such limit; there are ${Object.keys(LIMITS).join(", ")}`);
      if (typeof value !== "number") throw new TypeError(`${option}: ${fix}`);
      if (!Number.isSafeInteger(value)) throw new RangeError(`${option}: ${fix}`);
      add(option, "policy_set_limit", [LIMITS[name], BigInt(value)], fix);
    }
  }
  return calls;
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
 * Returns a receipt's octets, or the UTF-8 of its text. A receipt beyond the limits is cut, so that the limits bound
 * what is copied, too. The module refuses it as too large.
 */
function bounded(receipt, inputBytes) {
  // Text may have twice as many characters as the container may have bytes, and one more is rounded off.
  const longest = 2 * inputBytes + 2;
  const all = typeof receipt === "string"
    ? encoder.encode(receipt.slice(0, longest))
    : octets(receipt, "the receipt", "give a Uint8Array or base64 in a string");
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
