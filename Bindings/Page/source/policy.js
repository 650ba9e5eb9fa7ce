// The expectations: what the receipt must be. They come from the form, and from the fragment of a shared link.
import {counted, grouped, place, shown} from "./dom.js";
import {encodings, isOCSPResponse} from "./certificates.js";

/** Files of the form: what they hold, and their largest size. Apple's certificates are below 2 KB. */
const certificateFiles = {name: "certificate", limit: 1 << 20};
const evidenceFiles = {name: "OCSP response or revocation list", limit: 1 << 25};
const countLimit = 100;

function boxes() {
    return [...document.querySelectorAll("input[name=environment]")];
}

/** The bytes of a device identifier, a UUID or hexadecimal digits. Null if it is neither. */
function deviceBytes(text) {
    const digits = text.replace(/[-:]/g, "");
    if (!/^([0-9a-f]{32}|[0-9a-f]{12})$/i.test(digits)) return null;
    return Uint8Array.from(digits.match(/../g), octet => parseInt(octet, 16));
}

function words(text) {
    return text.split(/[\s,;]+/).filter(Boolean);
}

/** What the form says: the values for the library, and what is missing or wrong, by field. */
export async function policyFromForm() {
    const problems = {};
    const chosen = boxes().filter(box => box.checked).map(box => box.value);
    const policy = {environments: chosen.includes("any") ? "any" : chosen};
    const identifiers = words(place("bundle-id").value);
    policy.bundleIdentifiers = place("any-bundle-id").checked ? "any" : identifiers;
    if (policy.environments.length === 0) problems.environment = "Choose at least one environment.";
    if (policy.bundleIdentifiers.length === 0) problems["bundle-id"] = "Write a bundle identifier, or choose any app.";
    // A link with this word would open as a choice of any app.
    else if (policy.bundleIdentifiers !== "any" && identifiers.includes("any")) {
        problems["bundle-id"] = "“any” is no bundle identifier. Write one, or choose any app.";
    }
    const version = place("app-version").value;
    if (version !== "") policy.appVersion = version;
    const devices = words(place("device-id").value).map(deviceBytes);
    if (devices.includes(null)) {
        problems["device-id"] = "Write a UUID, 32 hexadecimal digits, or the 12 of a network address.";
    } else if (devices.length) {
        policy.devices = devices;
    }
    policy.tokens = tokenFields(problems);
    for (const [id, name] of [["root", "roots"], ["issuer", "issuers"]]) {
        if (!place(id).files.length) continue;
        try {
            policy[name] = await encodingsOf(place(id).files, certificateFiles);
        } catch (error) {
            problems[id] = error.message;
        }
    }
    try {
        policy.evidence = evidenceOf(await encodingsOf(place("evidence").files, evidenceFiles));
    } catch (error) {
        problems.evidence = error.message;
    }
    policy.xcodeTesting = place("xcode-testing").checked;
    if (place("without-markers").checked) {
        if (policy.xcodeTesting) problems["without-markers"] = "StoreKit testing asks for no markers. Turn one of the two off.";
        else if (place("root").files.length) policy.requireMarkers = false;
        else problems["without-markers"] = "Choose another root first. Under Apple's roots, markers are required.";
    }
    if (place("require-sha256").checked) policy.minimumDigest = 256;
    if (place("compare-now").checked) policy.now = new Date();
    const at = document.querySelector("input[name=at]:checked").value;
    if (at === "now") policy.pathTime = new Date();
    if (at === "date") {
        const whole = time(place("at-date").value);
        if (whole === null) problems["at-date"] = "Choose a date and a time.";
        else policy.pathTime = new Date(`${whole}Z`);
    }
    policy.isComplete = Object.keys(problems).length === 0;
    return {policy, problems};
}

