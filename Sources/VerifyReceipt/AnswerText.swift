import Bytes
import JSONText

/// The text of an answer, written member by member. Every value is followed by a comma, and the end of an
/// object or array replaces the last one.
///
/// Members with fixed names are appended as whole pieces of text, and values come straight from the receipt's
/// bytes, so that hundreds of purchases cost no allocation.
struct AnswerText {
    var bytes: [UInt8] = []

    init() {}

    /// - Parameter count: the expected number of bytes.
    init(expecting count: Int) { bytes.reserveCapacity(count) }

    mutating func begin() { bytes.append(UInt8(ascii: "{")) }

    /// Ends an object that has at least one member: replaces the comma after the last value.
    mutating func end() { bytes[bytes.count - 1] = UInt8(ascii: "}") }

    mutating func beginArray() { bytes.append(UInt8(ascii: "[")) }

    mutating func endArray() {
        if bytes.last == UInt8(ascii: ",") { bytes.removeLast() }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Writes the comma after a value.
    mutating func separate() { bytes.append(UInt8(ascii: ",")) }

    /// Writes a name with its quotes and its colon.
    @inline(__always)
    mutating func key(_ name: StaticString) { bytes.append(utf8: name) }

    mutating func member(_ name: StaticString, _ number: Int) {
        key(name)
        digits(Int64(number))
        separate()
    }

    /// Writes a number with all its digits, or null for nil.
    mutating func member(_ name: StaticString, numberOrNull number: Int64?) {
        key(name)
        if let number { digits(number) } else { bytes.append(utf8: "null" as StaticString) }
        separate()
    }

    /// Writes a number, or nothing for nil.
    mutating func member(_ name: StaticString, number: Int64?) {
        if let number { member(name, numberOrNull: number) }
    }

    /// Writes the digits of a number in quotes, or nothing for nil.
    ///
    /// - Parameter name: the name, with the opening quote of the value.
    mutating func member(_ name: StaticString, quotedNumber number: Int64?) {
        guard let number else { return }
        key(name)
        digits(number)
        bytes.append(utf8: "\"," as StaticString)
    }

    /// Writes a string, or nothing for nil.
    mutating func member(_ name: StaticString, string text: String?) {
        guard let text else { return }
        member(name, string: Array(text.utf8).borrowedSpan)
    }

    /// Writes a string in UTF-8.
    @inline(__always)
    mutating func member(_ name: StaticString, string text: Span<UInt8>) {
        key(name)
        JSONWriter.append(string: text, to: &bytes)
        separate()
    }

    /// Writes the digits of a number, after a minus sign if it is negative.
    ///
    /// - Parameter minimum: the least number of digits, at most 19. Zeros fill the place of missing ones.
    mutating func digits(_ number: Int64, atLeast minimum: Int = 1) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = number.magnitude
        if rest < 10, minimum == 1 {
            return bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest))
        }
        // The number of digits. 2^63 has 19.
        var (count, power): (Int, UInt64) = (1, 10)
        while count < 19, rest >= power { (count, power) = (count + 1, power &* 10) }
        bytes.append(utf8: "0000000000000000000" as StaticString)
        bytes.removeLast(19 - max(count, minimum))
        var text = bytes.borrowedMutableSpan
        var index = text.count - 1
        while rest >= 10 {
            let two = UInt32(truncatingIfNeeded: rest % 100)
            rest /= 100
            text[index - 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: two / 10)
            text[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: two % 10)
            index -= 2
        }
        if rest > 0 { text[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest) }
    }
}
