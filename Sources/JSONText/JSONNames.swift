/// The names of members that an object is searched for.
package struct JSONNames: Sendable {
    /// In the order of their bytes, without duplicates.
    private let names: [[UInt8]]
    /// The maximum number of bytes of a member's name with escapes that may be one of these names. An escape
    /// takes at most six bytes for each byte that it stands for.
    private let longest: Int

    /// The number of different names.
    var count: Int { names.count }

    package init(_ names: [[UInt8]]) {
        var unique: [[UInt8]] = []
        for name in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) where name != unique.last {
            unique.append(name)
        }
        self.names = unique
        longest = 6 * (unique.map { $0.count }.max() ?? 0)
    }

    /// The index of a member's name among these names, once its escapes are decoded; nil if it is none.
    ///
    /// The cost grows with the logarithm of the names. An object may have millions of members.
    func index(of name: Range<Int>, _ bytes: [UInt8]) -> Int? {
        guard name.count <= longest else { return nil }
        guard bytes[name].contains(UInt8(ascii: "\\")) else { return index(of: bytes[name]) }
        return JSONReader.unescaped(name, bytes).flatMap { index(of: $0[...]) }
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
