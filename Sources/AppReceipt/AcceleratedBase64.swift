// The way to AVX-512 VBMI of x86-64, or to Advanced SIMD of Arm64, where a program is built with them.
import SHA

#if Accelerated && arch(x86_64)
    import VBMI
#elseif Accelerated && arch(arm64)
    import AdvancedSIMD
#endif

extension Base64 {
    /// Whether blocks are decoded, so that it is worth looking for them.
    static func decodesBlocks(_ acceleration: Acceleration) -> Bool {
        #if Accelerated && (arch(x86_64) || arch(arm64))
            acceleration.hasBase64
        #else
            false
        #endif
    }

    /// Decodes blocks of 64 characters by the processor's own instructions, if it has them, up to one with a
    /// character that has no value.
    ///
    /// - Parameters:
    ///   - range: lies in `text`.
    ///   - values: of each of 256 characters.
    ///   - byteCount: how many bytes were decoded before, in `output`.
    /// - Returns: how many blocks.
    @_lifetime(output: copy output)
    static func decodeBlocks(
        _ text: Span<UInt8>,
        in range: Range<Int>,
        _ values: Span<UInt8>,
        _ output: inout MutableSpan<UInt8>,
        after byteCount: Int,
        _ acceleration: Acceleration
    ) -> Int {
        #if Accelerated && (arch(x86_64) || arch(arm64))
            guard acceleration.hasBase64 else { return 0 }
            let characters = text.extracting(range)
            // A byte has no padding, and may be any: raw bytes may be read, and written.
            var bytes = unsafe output.mutableBytes
            // The processor has the instructions, and there are 256 values.
            return unsafe decodeBase64(characters.bytes, values.bytes, &bytes, at: byteCount)
        #else
            return 0
        #endif
    }
}
