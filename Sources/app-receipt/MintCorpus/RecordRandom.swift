import AppReceiptMint

/// The random numbers of one record of a corpus. They depend on the seed and the record's number alone.
///
/// The functions of the standard library are not used, because its next version may draw other numbers from
/// the same generator.
struct RecordRandom {
    private var generator: SeededGenerator

    init(seed: UInt64, record: Int) {
        var seeds = SeededGenerator(seed: seed)
        // The sequences of neighbouring states overlap. So the record's sequence begins at a random number,
        // not at the record's own.
        var records = SeededGenerator(seed: seeds.next() ^ UInt64(record))
        generator = SeededGenerator(seed: records.next())
    }

    /// Draws a number from a range with less than 2^63 elements. All are equally likely, except for a
    /// difference of at most the range's width divided by 2^64.
    mutating func number(in range: ClosedRange<Int64>) -> Int64 {
        let width = UInt64(range.upperBound - range.lowerBound) + 1
        return range.lowerBound + Int64(generator.next().multipliedFullWidth(by: width).high)
    }

    mutating func number(in range: ClosedRange<Int>) -> Int {
        Int(number(in: Int64(range.lowerBound)...Int64(range.upperBound)))
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }

    /// Draws one of several cases by their shares. Returns its index, or nil for the rest of the whole.
    mutating func index(among shares: [Share]) -> Int? {
        var rest = number(in: 0...(Share.whole.millionths - 1))
        for (index, share) in shares.enumerated() {
            if rest < share.millionths { return index }
            rest -= share.millionths
        }
        return nil
    }
}

/// A part of a whole in millionths. Sums of millionths are exact; sums of binary fractions are not.
struct Share: Equatable {
    let millionths: Int

    static let whole = Share(millionths: 1_000_000)
    static let none = Share(millionths: 0)

    init(millionths: Int) { self.millionths = millionths }

    /// Reads a number from 0 to 1 with at most six decimals, such as `0.05`. Returns nil for any other text.
    init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.count <= 6 }) else { return nil }
        guard text.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }) else {
            return nil
        }
        var value = parts[0].reduce(0) { $0 * 10 + Int($1 - 0x30) }
        let decimals = parts.count == 2 ? [UInt8](parts[1]) : []
        for place in 0..<6 { value = value * 10 + (place < decimals.count ? Int(decimals[place] - 0x30) : 0) }
        guard value <= Self.whole.millionths else { return nil }
        self.init(millionths: value)
    }
}
