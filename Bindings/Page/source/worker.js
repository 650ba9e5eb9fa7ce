// The worker: it judges the receipt, and keeps its purchases. The page asks it for a page of rows at a time, so
// that a large receipt never blocks the page.
import {ReceiptValidator, TokenValidator} from "library";
import {moduleText} from "./module.js";
import {decodedBase64} from "./base64.js";
import {csvLine} from "./csv.js";
import {everyRow, rowsPerPage, selected, subscriptions, subscriptionsPerPage} from "./rows.js";
import {appleRoots, tokenKinds, tokenRoots, xcodeRoots} from "./tables.js";
import {receiptExpectations, tokenExpectations, tokenIn} from "./tokens.js";

/** How many entries of a list of rarely used values the page shows. The JSON has all of them. */
const listLimit = 50;

let module = null;
let receipt = null;
/** The number of the result below. The page must name it in every question about the result. */
let generation = 0;
let result = null;
let isVerified = false;
let purchases = [];
let groups = [];

function compiled() {
    module ??= WebAssembly.compile(decodedBase64(moduleText));
    return module;
}

function plain(value) {
    return typeof value === "string" ? JSON.parse(value) : value;
}

/** SHA-256 in lower-case hexadecimal, or null where the browser has no such function (plain HTTP). */
async function sha256(bytes) {
    if (!self.crypto?.subtle) return null;
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    return Array.from(digest, octet => octet.toString(16).padStart(2, "0")).join("");
}

/** Runs a body with a validator and frees the validator. */
async function withValidator(expectations, body, Validator = ReceiptValidator) {
    const validator = await Validator.create({...expectations, module: await compiled()});
    try {
        return body(validator);
    } finally {
        validator.free();
    }
}

/** The name of what the library found in the input. `shown` is the container, or null if there is none. */
function formName(shown) {
    if (!shown) return "text or bytes without a receipt";
    const kind = shown[0] !== 0x30 ? "an iOS 6 property list" : shown[1] === 0x80 ? "BER" : "DER";
    const isPlain = shown.length === receipt.length && shown.every((octet, index) => octet === receipt[index]);
    return isPlain ? kind : `text that holds ${kind}`;
}

async function judge(policy) {
    const [shown, inspected] = await withValidator({environments: "any", bundleIdentifiers: "any"},
        validator => [validator.decode(receipt), plain(validator.inspectUnverified(receipt))]);
    const {problems, expectations} = receiptExpectations(policy);
    const isComplete = policy.isComplete && !Object.keys(problems).length;
    const judged = isComplete ? plain(await withValidator(expectations, validator => validator.judge(receipt))) : null;
    return {shown, inspected, judged, problems};
}

/**
 * The root that a valid receipt's certificates lead to. The library does not tell which of the trusted roots it is.
 * The certificates of a receipt are a bag that nobody signs, so a name in it proves nothing. A root is named only if
 * it is the one trusted root, or the one trusted root in the bag: the library requires it to be there.
 */
async function trustedRoot(judged, inspected, policy, built = appleRoots) {
    if (judged?.status !== "valid") return null;
    const roots = policy.roots ?? [];
    const kind = policy.xcodeTesting ? "xcode" : roots.length ? "added" : "apple";
    const pinned = policy.xcodeTesting ? xcodeRoots : built;
    const trusted = new Set(roots.length ? await Promise.all(roots.map(sha256)) : pinned);
    const certificates = inspected.certificates ?? [];
    const embedded = new Set(certificates.map(certificate => certificate.sha256).filter(digest => trusted.has(digest)));
    const [digest] = trusted.size === 1 ? trusted : embedded.size === 1 ? embedded : [null];
    const found = digest === null ? null : certificates.find(certificate => certificate.sha256 === digest);
    return {kind, subject: found?.subject ?? null, sha256: digest};
}

function kept(list) {
    return {count: list?.length ?? 0, first: (list ?? []).slice(0, listLimit)};
}

