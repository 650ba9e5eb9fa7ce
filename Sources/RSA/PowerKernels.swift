// Calls the kernels of x86-64 that raise numbers, in builds that contain them. The kernels take moduli of
// 2048 bits and exponents of the form 2^s + 1, for example 3, 17 and 65537.
#if Accelerated && arch(x86_64)
    import AVX2
    import AVX512VL
    import Basics
    import IFMA
    import Processor
    import SHA

    /// An instruction set with two kernels for powers modulo n: one kernel raises one number, and the other
    /// raises as many numbers at once as a vector has lanes of 64 bits.
    package enum PowerKernel {
        case avx2
        case avx512VL
        case avx512IFMA

        /// Chooses the first set that `acceleration` allows, of IFMA, AVX-512 VL and AVX2; nil if none.
        package init?(_ acceleration: Acceleration) {
            if acceleration.allows(.avx512IFMA) {
                self = .avx512IFMA
            } else if acceleration.allows(.avx512VL) {
                self = .avx512VL
            } else if acceleration.allows(.avx2) {
                self = .avx2
            } else {
                return nil
            }
        }

        /// How many numbers the kernel for several numbers raises at once: one in each lane of 64 bits.
        var laneCount: Int { self == .avx2 ? 4 : 8 }
        /// r, where the kernel for several numbers uses Montgomery forms xR mod n with R = 2^r.
        var radixBitCount: Int { self == .avx512IFMA ? 2080 : 2100 }
        /// How many rows of memory the kernel for several numbers uses. A row has 64 bits for each lane.
        var rowCount: Int { self == .avx512IFMA ? 305 : 477 }
        /// The smallest number of signatures that the kernel for several numbers verifies in less time than
        /// the kernel for one number, by measurement. Unused lanes take as long as used ones.
        private var worthwhileCount: Int {
            switch self {
            case .avx2: 3
            case .avx512VL: 4
            case .avx512IFMA: 6
            }
        }
        /// How many of `count` signatures to verify several at once. The others are verified one by one.
        func laneShare(of count: Int) -> Int {
            let rest = count % laneCount
            return rest < worthwhileCount ? count - rest : count
        }
        /// The scratch memory of the kernel for one number, in units of 32 limbs of 64 bits (256 bytes).
        fileprivate var scratchCount: Int { self == .avx512IFMA ? 2 : 32 }
    }

    extension MontgomeryModulus {
        /// The s of an exponent 2^s + 1, which is its number of squarings. Nil for any other exponent, and
        /// nil if n does not have 2048 bits. In both cases portable code must be used.
        @inline(__always)
        func squarings(_ exponent: UInt64) -> Int? {
            guard bitCount == 2048 && (exponent &- 1).nonzeroBitCount == 1 else { return nil }
            return (exponent &- 1).trailingZeroBitCount
        }

        /// Calls `body` with `base` to the power of 2^squarings + 1 modulo n.
        ///
        /// Precondition, not checked: the processor has the kernel's instructions, and `squarings` is the
        /// result of ``squarings(_:)``.
        ///
        /// - Parameters:
        ///   - base: the base, most significant octet first, at most 256 octets.
        ///   - body: receives the power in 32 limbs of 64 bits, the least significant first.
        /// - Returns: the result of `body`; nil if the base is not below n.
        func withPower<Result>(
            _ base: Span<UInt8>,
            _ squarings: Int,
            _ kernel: PowerKernel,
            _ body: (Span<UInt64>) -> Result
        ) -> Result? {
            unsafe withConstants { constants in
                let size = 256 * (kernel.scratchCount + 3)
                return unsafe withUnsafeTemporaryAllocation(byteCount: size, alignment: 64) { memory in
                    // The memory is not empty, so it has an address. In bounds: the scratch memory comes
                    // first, and then three numbers.
                    let limbs = unsafe memory.baseAddress.unsafelyUnwrapped
                        .bindMemory(to: UInt64.self, capacity: 32 * (kernel.scratchCount + 3))
                    let plain = unsafe limbs + 32 * kernel.scratchCount
                    unsafe load(plain, base, 32)
                    guard unsafe isBelow(plain, constants.modulus, 32) else { return nil }
                    let power = unsafe plain + 64
                    unsafe raise(power, plain, plain + 32, squarings, kernel, limbs, constants)
                    return unsafe body(Span(_unsafeStart: power, count: 32))
                }
            }
        }

        /// Sets `power` to `base` to the power of 2^squarings + 1 modulo n, for a base below n.
        ///
        /// Unsafe: the processor must have the kernel's instructions. The numbers have 32 limbs, and scratch
        /// has as many as the kernel needs.
        ///
        /// - Parameter form: memory for 32 limbs, which AVX2 and AVX-512 VL use for the Montgomery form.
        private func raise(
            _ power: MutableLimbs,
            _ base: Limbs,
            _ form: MutableLimbs,
            _ squarings: Int,
            _ kernel: PowerKernel,
            _ scratch: MutableLimbs,
            _ constants: Constants
        ) {
            // The caller has checked that the processor has these instructions. In bounds: n has 2048 bits,
            // so it has 32 limbs.
            let (n, inverse) = unsafe (constants.modulus, negatedInverse.limb0)
            var excess: UInt64
            switch kernel {
            case .avx512IFMA: excess = unsafe IFMA.raise(power, base, n, inverse, squarings, scratch)
            case .avx512VL:
                unsafe setForm(form, base, constants)
                excess = unsafe AVX512VL.raise(power, form, base, n, inverse, squarings, scratch)
            case .avx2:
                unsafe setForm(form, base, constants)
                excess = unsafe AVX2.raise(power, form, base, n, inverse, squarings, scratch)
            }
            while excess != 0 { unsafe excess &-= limb(of: subtractLimbs(power, n, 32)) }
            unsafe normalize(power, constants)
        }

        /// `form ← number · 2^2100 mod n`: the Montgomery form of the kernels that multiply 32-bit words.
        ///
        /// The number, below n, is moved up by 33 limbs, or 2112 bits. Then a multiple of n is added so that
        /// 2^12 divides the sum. The sum is below 2^12·n, because n is added at most 2^12 - 1 times.
        private func setForm(_ form: MutableLimbs, _ number: Limbs, _ constants: Constants) {
            unsafe form.initialize(from: number, count: 32)
            for _ in 0..<33 { unsafe shiftUp(form, 0, constants.modulus) }
            let multiple = unsafe form[0] &* negatedInverse.limb0 & 0xfff
            var (carry, below) = unsafe multiplyAdd(multiple, constants.modulus[0], form[0], 0)
            for index in 1..<32 {
                // In bounds: a number has 32 limbs.
                let (high, low) = unsafe multiplyAdd(multiple, constants.modulus[index], form[index], carry)
                unsafe form[index - 1] = below >> 12 | low << 52
                (carry, below) = (high, low)
            }
            unsafe form[31] = below >> 12 | carry << 52
        }
    }
#endif
