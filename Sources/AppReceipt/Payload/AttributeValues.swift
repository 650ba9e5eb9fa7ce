import Basics
import DER

/// The values of the attributes in one SET, and the bytes that its texts lie in: what a receipt or a purchase
/// says, whether its signature is verified or not.
@usableFromInline
package struct AttributeValues: Sendable {
    @usableFromInline let buffer: AttributeBuffer
    /// The bounds of ``set``. ``LocatedPayload`` refuses a SET whose end does not fit in 32 bits.
    private var bounds: (lower: UInt32, upper: UInt32) = (0, 0)
    private var number: UInt32 = 0
    @usableFromInline var words: AttributeWords

    /// Keeps the words of one SET. `set` is the range of the SET's contents in the buffer. `position` is the
    /// number of a purchase among all attributes of type 17 of the receipt, from zero; a receipt has 0.
    init(_ buffer: AttributeBuffer, set: Range<Int>, position: Int = 0, _ words: AttributeWords) {
        self.buffer = buffer
        self.words = words
        move(to: set, position: position)
    }

    /// Replaces ``set`` and ``position``.
    mutating func move(to set: Range<Int>, position: Int) {
        bounds = (UInt32(truncatingIfNeeded: set.lowerBound), UInt32(truncatingIfNeeded: set.upperBound))
        number = UInt32(truncatingIfNeeded: position)
    }

    /// The range of the SET's contents in ``bytes``.
    var set: Range<Int> { Int(bounds.lower)..<Int(bounds.upper) }
    /// The number of a purchase among all attributes of type 17 of the receipt, from zero. A receipt has 0.
    var position: Int { Int(number) }
    /// All attributes of the SET in its order, each with the octets of its value.
    @usableFromInline var attributes: [Attribute] { buffer.attributes(in: set) }
}

extension AttributeValues: Hashable {
    /// Whether the octets of the two SETs' contents are equal. DER leaves one way to write a SET's header, so
    /// the octets of the two headers are then equal as well.
    @usableFromInline
    package static func == (one: Self, other: Self) -> Bool {
        one.buffer.bytes.borrowedSpan.holds(one.set, sameAs: other.buffer.bytes.borrowedSpan, other.set)
    }

    @usableFromInline package func hash(into hasher: inout Hasher) { hasher.combine(buffer.bytes[set]) }
}

// MARK: Values by their rows

extension AttributeValues {
    @inlinable package func number(_ row: AttributeRow) -> Int64? { words[row.position].number }
    @inlinable package func flag(_ row: AttributeRow) -> Bool? { number(row).map { $0 == 1 } }
    /// The ownership whose number the row's attribute has; nil if the number is absent, malformed or unknown.
    @inlinable package func ownership(_ row: AttributeRow) -> InAppPurchase.Ownership? {
        number(row).flatMap(InAppPurchase.Ownership.init)
    }
    @inlinable package func date(_ row: AttributeRow) -> Timestamp? { words[row.position].date }
    /// The range in ``bytes`` of a text without tag and length, or of the whole value of an attribute of the
    /// kind `octets`. Nil if it is absent, malformed or an empty text. Only for rows of the kinds `text`,
    /// `ascii` and `octets`: for another row, the function can trap.
    @inlinable package func range(_ row: AttributeRow) -> Range<Int>? { words[row.position].range }
    /// The bytes that the receipt was read from, or the DER made from BER input.
    @inlinable package var bytes: [UInt8] { buffer.bytes }
    /// The slice of ``bytes`` at the range that `range(row)` returns; nil if that range is nil.
    @inlinable package func octets(_ row: AttributeRow) -> ArraySlice<UInt8>? { buffer.octets(range(row)) }
    @inlinable package func string(_ row: AttributeRow) -> String? { buffer.string(range(row)) }
}

// MARK: Values of receipts and of purchases

extension AttributeValues {
    @inlinable func number(_ one: ReceiptAttribute) -> Int64? { words[one.row.position].number }
    @inlinable func date(_ one: ReceiptAttribute) -> Timestamp? { words[one.row.position].date }
    @inlinable func string(_ one: ReceiptAttribute) -> String? { buffer.string(range(one)) }
    @inlinable func octets(_ one: ReceiptAttribute) -> ArraySlice<UInt8>? { buffer.octets(range(one)) }
    @inlinable func range(_ one: ReceiptAttribute) -> Range<Int>? { words[one.row.position].range }
    func holds(_ one: ReceiptAttribute, _ text: String) -> Bool { buffer.holds(range(one), text) }

