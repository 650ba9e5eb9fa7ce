// Base64 decoding (RFC 4648 §4) with AVX2 of x86-64, which looks up 32 bytes at once. Base64.swift of the
// module AppReceipt defines the results in portable code.
//
// # Looking up
//
// VPSHUFB looks up the lower four bits of each lane in a row of sixteen bytes, and gives 0 for a lane of 128
// or more (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2). The rows 2 to 7 hold the
// values of the characters 32 to 127. For the row r, the lanes are
//
//     min(255, (character ⊕ 16·r) + 112)
//
// These are 112 to 127 for the characters of the row, and 128 or more for all others. So each character from
// 32 to 127 gets its value from one row, and 0 from the other five. Other characters have no value.
//
// # Packing
//
// Let a, b, c, d, … be the six-bit values of the characters:
//
//     VPMADDUBSW   a·2^6 + b, c·2^6 + d, …                in lanes of 16 bits
//     VPMADDWD     (a·2^6 + b)·2^12 + (c·2^6 + d), …      in lanes of 32 bits, three bytes in each
//     VPSHUFB      moves the three bytes of each lane together, the highest byte first: 12 bytes in each half
//     VPERMD       moves both halves together: 24 bytes from 32 characters
//
// No sum overflows: the factors are positive as signed numbers, and the sums are below 2^12 and 2^24.
#if Accelerated && arch(x86_64)
    import Builtin

    private typealias Vector = SIMD32<UInt8>

    /// Decodes blocks of 64 characters to 48 bytes each. Stops before the first block that holds a character
    /// without a value.
    ///
    /// Unsafe: the processor must have AVX2, BMI1 and BMI2, and the operating system must save the registers
    /// of AVX. Otherwise the program crashes. `values` must have at least 128 bytes, and `start` must not be
    /// negative.
    ///
    /// - Parameters:
    ///   - text: the characters. Characters after the last whole block are ignored.
    ///   - values: the value of each of the characters 0 to 127, or 64 to 127 if the character has no value.
    ///     The characters 0 to 31 have none.
    ///   - output: receives the bytes. Up to 8 bytes after them are overwritten.
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
        let rows = unsafe (
            row(values, 32), row(values, 48), row(values, 64),
            row(values, 80), row(values, 96), row(values, 112)
        )
        let room = output.byteCount &- start
        var blocks = 0
        // Each vector is in bounds: 64 bytes are left in the text and in the output.
        while text.byteCount &- 64 &* blocks >= 64, room &- 48 &* blocks >= 64 {
            let first = unsafe text.unsafeLoadUnaligned(
                fromUncheckedByteOffset: 64 &* blocks,
                as: Vector.self
            )
            let second = unsafe text.unsafeLoadUnaligned(
                fromUncheckedByteOffset: 64 &* blocks &+ 32,
                as: Vector.self
            )
            let (firstValues, secondValues) = (look(up: first, rows), look(up: second, rows))
            guard allHaveValues(first, firstValues, second, secondValues) else { break }
            let place = start &+ 48 &* blocks
            unsafe output.storeBytes(of: packed(firstValues), toUncheckedByteOffset: place, as: Vector.self)
            unsafe output.storeBytes(
                of: packed(secondValues),
                toUncheckedByteOffset: place &+ 24,
                as: Vector.self
            )
            blocks &+= 1
        }
        return blocks
    }

    /// In each lane: the value of a character from 32 to 127, and 0 for any other character.
    @inline(__always)
    private func look(
        up characters: Vector,
        _ rows: (Vector, Vector, Vector, Vector, Vector, Vector)
    ) -> Vector {
        let upTo63 = or(look(up: characters, rows.0, 0x20), look(up: characters, rows.1, 0x30))
        let upTo95 = or(look(up: characters, rows.2, 0x40), look(up: characters, rows.3, 0x50))
        let upTo127 = or(look(up: characters, rows.4, 0x60), look(up: characters, rows.5, 0x70))
        return or(or(upTo63, upTo95), upTo127)
    }

    /// In each lane: the value in `row` of one of the sixteen characters from `base` on; 0 for any other.
    @inline(__always)
    private func look(up characters: Vector, _ row: Vector, _ base: UInt8) -> Vector {
        var indices = characters
        indices._storage._value = Builtin.int_uadd_sat_Vec32xInt8(
            Builtin.xor_Vec32xInt8(characters._storage._value, Vector(repeating: base)._storage._value),
            Vector(repeating: 112)._storage._value
        )
        return permute(row, indices)
    }

    /// Whether all characters of two vectors are from 32 to 127 and all their values are below 64.
    @inline(__always)
    private func allHaveValues(
        _ first: Vector,
        _ firstValues: Vector,
        _ second: Vector,
        _ secondValues: Vector
    ) -> Bool {
        // As signed numbers, the characters from 128 on are below 32 as well.
        let limit = Vector(repeating: 32)._storage._value
        var bits: UInt32 = 0
        bits._value = Builtin.bitcast_Vec32xInt1_Int32(
            Builtin.or_Vec32xInt1(
                Builtin.cmp_ugt_Vec32xInt8(
                    or(firstValues, secondValues)._storage._value,
                    Vector(repeating: 63)._storage._value
                ),
                Builtin.or_Vec32xInt1(
                    Builtin.cmp_slt_Vec32xInt8(first._storage._value, limit),
                    Builtin.cmp_slt_Vec32xInt8(second._storage._value, limit)
                )
            )
        )
        return bits == 0
    }

    /// Packs every four values of six bits into three bytes: 24 bytes, and then eight zeros.
    @inline(__always)
    private func packed(_ sextets: Vector) -> Vector {
        let sixes = SIMD16<UInt16>(repeating: 1 << 8 | 1 << 6)
        let twelves = Builtin.int_x86_avx2_pmadd_ub_sw(
            sextets._storage._value,
            Builtin.bitcast_Vec16xInt16_Vec32xInt8(sixes._storage._value)
        )
        let shifts = SIMD8<UInt32>(repeating: 1 << 16 | 1 << 12)
        var sums = Vector(repeating: 0)
        sums._storage._value = Builtin.bitcast_Vec8xInt32_Vec32xInt8(
            Builtin.int_x86_avx2_pmadd_wd(
                twelves,
                Builtin.bitcast_Vec8xInt32_Vec16xInt16(shifts._storage._value)
            )
        )
        let order = SIMD16<UInt8>(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, 128, 128, 128, 128)
        let halves = permute(sums, Vector(lowHalf: order, highHalf: order))
        let lanes = SIMD8<UInt32>(0, 1, 2, 4, 5, 6, 3, 7)
        var bytes = Vector(repeating: 0)
        bytes._storage._value = Builtin.bitcast_Vec8xInt32_Vec32xInt8(
            Builtin.int_x86_avx2_permd(
                Builtin.bitcast_Vec32xInt8_Vec8xInt32(halves._storage._value),
                lanes._storage._value
            )
        )
        return bytes
    }

    // The operators of vectors work byte by byte here, and would become loops.

    /// x ∨ y, bit by bit.
    @inline(__always)
    private func or(_ x: Vector, _ y: Vector) -> Vector {
        var both = x
        both._storage._value = Builtin.or_Vec32xInt8(x._storage._value, y._storage._value)
        return both
    }

    /// In each half: byte i becomes the byte with the index `indices[i]` mod 16, or zero for 128 or more.
    @inline(__always)
    private func permute(_ bytes: Vector, _ indices: Vector) -> Vector {
        var moved = bytes
        moved._storage._value = Builtin.int_x86_avx2_pshuf_b(bytes._storage._value, indices._storage._value)
        return moved
    }

    /// Loads 16 bytes into both halves of a vector.
    ///
    /// Unsafe: 16 bytes must be readable at the offset. This is not checked.
    @inline(__always)
    @unsafe
    private func row(_ values: RawSpan, _ offset: Int) -> Vector {
        let half = unsafe values.unsafeLoadUnaligned(
            fromUncheckedByteOffset: offset,
            as: SIMD16<UInt8>.self
        )
        return Vector(lowHalf: half, highHalf: half)
    }
#endif
