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
    /// relative deviation of at most the number of elements divided by 2^64.
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

    /// Draws an index of `shares`. Each index has the probability of its share, in millionths. Returns nil
    /// with the probability that is left.
    mutating func index(among shares: [Int]) -> Int? {
        var rest = number(in: 0...999_999)
        for (index, share) in shares.enumerated() {
            if rest < share { return index }
            rest -= share
        }
        return nil
    }
}
