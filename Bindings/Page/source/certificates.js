// Certificates of files that a person trusts. The library takes them in DER.
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

/** The certificates of a file in DER or PEM. Empty if the file is neither. */
export function certificates(input) {
    if (input[0] === sequence) return [input];
    const found = pemBodies(utf16Text(input) ?? new TextDecoder().decode(input)).map(body => decodedBase64(body));
    return found.every(bytes => bytes?.[0] === sequence) ? found : [];
}
