extension Sequence<UInt8> {
    /// Two digits for every byte, in lower case.
    var hexadecimal: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * underestimatedCount)
        digits.append(hexadecimal: self)
        return String(decoding: digits, as: UTF8.self)
    }
}

extension Array<UInt8> {
    /// Appends two digits for every byte, in lower case.
    mutating func append(hexadecimal bytes: some Sequence<UInt8>) {
        func digit(_ value: UInt8) -> UInt8 {
            value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
        }
        for byte in bytes {
            append(digit(byte >> 4))
            append(digit(byte & 0xF))
        }
    }

    /// Appends base64 with padding and without line breaks (RFC 4648 §4).
    mutating func append(base64 bytes: ArraySlice<UInt8>) {
        var group: UInt32 = 0
        var pending = 0
        func character(_ place: UInt32) -> UInt8 { Base64Alphabet.characters[Int(group >> place & 0x3F)] }
        for byte in bytes {
            group = group << 8 | UInt32(byte)
            pending += 1
            guard pending == 3 else { continue }
            for place: UInt32 in [18, 12, 6, 0] { append(character(place)) }
            (group, pending) = (0, 0)
        }
        guard pending > 0 else { return }
        group <<= 8 * UInt32(3 - pending)
        append(character(18))
        append(character(12))
        append(pending == 2 ? character(6) : UInt8(ascii: "="))
        append(UInt8(ascii: "="))
    }
}

private enum Base64Alphabet {
    static let characters = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}