/** The expectations that only tokens can meet, under the names of the library. */
function tokenFields(problems) {
    const fields = {};
    /** Reads a field that is not empty; `read` returns null for a wrong value. */
    const take = (id, name, problem, read) => {
        const text = place(id).value.trim();
        const value = text === "" ? undefined : read(text);
        if (value === null) problems[id] = problem;
        else if (value !== undefined) fields[name] = value;
    };
    take("app-apple-id", "appAppleId", "Write the app's number in the App Store, such as 1234567890.",
        text => /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null);
    take("device-verification-id", "deviceVerificationId", "Write a UUID.",
        text => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text : null);
    take("max-age", "maximumAge", "Write a number of seconds.", text => /^\d{1,10}$/.test(text) ? 1000 * Number(text) : null);
    if (fields.maximumAge !== undefined) fields.now = new Date();
    return fields;
}

/** Evidence about revocation under the names of the library, which must be fresh at this moment. Undefined if there is none. */
function evidenceOf(pieces) {
    if (!pieces.length) return undefined;
    const evidence = {now: new Date()};
    for (const piece of pieces) (evidence[isOCSPResponse(piece) ? "ocspResponses" : "revocationLists"] ??= []).push(piece);
    return evidence;
}

/** What chosen files hold, in DER, or an error that says what is wrong with a file. */
async function encodingsOf(files, kind) {
    const found = [];
    for (const file of files) {
        const name = shown(file.name);
        if (file.size > kind.limit) {
            throw new Error(`${name} has ${counted(file.size, "byte")}. The page reads files of at most ${grouped(kind.limit)} here.`);
        }
        const bytes = await file.arrayBuffer().catch(() => {
            throw new Error(`${name} could not be read. It may have changed after it was chosen.`);
        });
        const list = encodings(new Uint8Array(bytes));
        if (!list.length) throw new Error(`${name} is no ${kind.name} in DER or PEM.`);
        found.push(...list);
        if (found.length > countLimit) throw new Error(`The files hold more than ${countLimit}. Choose fewer.`);
    }
    return found;
}

/** The expectations as the fragment of a link, under the names of the command's options. No receipt is in it. */
export function fragment() {
    const names = new URLSearchParams();
    for (const box of boxes()) if (box.checked) names.append("environment", box.value);
    if (place("any-bundle-id").checked) names.append("bundle-id", "any");
    else for (const identifier of words(place("bundle-id").value)) if (identifier !== "any") names.append("bundle-id", identifier);
    if (place("app-version").value) names.append("app-version", place("app-version").value);
    for (const device of words(place("device-id").value)) names.append("device-id", device);
    for (const name of tokenNames) if (place(name).value.trim()) names.append(name, place(name).value.trim());
    if (place("without-markers").checked) names.append("without-markers", "yes");
    if (place("xcode-testing").checked) names.append("xcode-testing", "yes");
    if (place("require-sha256").checked) names.append("require-sha256", "yes");
    if (place("compare-now").checked) names.append("now", "now");
    const at = document.querySelector("input[name=at]:checked").value;
    if (at === "now") names.append("at", "now");
    if (at === "date" && time(place("at-date").value)) names.append("at", `${time(place("at-date").value)}Z`);
    return names.toString();
}

/** A date of the option --at, or the value of the form's field, as YYYY-MM-DDThh:mm:ss in UTC. Null for other text. */
function time(text) {
    if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z?)?$/.test(text)) return null;
    const date = new Date(text.length === 10 || text.endsWith("Z") ? text : `${text}Z`);
    const whole = Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, 19);
    // JavaScript takes 30 February for a day in March.
    return whole.startsWith(text.slice(0, 10)) ? whole : null;
}

/** The fields of what only tokens can meet. */
const tokenNames = ["app-apple-id", "device-verification-id", "max-age"];
const known = [
    "environment", "bundle-id", "app-version", "device-id", ...tokenNames, "without-markers", "xcode-testing", "require-sha256",
    "now", "at",
];

