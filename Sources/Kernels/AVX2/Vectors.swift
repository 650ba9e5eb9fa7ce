// Operations on vectors of 256 bits: eight words of 32 bits.
//
// The operators of vectors work word by word. For shifts and operations on bits, the compiler would compute
// some words in general registers.
#if Accelerated && arch(x86_64)
    import Builtin

    typealias Eight = SIMD8<UInt32>

    /// x ⊕ y, bit by bit.
    @inline(__always)
    func exclusiveOr(_ x: Eight, _ y: Eight) -> Eight {
        var sum = x
        sum._storage._value = Builtin.xor_Vec8xInt32(x._storage._value, y._storage._value)
        return sum
    }

    /// x ∧ y, bit by bit.
    @inline(__always)
    func and(_ x: Eight, _ y: Eight) -> Eight {
        var bits = x
        bits._storage._value = Builtin.and_Vec8xInt32(x._storage._value, y._storage._value)
        return bits
    }

    /// Each word shifted right by n bits, 0 < n < 32.
    @inline(__always)
    func shiftRight(_ x: Eight, _ n: UInt32) -> Eight {
        var shifted = x
        shifted._storage._value = Builtin.lshr_Vec8xInt32(
            x._storage._value,
            Eight(repeating: n)._storage._value
        )
        return shifted
    }

    /// Each word with its bytes in reverse order.
    @inline(__always)
    func bytesReversed(_ x: Eight) -> Eight {
        var reversed = x
        reversed._storage._value = Builtin.int_bswap_Vec8xInt32(x._storage._value)
        return reversed
    }

    /// ROTR^n of each word: the word rotated right by n bits, 0 < n < 32.
    @inline(__always)
    func rotateRight(_ x: Eight, _ n: UInt32) -> Eight {
        var rotated = x
        let bits = x._storage._value
        rotated._storage._value = Builtin.int_fshr_Vec8xInt32(bits, bits, Eight(repeating: n)._storage._value)
        return rotated
    }
#endif
