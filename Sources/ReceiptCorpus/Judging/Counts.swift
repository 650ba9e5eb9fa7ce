import Basics

/// Counts by name: the number of records for each environment, for example.
///
/// Names are compared byte for byte. Strings of Swift compare by Unicode equivalence, so that two different
/// names from receipts could be counted as one.
package struct Counts: Sendable {
    private struct Name: Hashable {
        let text: String

        static func == (one: Self, other: Self) -> Bool { one.text.hasSameBytes(as: other.text) }

        func hash(into hasher: inout Hasher) {
            for byte in text.utf8 { hasher.combine(byte) }
        }
    }

    private var counts: [Name: Int] = [:]

    /// The maximum number of different names. Further names are counted together as `others`, because a
    /// signer may write as many names as it likes.
    private static let maximumNames = 1024

    package init() {}

    /// Creates counts from a checkpoint. Nil if there are more than ``maximumNames`` + 1 names (one is for
    /// `others`), a name occurs twice, or the sum exceeds `maximum`. Precondition: no count is negative.
    init?(_ counts: [(name: String, count: Int)], maximum: Int) {
        guard counts.count <= Self.maximumNames + 1 else { return nil }
        var rest = maximum
        for (name, count) in counts {
            guard self.counts[Name(text: name)] == nil, count <= rest else { return nil }
            rest -= count
            self.counts[Name(text: name)] = count
        }
    }

    package var isEmpty: Bool { counts.isEmpty }
    /// The number of different names, with `others` as one name.
    package var count: Int { counts.count }
    /// The sum of all counts.
    var total: Int { counts.values.reduce(0, +) }

    package subscript(name: String) -> Int { counts[Name(text: name)] ?? 0 }

    package mutating func add(_ count: Int, to name: String) {
        let name = Name(text: name)
        if let index = counts.index(forKey: name) {
            counts.values[index] += count
        } else if counts.count < Self.maximumNames {
            counts[name] = count
        } else {
            counts[Name(text: "others"), default: 0] += count
        }
    }

    package mutating func add(_ other: Counts) {
        // Names are added in a fixed order, so that the same names are counted as others in every run.
        for (name, count) in other.byName { add(count, to: name) }
    }

    /// The names and their counts, in the order of the names' bytes.
    package var byName: [(name: String, count: Int)] {
        counts.map { ($0.key.text, $0.value) }.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
    }

    /// The names and their counts, the largest count first. Names with equal counts are in the order of their
    /// bytes.
    package var bySize: [(name: String, count: Int)] {
        byName.sorted { $0.count > $1.count }
    }
}
