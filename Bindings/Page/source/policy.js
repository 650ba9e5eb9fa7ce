// The expectations: what the receipt must be. They come from the form, and from the fragment of a shared link.
import {place} from "./dom.js";

export const environments = [
    "Production", "ProductionVPP", "ProductionSandbox", "ProductionVPPSandbox", "Xcode",
];

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
    const isXcode = place("xcode-testing").checked;
    const policy = {environments: chosen.includes("any") ? "any" : chosen};
    const identifiers = words(place("bundle-id").value);
    policy.bundleIdentifiers = place("any-bundle-id").checked ? "any" : identifiers;
    if (policy.environments.length === 0) problems.environment = "Choose at least one environment.";
    if (policy.bundleIdentifiers.length === 0) problems["bundle-id"] = "Write a bundle identifier, or choose any app.";
    const version = place("app-version").value;
    if (version !== "") policy.appVersion = version;
    const devices = words(place("device-id").value).map(deviceBytes);
    if (devices.includes(null)) {
        problems["device-id"] = "Write a UUID, 32 hexadecimal digits, or the 12 of a network address.";
    } else if (devices.length) {
        policy.devices = devices;
    }
    const roots = await filesOf("root");
    if (roots.length) policy.roots = roots;
    const issuers = await filesOf("issuer");
    if (issuers.length) policy.issuers = issuers;
    if (place("without-markers").checked) {
        if (roots.length) policy.requireMarkers = false;
        else problems["without-markers"] = "Choose another root first. Under Apple's roots, markers are required.";
    }
    if (isXcode) policy.xcodeTesting = true;
    if (place("require-sha256").checked) policy.minimumDigest = 256;
    if (place("compare-now").checked) policy.now = new Date();
    const at = document.querySelector("input[name=at]:checked").value;
    if (at === "now") policy.pathTime = new Date();
    if (at === "date") {
        const date = new Date(`${place("at-date").value}Z`);
        if (Number.isNaN(date.getTime())) problems["at-date"] = "Choose a date and a time.";
        else policy.pathTime = date;
    }
    policy.isComplete = Object.keys(problems).length === 0;
    return {policy, problems};
}

async function filesOf(id) {
    const files = [...place(id).files];
    return Promise.all(files.slice(0, 8).map(async file => new Uint8Array(await file.slice(0, 65536).arrayBuffer())));
}

/** The expectations as the fragment of a link, under the names of the command's options. No receipt is in it. */
export function fragment() {
    const names = new URLSearchParams();
    for (const box of boxes()) if (box.checked) names.append("environment", box.value);
    if (place("any-bundle-id").checked) names.append("bundle-id", "any");
    else for (const identifier of words(place("bundle-id").value)) names.append("bundle-id", identifier);
    if (place("app-version").value) names.append("app-version", place("app-version").value);
    for (const device of words(place("device-id").value)) names.append("device-id", device);
    if (place("xcode-testing").checked) names.append("xcode-testing", "yes");
    if (place("require-sha256").checked) names.append("require-sha256", "yes");
    if (place("compare-now").checked) names.append("now", "now");
    const at = document.querySelector("input[name=at]:checked").value;
    if (at === "now") names.append("at", "now");
    if (at === "date" && place("at-date").value) names.append("at", place("at-date").value);
    return names.toString();
}

/** Fills the form from a fragment. Unknown names are ignored. */
export function fillForm(text) {
    const names = new URLSearchParams(text.replace(/^#/, ""));
    const known = ["environment", "bundle-id", "app-version", "device-id", "xcode-testing", "require-sha256", "now", "at"];
    if (!known.some(name => names.has(name))) return;
    const chosen = names.getAll("environment");
    for (const box of boxes()) box.checked = chosen.includes(box.value);
    const identifiers = names.getAll("bundle-id");
    place("any-bundle-id").checked = identifiers.includes("any");
    place("bundle-id").value = identifiers.filter(identifier => identifier !== "any").join(" ");
    place("app-version").value = names.get("app-version") ?? "";
    place("device-id").value = names.getAll("device-id").join(" ");
    place("xcode-testing").checked = names.has("xcode-testing");
    place("require-sha256").checked = names.has("require-sha256");
    place("compare-now").checked = names.has("now");
    const at = names.get("at");
    place(at === "now" ? "at-now" : at ? "at-given" : "at-creation").checked = true;
    if (at && at !== "now") place("at-date").value = at;
}

/** The steps that the form does not ask for, for a receipt that failed before they could be listed. */
export function notAsked(policy, isTransaction) {
    const steps = new Set();
    if (policy.requireMarkers === false || policy.xcodeTesting) steps.add("intermediate-marker").add("leaf-marker");
    if (policy.environments === "any" && !policy.xcodeTesting) steps.add("environment");
    if (policy.bundleIdentifiers === "any") steps.add("bundle-identifier");
    if (policy.appVersion === undefined) steps.add("app-version");
    if (policy.devices === undefined) steps.add("device-hash");
    if (policy.now === undefined || isTransaction) steps.add("expiration-date");
    return steps;
}
