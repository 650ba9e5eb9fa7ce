// What the tests share: the files of the repository, the Swift command, and the table of vectors.
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

/** The rows of Vectors/receipts.tsv, each with the validator's options and those of the command. */
export function rows() {
  const [head, ...lines] = readFileSync(`${vectors}receipts.tsv`, "utf8").trimEnd().split("\n");
  const columns = head.split("\t");
  return lines.map((line) => {
    const row = Object.fromEntries(line.split("\t").map((cell, index) => [columns[index], cell]));
    const certificate = `${vectors}certificates/${row.root}`;
    const options = {
      environments: [row.environment],
      bundleIdentifiers: [row.bundle_identifier],
      roots: [read(certificate)],
    };
    const flags = ["--environment", row.environment, "--bundle-id", row.bundle_identifier, "--root", certificate];
    if (row.root === "storekit.der") {
      options.xcodeTesting = true;
      flags.push("--xcode-testing");
    }
    if (row.app_version) {
      options.appVersion = row.app_version;
      flags.push("--app-version", row.app_version);
    }
    if (row.device_identifier) {
      options.devices = [new Uint8Array(Buffer.from(row.device_identifier, "hex"))];
      flags.push("--device-id", row.device_identifier);
    }
    if (row.now) {
      options.now = new Date(row.now);
      flags.push("--now", row.now);
    }
    return { ...row, path: `${vectors}receipts/${row.file}`, options, flags };
  });
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
