// Tokens of StoreKit 2. Runs in the worker. What is read here names the kind and is shown; the library alone judges.
import {decodedBase64} from "./base64.js";
import {tokenMembers} from "./tables.js";

/** Longer inputs are judged as receipts. The library refuses tokens of more than 128 KiB. */
const tokenLimit = 1 << 18;

/** The token in an input: its text, and the kind that its member names. Null for another input, such as a receipt. */
export function tokenIn(bytes) {
    if (bytes.length > tokenLimit) return null;
    const text = new TextDecoder().decode(bytes).trim();
    if (/^eyJ[\w-]*\.[\w-]*\.[\w-]*$/.test(text)) return {text, kind: null};
    if (!text.startsWith("{")) return null;
    let object = null;
    try {
        object = JSON.parse(text);
    } catch {
        return null;
    }
    const found = Object.keys(tokenMembers).filter(name => Object.hasOwn(object, name) && typeof object[name] === "string");
    return found.length === 1 ? {text: object[found[0]], kind: tokenMembers[found[0]]} : null;
}

/** The token, and what its header and payload hold, as parts for the view of bytes. */
export function tokenParts(bytes) {
    const text = new TextDecoder().decode(bytes);
    const segments = text.split(".").slice(0, 2).map(segment => decodedBase64(segment));
    return [bytes, ...segments].map((part, index) => ({name: ["Token", "Header, decoded", "Payload, decoded"][index], bytes: part, node: null}))
        .filter(({bytes}) => bytes?.length);
}

const environments = {Production: ["Production"], ProductionSandbox: ["Sandbox"], Xcode: ["Xcode", "LocalTesting"]};

/** The form's expectations for a token, and the fields that cannot be expectations of one. */
export function tokenExpectations({bundleIdentifiers, roots, requireMarkers, xcodeTesting, pathTime, tokens, evidence, ...policy}) {
    const problems = {};
    const accepted = policy.environments === "any" ? "any" : policy.environments.flatMap(name => environments[name] ?? []);
    if (!accepted.length && policy.environments.length) problems.environment = "No token names this environment. Choose Production, ProductionSandbox or Xcode.";
    if (policy.appVersion !== undefined) problems["app-version"] = "The page checks the app version of receipts only. Clear the field.";
    if (policy.devices !== undefined) problems["device-id"] = "The page checks the device of receipts only. Clear the field.";
    if (xcodeTesting && roots === undefined) problems.root = "Each session of Xcode makes a certificate. Choose the one that it exported.";
    const shared = {environments: accepted, bundleIdentifiers, roots, requireMarkers, xcodeTesting, pathTime};
    return {problems, expectations: {...shared, ...tokens, ...evidence}};
}

/** The form's expectations for a receipt, and the fields that cannot be expectations of one. */
export function receiptExpectations({isComplete, tokens, evidence, ...expectations}) {
    const problems = {};
    const only = what => `The page checks ${what} of tokens only. Clear the field.`;
    if (tokens.appAppleId !== undefined) problems["app-apple-id"] = only("the app's Apple ID");
    if (tokens.deviceVerificationId !== undefined) problems["device-verification-id"] = only("this identifier");
    if (tokens.maximumAge !== undefined) problems["max-age"] = only("the age");
    return {problems, expectations: {...expectations, ...evidence}};
}
