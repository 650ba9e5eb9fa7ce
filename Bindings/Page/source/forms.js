// The forms in which people hand over receipts.
//
// The library reads DER, BER, base64 and iOS 6 receipts. This file takes the text out of PEM, JSON, quotation marks and
// UTF-16, and finds the bytes to show. It refuses nothing: what it does not know goes to the library as it is.
import {decodedBase64} from "./base64.js";

const sequence = 0x30;
const brace = 0x7b;

function trimmed(bytes) {
    let start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
    let end = bytes.length;
    while (start < end && bytes[start] <= 0x20) start++;
    while (end > start && bytes[end - 1] <= 0x20) end--;
    return bytes.subarray(start, end);
}

/** The JSON value of a text, or undefined if the text is no JSON. */
function parsed(text) {
    try {
        return JSON.parse(text);
    } catch {
        return undefined;
    }
}

const begin = "-----BEGIN ", end = "-----END ", dashes = "-----";

/** The texts between the two lines of each part of a PEM file. Looks at each character a fixed number of times. */
function pemBodies(text) {
    const found = [];
    for (let start = text.indexOf(begin); start >= 0; start = text.indexOf(begin, start)) {
        const stop = text.indexOf(end, start);
        if (stop < 0) break;
        const label = /^[A-Z0-9 ]{1,64}-----/.exec(text.slice(start + begin.length, start + begin.length + 64 + dashes.length))?.[0];
        if (label && text.startsWith(label, stop + end.length)) {
            found.push(text.slice(start + begin.length + label.length, stop));
        }
        start = stop + end.length;
    }
    return found;
}

/** The text of bytes in UTF-16, which start with a byte order mark, or null. PowerShell's ">" writes such files. */
function utf16Text(bytes) {
    const isLittle = bytes[0] === 0xff && bytes[1] === 0xfe;
    const isBig = bytes[0] === 0xfe && bytes[1] === 0xff;
    return isLittle || isBig ? new TextDecoder(isLittle ? "utf-16le" : "utf-16be").decode(bytes) : null;
}

/** What stands between the quotation marks around a text, or null. */
function unquoted(bytes) {
    const isQuoted = bytes.length > 2 && (bytes[0] === 0x22 || bytes[0] === 0x27) && bytes.at(-1) === bytes[0];
    return isQuoted ? bytes.subarray(1, -1) : null;
}

/**
 * The receipt within UTF-16, JSON or quotation marks, and the name of that form. Null for other forms. `inner` is null
 * for JSON that holds no receipt. An iOS 6 list is in braces too, but is no JSON.
 */
function unwrapped(input) {
    const wide = utf16Text(input);
    if (wide !== null) return {name: "UTF-16", inner: new TextEncoder().encode(wide)};
    const plain = trimmed(input);
    if (plain[0] === brace) {
        const value = parsed(new TextDecoder().decode(plain));
        if (value === undefined) return null;
        // A request to verifyReceipt, or its answer.
        const key = ["receipt-data", "latest_receipt"].find(key => typeof value[key] === "string");
        return key ? {name: `JSON with ${key}`, inner: new TextEncoder().encode(value[key])}
            : {name: "JSON without a receipt", inner: null};
    }
    const inner = unquoted(plain);
    return inner && {name: "Text in quotation marks", inner};
}

/**
 * Returns the name of the form, the bytes for the library, and the bytes to show. `shown` is null if the input
 * decodes to no container; then the input itself is shown. At most `layers` forms within each other are opened.
 */
export function opened(input, layers = 4) {
    const outer = layers > 0 ? unwrapped(input) : null;
    if (outer?.inner === null) return {form: outer.name, judged: input, shown: null};
    if (outer) {
        const found = opened(outer.inner, layers - 1);
        return {...found, form: `${outer.name} (${found.form})`};
    }
    const plain = trimmed(input);
    if (plain[0] === brace) return {form: "iOS 6 property list", judged: input, shown: input};
    if (input[0] === sequence) {
        const isBER = input[1] === 0x80;
        return {form: isBER ? "BER" : "DER", judged: input, shown: input};
    }
    if (plain[0] === 0x2d) {
        const [body] = pemBodies(new TextDecoder().decode(plain));
        if (body !== undefined) {
            const judged = new TextEncoder().encode(body);
            return {form: "PEM", judged, shown: decodedBase64(judged)};
        }
    }
    const container = [decodedBase64(plain), decodedBase64(plain, true)];
    // Of the two readings of a space, the one that is as long as its header says.
    const shown = container.find(isWhole) ?? container.find(bytes => bytes?.[0] === sequence)
        ?? container.find(bytes => bytes && trimmed(bytes)[0] === brace) ?? null;
    const form = !shown ? "Unknown text or bytes" : shown[0] === sequence ? "base64" : "iOS 6 receipt in base64";
    return {form, judged: input, shown};
}

function isWhole(bytes) {
    if (!bytes || bytes[0] !== sequence) return false;
    const count = bytes[1] & 0x7f;
    if (bytes[1] < 0x80) return bytes.length === 2 + bytes[1];
    if (count > 4) return false;
    let length = 0;
    for (let index = 0; index < count; index++) length = length * 256 + bytes[2 + index];
    return bytes.length === 2 + count + length;
}

/** The certificates of a file in DER or PEM. Empty if the file is neither. */
export function certificates(input) {
    if (input[0] === sequence) return [input];
    const found = pemBodies(utf16Text(input) ?? new TextDecoder().decode(input)).map(body => decodedBase64(body));
    return found.every(bytes => bytes?.[0] === sequence) ? found : [];
}
