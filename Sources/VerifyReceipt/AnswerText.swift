import Basics
import JSONText

/// The text of an answer, written member by member. A value is followed by a comma, and the end of an
/// object or array replaces a comma before it. ``PurchaseMembers`` writes the members of purchases in
/// another way.
struct AnswerText {
    var bytes: [UInt8] = []

    init() {}

    /// Creates an empty text, and reserves memory for `count` bytes.
    init(expecting count: Int) { bytes.reserveCapacity(count) }

    mutating func begin() { bytes.append(UInt8(ascii: "{")) }

    /// Ends an object that has at least one member: replaces the comma after the last value.
    mutating func end() { bytes[bytes.count - 1] = UInt8(ascii: "}") }

    mutating func beginArray() { bytes.append(UInt8(ascii: "[")) }

    mutating func endArray() {
        if bytes.last == UInt8(ascii: ",") { bytes.removeLast() }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Writes a comma, which follows every value.
    mutating func separate() { bytes.append(UInt8(ascii: ",")) }

    /// Writes `name` unchanged: a name with its quotes, its colon and perhaps the beginning of the value,
    /// or any other piece of the text.
    @inline(__always)
    mutating func key(_ name: StaticString) { bytes.append(utf8: name) }

    /// Writes a quote, `name` without quotes, and `rest`. The text `rest` has the closing quote and the
    /// colon; before them, it may have an ending of the name, such as `_ms`, and after them the beginning of
    /// the value, or the whole value and a comma.
    mutating func beginMember(_ name: StaticString, _ rest: StaticString) {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(utf8: name)
        bytes.append(utf8: rest)
    }

    mutating func member(_ name: StaticString, _ number: Int) {
        key(name)
        digits(Int64(number))
        separate()
    }

    /// Writes a member: `name`, which has its quotes and its colon, the number or null for nil, and a comma.
    mutating func member(_ name: StaticString, numberOrNull number: Int64?) {
        key(name)
        if let number { digits(number) } else { bytes.append(utf8: "null" as StaticString) }
        separate()
    }

    /// Writes a member whose value is a string, and a comma.
    ///
    /// - Parameter name: the name with its quotes, the colon, and the opening quote of the value.
    mutating func member(_ name: StaticString, string text: String) {
        key(name)
        string([UInt8](utf8: text).borrowedSpan)
    }

    /// Writes the contents of a string, given in UTF-8, with JSON's escapes. Then a quote and a comma.
    @inline(__always)
    mutating func string(_ text: Span<UInt8>) {
        JSONWriter.append(contents: text, to: &bytes)
        key("\",")
    }

    /// Writes the digits of a number, after a minus sign if it is negative.
    ///
    /// - Parameter minimum: the least number of digits, at most 8. Leading zeros make up for missing digits.
    mutating func digits(_ number: Int64, atLeast minimum: Int = 1) {
        if minimum == 1, (0...9).contains(number) {
            return bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number))
        }
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        digits(number.magnitude, atLeast: minimum)
    }

    private mutating func digits(_ number: UInt64, atLeast minimum: Int) {
        let (upper, lower) = number.quotientAndRemainder(dividingBy: 100_000_000)
        if upper > 0 { digits(upper, atLeast: 1) }
        let eight = EightDigits(lower)
        let dropped = upper > 0 ? 0 : min(eight.leadingZeros, 8 - minimum)
        bytes.append(utf8: "00000000" as StaticString)
        var text = bytes.borrowedMutableSpan
        text.put(eight.text >> UInt64(8 * dropped), at: text.count - 8)
        bytes.removeLast(dropped)
    }
}
