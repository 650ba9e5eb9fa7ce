// A reader of BER and DER for display only. The page never judges by it: every verdict comes from the library.
//
// The reader is lenient, so that a broken receipt can be looked at. It is bounded: an element's children are read
// one page at a time, when a person opens the element.
import {objectIdentifierNames, attributeNames} from "./tables.js";

/** How many children a page of an element holds. */
export const pageSize = 200;
/** How many headers are read to find the end of an element of indefinite length. */
const headerLimit = 500000;
const depthLimit = 64;

const universal = {
    1: "BOOLEAN", 2: "INTEGER", 3: "BIT STRING", 4: "OCTET STRING", 5: "NULL", 6: "OBJECT IDENTIFIER",
    10: "ENUMERATED", 12: "UTF8String", 16: "SEQUENCE", 17: "SET", 18: "NumericString", 19: "PrintableString",
    20: "TeletexString", 22: "IA5String", 23: "UTCTime", 24: "GeneralizedTime", 26: "VisibleString",
    28: "UniversalString", 30: "BMPString",
};
const textual = new Set([12, 18, 19, 22, 23, 24, 26]);

/** Reads the header at an offset. Returns null if the bytes end within it. A length of null is indefinite. */
export function readHeader(bytes, start, end) {
    let at = start;
    if (at >= end) return null;
    const first = bytes[at++];
    let number = first & 0x1f;
    if (number === 0x1f) {
        number = 0;
        let octet;
        do {
            if (at >= end || at - start > 5) return null;
            octet = bytes[at++];
            number = number * 128 + (octet & 0x7f);
        } while (octet & 0x80);
    }
    if (at >= end) return null;
    let length = bytes[at++];
    if (length === 0x80) {
        length = null;
    } else if (length > 0x80) {
        const count = length & 0x7f;
        if (count > 6 || at + count > end) return null;
        length = 0;
        for (let index = 0; index < count; index++) length = length * 256 + bytes[at++];
    }
    return {tagClass: first >> 6, number, isConstructed: (first & 0x20) !== 0, length, start, contents: at};
}

/** The end of an element of indefinite length, or null if it is not found. */
function endOfContents(bytes, contents, end) {
    let open = 1;
    let at = contents;
    for (let count = 0; count < headerLimit; count++) {
        if (at + 1 < end && bytes[at] === 0 && bytes[at + 1] === 0) {
            at += 2;
            if (--open === 0) return at;
            continue;
        }
        const header = readHeader(bytes, at, end);
        if (!header) return null;
        if (header.length === null) {
            if (++open > depthLimit) return null;
            at = header.contents;
        } else {
            at = header.contents + header.length;
            if (at > end) return null;
        }
    }
    return null;
}

/** An element, or the bytes at a place where no element can be read. */
export class ASN1Node {
    constructor(bytes, start, end, depth) {
        this.bytes = bytes;
        this.start = start;
        this.depth = depth;
        const header = readHeader(bytes, start, end);
        if (!header) {
            Object.assign(this, {contents: end, end, name: "No element", fault: "no header can be read"});
            this.isConstructed = false;
            return;
        }
        Object.assign(this, {
            contents: header.contents, number: header.number, tagClass: header.tagClass,
            isConstructed: header.isConstructed,
        });
        this.contentsEnd = end;
        if (header.length === null) {
            const found = endOfContents(bytes, header.contents, end);
            this.end = found ?? end;
            this.contentsEnd = found === null ? end : found - 2;
            if (found === null) this.fault = "the end is missing";
        } else {
            this.contentsEnd = Math.min(end, header.contents + header.length);
            this.end = this.contentsEnd;
            if (header.contents + header.length > end) this.fault = "cut short";
        }
        this.isIndefinite = header.length === null;
        this.name = this.tagName();
    }

    tagName() {
        switch (this.tagClass) {
            case 0: return universal[this.number] ?? `[UNIVERSAL ${this.number}]`;
            case 1: return `[APPLICATION ${this.number}]`;
            case 2: return `[${this.number}]`;
            default: return `[PRIVATE ${this.number}]`;
        }
    }

    /** Where the children lie: the contents, or the element inside of a string. Null for a plain value. */
    get inner() {
        if (this.innerRange !== undefined) return this.innerRange;
        this.innerRange = null;
        if (this.depth < depthLimit && this.contentsEnd > this.contents) {
            if (this.isConstructed) this.innerRange = [this.contents, this.contentsEnd];
            else if (this.tagClass === 0 && this.number === 4) this.innerRange = this.encapsulated(this.contents);
            else if (this.tagClass === 0 && this.number === 3 && this.bytes[this.contents] === 0) {
                this.innerRange = this.encapsulated(this.contents + 1);
            }
        }
        return this.innerRange;
    }

    /** The range of one universal element that fills the rest of the contents. */
    encapsulated(start) {
        const header = readHeader(this.bytes, start, this.contentsEnd);
        if (!header || header.tagClass !== 0 || header.length === null || !universal[header.number]) return null;
        if (header.contents + header.length !== this.contentsEnd) return null;
        if (header.isConstructed !== (header.number === 16 || header.number === 17)) return null;
        return [start, this.contentsEnd];
    }

