import Basics
import JSONText

/// A JSON object of a token, with the text of its values. Each access decodes the value anew.
///
/// An accessor returns nil if the object lacks the member, if the member is null, and if the value has
/// another type than the accessor's. In an ``Unverified`` or ``Verified`` payload, each documented member is
/// absent, null, or of its documented type, because other payloads are refused.
public struct PayloadObject: Sendable {
    /// The JSON text that the object stands in.
    private let bytes: [UInt8]
    /// The range of the object in ``bytes``, with the white space around the object.
    private let range: Range<Int>
    private let ranges: [JSONReader.Member]
    private let limits: TokenLimits

    /// Finds the members of an object.
    ///
    /// No name may occur twice, and none may have an escape, so that names are equal if their bytes are.
    /// Objects inside the object are only parsed.
    ///
    /// - Throws: `.notAnObject`, `.tooManyMembers`, `.duplicateMember`, `.escapedMemberName`, with an offset
    ///   in `bytes`.
    init(_ bytes: [UInt8], in range: Range<Int>, _ limits: TokenLimits) throws(Refusal) {
        var reader = JSONReader(bytes, in: range)
        var members: [JSONReader.Member]?
        do throws(Refusal) {
            // A member of a genuine payload takes more than 16 bytes, so that its list never grows.
            members = try reader.members(expected: min(range.count / 16, 256))
        } catch {
            throw Refusal(.notAnObject, at: error.offset, reading: "JSON")
        }
        guard let members else { throw Refusal(.notAnObject, at: range.lowerBound, reading: "JSON") }
        let span = bytes.borrowedSpan
        for (index, member) in members.enumerated() {
            let start = member.name.lowerBound
            guard index < limits.members else { throw Refusal(.tooManyMembers, at: start, reading: "JSON") }
            guard span.firstIndex(of: UInt8(ascii: "\\"), in: member.name) == nil else {
                throw Refusal(.escapedMemberName, at: start, reading: "JSON")
            }
            // Few names are equally long, so that the lengths are compared first.
            let name = span.extracting(member.name)
            for earlier in members[..<index]
            where earlier.name.count == name.count
                && name.hasBytes(equalTo: span.extracting(earlier.name))
            {
                throw Refusal(.duplicateMember, at: start, reading: "JSON")
            }
        }
        (self.bytes, self.range, self.limits) = (bytes, range, limits)
        ranges = members
    }

    /// Creates an object without members.
    init() { (bytes, range, ranges, limits) = ([], 0..<0, [], .standard) }

    /// All members, in the order of the text.
    public var members: [PayloadMember] { ranges.map { PayloadMember(bytes, $0) } }

    /// The members whose names `table` does not list.
    package func members(unknownTo table: ObjectTable) -> [PayloadMember] {
        let rows = table.rows
        return ranges.filter { member in
            !rows.contains { bytes.borrowedSpan.extracting(member.name).isUTF8(of: $0.name) }
        }.map { PayloadMember(bytes, $0) }
    }

    /// Whether the object has a member with this name, even if its value is null.
    package func has(_ name: String) -> Bool {
        ranges.contains { bytes.borrowedSpan.extracting($0.name).isUTF8(of: name) }
    }

    /// Whether the object has no member with this name, or the member's value is null.
    package func isNull(_ name: String) -> Bool { range(of: name) == nil }

    /// The range of a member's value; nil if there is none, or if it is null.
    func range(of name: String) -> Range<Int>? {
        let span = bytes.borrowedSpan
        // Few names are equally long, so that the lengths are compared first.
        let count = name.utf8.count
        for member in ranges
        where member.name.count == count && span.extracting(member.name).isUTF8(of: name) {
            return span.extracting(member.value).equals("null") ? nil : member.value
        }
        return nil
    }

