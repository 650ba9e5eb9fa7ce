// The two instructions of AVX-512 IFMA, the fused multiply-add of integers of 52 bits on x86-64, in eight
// lanes of 64 bits (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2):
//
//     VPMADD52LUQ  c, a, b     c + the low 52 bits of the product of the low 52 bits of a and of b
//     VPMADD52HUQ  c, a, b     c + the high 52 bits of that product
#if Accelerated && arch(x86_64)
    import Builtin

    /// B - 1, where B is 2^52.
    @inline(__always)
    var mask: UInt64 { 1 &<< 52 &- 1 }

    /// VPMADD52LUQ.
    @inline(__always)
    func addLowHalves(_ sum: inout SIMD8<UInt64>, _ one: SIMD8<UInt64>, _ other: SIMD8<UInt64>) {
        sum._storage._value = Builtin.int_x86_avx512_vpmadd52l_uq_512(
            sum._storage._value,
            one._storage._value,
            other._storage._value
        )
    }

    /// VPMADD52HUQ.
    @inline(__always)
    func addHighHalves(_ sum: inout SIMD8<UInt64>, _ one: SIMD8<UInt64>, _ other: SIMD8<UInt64>) {
        sum._storage._value = Builtin.int_x86_avx512_vpmadd52h_uq_512(
            sum._storage._value,
            one._storage._value,
            other._storage._value
        )
    }
#endif