    @inlinable package func number(_ one: PurchaseAttribute) -> Int64? { words[one.row.position].number }
    @inlinable func flag(_ one: PurchaseAttribute) -> Bool? { number(one).map { $0 == 1 } }
    @inlinable func date(_ one: PurchaseAttribute) -> Timestamp? { words[one.row.position].date }
    @inlinable func string(_ one: PurchaseAttribute) -> String? { buffer.string(range(one)) }
    package func holds(_ one: PurchaseAttribute, _ text: String) -> Bool { buffer.holds(range(one), text) }
    @inlinable func range(_ one: PurchaseAttribute) -> Range<Int>? { words[one.row.position].range }
}

// MARK: Storage

/// One value in eight bytes: a number, a time in milliseconds, or the bounds of a range in 32 bits each.
///
/// `Int64.min` stands for no value. Numbers are not negative, no date with a year of four digits is so early,
/// and the upper bound of a range, in the lower half of the word, is not below its lower bound.
@usableFromInline
struct AttributeWord: Sendable {
    @usableFromInline var bits = Int64.min

    @inlinable init() {}
    init(_ number: Int64) { bits = number }
    init(_ time: Timestamp?) { bits = time?.millisecondsSince1970 ?? .min }
    /// Keeps the low 32 bits of each bound; nil gives a word without a value. ``LocatedPayload`` refuses a
    /// SET whose end does not fit in 32 bits.
    init(_ range: Range<Int>?) {
        guard let range else { return }
        let (lower, upper) = (UInt64(range.lowerBound), UInt64(range.upperBound))
        bits = Int64(bitPattern: lower << 32 | upper & 0xFFFF_FFFF)
    }

    @inlinable var number: Int64? { bits == .min ? nil : bits }
    @inlinable var date: Timestamp? { number.map { Timestamp(millisecondsSince1970: $0) } }
    @inlinable var range: Range<Int>? {
        number.map { Int(UInt64(bitPattern: $0) >> 32)..<Int(UInt64(bitPattern: $0) & 0xFFFF_FFFF) }
    }
}

/// The words of the attributes of a receipt or of a purchase, by the positions of their rows.
///
/// The words are properties and no array, because a receipt may have hundreds of purchases and their decoding
/// must not allocate. For a row at a position of ``count`` or above, add a property and two lines, and raise
/// ``count``.
@usableFromInline
struct AttributeWords: Sendable {
    /// The number of words: positions are 0 to 17.
    static var count: Int { 18 }
    @usableFromInline var w0 = AttributeWord(), w1 = AttributeWord(), w2 = AttributeWord()
    @usableFromInline var w3 = AttributeWord(), w4 = AttributeWord(), w5 = AttributeWord()
    @usableFromInline var w6 = AttributeWord(), w7 = AttributeWord(), w8 = AttributeWord()
    @usableFromInline var w9 = AttributeWord(), w10 = AttributeWord(), w11 = AttributeWord()
    @usableFromInline var w12 = AttributeWord(), w13 = AttributeWord(), w14 = AttributeWord()
    @usableFromInline var w15 = AttributeWord(), w16 = AttributeWord(), w17 = AttributeWord()

    /// The word at a position below ``count``. Another position reads as no value; writing it does nothing.
    @usableFromInline subscript(position: Int) -> AttributeWord {
        @inlinable @inline(__always) get {
            switch position {
            case 0: w0
            case 1: w1
            case 2: w2
            case 3: w3
            case 4: w4
            case 5: w5
            case 6: w6
            case 7: w7
            case 8: w8
            case 9: w9
            case 10: w10
            case 11: w11
            case 12: w12
            case 13: w13
            case 14: w14
            case 15: w15
            case 16: w16
            case 17: w17
            default: AttributeWord()
            }
        }
        @inline(__always) set(word) {
            switch position {
            case 0: w0 = word
            case 1: w1 = word
            case 2: w2 = word
            case 3: w3 = word
            case 4: w4 = word
            case 5: w5 = word
            case 6: w6 = word
            case 7: w7 = word
            case 8: w8 = word
            case 9: w9 = word
            case 10: w10 = word
            case 11: w11 = word
            case 12: w12 = word
            case 13: w13 = word
            case 14: w14 = word
            case 15: w15 = word
            case 16: w16 = word
            case 17: w17 = word
            default: break
            }
        }
    }
}

