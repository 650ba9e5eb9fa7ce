/// Hexadecimal text: two digits for each byte, the more significant digit first.
///
/// Text is written in lower case. Digits are read in either case.
package enum Hexadecimal {
    /// The hexadecimal digits of bytes as a string: two for each byte, in lower case.
    package static func digits(of bytes: Span<UInt8>) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * bytes.count)
        append(bytes, to: &digits)
        return String(utf8: digits.borrowedSpan)
    }

    /// Appends the hexadecimal digits of bytes to ASCII text: two for each byte, in lower case.
    package static func append(_ bytes: Span<UInt8>, to text: inout [UInt8]) {
        let start = text.count
        text.append(contentsOf: repeatElement(0, count: 2 * bytes.count))
        var digits = text.borrowedMutableSpan
        for index in 0..<bytes.count {
            digits[start + 2 * index] = digit(of: bytes[index] >> 4)
            digits[start + 2 * index + 1] = digit(of: bytes[index] & 0x0F)
        }
    }

    /// The ASCII hexadecimal digit of a value from 0 to 15; `a` to `f` are in lower case.
    ///
    /// Precondition: the value is below 16.
    @inlinable
    package static func digit(of value: UInt8) -> UInt8 {
        precondition(value < 16, "a hexadecimal digit has a value below 16")
        return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + (value - 10)
    }

    /// The value, 0 to 15, of an ASCII hexadecimal digit in either case. Nil for any other character.
    @inlinable
    package static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The bytes that ASCII hexadecimal digits, in either case, stand for: one byte for each two digits. Nil
    /// if a character is no such digit, or if the number of digits is odd.
    @inlinable
    package static func bytes(of digits: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.underestimatedCount / 2)
        var high: UInt8?
        for digit in digits {
            guard let value = value(of: digit) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return high == nil ? bytes : nil
    }
}
