import Bytes
import DER

/// Decodes the value of one attribute: a single DER element that fills the value's octets.
///
/// A string or date of length zero means that the receipt has no value, so it decodes to nil. Each method
/// throws if the element has another type, is malformed, or does not fill the value. The parameter `reading`
/// names the attribute in the error.
struct ValueReader: ~Escapable {
    private let bytes: Span<UInt8>
    private let value: Range<Int>
    /// The octets of the attribute's value, which are the part `value` of `bytes`.
    private let octets: Span<UInt8>

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, _ attribute: AttributeRange) {
        self.bytes = bytes
        value = attribute.value
        octets = bytes.extracting(attribute.value)
    }

    /// Whether the value is one element with this tag and a length below 128 that fills the value. Nearly all
    /// values are. A ``Reader`` reads or refuses all others.
    @inline(__always)
    func isPlain(_ tag: Tag) -> Bool {
        octets.count >= 2 && octets[0] == tag.lowOctet && octets[1] < 0x80
            && Int(octets[1]) == octets.count - 2
    }

    /// The range of the element's contents. Throws if the tag is another.
    @inline(__always)
    private func contents(
        _ tag: Tag,
        _ reading: @autoclosure () -> StaticString
    ) throws(Refusal) -> Range<Int> {
        if isPlain(tag) { return (value.lowerBound + 2)..<value.upperBound }
        return try Self.read(tag, bytes, value, reading())
    }

    @inline(never)
    private static func read(
        _ tag: Tag,
        _ bytes: Span<UInt8>,
        _ value: Range<Int>,
        _ reading: StaticString
    ) throws(Refusal) -> Range<Int> {
        var reader = Reader(bytes, in: value)
        let contents = try reader.read(tag, reading)
        try reader.finish(reading)
        return contents
    }

    /// The range of a UTF8String. Throws unless its octets are well-formed UTF-8.
    @inline(__always)
    func utf8(_ reading: @autoclosure () -> StaticString) throws(Refusal) -> Range<Int>? {
        let string = try contents(.utf8String, reading())
        if let offset = bytes.firstIllFormedUTF8(in: string) {
            throw Refusal(.invalidUTF8, at: offset, reading: reading())
        }
        return string.isEmpty ? nil : string
    }

    /// The range of an IA5String. Throws unless its octets are ASCII.
    func ia5(_ reading: StaticString) throws(Refusal) -> Range<Int>? {
        var reader = Reader(bytes, in: value)
        let string = try reader.readIA5String(reading)
        try reader.finish(reading)
        return string.isEmpty ? nil : string
    }

    /// A date in an IA5String. Throws unless the string has the form of RFC 3339.
    @inline(__always)
    func date(_ reading: @autoclosure () -> StaticString) throws(Refusal) -> Timestamp? {
        let string = try contents(.ia5String, reading())
        guard !string.isEmpty else { return nil }
        guard let time = Timestamp(rfc3339: bytes, in: string) else {
            throw Refusal(.invalidDate, at: string.lowerBound, reading: reading())
        }
        return time
    }

    /// An INTEGER of 0 to 2^63 - 1.
    @inline(__always)
    func number(_ reading: @autoclosure () -> StaticString) throws(Refusal) -> Int64 {
        guard let number = plainNumber else { throw Self.refusalOfNumber(bytes, value, reading()) }
        return number
    }

    /// The INTEGER, if it has one to eight octets and no sign; nil otherwise. An octet more than the number
    /// needs is not minimal (X.690 §8.3.2), so the number is nil, too.
    @inline(__always)
    var plainNumber: Int64? {
        guard isPlain(.integer), octets.count > 2, octets.count <= 10, octets[2] < 0x80,
            octets.count == 3 || octets[2] != 0 || octets[3] >= 0x80
        else { return nil }
        var number: Int64 = 0
        for index in 2..<octets.count { number = number << 8 | Int64(octets[index]) }
        return number
    }

    /// The reason why ``plainNumber`` is nil.
    @inline(never)
    private static func refusalOfNumber(
        _ bytes: Span<UInt8>,
        _ value: Range<Int>,
        _ reading: StaticString
    ) -> Refusal {
        var reader = Reader(bytes, in: value)
        do throws(Refusal) {
            _ = try reader.readInteger(reading)
            try reader.finish(reading)
        } catch {
            return error
        }
        // A well-formed INTEGER that is refused here is negative.
        return Refusal(.negativeInteger, at: value.lowerBound, reading: reading)
    }

    /// An INTEGER that is 0 for false or 1 for true. Throws for every other number.
    @inline(__always)
    func flag(_ reading: @autoclosure () -> StaticString) throws(Refusal) -> Bool {
        switch try number(reading()) {
        case 0: return false
        case 1: return true
        default: throw Refusal(.invalidFlag, at: value.lowerBound, reading: reading())
        }
    }
}
