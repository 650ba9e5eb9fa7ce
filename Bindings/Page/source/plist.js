// A reader of iOS 6 transaction receipts for display only. The page never judges by it.
//
// The outer property list and the decoded values in it are separate parts, because an offset in a decoded value
// is no offset in the list.
import {ASN1Node} from "./asn1.js";
import {decodedBase64} from "./base64.js";

/** A node with a fixed list of children. */
class PlainNode {
    constructor(name, start, contents, end, value = "", children = []) {
        Object.assign(this, {name, start, contents, end, value, children, note: ""});
    }
    get hasChildren() { return this.children.length > 0; }
    page() { return {nodes: this.children, hasMore: false}; }
    pageWith() { return 0; }
}

const entryLimit = 200;
/** How many characters before "=" a key may take, with its quotation marks and white space. */
const keyLimit = 64;

/** Reads the entries `"key" = "value";`. Looks at each character a fixed number of times. */
function entries(bytes) {
    const text = new TextDecoder("latin1").decode(bytes.subarray(0, 1 << 20));
    const found = [];
    const opening = /\s*"/y, closing = /\s*;/y;
    let from = 0;
    for (let equals = text.indexOf("="); equals >= 0 && found.length < entryLimit; equals = text.indexOf("=", from)) {
        const before = text.slice(Math.max(from, equals - keyLimit), equals);
        from = opening.lastIndex = equals + 1;
        const key = /("?)([A-Za-z0-9_-]+)\1\s*$/.exec(before);
        if (!key || !opening.test(text)) continue;
        const valueStart = opening.lastIndex;
        const valueEnd = text.indexOf('"', valueStart);
        if (valueEnd < 0) break;
        closing.lastIndex = valueEnd + 1;
        if (!closing.test(text)) continue;
        from = closing.lastIndex;
        found.push({key: key[2], value: text.slice(valueStart, valueEnd), start: equals - before.length + key.index,
                    valueStart, end: from});
    }
    return found;
}

function listNode(bytes, name) {
    const children = entries(bytes).map(entry => new PlainNode(
        entry.key, entry.start, entry.valueStart, entry.end,
        entry.value.length > 80 ? `“${entry.value.slice(0, 80)}…”` : `“${entry.value}”`,
    ));
    return new PlainNode(name, 0, 0, bytes.length, "", children);
}

/** Version, RSA signature, length of the certificate, certificate. */
function signatureNode(blob) {
    const size = {2: 128, 3: 256, 4: 256}[blob[0]] ?? 0;
    const children = [new PlainNode("version", 0, 0, Math.min(1, blob.length), `${blob[0] ?? ""}`)];
    if (size && blob.length > size + 5) {
        children.push(new PlainNode("RSA signature", 1, 1, 1 + size, `${size} bytes`));
        children.push(new PlainNode("certificate length", 1 + size, 1 + size, 5 + size,
            `${new DataView(blob.buffer, blob.byteOffset + 1 + size, 4).getUint32(0)}`));
        children.push(new ASN1Node(blob, 5 + size, blob.length, 1));
    }
    return new PlainNode("signature", 0, 0, blob.length, "", children);
}

/** The parts of a transaction receipt: the list, the decoded purchase-info and the decoded signature. */
export function transactionParts(bytes) {
    const parts = [{name: "Property list", bytes, node: listNode(bytes, "Property list")}];
    for (const entry of entries(bytes)) {
        if (entry.key !== "purchase-info" && entry.key !== "signature") continue;
        const decoded = decodedBase64(entry.value);
        if (!decoded) continue;
        const node = entry.key === "signature" ? signatureNode(decoded) : listNode(decoded, entry.key);
        parts.push({name: `${entry.key}, decoded`, bytes: decoded, node});
    }
    return parts;
}
