// Calls the AVX-512 IFMA kernels of x86-64, in builds that contain them. The kernels take moduli of 2048 bits
// and exponents of the form 2^s + 1, for example 3, 17 and 65537.
#if Accelerated && arch(x86_64)
    import IFMA
    import Processor
    import SHA

    extension MontgomeryModulus {
        /// The s of an exponent 2^s + 1, which is its number of squarings. Nil for another exponent, for a
        /// modulus that does not have 2048 bits, or without IFMA; portable code must be used then.
        @inline(__always)
        func squarings(_ exponent: UInt64, _ acceleration: Acceleration) -> Int? {
            guard acceleration.allows(.avx512IFMA) && bitCount == 2048 && (exponent &- 1).nonzeroBitCount == 1
            else {
                return nil
            }
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

    /// A modulus of 2048 bits with the constant that raising eight numbers at once needs: R² mod n, where R
    /// is 2^2080.
    package struct EightfoldModulus: Sendable {
        let modulus: MontgomeryModulus
        private let squaredR: [UInt64]

        /// Computes the constant of a modulus. Precondition: the modulus has 2048 bits.
        package init(_ modulus: MontgomeryModulus) {
            precondition(modulus.bitCount == 2048, "the modulus must have 2048 bits")
            self.modulus = modulus
            squaredR = modulus.radix(toThe: 65)
        }

        /// Raises up to eight numbers to the power of 2^squarings + 1, each modulo its own n.
        ///
        /// Precondition: there are one to eight moduli, 256 octets for each of them, and the count of
        /// squarings is not negative. Precondition, not checked: the processor has IFMA.
        ///
        /// - Parameters:
        ///   - octets: the numbers in the order of the moduli, each most significant octet first.
        ///   - moduli: one modulus for each number.
        ///   - squarings: s for the exponent 2^s + 1.
        ///   - body: called for each number that is below its n, with the number's index and its power, which
        ///     is below n.
        package static func withPowers(
            of octets: Span<UInt8>,
            _ moduli: ContiguousArray<EightfoldModulus>,
            _ squarings: Int,
            _ body: (_ index: Int, _ power: Span<UInt64>) -> Void
        ) {
            precondition(
                1...8 ~= moduli.count && octets.count == 256 * moduli.count,
                "each of one to eight moduli needs 256 octets"
            )
            // The span lends each modulus. A subscript of the array would copy it.
            let moduli = moduli.span
            unsafe withUnsafeTemporaryAllocation(byteCount: 309 * 64, alignment: 64) { memory in
                // The memory is not empty, so it has an address. In bounds: 305 rows of eight limbs, then 32
                // limbs.
                let rows = unsafe memory.baseAddress.unsafelyUnwrapped
                let limbs = unsafe rows.bindMemory(to: UInt64.self, capacity: 309 * 8)
                let number = unsafe limbs + 305 * 8
                for lane in 0..<8 {
                    // Unused lanes repeat the last number.
                    let index = min(lane, moduli.count - 1)
                    unsafe load(number, octets.extracting((256 * index)..<(256 * index + 256)), 32)
                    unsafe moduli[index].set(limbs + lane, number)
                }
                // The caller has checked that the processor has these instructions.
                unsafe raiseEight(rows, squarings)
                for index in 0..<moduli.count {
                    unsafe load(number, octets.extracting((256 * index)..<(256 * index + 256)), 32)
                    unsafe moduli[index].modulus.withConstants { constants in
                        guard unsafe isBelow(number, constants.modulus, 32) else { return }
                        for place in 0..<32 { unsafe number[place] = limbs[8 * place + index] }
                        var excess = unsafe limbs[96 * 8 + index]
                        while excess != 0 {
                            unsafe excess &-= octet(subtractLimbs(number, constants.modulus, 32))
                        }
                        unsafe moduli[index].modulus.normalize(number, constants)
                        unsafe body(index, Span(_unsafeStart: number, count: 32))
                    }
                }
            }
        }

        /// Writes a number, its modulus and the constants into one lane of the input of `raiseEight`.
        private func set(_ lane: MutableLimbs, _ number: Limbs) {
            unsafe modulus.withConstants { constants in
                for place in 0..<32 {
                    // In bounds: the caller provides 97 rows from the lane on, and 32 limbs.
                    unsafe lane[8 * place] = number[place]
                    unsafe lane[8 * (32 + place)] = constants.modulus[place]
                    unsafe lane[8 * (64 + place)] = squaredR[place]
                }
                unsafe lane[8 * 96] = modulus.negatedInverse.limb0
            }
        }
    }
#endif