/** The members of a receipt, with its long lists cut. */
function briefReceipt(claims) {
    if (!claims) return null;
    const brief = {...claims};
    delete brief.in_app;
    if (claims.malformed_in_app) brief.malformed_in_app = kept(claims.malformed_in_app);
    if (claims.undocumented_attributes) brief.undocumented_attributes = kept(claims.undocumented_attributes);
    if (claims.purchase_info) brief.purchase_info = kept(claims.purchase_info);
    return brief;
}

/** Where the time line begins and ends. */
function span() {
    if (!groups.length) return null;
    return groups.reduce(([from, to], group) => [Math.min(from, group.from), Math.max(to, group.to)],
        [Infinity, -Infinity]);
}

function timeline(page) {
    const start = page * subscriptionsPerPage;
    return {count: groups.length, page, span: span(), groups: groups.slice(start, start + subscriptionsPerPage)};
}

function rows(query) {
    const indices = selected(purchases, query);
    const pages = Math.max(1, Math.ceil(indices.length / rowsPerPage));
    const page = Math.min(query.page, pages - 1);
    return {
        all: purchases.length, count: indices.length, page, pages,
        rows: indices.slice(page * rowsPerPage, (page + 1) * rowsPerPage).map(index => purchases[index]),
    };
}

/** Judges a token as the kind that it claims, or else as the kind that its member names. */
async function judgeToken(token, policy) {
    const claims = await withValidator({environments: "any", bundleIdentifiers: "any"},
        validator => tokenKinds.map(kind => ({kind, ...plain(validator.inspectUnverified(kind, receipt))})), TokenValidator);
    const readable = claims.filter(claim => claim.unverified_payload);
    const claimed = readable.length === 1 ? readable[0] : claims.find(({kind}) => kind === (token.kind ?? "transaction"));
    const {kind, ...inspected} = claimed;
    const {problems, expectations} = tokenExpectations(policy);
    const isComplete = policy.isComplete && !Object.keys(problems).length;
    const judged = isComplete
        ? plain(await withValidator(expectations, validator => validator.judge(kind, receipt), TokenValidator)) : null;
    return {kind, isClaimed: readable.length === 1, inspected, judged, problems};
}

async function tokenSummary(token, {policy}) {
    const {kind, isClaimed, inspected, judged, problems} = await judgeToken(token, policy);
    const payload = judged?.payload ?? inspected.unverified_payload ?? null;
    isVerified = judged?.payload !== undefined;
    result = {
        ...(judged ?? {status: null, step: null, code: null, not_checked: null, kind}),
        ...(isVerified || !payload ? {} : {unverified_payload: payload}),
        certificates: inspected.certificates,
    };
    const bytes = new TextEncoder().encode(token.text);
    const digest = judged?.sha256 ? await sha256(bytes) : null;
    return {
        generation, problems, token: {kind, isClaimed}, size: receipt.length, bytes, showsInput: true,
        form: `${token.kind ? "JSON with " : ""}a token${isClaimed ? ` that claims to be ${kindName(kind)}` : ""}`,
        bytesAreJudged: digest === null ? null : digest === judged.sha256, isProperty: false,
        verdict: judged && {...judged, error: judged.error ?? null, payload: undefined},
        root: await trustedRoot(judged, inspected, policy, tokenRoots),
        isVerified, isTransaction: false, receipt: payload, types: [],
        certificates: kept(inspected.certificates), timeline: timeline(0), purchases: rows(everyRow),
    };
}

function kindName(kind) {
    const words = kind.replace("-", " ");
    return kind === "renewal-info" ? words : `${kind.startsWith("app") ? "an" : "a"} ${words}`;
}

