// Base64, to show the bytes of a receipt. The library decodes the receipt that it judges itself.

const values = new Int8Array(128).fill(-1);
[..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].forEach((character, index) => {
    values[character.charCodeAt(0)] = index;
});
values[0x2d] = 62;
values[0x5f] = 63;

/** Decodes text or the bytes of text. White space is skipped. Returns null for other characters. */
export function decodedBase64(text, spaceIsPlus = false) {
    const input = typeof text === "string" ? new TextEncoder().encode(text) : text;
    const output = new Uint8Array(Math.ceil(input.length * 3 / 4));
    let bits = 0, count = 0, length = 0, isPadded = false;
    for (let octet of input) {
        if (octet === 0x20 && spaceIsPlus) octet = 0x2b;
        if (octet <= 0x20) continue;
        if (octet === 0x3d) {
            isPadded = true;
            continue;
        }
        const value = octet < 128 ? values[octet] : -1;
        if (value < 0 || isPadded) return null;
        bits = (bits << 6 | value) & 0xffff;
        count += 6;
        if (count >= 8) {
            count -= 8;
            output[length++] = bits >> count & 0xff;
        }
    }
    return output.subarray(0, length);
}