// MARK: Decoding

/// Decodes the value of one attribute: a single DER element that fills the value's octets. A value of the
/// kind `octets` may be any octets, and is not decoded.
///
/// A string or date of length zero means that the receipt has no value, so it decodes to nil. The file
/// FastForms.swift reads the usual layouts of elements and numbers. Each method that decodes an element
/// throws if the element has another type, is malformed, or does not fill the value. The parameter `reading`
/// names the field in the error.
struct ValueReader: ~Escapable {
    private let bytes: Span<UInt8>
    private let value: Range<Int>
    /// The octets of the attribute's value, which are the part `value` of `bytes`.
    let octets: Span<UInt8>

    /// Prepares to read the value at a range of the bytes, which excludes the OCTET STRING's header.
    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, in value: Range<Int>) {
        self.bytes = bytes
        self.value = value
        octets = bytes.extracting(value)
    }

    /// Decodes the value by its kind; an empty text or date gives a word without a value.
    ///
    /// A refusal names `value` as the field. The caller puts the attribute's name in its place, so that no
    /// name is looked up for a value that decodes.
    // The older spelling is a hint, which the compiler does not follow here. A call takes 40 instructions.
    #if compiler(>=6.3)
        @inline(always)
    #else
        @inline(__always)
    #endif
    func word(_ kind: AttributeKind) throws(Refusal) -> AttributeWord {
        switch kind {
        case .text: AttributeWord(try utf8("value"))
        case .ascii: AttributeWord(try ia5("value"))
        case .number, .identifier, .ownership: AttributeWord(try number("value"))
        case .flag: AttributeWord(try flag("value") ? 1 : 0)
        case .date: AttributeWord(try date("value"))
        case .octets: AttributeWord(value)
        }
    }

    /// The range in `bytes` of the element's contents. Throws unless an element with this tag fills the
    /// value.
    @inline(__always)
    private func contents(_ tag: Tag, _ reading: StaticString) throws(Refusal) -> Range<Int> {
        if isPlain(tag) { return (value.lowerBound + 2)..<value.upperBound }
        return try Self.read(tag, bytes, value, reading)
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

    /// The range of a UTF8String's contents; nil if it is empty. Throws unless they are well-formed UTF-8.
    @inline(__always)
    func utf8(_ reading: StaticString) throws(Refusal) -> Range<Int>? {
        let string = try contents(.utf8String, reading)
        if let offset = bytes.firstIllFormedUTF8(in: string) {
            throw Refusal(.invalidUTF8, at: offset, reading: reading)
        }
        return string.isEmpty ? nil : string
    }

    /// The range of an IA5String's contents; nil if it is empty. Throws unless they are ASCII.
    func ia5(_ reading: StaticString) throws(Refusal) -> Range<Int>? {
        var reader = Reader(bytes, in: value)
        let string = try reader.readIA5String(reading)
        try reader.finish(reading)
        return string.isEmpty ? nil : string
    }

    /// The date in an IA5String; nil if the string is empty. Throws unless the string is empty or a date that
    /// `Timestamp.init(rfc3339:in:)` reads.
    @inline(__always)
    func date(_ reading: StaticString) throws(Refusal) -> Timestamp? {
        let string = try contents(.ia5String, reading)
        guard !string.isEmpty else { return nil }
        guard let time = Timestamp(rfc3339: bytes, in: string) else {
            throw Refusal(.invalidDate, at: string.lowerBound, reading: reading)
        }
        return time
    }

    /// The number in an INTEGER, 0 to 2^63 - 1. Throws for a negative or larger number, and unless an INTEGER
    /// fills the value.
    @inline(__always)
    func number(_ reading: StaticString) throws(Refusal) -> Int64 {
        guard let number = plainNumber else { throw Self.refusalOfNumber(bytes, value, reading) }
        return number
    }

    /// The refusal of a value for which ``plainNumber`` is nil: malformed, negative or too large.
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
    func flag(_ reading: StaticString) throws(Refusal) -> Bool {
        switch try number(reading) {
        case 0: return false
        case 1: return true
        default: throw Refusal(.invalidFlag, at: value.lowerBound, reading: reading)
        }
    }
}
