import Processor

/// A hash value H(i), and the compression function that computes H(i + 1) from it and a block (FIPS 180-4
/// §6).
///
/// Everything else is the same for all hash functions: see ``HashComputation``.
protocol HashState: Sendable {
    /// The type of a word. A block has sixteen words, and the length at the end of the padding has two.
    associatedtype Word: FixedWidthInteger & SIMDScalar & Sendable
    where Word.SIMD16Storage: BitwiseCopyable & Sendable

    /// Compresses whole blocks in order, with portable code. This code defines the results.
    ///
    /// Bytes after the last whole block are ignored.
    mutating func compress(_ blocks: RawSpan)

    /// Compresses whole blocks in order, with portable code of a tenth of the size and with the same results.
    ///
    /// Bytes after the last whole block are ignored.
    mutating func compressCompactly(_ blocks: RawSpan)

    /// Compresses whole blocks in order, with the processor instructions that are allowed.
    ///
    /// Bytes after the last whole block are ignored.
    mutating func compress(_ blocks: RawSpan, _ acceleration: Acceleration)

    /// The hash value as a string of bits, most significant bit first, then zeros.
    var words: SIMD8<UInt64> { get }
}

#if !Accelerated || (!arch(x86_64) && !arch(arm64))
    extension HashState {
        /// Compresses with portable code: this build has no other.
        mutating func compress(_ blocks: RawSpan, _ acceleration: Acceleration) {
            #if arch(wasm32) || (os(none) && (arch(arm) || arch(riscv32)))
                compressCompactly(blocks)
            #else
                compress(blocks)
            #endif
        }
    }
#endif