    get hasChildren() { return this.inner !== null; }

    /** The children of a page, and whether more follow. Pages are read in order and their starts are kept. */
    page(index) {
        this.pageStarts ??= [this.inner[0]];
        while (this.pageStarts.length <= index) {
            const read = this.read(this.pageStarts.at(-1), false);
            if (read.next >= this.inner[1]) return {nodes: [], hasMore: false};
            this.pageStarts.push(read.next);
        }
        const read = this.read(this.pageStarts[index], true);
        return {nodes: read.nodes, hasMore: read.next < this.inner[1]};
    }

    read(start, keeps) {
        const end = this.inner[1];
        const nodes = [];
        let at = start;
        for (let count = 0; count < pageSize && at < end; count++) {
            const header = keeps ? null : readHeader(this.bytes, at, end);
            if (header && header.length !== null) {
                at = Math.min(end, header.contents + header.length);
            } else {
                const node = new ASN1Node(this.bytes, at, end, this.depth + 1);
                if (keeps) nodes.push(node);
                at = Math.max(node.end, at + 1);
            }
        }
        return {nodes, next: at};
    }

    /** The page that holds the child at an offset. */
    pageWith(offset) {
        for (let index = 0; ; index++) {
            this.pageStarts ??= [this.inner[0]];
            if (index + 1 >= this.pageStarts.length) {
                const next = this.read(this.pageStarts[index], false).next;
                if (next >= this.inner[1] || next > offset) return index;
                this.pageStarts[index + 1] = next;
            } else if (this.pageStarts[index + 1] > offset) {
                return index;
            }
        }
    }

    /** The value for people. */
    get value() {
        if (this.isConstructed || this.fault && !this.name) return "";
        const {bytes, contents} = this;
        const end = this.contentsEnd ?? this.end;
        if (this.tagClass !== 0) {
            const part = bytes.subarray(contents, Math.min(end, contents + 80));
            return part.length && part.every(octet => octet >= 0x20 && octet < 0x7f) ? text(part, end - contents > 80)
                : octets(bytes, contents, end);
        }
        switch (this.number) {
            case 1: return end - contents === 1 ? (bytes[contents] ? "TRUE" : "FALSE") : octets(bytes, contents, end);
            case 2: case 10: {
                if (end - contents > 8 || end === contents) return octets(bytes, contents, end);
                let value = BigInt(bytes[contents] << 24 >> 24);
                for (let at = contents + 1; at < end; at++) value = value << 8n | BigInt(bytes[at]);
                return `${value}`;
            }
            case 5: return "";
            case 6: {
                const dotted = objectIdentifier(bytes, contents, end);
                const name = objectIdentifierNames[dotted];
                return name ? `${dotted} (${name})` : dotted;
            }
            default:
                if (textual.has(this.number)) {
                    return text(bytes.subarray(contents, Math.min(end, contents + 80)), end - contents > 80);
                }
                return this.hasChildren ? "" : octets(bytes, contents, end);
        }
    }

    /** The meaning of an attribute of a receipt: SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }. */
    get note() {
        if (!this.isConstructed || this.number !== 16 || this.tagClass !== 0 || this.contents >= this.end) return "";
        const {bytes} = this;
        const type = readHeader(bytes, this.contents, this.end);
        if (!type || bytes[type.start] !== 2 || type.length === null || type.length > 4) return "";
        const version = readHeader(bytes, type.contents + type.length, this.end);
        if (!version || bytes[version.start] !== 2 || version.length === null) return "";
        const value = readHeader(bytes, version.contents + version.length, this.end);
        if (!value || bytes[value.start] !== 4 || value.length === null) return "";
        if (value.contents + value.length !== this.end) return "";
        let number = 0;
        for (let at = type.contents; at < type.contents + type.length; at++) number = number * 256 + bytes[at];
        const name = attributeNames[number];
        return `attribute ${number}${name ? `, ${name}` : ""}`;
    }
}

function octets(bytes, start, end) {
    let digits = "";
    for (let at = start; at < Math.min(end, start + 24); at++) digits += bytes[at].toString(16).padStart(2, "0");
    return digits + (end - start > 24 ? "…" : "");
}

function text(part, isCut) {
    return `“${new TextDecoder().decode(part)}${isCut ? "…" : ""}”`;
}

function objectIdentifier(bytes, start, end) {
    if (end - start > 64 || end === start) return octets(bytes, start, end);
    const arcs = [];
    let arc = 0n;
    for (let at = start; at < end; at++) {
        arc = arc << 7n | BigInt(bytes[at] & 0x7f);
        if (bytes[at] & 0x80) continue;
        if (arcs.length) arcs.push(arc);
        else if (arc < 80n) arcs.push(arc / 40n, arc % 40n);
        else arcs.push(2n, arc - 80n);
        arc = 0n;
    }
    return arcs.join(".");
}
