// The forms in which people hand over receipts.
//
// The library reads DER, BER, base64 and iOS 6 receipts. This file takes the text out of PEM and out of JSON, and
// finds the bytes to show. It refuses nothing: what it does not know goes to the library as it is.
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

/** The text of receipt-data in a JSON object, or null. */
function receiptData(text) {
    try {
        const value = JSON.parse(text)?.["receipt-data"];
        return typeof value === "string" ? value : null;
    } catch {
        return null;
    }
}

/** The text between the two lines of a PEM file, or null. */
function pemBody(text) {
    const match = /-----BEGIN ([A-Z0-9 ]+)-----\s*([\s\S]*?)-----END \1-----/.exec(text);
    return match && match[2];
}

/**
 * Returns the name of the form, the bytes for the library, and the bytes to show. `shown` is null if the input
 * decodes to no container; then the input itself is shown.
 */
export function opened(input) {
    const plain = trimmed(input);
    // A comma, not a quotation mark, tells JSON from an iOS 6 list; only parsing tells them apart for sure.
    if (plain[0] === brace) {
        const data = receiptData(new TextDecoder().decode(plain));
        if (data !== null) {
            const inner = opened(new TextEncoder().encode(data));
            return {...inner, form: `JSON with receipt-data (${inner.form})`};
        }
        return {form: "iOS 6 property list", judged: input, shown: input};
    }
    if (input[0] === sequence) {
        const isBER = input[1] === 0x80;
        return {form: isBER ? "BER" : "DER", judged: input, shown: input};
    }
    if (plain[0] === 0x2d) {
        const body = pemBody(new TextDecoder().decode(plain));
        if (body !== null) {
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

/** The bytes of a certificate file in DER or PEM, or null. */
export function certificateBytes(input) {
    if (input[0] === sequence) return input;
    const body = pemBody(new TextDecoder().decode(input));
    const bytes = body === null ? null : decodedBase64(body);
    return bytes?.[0] === sequence ? bytes : null;
}