async function summary(message) {
    const {policy} = message;
    // Nothing of the last result may be given out under the number of this one.
    [generation, result, isVerified, purchases, groups] = [message.generation, null, false, [], []];
    const token = tokenIn(receipt);
    if (token) return tokenSummary(token, message);
    const {shown, inspected, judged, problems} = await judge(policy);
    const verified = judged?.receipt ?? judged?.transaction_receipt ?? null;
    const claims = verified ?? inspected.unverified_receipt ?? inspected.unverified_transaction_receipt
        ?? inspected.receipt ?? inspected.transaction_receipt ?? null;
    isVerified = verified !== null;
    const isTransaction = claims !== null && "signature_version" in claims;
    purchases = claims === null ? [] : isTransaction ? [claims] : claims.in_app ?? [];
    groups = subscriptions(purchases);
    result = {
        ...(judged ?? {status: null, step: null, code: null, not_checked: null}),
        ...(verified || !claims ? {} : {[isTransaction ? "unverified_transaction_receipt" : "unverified_receipt"]: claims}),
        certificates: inspected.certificates ?? [],
    };
    // Offsets of the first step count in the input, which may be text.
    const showsInput = !shown || judged?.step === "input";
    const bytes = showsInput ? receipt : shown;
    const digest = showsInput || !judged?.sha256 ? null : await sha256(bytes);
    return {
        generation, problems, form: formName(shown), size: receipt.length, bytes: bytes.slice(), showsInput,
        bytesAreJudged: digest === null ? null : digest === judged.sha256,
        isProperty: !showsInput && bytes[0] !== 0x30,
        verdict: judged && {
            sha256: judged.sha256, status: judged.status, step: judged.step, code: judged.code,
            not_checked: judged.not_checked, error: judged.error ?? null,
        },
        root: await trustedRoot(judged, inspected, policy),
        isVerified, isTransaction, receipt: briefReceipt(claims),
        types: [...new Set(purchases.map(purchase => `${purchase.product_type ?? "none"}`))].sort(),
        certificates: kept(inspected.certificates), timeline: timeline(0), purchases: rows(everyRow),
    };
}

const csvKeys = [
    "quantity", "product_id", "transaction_id", "original_transaction_id", "purchase_date", "original_purchase_date",
    "expires_date", "cancellation_date", "cancellation_reason", "product_type", "web_order_line_item_id",
    "is_trial_period", "is_in_intro_offer_period", "promotional_offer_id", "in_app_ownership_type",
];

/** A file to save, and whether its values are verified: all that was found as JSON, or the purchases as CSV. */
function exported(format) {
    if (format === "json") {
        return {isVerified, blob: new Blob([`${JSON.stringify(result, null, 2)}\n`], {type: "application/json"})};
    }
    const head = [result.sha256 ?? "", result.status ?? "not judged", result.step ?? "", result.code ?? ""];
    const lines = [csvLine(["sha256", "status", "step", "code", ...csvKeys.map(key => `purchase.${key}`)])];
    for (const purchase of purchases) lines.push(csvLine([...head, ...csvKeys.map(key => purchase[key])]));
    return {isVerified, blob: new Blob(lines, {type: "text/csv"})};
}

async function answer(message) {
    switch (message.type) {
        case "receipt":
            receipt = message.bytes;
            return summary(message);
        case "policy": return summary(message);
        case "forget":
            [receipt, generation, result, isVerified, purchases, groups] = [null, 0, null, false, [], []];
            return null;
    }
    if (message.generation !== generation || !result) return null;
    switch (message.type) {
        case "rows": return rows(message.query);
        case "timeline": return timeline(message.page);
        case "export": return exported(message.format);
    }
}

// One message at a time: a later message must see what an earlier one left.
let last = Promise.resolve();
self.onmessage = ({data}) => {
    last = last.then(async () => {
        try {
            const value = await answer(data);
            // A blob has a function of this name.
            const moved = value?.bytes instanceof Uint8Array ? [value.bytes.buffer] : [];
            self.postMessage({id: data.id, value}, moved);
        } catch (error) {
            self.postMessage({id: data.id, error: `${error?.message ?? error}`});
        }
    });
};
