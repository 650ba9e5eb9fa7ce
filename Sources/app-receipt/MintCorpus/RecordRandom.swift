import AppReceiptMint

/// What is random about one record of a corpus: the same for the same seed and record, whatever else is made
/// and wherever.
///
/// The standard library does not promise to draw the same numbers from a generator in its next version.
struct RecordRandom {
    private var generator: SeededGenerator

    init(seed: UInt64, record: Int) {
        var seeds = SeededGenerator(seed: seed)
        // Sequences of neighbouring states overlap, so a record's begins at a number and not at its place.
        var records = SeededGenerator(seed: seeds.next() ^ UInt64(record))
        generator = SeededGenerator(seed: records.next())
    }

    /// A number of a range of less than 2^63, all as likely, to one part in as many as 2^64 has of its width.
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

    /// Where a case falls among shares that follow each other; nil beyond the last.
    mutating func index(among shares: [Share]) -> Int? {
        var rest = number(in: 0...(Share.whole.millionths - 1))
        for (index, share) in shares.enumerated() {
            if rest < share.millionths { return index }
            rest -= share.millionths
        }
        return nil
    }
}

/// A part of a whole, in millionths: exact, as sums of binary fractions are not.
struct Share: Equatable {
    let millionths: Int

    static let whole = Share(millionths: 1_000_000)
    static let none = Share(millionths: 0)

    init(millionths: Int) { self.millionths = millionths }

    /// From `0.05`, with at most six decimal places, and from 0 to 1. Nil for anything else.
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
