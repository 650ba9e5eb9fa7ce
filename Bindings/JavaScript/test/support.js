// What the tests share: the files of the repository, the Swift command, and the cases of the vectors.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ReceiptValidator } from "../app-receipt.js";

export const root = fileURLToPath(new URL("../../../", import.meta.url));
export const vectors = `${root}Vectors/`;
export const shared = `${root}../shared/`;
export const read = (path) => new Uint8Array(readFileSync(path));

/** Returns what the Swift command says about a receipt, without the members that name its source. */
export function command(path, ...options) {
  const output = runCommand(["verify", "--json", ...options, path]);
  const { key, source, record, offset, ...verdict } = JSON.parse(output);
  return verdict;
}

/** Returns the certificates of a container, as the Swift command lists them. */
export const certificates = (path) => JSON.parse(runCommand(["inspect", "--json", path])).certificates;

function runCommand(parameters) {
  const program = process.env.APP_RECEIPT ?? `${root}.build/release/app-receipt`;
  try {
    return execFileSync(program, parameters, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch (error) {
    // 1 and 3: the receipt is not valid, or is none.
    if (error.status === 1 || error.status === 3) return error.stdout;
    throw new Error(`${program}: ${error.message}; run swift build -c release --product app-receipt`);
  }
}

/** The cases of Vectors/cases.json, each with the path of its receipt and the validator's options. */
export function cases() {
  return JSON.parse(readFileSync(`${vectors}cases.json`, "utf8")).cases.map((one) => {
    const { policy } = one;
    const options = {
      environments: [policy.environment],
      bundleIdentifiers: [policy.bundle_identifier],
      roots: [read(`${vectors}${policy.root}`)],
    };
    if (policy.issuer) options.issuers = [read(`${vectors}${policy.issuer}`)];
    if (policy.xcode_testing) options.xcodeTesting = true;
    if (policy.app_version) options.appVersion = policy.app_version;
    if (policy.device_identifier) options.devices = [new Uint8Array(Buffer.from(policy.device_identifier, "hex"))];
    if (policy.now) options.now = new Date(policy.now);
    return { ...one, path: `${vectors}${one.receipt}`, options };
  });
}

/** Checks every member that is expected. Objects may have more members; arrays have the same number of elements. */
export function assertHolds(found, expected, place) {
  if (expected === null || typeof expected !== "object") return assert.equal(found, expected, place);
  assert.equal(Array.isArray(found), Array.isArray(expected), place);
  if (Array.isArray(expected)) assert.equal(found.length, expected.length, place);
  for (const [name, value] of Object.entries(expected)) assertHolds(found?.[name], value, `${place}: ${name}`);
}

/** Makes a validator for one vector: sandbox-sha256.der passes. */
export const sandbox = (more = {}) =>
  ReceiptValidator.create({
    environments: ["ProductionSandbox"],
    bundleIdentifiers: ["com.example.receipts"],
    roots: [read(`${vectors}certificates/root.der`)],
    ...more,
  });
export const receipt = () => read(`${vectors}receipts/sandbox-sha256.der`);

/** Whether ../shared is there. In CI it must be. */
export function hasShared() {
  if (existsSync(`${shared}receipts`)) return true;
  if (process.env.CI) throw new Error("../shared is missing");
  return false;
}

/** A small generator of numbers (xorshift), so that every run mutates in the same way. */
export function generator(seed) {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

/** Changes a few octets, cuts the end off, or inserts octets. */
export function mutate(octets, next) {
  let copy = octets.slice();
  for (let count = 1 + next(4); count > 0; count--) {
    const at = next(copy.length);
    switch (next(6)) {
      case 0: copy = copy.slice(0, at + 1); break;
      case 1: copy = new Uint8Array([...copy.slice(0, at), next(256), ...copy.slice(at)]); break;
      case 2: copy[at] = [0, 0x7f, 0x80, 0x81, 0x84, 0xff][next(6)]; break;
      default: copy[at] ^= 1 << next(8);
    }
  }
  return copy;
}