    /// A refusal of a member, at its value, or at the start of ``range`` if the member is absent or null.
    func refusal(_ code: Refusal.Code, _ name: StaticString) -> Refusal {
        let value = self.range(of: name.description)
        return Refusal(code, at: value?.lowerBound ?? range.lowerBound, reading: name)
    }

    /// The string that the member with this name holds, escapes decoded. Nil if the member is absent, is no
    /// string, or has half of a surrogate pair.
    public func text(_ name: String) -> String? {
        range(of: name).flatMap { JSONReader.string($0, bytes) }.map { String(utf8: $0.borrowedSpan) }
    }

    /// The integer that the member with this name holds, from −2^63 to 2^63 − 1. Nil if the member is
    /// absent or holds anything else, such as a number that is written with a fraction, also `1.0`, or
    /// with an exponent.
    public func integer(_ name: String) -> Int64? { range(of: name).flatMap(integer) }

    /// The time that the member with this name holds, in milliseconds since 1970. Nil if it is absent, no
    /// number, a number with an exponent, or, once rounded down, outside of −2^53 to 2^53, the range in
    /// which every JSON reader is exact.
    ///
    /// Xcode writes decimals and negative numbers. A fraction is rounded down, towards earlier times.
    public func date(_ name: String) -> Timestamp? { range(of: name).flatMap(date) }

    /// The value of the member with this name, if it is `true` or `false`; nil otherwise.
    public func flag(_ name: String) -> Bool? { range(of: name).flatMap(flag) }

    /// The strings in the array that the member with this name holds; nil if it is absent, if it holds
    /// anything but an array of strings, or if a string has half of a surrogate pair.
    public func texts(_ name: String) -> [String]? {
        range(of: name).flatMap(texts)?.map { String(utf8: $0.borrowedSpan) }
    }

    /// The object that the member with this name holds; nil if it is absent or no object, if it has more
    /// members than the limit allows, or if a name in it occurs twice or has an escape.
    public func object(_ name: String) -> PayloadObject? {
        range(of: name).flatMap { try? PayloadObject(bytes, in: $0, limits) }
    }

    /// The objects in the array that the member with this name holds; nil if it is absent, if it holds
    /// anything but an array of objects, or if ``object(_:)`` would be nil for one of the objects.
    public func objects(_ name: String) -> [PayloadObject]? {
        guard let elements = elements(name) else { return nil }
        let objects = elements.compactMap { try? PayloadObject(bytes, in: $0, limits) }
        return objects.count == elements.count ? objects : nil
    }

    /// The UTF-8 bytes of the string that a member holds, escapes decoded. Nil if the member is absent, is no
    /// string, or has half of a surrogate pair.
    func utf8(_ name: String) -> [UInt8]? {
        range(of: name).flatMap { JSONReader.string($0, bytes) }.map { Array($0) }
    }

    /// The ranges of the elements of the array that a member holds; nil if it is absent or no array.
    func elements(_ name: String) -> [Range<Int>]? { range(of: name).flatMap(elements) }

    // MARK: Values at a range that holds one JSON value

    private func integer(_ value: Range<Int>) -> Int64? {
        number(value).flatMap { $0.hasFraction ? nil : $0.floor }
    }

    private func date(_ value: Range<Int>) -> Timestamp? {
        guard let number = number(value), number.floor.magnitude <= 1 << 53 else { return nil }
        return Timestamp(millisecondsSince1970: number.floor)
    }

    private func flag(_ value: Range<Int>) -> Bool? {
        let text = bytes.borrowedSpan.extracting(value)
        return text.equals("true") ? true : text.equals("false") ? false : nil
    }

    private func elements(_ value: Range<Int>) -> [Range<Int>]? {
        var reader = JSONReader(bytes, in: value)
        return try? reader.elements()
    }

    private func texts(_ value: Range<Int>) -> [[UInt8]]? {
        guard let elements = elements(value) else { return nil }
        let texts = elements.compactMap { JSONReader.string($0, bytes).map { Array($0) } }
        return texts.count == elements.count ? texts : nil
    }

