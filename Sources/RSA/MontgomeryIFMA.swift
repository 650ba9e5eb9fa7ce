// The way to AVX-512 IFMA of x86-64, where a program is built with it: for moduli of 2048 bits, and exponents
// of the form 2^s + 1, which 3, 17 and 65537 are.
#if Accelerated && arch(x86_64)
    import IFMA
    import SHA

    extension MontgomeryModulus {
        /// How many squarings the exponent takes; nil where the portable code is to raise to it.
        @inline(__always)
        func squarings(_ exponent: UInt64, _ acceleration: Acceleration) -> Int? {
            guard acceleration.hasIFMA && bitCount == 2048 && (exponent &- 1).nonzeroBitCount == 1 else {
                return nil
            }
            return (exponent &- 1).trailingZeroBitCount
        }

        /// `power ← base to the power of 2^squarings + 1 mod n`, below n, for a base below n.
        func raiseByIFMA(
            _ power: MutableLimbs,
            _ base: Limbs,
            _ squarings: Int,
            _ scratch: MutableLimbs,
            _ constants: Constants
        ) {
            // The processor has said that it has these instructions. In bounds: n has 2048 bits, so that
            // count is 32, and the caller vouches for 64 limbs of scratch memory.
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
