extension Array<UInt8> {
    /// Appends the base64 of bytes, as ASCII, with padding and without line breaks (RFC 4648 §4).
    package mutating func append(base64 bytes: ArraySlice<UInt8>) {
        var group: UInt32 = 0
        var pending = 0
        func character(_ shift: UInt32) -> UInt8 { base64Character(UInt8(group >> shift & 0x3F)) }
        for byte in bytes {
            group = group << 8 | UInt32(byte)
            pending += 1
            guard pending == 3 else { continue }
            for shift: UInt32 in [18, 12, 6, 0] { append(character(shift)) }
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

/// The ASCII character that base64 has for a value from 0 to 63 (RFC 4648 §4, table 1).
private func base64Character(_ value: UInt8) -> UInt8 {
    switch value {
    case 0..<26: UInt8(ascii: "A") + value
    case 26..<52: UInt8(ascii: "a") + (value - 26)
    case 52..<62: UInt8(ascii: "0") + (value - 52)
    case 62: UInt8(ascii: "+")
    default: UInt8(ascii: "/")
    }
}
