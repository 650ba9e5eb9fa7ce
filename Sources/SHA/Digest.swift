import Bytes

/// A digest of 20 to 64 bytes, stored without allocation.
public struct Digest: Sendable, Hashable {
    /// The hash algorithm, which determines the length.
    public let algorithm: HashAlgorithm
    /// The bytes, eight to a word, the first in the most significant byte. Unused bytes are zero.
    private let words: SIMD8<UInt64>

    /// Creates a digest from a hash value, cut to the algorithm's length (FIPS 180-4 §6.5).
    init(_ algorithm: HashAlgorithm, _ hashValue: SIMD8<UInt64>) {
        self.algorithm = algorithm
        var words = hashValue
        // SHA-384 is the only algorithm whose digest is shorter than its hash value.
        if algorithm == .sha384 { (words[6], words[7]) = (0, 0) }
        self.words = words
    }

    /// Creates a digest from its bytes, for example from a message or a configuration file.
    ///
    /// Nil unless the number of bytes is the algorithm's ``HashAlgorithm/digestByteCount``.
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

    /// The byte at an index.
    ///
    /// Precondition: the index is in `0..<count`.
    public subscript(index: Int) -> UInt8 {
        precondition(0 <= index && index < count, "index out of range")
        return UInt8(truncatingIfNeeded: words[index / 8] &>> Self.shift(index))
    }

    /// Whether the bytes are exactly the digest's bytes.
    ///
    /// For bytes of the right length, the time does not depend on where they differ.
    public func equals(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count == count else { return false }
        var difference: UInt8 = 0
        for index in 0..<bytes.count {
            difference |= bytes[index] ^ self[index]
        }
        return difference == 0
    }

    /// The digest's bytes as an array.
    public var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.borrowedMutableSpan
        var word: UInt64 = 0
        for index in 0..<span.count {
            word = index % 8 == 0 ? words[index / 8] : word << 8
            span[index] = UInt8(truncatingIfNeeded: word >> 56)
        }
        return bytes
    }

    /// The distance in bits from the low end of a word to the byte with an index.
    private static func shift(_ index: Int) -> UInt64 { UInt64(56 - index % 8 * 8) }
}

extension Digest: CustomStringConvertible {
    /// The digest's bytes as hexadecimal digits in lower case.
    public var description: String { Hexadecimal.digits(of: bytes.borrowedSpan) }
}
