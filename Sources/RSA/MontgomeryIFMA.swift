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

    /// A modulus of 2048 bits, with what is needed to raise eight numbers at once: R² mod n, where R is
    /// 2^2080.
    package struct EightfoldModulus: Sendable {
        let modulus: MontgomeryModulus
        private let squaredR: [UInt64]

        /// Traps unless the modulus has 2048 bits.
        package init(_ modulus: MontgomeryModulus) {
            precondition(modulus.bitCount == 2048, "not 2048 bits")
            self.modulus = modulus
            squaredR = modulus.radix(toThe: 65)
        }

        /// Raises up to eight numbers to the power of 2^squarings + 1, and calls `body` for each that is
        /// below its n, with its index and its power, below n.
        ///
        /// Traps unless there are 256 octets for each modulus, and one to eight of these, and for a negative
        /// count. The processor must have IFMA.
        ///
        /// - Parameter octets: the numbers, one after the other, most significant octet first.
        package static func withPowers(
            of octets: Span<UInt8>,
            _ moduli: [EightfoldModulus],
            _ squarings: Int,
            _ body: (_ index: Int, _ power: Span<UInt64>) -> Void
        ) {
            precondition(1...8 ~= moduli.count && octets.count == 256 * moduli.count, "not as many numbers")
            unsafe withUnsafeTemporaryAllocation(byteCount: 309 * 64, alignment: 64) { memory in
                // It is not empty, so it has an address. In bounds: 305 rows of eight limbs, and 32 limbs.
                let rows = unsafe memory.baseAddress.unsafelyUnwrapped
                let limbs = unsafe rows.bindMemory(to: UInt64.self, capacity: 309 * 8)
                let number = unsafe limbs + 305 * 8
                for lane in 0..<8 {
                    // The lanes that are left over do what the last one does.
                    let index = min(lane, moduli.count - 1)
                    unsafe load(number, octets.extracting((256 * index)..<(256 * index + 256)), 32)
                    unsafe moduli[index].set(limbs + lane, number)
                }
                // The processor has said that it has these instructions.
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

        /// Sets a lane to what `raiseEight` is given.
        private func set(_ lane: MutableLimbs, _ number: Limbs) {
            unsafe modulus.withConstants { constants in
                for place in 0..<32 {
                    // In bounds: the caller vouches for 97 rows from its lane on, and for 32 limbs.
                    unsafe lane[8 * place] = number[place]
                    unsafe lane[8 * (32 + place)] = constants.modulus[place]
                    unsafe lane[8 * (64 + place)] = squaredR[place]
                }
                unsafe lane[8 * 96] = modulus.negatedInverse.limb0
            }
        }
    }
#endif
