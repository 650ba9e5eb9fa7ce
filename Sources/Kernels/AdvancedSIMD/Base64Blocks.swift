// Base64 decoding (RFC 4648 §4) with Advanced SIMD, which every Arm64 processor has and which looks up 16
// bytes at once. Base64.swift of the module AppReceipt defines the results in portable code.
//
// Two instructions look up bytes in a table (Arm Architecture Reference Manual for A-profile, C7.2):
//
//     TBL   each lane is an index into 64 bytes in four vectors; an index above 63 gives 0
//     TBX   like TBL, but an index above 63 leaves the destination lane unchanged
//
// The table of values has 128 bytes. TBL looks up characters up to 63 in its first half. TBX looks up the
// other characters, minus 64, in its second half.
//
// Let a, b, c, d be the six-bit values of four characters, a in the lowest byte of a lane of 32 bits. Two
// shifts each compute
//
//     a·2^6 + b and c·2^6 + d     in lanes of 16 bits
//     (a·2^6 + b)·2^12 + (c·2^6 + d)     in lanes of 32 bits, three bytes in each
//
// TBL then moves the three bytes of each lane together, the highest byte first: 12 bytes from 16 characters.
#if Accelerated && arch(arm64)
    import Builtin

    private typealias Vector = SIMD16<UInt8>
    /// 64 bytes in four vectors.
    private typealias Four = (Vector, Vector, Vector, Vector)

    /// Decodes blocks of 64 characters to 48 bytes each. Stops before the first block that holds a character
    /// without a value.
    ///
    /// Unsafe: `values` must have at least 128 bytes, and `start` must not be negative.
    ///
    /// - Parameters:
    ///   - text: the characters. Characters after the last whole block are ignored.
    ///   - values: the value of each of the characters 0 to 127, or 64 or more if the character has no value.
    ///   - output: receives the bytes. Up to 4 bytes after them are overwritten.
    ///   - start: the offset of the first byte in the output.
    /// - Returns: the number of blocks that were decoded. A block is decoded only if 64 bytes of output are
    ///   left for it.
    @unsafe
    @inline(never)
    // Embedded Swift would compile this function again in its callers, without the flags of this target.
    #if hasAttribute(export)
        @export(interface)
    #endif
    public func decodeBase64(
        _ text: RawSpan,
        _ values: RawSpan,
        _ output: inout MutableRawSpan,
        at start: Int
    ) -> Int {
        let lower = unsafe four(values, 0)
        let upper = unsafe four(values, 64)
        let room = output.byteCount &- start
        var blocks = 0
        // Each vector is in bounds: 64 bytes are left in the text and in the output.
        while text.byteCount &- 64 &* blocks >= 64, room &- 48 &* blocks >= 64 {
            let characters = unsafe four(text, 64 &* blocks)
            let sextets = (
                look(up: characters.0, lower, upper), look(up: characters.1, lower, upper),
                look(up: characters.2, lower, upper), look(up: characters.3, lower, upper)
            )
            guard isBelow(128, characters), isBelow(64, sextets) else { break }
            let offset = start &+ 48 &* blocks
            unsafe output.storeBytes(of: packed(sextets.0), toUncheckedByteOffset: offset, as: Vector.self)
            unsafe output.storeBytes(
                of: packed(sextets.1),
                toUncheckedByteOffset: offset &+ 12,
                as: Vector.self
            )
            unsafe output.storeBytes(
                of: packed(sextets.2),
                toUncheckedByteOffset: offset &+ 24,
                as: Vector.self
            )
            unsafe output.storeBytes(
                of: packed(sextets.3),
                toUncheckedByteOffset: offset &+ 36,
                as: Vector.self
            )
            blocks &+= 1
        }
        return blocks
    }

    /// Packs every four values of six bits into three bytes: 12 bytes, and then four meaningless bytes.
    @inline(__always)
    private func packed(_ sextets: Vector) -> Vector {
        var pairs = SIMD8<UInt16>(repeating: 0)
        pairs._storage._value = Builtin.bitcast_Vec16xInt8_Vec8xInt16(sextets._storage._value)
        let twelves = (pairs &<< 6) & 0x0FC0 | pairs &>> 8
        var halves = SIMD4<UInt32>(repeating: 0)
        halves._storage._value = Builtin.bitcast_Vec8xInt16_Vec4xInt32(twelves._storage._value)
        let sums = (halves &<< 12) & 0xFF_F000 | halves &>> 16
        let order = Vector(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, 0, 0, 0, 0)
        var bytes = sextets
        bytes._storage._value = Builtin.int_aarch64_neon_tbl1_Vec16xInt8(
            Builtin.bitcast_Vec4xInt32_Vec16xInt8(sums._storage._value),
            order._storage._value
        )
        return bytes
    }

    /// Looks up each lane in the table of 128 bytes `lower`, `upper`. A lane of 128 or more gives 0.
    @inline(__always)
    private func look(up lanes: Vector, _ lower: Four, _ upper: Four) -> Vector {
        var found = lanes
        found._storage._value = Builtin.int_aarch64_neon_tbl4_Vec16xInt8(
            lower.0._storage._value,
            lower.1._storage._value,
            lower.2._storage._value,
            lower.3._storage._value,
            lanes._storage._value
        )
        found._storage._value = Builtin.int_aarch64_neon_tbx4_Vec16xInt8(
            found._storage._value,
            upper.0._storage._value,
            upper.1._storage._value,
            upper.2._storage._value,
            upper.3._storage._value,
            (lanes &- 64)._storage._value
        )
        return found
    }

    /// Whether all lanes of four vectors are below `power`, a power of two.
    @inline(__always)
    private func isBelow(_ power: UInt8, _ lanes: Four) -> Bool {
        let above = (lanes.0 | lanes.1 | lanes.2 | lanes.3) & (0 &- power)
        var halves = SIMD2<UInt64>(repeating: 0)
        halves._storage._value = Builtin.bitcast_Vec16xInt8_Vec2xInt64(above._storage._value)
        return halves[0] | halves[1] == 0
    }

    /// Loads 64 bytes at a byte offset.
    ///
    /// Unsafe: 64 bytes must be readable at the offset. This is not checked.
    @inline(__always)
    @unsafe
    private func four(_ bytes: RawSpan, _ offset: Int) -> Four {
        unsafe (
            vector(bytes, offset), vector(bytes, offset &+ 16), vector(bytes, offset &+ 32),
            vector(bytes, offset &+ 48)
        )
    }

    /// Loads 16 bytes at a byte offset.
    ///
    /// Unsafe: 16 bytes must be readable at the offset. This is not checked.
    @inline(__always)
    @unsafe
    private func vector(_ bytes: RawSpan, _ offset: Int) -> Vector {
        unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: Vector.self)
    }
#endif
