/// A digest: 20 to 64 bytes, held in place.
public struct Digest: Sendable, Hashable {
    /// The algorithm that made it, which says how long it is.
    public let algorithm: HashAlgorithm
    /// The bytes, eight to a word, most significant first; zeros after the last.
    private let words: SIMD8<UInt64>

    /// From the bits of a hash value, cut to the algorithm's length (FIPS 180-4 §6.5).
    init(_ algorithm: HashAlgorithm, _ hashValue: SIMD8<UInt64>) {
        self.algorithm = algorithm
        var words = hashValue
        // SHA-384 alone is shorter than its hash value.
        if algorithm == .sha384 { (words[6], words[7]) = (0, 0) }
        self.words = words
    }

    /// A digest that somebody else made: nil unless it has the algorithm's length.
    public init?(_ algorithm: HashAlgorithm, bytes: Span<UInt8>) {
        guard bytes.count == algorithm.digestByteCount else { return nil }
        var words = SIMD8<UInt64>.zero
        for index in 0..<bytes.count {
            words[index / 8] |= UInt64(bytes[index]) &<< Self.shift(index)
        }
        self.algorithm = algorithm
        self.words = words
    }

    /// The length in bytes.
    public var count: Int { algorithm.digestByteCount }

    /// The byte at an index, which must be in `0..<count`.
    public subscript(index: Int) -> UInt8 {
        precondition(0 <= index && index < count, "index out of range")
        return UInt8(truncatingIfNeeded: words[index / 8] &>> Self.shift(index))
    }

    /// Whether these are the digest's bytes, all and no more. Takes the same time wherever they differ.
    public func equals(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count == count else { return false }
        var difference: UInt8 = 0
        for index in 0..<bytes.count {
            difference |= bytes[index] ^ self[index]
        }
        return difference == 0
    }

    /// The bytes, in an array.
    public var bytes: [UInt8] { (0..<count).map { self[$0] } }

    /// How far a byte's bits lie from the low end of its word.
    private static func shift(_ index: Int) -> UInt64 { UInt64(56 - index % 8 * 8) }
}

extension Digest: CustomStringConvertible {
    /// Hexadecimal digits in lower case.
    public var description: String {
        var digits = [UInt8](repeating: 0, count: 2 * count)
        for index in 0..<digits.count {
            let value = UInt8(truncatingIfNeeded: words[index / 16] &>> UInt64(60 - index % 16 * 4)) & 0x0F
            digits[index] = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
        }
        return String(decoding: digits, as: UTF8.self)
    }
}
