// Certificates that a person trusts, and evidence about their revocation, from files. The library takes them in DER.
import {decodedBase64} from "./base64.js";

const sequence = 0x30;

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

/** What a file in DER or PEM holds, in DER. Empty if the file is neither. */
export function encodings(input) {
    if (input[0] === sequence) return [input];
    const found = pemBodies(utf16Text(input) ?? new TextDecoder().decode(input)).map(body => decodedBase64(body));
    return found.every(bytes => bytes?.[0] === sequence) ? found : [];
}

/** Whether bytes in DER are an OCSP response, which begins with an ENUMERATED (RFC 6960 §4.2.1). A revocation list does not. */
export function isOCSPResponse(bytes) {
    const contents = bytes[1] < 0x80 ? 2 : 2 + (bytes[1] & 0x7f);
    return bytes[contents] === 0x0a;
}
