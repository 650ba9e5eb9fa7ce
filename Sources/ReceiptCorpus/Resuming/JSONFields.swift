import Basics
import DER
import JSONText

/// The members of a JSON object, such as a checkpoint, looked up by name.
///
/// A lookup of a value throws `Refusal` if the member is missing or has another type.
struct JSONFields {
    private let bytes: [UInt8]
    private let range: Range<Int>
    private let members: [JSONReader.Member]

    /// The error for a checkpoint that is JSON but is malformed otherwise. Its code and offset are never
    /// shown.
    static var malformed: Refusal { Refusal(.notJSON, at: 0, reading: "checkpoint") }

    init(_ bytes: [UInt8]) throws(Refusal) { try self.init(bytes, in: bytes.indices) }

    private init(_ bytes: [UInt8], in range: Range<Int>) throws(Refusal) {
        var text = JSONReader(bytes, in: range)
        (self.bytes, self.range, members) = (bytes, range, try Self.known(text.members()))
    }

    /// The JSON text of the object itself, as it stands in the checkpoint.
    var text: [UInt8] { Array(bytes[range]) }

    var names: [String] {
        members.compactMap { member in
            JSONReader.unescaped(member.name, bytes).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    func string(_ name: String) throws(Refusal) -> String { try string(value(name)) }

    /// Returns a member that is a whole number from 0 to ``maximumCount`` without a point or an exponent, or
    /// a string with such a number. Throws for any other value.
    func count(_ name: String) throws(Refusal) -> Int { try count(value(name)) }

    /// Returns a member that is 64 lower-case hexadecimal digits, or empty. Throws for any other value.
    func digest(_ name: String) throws(Refusal) -> String {
        let text = try string(name)
        let isDigest =
            text.utf8.count == 64
            && text.utf8.allSatisfy { Hexadecimal.value(of: $0) != nil && !(0x41...0x46).contains($0) }
        return try Self.known(isDigest || text.isEmpty ? text : nil)
    }

    func flag(_ name: String) throws(Refusal) -> Bool {
        try Self.known(Bool(String(decoding: bytes[value(name)], as: UTF8.self)))
    }

    func object(_ name: String) throws(Refusal) -> JSONFields { try JSONFields(bytes, in: value(name)) }

    /// Whether there is a member of this name, whatever its value.
    func has(_ name: String) -> Bool { (try? value(name)) != nil }

    func strings(_ name: String) throws(Refusal) -> [String] { try elements(name).map(string) }
    func objects(_ name: String) throws(Refusal) -> [JSONFields] {
        try elements(name).map { range throws(Refusal) in try JSONFields(bytes, in: range) }
    }

    /// The names and values of all members, in order. Throws `Refusal` unless every value is a count and
    /// every name is Unicode.
    func counts() throws(Refusal) -> [(name: String, count: Int)] {
        try members.map { member throws(Refusal) in
            let name = try Self.known(JSONReader.unescaped(member.name, bytes))
            return (String(decoding: name, as: UTF8.self), try count(member.value))
        }
    }

    /// The largest count: 2^53. Every whole number up to 2^53 is exact in binary64. The sum of a hundred
    /// counts does not overflow.
    static let maximumCount = 1 << 53

    private func elements(_ name: String) throws(Refusal) -> [Range<Int>] {
        var text = JSONReader(bytes, in: try value(name))
        return try Self.known(text.elements())
    }

    private func value(_ name: String) throws(Refusal) -> Range<Int> {
        try Self.known(members.last { JSONReader.isName($0.name, Array(name.utf8), bytes) }?.value)
    }

    private func string(_ range: Range<Int>) throws(Refusal) -> String {
        String(decoding: try Self.known(JSONReader.string(range, bytes)), as: UTF8.self)
    }

    /// Decodes a count, which is written as a number or as a string of digits: from 2^53 on, ``JSONWriter``
    /// writes strings.
    private func count(_ range: Range<Int>) throws(Refusal) -> Int {
        let digits = (try? string(range)) ?? String(decoding: bytes[range], as: UTF8.self)
        return try Self.known(Int(digits).flatMap { (0...Self.maximumCount).contains($0) ? $0 : nil })
    }

    private static func known<Value>(_ value: Value?) throws(Refusal) -> Value {
        guard let value else { throw malformed }
        return value
    }
}