    /// Whether the value is a string in which each surrogate is one of a pair.
    private func isText(_ value: Range<Int>) -> Bool { JSONReader.string(value, bytes) != nil }

    /// Reads a number: the greatest integer that is not above the number, and whether the number is
    /// written with a fraction, also `.0`.
    ///
    /// - Returns: nil for another value, for a number with an exponent, and beyond 64 bits.
    private func number(_ range: Range<Int>) -> (floor: Int64, hasFraction: Bool)? {
        let text = bytes.borrowedSpan.extracting(range)
        let isNegative = text[0] == UInt8(ascii: "-")
        var index = isNegative ? 1 : 0
        var value: Int64 = 0
        while index < text.count, let digit = decimal(text[index]) {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) =
                isNegative
                ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            guard !overflow, !carry else { return nil }
            (value, index) = (sum, index + 1)
        }
        // The reader accepted the text, so a number has a digit.
        guard index > (isNegative ? 1 : 0) else { return nil }
        guard index < text.count else { return (value, false) }
        guard text[index] == UInt8(ascii: ".") else { return nil }
        var isWhole = true
        for index in (index + 1)..<text.count {
            guard let digit = decimal(text[index]) else { return nil }
            if digit > 0 { isWhole = false }
        }
        let (floor, overflow) = value.subtractingReportingOverflow(isNegative && !isWhole ? 1 : 0)
        return overflow ? nil : (floor, true)
    }

    private func decimal(_ character: UInt8) -> Int64? {
        let digit = character &- UInt8(ascii: "0")
        return digit < 10 ? Int64(digit) : nil
    }
}

extension PayloadObject {
    /// Checks that each member that the table documents has the type that the table gives, or is null.
    ///
    /// - Throws: `.invalidValue`. Where the table has an object, what ``init(_:in:_:)`` throws, such as
    ///   `.notAnObject` for another value.
    func check(_ table: ObjectTable) throws(Refusal) {
        let rows = table.rows
        // Apple writes members nearly in the order of the table: the search goes on where it found the last.
        var next = 0
        for member in ranges {
            let name = bytes.borrowedSpan.extracting(member.name)
            for _ in rows.indices {
                let index = next
                next = next + 1 == rows.count ? 0 : next + 1
                let expected = rows[index].name
                guard name.count == expected.utf8.count, name.isUTF8(of: expected) else { continue }
                try check(rows[index].kind, member.value)
                break
            }
        }
    }

    private func check(_ kind: ValueKind, _ value: Range<Int>) throws(Refusal) {
        if bytes.borrowedSpan.extracting(value).equals("null") { return }
        let isValid: Bool
        switch kind {
        case .text: isValid = isText(value)
        case .integer: isValid = integer(value) != nil
        case .date: isValid = date(value) != nil
        case .flag: isValid = flag(value) != nil
        case .texts: isValid = elements(value)?.allSatisfy(isText) ?? false
        case .object(let table):
            return try PayloadObject(bytes, in: value, limits).check(table)
        case .objects(let table):
            let elements = elements(value)
            for element in elements ?? [] {
                try PayloadObject(bytes, in: element, limits).check(table)
            }
            isValid = elements != nil
        }
        guard isValid else { throw Refusal(.invalidValue, at: value.lowerBound, reading: "payload") }
    }
}

/// One member of an object, with its value as JSON text.
public struct PayloadMember: Sendable {
    private let bytes: [UInt8]
    private let member: JSONReader.Member

    init(_ bytes: [UInt8], _ member: JSONReader.Member) {
        (self.bytes, self.member) = (bytes, member)
    }

    /// The name of the member.
    public var name: String { String(utf8: bytes[member.name].borrowedSpan) }
    /// The value as it stands in the payload, such as `"USD"` with its quotes. Numbers keep all their digits.
    public var json: String { String(utf8: bytes[member.value].borrowedSpan) }
}
