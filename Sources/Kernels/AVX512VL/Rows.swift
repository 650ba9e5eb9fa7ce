// Rows of eight numbers of 64 bits, for the kernel that raises one number, and the kernel that raises eight
// numbers at once, one number in each lane.
#if Accelerated && arch(x86_64)
    import Builtin

    /// A vector of eight lanes of 64 bits. Each lane holds a limb of a number or a column of a product.
    typealias Row = SIMD8<UInt64>

    /// In each lane: the product, of 64 bits, of the lower 32 bits of x and of y (VPMULUDQ).
    @inline(__always)
    func product(_ x: Row, _ y: Row) -> Row {
        let (x, y) = (and(x, 0xffff_ffff), and(y, 0xffff_ffff))
        var product = x
        product._storage._value = Builtin.mul_Vec8xInt64(x._storage._value, y._storage._value)
        return product
    }

    /// A row with the lower 32 bits of one number in every lane.
    ///
    /// The lanes are extended to 64 bits as a vector. So the compiler knows, when it compiles the function
    /// `product`, that their upper 32 bits are zero.
    @inline(__always)
    func repeated(_ x: UInt64) -> Row {
        let words = SIMD8<UInt32>(repeating: UInt32(truncatingIfNeeded: x))
        var row = Row(repeating: 0)
        row._storage._value = Builtin.zext_Vec8xInt32_Vec8xInt64(words._storage._value)
        return row
    }

    /// x ∧ mask in each lane.
    @inline(__always)
    func and(_ x: Row, _ mask: UInt64) -> Row {
        var bits = x
        bits._storage._value = Builtin.and_Vec8xInt64(x._storage._value, Row(repeating: mask)._storage._value)
        return bits
    }

    /// x ∨ y, bit by bit.
    @inline(__always)
    func or(_ x: Row, _ y: Row) -> Row {
        var bits = x
        bits._storage._value = Builtin.or_Vec8xInt64(x._storage._value, y._storage._value)
        return bits
    }

    /// Each lane shifted left by n bits, 0 ≤ n < 64.
    @inline(__always)
    func shiftUp(_ x: Row, _ n: UInt64) -> Row {
        var shifted = x
        shifted._storage._value = Builtin.shl_Vec8xInt64(x._storage._value, Row(repeating: n)._storage._value)
        return shifted
    }

    /// Each lane shifted right by n bits, 0 ≤ n < 64.
    @inline(__always)
    func shiftDown(_ x: Row, _ n: UInt64) -> Row {
        var shifted = x
        shifted._storage._value = Builtin.lshr_Vec8xInt64(
            x._storage._value,
            Row(repeating: n)._storage._value
        )
        return shifted
    }

    /// Moves every lane down by one. The last lane becomes zero.
    @inline(__always)
    func down(_ x: Row) -> Row { Row(x[1], x[2], x[3], x[4], x[5], x[6], x[7], 0) }

    /// Moves every lane up by one. The first lane becomes zero.
    @inline(__always)
    func up(_ x: Row) -> Row { Row(0, x[0], x[1], x[2], x[3], x[4], x[5], x[6]) }
#endif
