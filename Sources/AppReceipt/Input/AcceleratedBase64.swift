// Calls the base64 kernels: AVX-512 VBMI or AVX2 on x86-64, Advanced SIMD on Arm64, in builds with the trait
// `Accelerated`.
import Processor

#if Accelerated && arch(x86_64)
    import AVX2
    import VBMI
#elseif Accelerated && arch(arm64)
    import AdvancedSIMD
#endif

#if Accelerated && (arch(x86_64) || arch(arm64))
    extension Acceleration {
        /// Whether a base64 kernel is allowed: AVX-512 VBMI or AVX2 on x86-64, Advanced SIMD on Arm64.
        fileprivate var allowsBase64Blocks: Bool {
            #if arch(x86_64)
                allows(.avx512VBMI) || allows(.avx2)
            #else
                allows(.advancedSIMD)
            #endif
        }
    }
#endif

extension Base64 {
    /// Decodes blocks of 64 characters, up to the first block with a character whose value is not below 64.
    ///
    /// A kernel decodes if it may run. It also stops when fewer than 64 bytes of `output` are left.
    /// If no kernel may run, portable code decodes, which also stops at a block with a space.
    ///
    /// - Parameters:
    ///   - range: the range of the characters in `text`.
    ///   - values: the value of each of 256 characters.
    ///   - byteCount: the number of bytes that `output` holds already.
    /// - Returns: the number of blocks that were decoded to 48 bytes each.
    @inline(never)
    @_lifetime(output: copy output)
    static func decodeBlocks(
        _ text: Span<UInt8>,
        in range: Range<Int>,
        _ values: Span<UInt8>,
        _ output: inout MutableSpan<UInt8>,
        after byteCount: Int,
        _ acceleration: Acceleration
    ) -> Int {
        // Every bit pattern is a valid UInt8 without padding, so raw access is safe.
        var bytes = unsafe output.mutableBytes
        #if Accelerated && (arch(x86_64) || arch(arm64))
            if acceleration.allowsBase64Blocks {
                let characters = text.extracting(range)
                // The processor has the instructions, and the system saves their registers. The table has
                // 256 values, as the kernels require; none is above 66, and no control character has one.
                #if arch(x86_64)
                    if acceleration.allows(.avx512VBMI) {
                        return unsafe VBMI.decodeBase64(characters.bytes, values.bytes, &bytes, at: byteCount)
                    }
                    return unsafe AVX2.decodeBase64(characters.bytes, values.bytes, &bytes, at: byteCount)
                #else
                    return unsafe decodeBase64(characters.bytes, values.bytes, &bytes, at: byteCount)
                #endif
            }
        #endif
        // The table tells whether the alphabet for URLs is accepted.
        let acceptsURLs = values[Int(UInt8(ascii: "-"))] < 64
        return decodePortableBlocks(text, in: range, acceptsURLs: acceptsURLs, &bytes, after: byteCount)
    }
}
