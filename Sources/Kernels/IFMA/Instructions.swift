// The two instructions of AVX-512 IFMA on x86-64: fused multiply-add of 52-bit integers in eight lanes of 64
// bits (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2):
//
//     VPMADD52LUQ  c, a, b     adds the low 52 bits of a·b to c
//     VPMADD52HUQ  c, a, b     adds the high 52 bits of a·b to c
//
// a·b is the product, of 104 bits, of the low 52 bits of a and the low 52 bits of b.
#if Accelerated && arch(x86_64)
    import Builtin

    /// B - 1, with B = 2^52: a limb of 52 bits that are all set.
    @inline(__always)
    var mask: UInt64 { 1 &<< 52 &- 1 }

    /// VPMADD52LUQ: in each lane, adds to `sum` the low 52 bits of the product of the factors' low 52 bits.
    @inline(__always)
    func addLowHalves(_ sum: inout SIMD8<UInt64>, _ one: SIMD8<UInt64>, _ other: SIMD8<UInt64>) {
        sum._storage._value = Builtin.int_x86_avx512_vpmadd52l_uq_512(
            sum._storage._value,
            one._storage._value,
            other._storage._value
        )
    }

    /// VPMADD52HUQ: in each lane, adds to `sum` the high 52 bits of the product of the factors' low 52 bits.
    @inline(__always)
    func addHighHalves(_ sum: inout SIMD8<UInt64>, _ one: SIMD8<UInt64>, _ other: SIMD8<UInt64>) {
        sum._storage._value = Builtin.int_x86_avx512_vpmadd52h_uq_512(
            sum._storage._value,
            one._storage._value,
            other._storage._value
        )
    }
#endif
