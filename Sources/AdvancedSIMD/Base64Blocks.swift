// Base64 (RFC 4648 §4) by Advanced SIMD of Arm64, which looks up 16 bytes at once, and which every such
// processor has. What is decoded is defined, and written out plainly, in Base64.swift of the module
// AppReceipt.
//
// Two instructions look up (Arm Architecture Reference Manual for A-profile, C7.2):
//
//     TBL   of 64 bytes in four vectors, those that the lanes name; 0 for what is beyond
//     TBX   the same, but what is beyond leaves a lane as it is
//
// so that, with a table of 128 bytes, the first finds what characters up to 63 stand for, and the second, of
// the characters less 64, the others. With a, b, c, d what four characters stand for, six bits each, the
// first in the lowest byte of a lane of 32 bits, two shifts each make
//
//     a·2^6 + b and c·2^6 + d     in lanes of 16 bits
//     (a·2^6 + b)·2^12 + (c·2^6 + d)     in lanes of 32 bits, three bytes in each
//
// and TBL puts those three, the highest first, and so the next: 12 of 16.
#if Accelerated && arch(arm64)
    import Builtin

    private typealias Vector = SIMD16<UInt8>
    /// 64 bytes.
    private typealias Four = (Vector, Vector, Vector, Vector)

    /// Decodes blocks of 64 characters, 48 bytes each, up to one with a character that has no value.
    ///
    /// Unsafe: `values` must have 128 bytes, and `start` must not be negative.
    ///
    /// - Parameters:
    ///   - text: the characters, from the first on. Those after the last whole block are not looked at.
    ///   - values: what each of the first 128 characters stands for, and 64 or more if it has no value.
    ///   - output: where the bytes go; up to 4 after them are overwritten.
    ///   - start: where the first byte goes.
    /// - Returns: how many blocks were decoded, no more than have 64 bytes of room.
    @unsafe
    @inline(never)
    // Embedded Swift would compile it again where it is called, without what this module is compiled with.
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
        // Each vector is in bounds: 64 bytes are left of both.
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

    /// Four sextets make three bytes; the last four bytes have no meaning.
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

    /// Each byte of a table of 128 that a lane names, if it is below 128.
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

    /// Whether all lanes are below a power of two.
    @inline(__always)
    private func isBelow(_ power: UInt8, _ lanes: Four) -> Bool {
        let above = (lanes.0 | lanes.1 | lanes.2 | lanes.3) & (0 &- power)
        var halves = SIMD2<UInt64>(repeating: 0)
        halves._storage._value = Builtin.bitcast_Vec16xInt8_Vec2xInt64(above._storage._value)
        return halves[0] | halves[1] == 0
    }

    /// Not checked: 64 bytes are left from the offset on.
    @inline(__always)
    @unsafe
    private func four(_ bytes: RawSpan, _ offset: Int) -> Four {
        unsafe (
            vector(bytes, offset), vector(bytes, offset &+ 16), vector(bytes, offset &+ 32),
            vector(bytes, offset &+ 48)
        )
    }

    /// Not checked: 16 bytes are left from the offset on.
    @inline(__always)
    @unsafe
    private func vector(_ bytes: RawSpan, _ offset: Int) -> Vector {
        unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: Vector.self)
    }
#endif
