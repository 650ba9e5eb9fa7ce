// Calls the base64 kernels: AVX-512 VBMI on x86-64 and Advanced SIMD on Arm64, in builds with the trait
// `Accelerated`.
import Processor

#if Accelerated && arch(x86_64)
    import VBMI
#elseif Accelerated && arch(arm64)
    import AdvancedSIMD
#endif

#if Accelerated && (arch(x86_64) || arch(arm64))
    extension Acceleration {
        /// Whether the base64 kernel may run on this processor.
        fileprivate var allowsBase64Blocks: Bool {
            #if arch(x86_64)
                allows(.avx512VBMI)
            #else
                allows(.advancedSIMD)
            #endif
        }
    }
#endif

extension Base64 {
    /// Decodes blocks of 64 characters, up to the first block that holds a character without a value. The
    /// kernel decodes if it may run, and otherwise portable code, for which white space has no value.
    ///
    /// - Parameters:
    ///   - range: the range of the characters in `text`.
    ///   - values: the value of each of 256 characters.
    ///   - byteCount: the number of bytes that `output` holds already.
    /// - Returns: the number of blocks that were decoded.
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
                // The processor has the instructions, and the table has 256 values, as the kernel requires.
                return unsafe decodeBase64(characters.bytes, values.bytes, &bytes, at: byteCount)
            }
        #endif
        // The table is the same that the kernel uses.
        let acceptsURLs = values[Int(UInt8(ascii: "-"))] < 64
        return decodePortableBlocks(text, in: range, acceptsURLs: acceptsURLs, &bytes, after: byteCount)
    }
}
