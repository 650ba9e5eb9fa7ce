// Calls the AVX-512 IFMA kernel of x86-64 that raises one number, in builds that contain it. It takes moduli
// of 2048 bits and exponents of the form 2^s + 1, for example 3, 17 and 65537.
#if Accelerated && arch(x86_64)
    import IFMA
    import Processor
    import SHA

    extension MontgomeryModulus {
        /// The s of an exponent 2^s + 1, which is its number of squarings. Nil for another exponent and for a
        /// modulus that does not have 2048 bits; portable code must be used then.
        @inline(__always)
        func squarings(_ exponent: UInt64) -> Int? {
            guard bitCount == 2048 && (exponent &- 1).nonzeroBitCount == 1 else { return nil }
            return (exponent &- 1).trailingZeroBitCount
        }

        /// Sets `power` to `base` to the power of 2^squarings + 1 modulo n, for a base below n.
        ///
        /// Unsafe: the processor must have IFMA. The power and the base have 32 limbs, and scratch has 64.
        func raiseByIFMA(
            _ power: MutableLimbs,
            _ base: Limbs,
            _ squarings: Int,
            _ scratch: MutableLimbs,
            _ constants: Constants
        ) {
            // The caller has checked that the processor has these instructions. In bounds: n has 2048 bits,
            // so count is 32, and the caller provides 64 limbs of scratch memory.
            var excess = unsafe raise(
                power,
                base,
                constants.modulus,
                negatedInverse.limb0,
                squarings,
                scratch
            )
            while excess != 0 { unsafe excess &-= octet(subtractLimbs(power, constants.modulus, 32)) }
            unsafe normalize(power, constants)
        }
    }
#endif
