// Chooses the code that compresses blocks: a kernel that uses instructions of the processor, in builds that
// contain kernels, or portable code. All give the same hash values.
import Processor

#if Accelerated && arch(x86_64)
    import AVX2
    import SHAExtensions
#elseif Accelerated && arch(arm64)
    import ArmSHA256
#endif

extension HashAlgorithm {
    /// The length of a block in bytes: 64 for SHA-1 and SHA-256, 128 for SHA-384 and SHA-512.
    var blockByteCount: Int { hasShortWords ? 64 : 128 }

    /// Whether a word has 32 bits, as in SHA-1 and SHA-256, and not 64.
    var hasShortWords: Bool { self == .sha1 || self == .sha256 }

    /// The initial hash value H(0) (FIPS 180-4 §5.3). Words of 32 bits are zero-extended. SHA-1 has five
    /// words, and three zeros follow.
    var initialHashValue: SIMD8<UInt64> {
        switch self {
        case .sha1: SIMD8(truncatingIfNeeded: SHA1.initialHashValue)
        case .sha256: SIMD8(truncatingIfNeeded: SHA256.initialHashValue)
        case .sha384: SHA512.initialHashValueOfSHA384
        case .sha512: SHA512.initialHashValue
        }
    }

    /// Updates a hash value with the whole blocks of ``blockByteCount`` bytes in `blocks`, in order. Bytes
    /// after the last whole block are ignored. Words of 32 bits in `hash` are zero-extended.
    func compress(_ hash: inout SIMD8<UInt64>, _ blocks: RawSpan, _ acceleration: Acceleration) {
        guard blocks.byteCount >= blockByteCount else { return }
        guard hasShortWords else { return SHA512.compress(&hash, blocks) }
        var words = SIMD8<UInt32>(truncatingIfNeeded: hash)
        compress(&words, blocks, acceleration)
        hash = SIMD8(truncatingIfNeeded: words)
    }

    /// Updates a hash value of SHA-1 or SHA-256 with the whole 64-byte blocks in `blocks`, in order. Bytes
    /// after the last whole block are ignored.
    ///
    /// Precondition, not checked: the algorithm is SHA-1 or SHA-256.
    ///
    /// - Parameter hash: eight words. SHA-1 uses the first five.
    func compress(_ hash: inout SIMD8<UInt32>, _ blocks: RawSpan, _ acceleration: Acceleration) {
        let isSHA1 = self == .sha1
        // The processor has the instructions that are allowed, and the system saves their registers.
        #if Accelerated && arch(x86_64)
            if acceleration.allows(.shaExtensions) {
                return isSHA1
                    ? unsafe SHAExtensions.compressSHA1(&hash, blocks)
                    : unsafe SHAExtensions.compressSHA256(&hash, blocks)
            }
            if acceleration.allows(.avx2) {
                return isSHA1
                    ? unsafe AVX2.compressSHA1(&hash, blocks)
                    : unsafe AVX2.compressSHA256(&hash, blocks)
            }
        #elseif Accelerated && arch(arm64)
            if acceleration.allows(.sha256) {
                return isSHA1 ? unsafe compressSHA1(&hash, blocks) : unsafe compressSHA256(&hash, blocks)
            }
        #endif
        #if arch(wasm32) || (os(none) && (arch(arm) || arch(riscv32)))
            return isSHA1
                ? SHA1.compressCompactly(&hash, blocks) : SHA256.compressCompactly(&hash, blocks)
        #else
            return isSHA1 ? SHA1.compress(&hash, blocks) : SHA256.compress(&hash, blocks)
        #endif
    }
}
