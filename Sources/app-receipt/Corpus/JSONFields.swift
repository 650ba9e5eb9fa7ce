import CorpusRecords
import DER

/// The members of a JSON object that this tool wrote, by name. What is missing, or something else, is nil.
struct JSONFields {
    private let bytes: [UInt8]
    private let members: [JSONText.Member]

    init?(_ bytes: [UInt8]) { self.init(bytes, in: bytes.indices) }

    private init?(_ bytes: [UInt8], in range: Range<Int>) {
        var text = JSONText(bytes, in: range)
        guard let members = try? text.members() else { return nil }
        self.bytes = bytes
        self.members = members
    }

    var names: [String] {
        members.compactMap { member in
            // With the quotes around it.
            JSONText.string((member.name.lowerBound - 1)..<(member.name.upperBound + 1), bytes).map {
                String(decoding: $0, as: UTF8.self)
            }
        }
    }

    func string(_ name: String) -> String? { range(name).flatMap(string) }

    /// A count: so small that sums of some of them do not overflow, and not below zero.
    func count(_ name: String) -> Int? { range(name).flatMap(count) }

    func flag(_ name: String) -> Bool? {
        range(name).flatMap { Bool(String(decoding: bytes[$0], as: UTF8.self)) }
    }

    func object(_ name: String) -> JSONFields? { range(name).flatMap { JSONFields(bytes, in: $0) } }

    func strings(_ name: String) -> [String]? { elements(name, string) }
    func objects(_ name: String) -> [JSONFields]? { elements(name) { JSONFields(bytes, in: $0) } }

    /// Every member, a count.
    var counts: [String: Int]? {
        var counts: [String: Int] = [:]
        for (name, member) in zip(names, members) {
            guard let count = count(member.value) else { return nil }
            counts[name] = count
        }
        return counts
    }

    private func elements<Element>(_ name: String, _ read: (Range<Int>) -> Element?) -> [Element]? {
        guard let range = range(name) else { return nil }
        var text = JSONText(bytes, in: range)
        guard let ranges = try? text.elements() else { return nil }
        let elements = ranges.compactMap(read)
        return elements.count == ranges.count ? elements : nil
    }

    private func range(_ name: String) -> Range<Int>? {
        members.last { JSONText.isName($0.name, Array(name.utf8), bytes) }?.value
    }

    private func string(_ range: Range<Int>) -> String? {
        JSONText.string(range, bytes).map { String(decoding: $0, as: UTF8.self) }
    }

    private func count(_ range: Range<Int>) -> Int? {
        Int(String(decoding: bytes[range], as: UTF8.self)).flatMap { (0...(1 << 60)).contains($0) ? $0 : nil }
    }
}
