/// A set of names of members, which ``JSONReader`` looks for in an object.
package struct JSONNames: Sendable {
    /// The names, without escapes, sorted by their bytes and without duplicates.
    private let names: [[UInt8]]
    /// The maximum number of bytes of a member's name with escapes that may be one of these names. An escape
    /// takes at most six bytes for each byte that it stands for.
    private let longest: Int

    /// The number of names; duplicates count once.
    var count: Int { names.count }

    package init(_ names: [[UInt8]]) {
        var unique: [[UInt8]] = []
        for name in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) where name != unique.last {
            unique.append(name)
        }
        self.names = unique
        longest = 6 * (unique.map { $0.count }.max() ?? 0)
    }

    /// The index, in the sorted names, of the member's name in a range of `bytes`, once its escapes are
    /// decoded. Nil if it is none of them. The cost grows with the logarithm of the number of names, because
    /// an object may have millions of members.
    func index(of name: Range<Int>, _ bytes: [UInt8]) -> Int? {
        guard name.count <= longest else { return nil }
        return JSONReader.unescaped(name, bytes).flatMap { index(of: $0) }
    }

    private func index(of name: ArraySlice<UInt8>) -> Int? {
        var (low, high) = (0, names.count)
        while low < high {
            let middle = (low + high) / 2
            if names[middle].lexicographicallyPrecedes(name) { low = middle + 1 } else { high = middle }
        }
        return low < names.count && names[low].elementsEqual(name) ? low : nil
    }
}
