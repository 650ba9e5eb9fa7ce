import Basics

/// A digest of 20 to 64 bytes, stored without allocation.
public struct Digest: Sendable, Hashable {
    /// The hash algorithm, which determines the length.
    public let algorithm: HashAlgorithm
    /// The digest's bytes, eight to a word, the first in the most significant byte. Unused bytes are zero.
    private let words: SIMD8<UInt64>

    /// Creates a digest from the words of a hash value, cut to the algorithm's length (FIPS 180-4 §6.5).
    ///
    /// - Parameter hash: the words; words of SHA-1 and SHA-256 have 32 bits and are zero-extended. The last
    ///   three words of SHA-1 must be zero.
    init(_ algorithm: HashAlgorithm, _ hash: SIMD8<UInt64>) {
        self.algorithm = algorithm
        var words = hash
        if algorithm.hasShortWords {
            // Two words of 32 bits make one of 64. The even and the odd half of the vector would take a large
            // stack frame on a machine without vectors.
            words = .zero
            words[0] = hash[0] &<< 32 | hash[1]
            words[1] = hash[2] &<< 32 | hash[3]
            words[2] = hash[4] &<< 32 | hash[5]
            words[3] = hash[6] &<< 32 | hash[7]
        }
        // SHA-384 is the only algorithm whose digest is shorter than its hash value.
        if algorithm == .sha384 { (words[6], words[7]) = (0, 0) }
        self.words = words
    }

    /// Creates a digest from its bytes. Nothing is hashed.
    ///
    /// Returns nil unless the number of bytes is the algorithm's ``HashAlgorithm/digestByteCount``.
    package init?(_ algorithm: HashAlgorithm, bytes: Span<UInt8>) {
        guard bytes.count == algorithm.digestByteCount else { return nil }
        var words = SIMD8<UInt64>.zero
        for index in 0..<bytes.count {
            words[index / 8] |= UInt64(bytes[index]) &<< Self.shift(index)
        }
        self.algorithm = algorithm
        self.words = words
    }

    /// The number of bytes in the digest: 20, 32, 48 or 64.
    public var count: Int { algorithm.digestByteCount }

    /// The byte of the digest at an index.
    ///
    /// Precondition: the index is in `0..<count`.
    package subscript(index: Int) -> UInt8 {
        precondition(0 <= index && index < count, "index out of range")
        return UInt8(truncatingIfNeeded: words[index / 8] &>> Self.shift(index))
    }

    /// Whether the bytes are exactly the digest's bytes; false if their number differs.
    ///
    /// The time may depend on where they differ, because no digest here is secret.
    package func equals(_ bytes: Span<UInt8>) -> Bool {
        Digest(algorithm, bytes: bytes) == self
    }

    /// The digest's bytes as an array.
    public var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.borrowedMutableSpan
        // Every digest has a multiple of four bytes.
        for start in stride(from: 0, to: count, by: 4) {
            let word = words[start / 8] &>> (start & 4 == 0 ? 32 : 0)
            span.put(UInt32(truncatingIfNeeded: word).byteSwapped, at: start)
        }
        return bytes
    }

    /// How many bits the digest's byte at `index` is shifted left in its word, `words[index / 8]`.
    private static func shift(_ index: Int) -> UInt64 { UInt64(56 - index % 8 * 8) }
}

extension Digest: CustomStringConvertible {
    /// The digest's bytes as hexadecimal digits in lower case.
    public var description: String { Hexadecimal.digits(of: bytes.borrowedSpan) }
}
