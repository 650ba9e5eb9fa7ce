// Calls the kernels of x86-64 that raise several numbers at once, in builds that contain them.
#if Accelerated && arch(x86_64)
    import AVX2
    import AVX512VL
    import Basics
    import IFMA
    import Processor
    import SHA

    /// A modulus n of 2048 bits with R² mod n for a kernel for several numbers. R is 2^radixBitCount.
    package struct LaneModulus: Sendable {
        let modulus: MontgomeryModulus
        private let kernel: PowerKernel
        private let squaredR: [UInt64]

        /// Computes R² mod n for the R of a kernel. Precondition: the modulus n has 2048 bits.
        package init(_ modulus: MontgomeryModulus, _ kernel: PowerKernel) {
            precondition(modulus.bitCount == 2048, "the modulus must have 2048 bits")
            self.modulus = modulus
            self.kernel = kernel
            squaredR = modulus.power(ofTwo: 2 * kernel.radixBitCount)
        }

        /// Raises numbers to the power of 2^squarings + 1, each modulo its own n.
        ///
        /// Precondition: there are one to eight moduli, and 256 octets for each of them. Precondition, not
        /// checked: the count of squarings is 1 or more, all moduli are of one kernel, and the processor has
        /// the kernel's instructions.
        ///
        /// - Parameters:
        ///   - octets: the numbers in the order of the moduli, each most significant octet first.
        ///   - moduli: one modulus for each number.
        ///   - squarings: s for the exponent 2^s + 1.
        ///   - body: called with the index and the power, below n, of each number that is below its n.
        package static func withPowers(
            of octets: Span<UInt8>,
            _ moduli: ContiguousArray<LaneModulus>,
            _ squarings: Int,
            _ body: (_ index: Int, _ power: Span<UInt64>) -> Void
        ) {
            precondition(
                1...8 ~= moduli.count && octets.count == 256 * moduli.count,
                "each of one to eight moduli needs 256 octets"
            )
            let kernel = moduli[0].kernel
            for start in stride(from: 0, to: moduli.count, by: kernel.laneCount) {
                let range = start..<min(start + kernel.laneCount, moduli.count)
                withPowers(of: octets, moduli, range, kernel, squarings, body)
            }
        }

        /// Raises the numbers with the indices in `range`, at most as many as the kernel has lanes, to the
        /// power of 2^squarings + 1, each modulo its own n. Calls `body` with the index and the power of each
        /// number that is below its n.
        private static func withPowers(
            of octets: Span<UInt8>,
            _ moduli: ContiguousArray<LaneModulus>,
            _ range: Range<Int>,
            _ kernel: PowerKernel,
            _ squarings: Int,
            _ body: (_ index: Int, _ power: Span<UInt64>) -> Void
        ) {
            // The span lends each modulus. A subscript of the array would copy it.
            let moduli = moduli.span
            let laneCount = kernel.laneCount
            let limbCount = kernel.rowCount * laneCount
            unsafe withUnsafeTemporaryAllocation(byteCount: 8 * (limbCount + 32), alignment: 64) { memory in
                // The memory is not empty, so it has an address. In bounds: the rows, and then 32 limbs.
                let rows = unsafe memory.baseAddress.unsafelyUnwrapped
                let limbs = unsafe rows.bindMemory(to: UInt64.self, capacity: limbCount + 32)
                let number = unsafe limbs + limbCount
                for lane in 0..<laneCount {
                    // Unused lanes repeat the last number.
                    let index = min(range.lowerBound + lane, range.upperBound - 1)
                    unsafe load(number, octets.extracting((256 * index)..<(256 * index + 256)), 32)
                    unsafe moduli[index].set(limbs + lane, number)
                }
                // The caller has checked that the processor has these instructions.
                switch kernel {
                case .avx2: unsafe AVX2.raiseLanes(rows, squarings)
                case .avx512VL: unsafe AVX512VL.raiseLanes(rows, squarings)
                case .avx512IFMA: unsafe raiseEight(rows, squarings)
                }
                for index in range {
                    let lane = index - range.lowerBound
                    unsafe load(number, octets.extracting((256 * index)..<(256 * index + 256)), 32)
                    unsafe moduli[index].modulus.withConstants { constants in
                        guard unsafe isBelow(number, constants.modulus, 32) else { return }
                        for place in 0..<32 { unsafe number[place] = limbs[laneCount * place + lane] }
                        var excess = unsafe limbs[96 * laneCount + lane]
                        while excess != 0 {
                            unsafe excess &-= limb(of: subtractLimbs(number, constants.modulus, 32))
                        }
                        unsafe moduli[index].modulus.normalize(number, constants)
                        unsafe body(index, Span(_unsafeStart: number, count: 32))
                    }
                }
            }
        }

        /// Writes the 32 limbs of `number`, of the modulus n and of R² mod n, and then -1/n mod 2^64, into
        /// one lane of a kernel's rows 0 to 96.
        private func set(_ lane: MutableLimbs, _ number: Limbs) {
            let laneCount = kernel.laneCount
            unsafe modulus.withConstants { constants in
                for place in 0..<32 {
                    // In bounds: the caller provides 97 rows from the lane on, and 32 limbs.
                    unsafe lane[laneCount * place] = number[place]
                    unsafe lane[laneCount * (32 + place)] = constants.modulus[place]
                    unsafe lane[laneCount * (64 + place)] = squaredR[place]
                }
                unsafe lane[laneCount * 96] = modulus.negatedInverse.limb0
            }
        }
    }
#endif
