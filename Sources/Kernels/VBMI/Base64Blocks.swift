// Base64 decoding (RFC 4648 §4) with AVX-512 VBMI of x86-64, which looks up 64 bytes at once. Base64.swift of
// the module AppReceipt defines the results in portable code.
//
// Four instructions do the work (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2). Let
// a, b, c, d, … be the six-bit values of the characters:
//
//     VPERMI2B     a, b, c, d, …: looks up the lower seven bits of each character in a table of 128 bytes in
//                  two vectors
//     VPMADDUBSW   a·2^6 + b, c·2^6 + d, …                in lanes of 16 bits
//     VPMADDWD     (a·2^6 + b)·2^12 + (c·2^6 + d), …      in lanes of 32 bits, three bytes in each
//     VPERMB       moves the three bytes of each lane together, the highest byte first: 48 bytes from 64
//                  characters
//
// No sum overflows: the factors are positive as signed numbers, and the sums are below 2^12 and 2^24.
#if Accelerated && arch(x86_64)
    import Builtin

    /// Decodes blocks of 64 characters to 48 bytes each. Stops before the first block that holds a character
    /// without a value.
    ///
    /// Unsafe: the processor must have AVX-512 F, BW and VBMI, and the operating system must save their
    /// registers. Otherwise the program crashes. `values` must have at least 128 bytes, and `start` must not
    /// be negative.
    ///
    /// - Parameters:
    ///   - text: the characters. Characters after the last whole block are ignored.
    ///   - values: the value of each of the characters 0 to 127, or 64 or more if the character has no value.
    ///   - output: receives the bytes. Up to 16 bytes after them are overwritten.
    ///   - start: the offset of the first byte in the output.
    /// - Returns: the number of blocks that were decoded. A block is decoded only if 64 bytes of output are
    ///   left for it.
    @unsafe
    @inline(never)
    public func decodeBase64(
        _ text: RawSpan,
        _ values: RawSpan,
        _ output: inout MutableRawSpan,
        at start: Int
    ) -> Int {
        let lower = unsafe vector(values, 0)
        let upper = unsafe vector(values, 64)
        let room = output.byteCount &- start
        var blocks = 0
        // Each vector is in bounds: 64 bytes are left in the text and in the output.
        while text.byteCount &- 64 &* blocks >= 64, room &- 48 &* blocks >= 64 {
            let characters = unsafe vector(text, 64 &* blocks)
            let sextets = look(up: characters, lower, upper)
            guard above(characters, 127) | above(sextets, 63) == 0 else { break }
            unsafe output.storeBytes(
                of: packed(sextets),
                toUncheckedByteOffset: start &+ 48 &* blocks,
                as: SIMD64<UInt8>.self
            )
            blocks &+= 1
        }
        return blocks
    }

    /// Packs every four values of six bits into three bytes: 48 bytes, and then 16 meaningless bytes.
    @inline(__always)
    private func packed(_ sextets: SIMD64<UInt8>) -> SIMD64<UInt8> {
        let sixes = SIMD32<UInt16>(repeating: 1 << 8 | 1 << 6)
        var twelves = SIMD32<UInt16>(repeating: 0)
        twelves._storage._value = Builtin.int_x86_avx512_pmaddubs_w_512(
            sextets._storage._value,
            Builtin.bitcast_Vec32xInt16_Vec64xInt8(sixes._storage._value)
        )
        let shifts = SIMD16<UInt32>(repeating: 1 << 16 | 1 << 12)
        var sums = SIMD16<UInt32>(repeating: 0)
        sums._storage._value = Builtin.int_x86_avx512_pmaddw_d_512(
            twelves._storage._value,
            Builtin.bitcast_Vec16xInt32_Vec32xInt16(shifts._storage._value)
        )
        var bytes = SIMD64<UInt8>(repeating: 0)
        bytes._storage._value = Builtin.int_x86_avx512_permvar_qi_512(
            Builtin.bitcast_Vec16xInt32_Vec64xInt8(sums._storage._value),
            Builtin.bitcast_Vec8xInt64_Vec64xInt8(order._storage._value)
        )
        return bytes
    }

    /// The order of bytes for VPERMB: the indices of the three lower bytes of each lane of 32 bits, the
    /// highest byte first. The indices after the first 48 are meaningless.
    @inline(__always)
    private var order: SIMD8<UInt64> {
        SIMD8(
            0x090a_0405_0600_0102,
            0x1610_1112_0c0d_0e08,
            0x1c1d_1e18_191a_1415,
            0x292a_2425_2620_2122,
            0x3630_3132_2c2d_2e28,
            0x3c3d_3e38_393a_3435,
            0,
            0
        )
    }

    /// Looks up the lower seven bits of each lane in the table of 128 bytes `lower`, `upper`.
    @inline(__always)
    private func look(
        up lanes: SIMD64<UInt8>,
        _ lower: SIMD64<UInt8>,
        _ upper: SIMD64<UInt8>
    ) -> SIMD64<UInt8> {
        var found = SIMD64<UInt8>(repeating: 0)
        found._storage._value = Builtin.int_x86_avx512_vpermi2var_qi_512(
            lower._storage._value,
            lanes._storage._value,
            upper._storage._value
        )
        return found
    }

    /// One bit for each lane, the lowest for lane 0: 1 if the lane is above `number`.
    @inline(__always)
    private func above(_ lanes: SIMD64<UInt8>, _ number: UInt8) -> UInt64 {
        let numbers = SIMD64<UInt8>(repeating: number)
        var bits: UInt64 = 0
        bits._value = Builtin.bitcast_Vec64xInt1_Int64(
            Builtin.cmp_ugt_Vec64xInt8(lanes._storage._value, numbers._storage._value)
        )
        return bits
    }

    /// Loads 64 bytes at a byte offset.
    ///
    /// Unsafe: 64 bytes must be readable at the offset. This is not checked.
    @inline(__always)
    @unsafe
    private func vector(_ bytes: RawSpan, _ offset: Int) -> SIMD64<UInt8> {
        unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: SIMD64<UInt8>.self)
    }
#endif