/** Fills the form from a fragment. Returns what was not understood, and is in no field. */
export function fillForm(text) {
    const names = new URLSearchParams(text.replace(/^#/, ""));
    if (!known.some(name => names.has(name))) return [];
    const unknown = [...names].filter(([name]) => !known.includes(name));
    /** The values of a name that the page accepts. */
    const all = (name, accepts) => names.getAll(name).filter((value, _, values) => {
        // Any app, or any environment, beside a certain one is a contradiction.
        const isAccepted = accepts(value) && (value !== "any" || values.length === 1);
        if (!isAccepted) unknown.push([name, value]);
        return isAccepted;
    });
    const one = (name, accepts) => {
        const [first, ...rest] = all(name, accepts);
        unknown.push(...rest.map(value => [name, value]));
        return first;
    };
    const chosen = all("environment", value => boxes().some(box => box.value === value));
    for (const box of boxes()) box.checked = chosen.includes(box.value);
    const identifiers = all("bundle-id", () => true);
    place("any-bundle-id").checked = identifiers[0] === "any";
    place("bundle-id").value = identifiers[0] === "any" ? "" : identifiers.join(" ");
    place("app-version").value = one("app-version", () => true) ?? "";
    place("device-id").value = all("device-id", () => true).join(" ");
    for (const name of tokenNames) place(name).value = one(name, () => true) ?? "";
    for (const name of ["without-markers", "xcode-testing", "require-sha256"]) {
        place(name).checked = one(name, value => value === "yes") === "yes";
    }
    place("compare-now").checked = one("now", value => value === "now") === "now";
    const at = one("at", value => value === "now" || value === "creation" || time(value) !== null) ?? "creation";
    place(at === "now" ? "at-now" : at === "creation" ? "at-creation" : "at-given").checked = true;
    place("at-date").value = time(at) ?? "";
    return unknown.map(([name, value]) => `${name}=${value}`);
}

/** The steps that the form does not ask for, for a receipt that failed before they could be listed. */
export function notAsked(policy, isTransaction) {
    const steps = new Set(["distrust"]);
    if (policy.evidence === undefined) steps.add("revocation");
    if (policy.requireMarkers === false || policy.xcodeTesting) steps.add("intermediate-marker").add("leaf-marker");
    if (policy.environments === "any" && !policy.xcodeTesting) steps.add("environment");
    if (policy.bundleIdentifiers === "any") steps.add("bundle-identifier");
    if (policy.appVersion === undefined) steps.add("app-version");
    if (policy.devices === undefined) steps.add("device-hash");
    if ((policy.now ?? policy.evidence) === undefined || isTransaction) steps.add("expiration-date");
    return steps;
}

/** The steps that the form does not ask for, or that the payload cannot answer. */
export function notAskedOfToken(policy, payload) {
    const steps = new Set(["distrust"]);
    if (policy.evidence === undefined) steps.add("revocation");
    // A notification names the app in one of these members. A payload has every member of its kind, null if it is absent.
    const claims = payload?.data ?? payload?.summary ?? payload?.externalPurchaseToken ?? payload?.appData ?? payload ?? {};
    const {appAppleId, deviceVerificationId, maximumAge} = policy.tokens;
    if (policy.requireMarkers === false || policy.xcodeTesting) steps.add("intermediate-marker").add("leaf-marker");
    if (policy.environments === "any" && !policy.xcodeTesting) steps.add("environment");
    if (policy.bundleIdentifiers === "any" || !("bundleId" in claims)) steps.add("bundle-identifier");
    // Without an Apple ID, a token from production is refused, and another one is not asked for it.
    if (appAppleId === undefined || claims.appAppleId === null || !("appAppleId" in claims)) steps.add("app-apple-id");
    if (deviceVerificationId === undefined || !("deviceVerification" in claims)) steps.add("device-verification");
    if (maximumAge === undefined) steps.add("age");
    return steps;
}
