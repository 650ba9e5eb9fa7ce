import Bytes
import DER
import JSONText

/// The members of a JSON object in a checkpoint, looked up by name.
///
/// Every lookup returns nil if the member is missing or has another type.
struct JSONFields {
    private let bytes: [UInt8]
    private let members: [JSONReader.Member]

    init?(_ bytes: [UInt8]) { self.init(bytes, in: bytes.indices) }

    private init?(_ bytes: [UInt8], in range: Range<Int>) {
        var text = JSONReader(bytes, in: range)
        guard let members = try? text.members() else { return nil }
        self.bytes = bytes
        self.members = members
    }

    var names: [String] {
        members.compactMap { member in
            // The range of a name does not include its quotes.
            JSONReader.string((member.name.lowerBound - 1)..<(member.name.upperBound + 1), bytes).map {
                String(decoding: $0, as: UTF8.self)
            }
        }
    }

    func string(_ name: String) -> String? { range(name).flatMap(string) }

    /// A number from 0 to ``maximumCount``.
    func count(_ name: String) -> Int? { range(name).flatMap(count) }

    /// The member with this name, if it is a SHA-256 digest: 64 hexadecimal digits in lower case.
    func digest(_ name: String) -> String? { string(name).flatMap { Self.isDigest($0) ? $0 : nil } }

    func flag(_ name: String) -> Bool? {
        range(name).flatMap { Bool(String(decoding: bytes[$0], as: UTF8.self)) }
    }

    func object(_ name: String) -> JSONFields? { range(name).flatMap { JSONFields(bytes, in: $0) } }

    /// Whether there is a member of this name, whatever its value.
    func has(_ name: String) -> Bool { range(name) != nil }

    func strings(_ name: String) -> [String]? { elements(name, string) }
    func objects(_ name: String) -> [JSONFields]? { elements(name) { JSONFields(bytes, in: $0) } }

    /// All members, if every one is a count.
    var counts: [(name: String, count: Int)]? {
        var counts: [(name: String, count: Int)] = []
        for (name, member) in zip(names, members) {
            guard let count = count(member.value) else { return nil }
            counts.append((name, count))
        }
        return counts
    }

    /// The largest count: 2^53, up to which every number is exact in every JSON reader.
    ///
    /// Sums of some thousand counts stay far from overflow.
    static let maximumCount = 1 << 53

    static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64
            && text.utf8.allSatisfy { Hexadecimal.value(of: $0) != nil && !(0x41...0x46).contains($0) }
    }

    private func elements<Element>(_ name: String, _ read: (Range<Int>) -> Element?) -> [Element]? {
        guard let range = range(name) else { return nil }
        var text = JSONReader(bytes, in: range)
        guard let ranges = try? text.elements() else { return nil }
        let elements = ranges.compactMap(read)
        return elements.count == ranges.count ? elements : nil
    }

    private func range(_ name: String) -> Range<Int>? {
        members.last { JSONReader.isName($0.name, Array(name.utf8), bytes) }?.value
    }

    private func string(_ range: Range<Int>) -> String? {
        JSONReader.string(range, bytes).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Numbers from 2^53 on are strings: see ``JSONWriter``.
    private func count(_ range: Range<Int>) -> Int? {
        let digits = string(range) ?? String(decoding: bytes[range], as: UTF8.self)
        return Int(digits).flatMap { (0...Self.maximumCount).contains($0) ? $0 : nil }
    }
}
