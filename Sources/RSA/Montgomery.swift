// Arithmetic modulo an odd number n with Montgomery's method (P. L. Montgomery, "Modular multiplication
// without trial division", 1985).
//
// # Notation
//
// n has k limbs of 64 bits, with k rounded up to a multiple of four. B = 2^64 and R = B^k. The Montgomery
// form of a number x is xR mod n. The product of two forms is xyR². Reduction divides it by R modulo n.
//
// # Reduction
//
// One step of the reduction removes the four lowest limbs q of a number T = q + B⁴·H:
//
//     T/B⁴  =  H + q·B⁻⁴  ≡  H + q·M  (mod n),    M = B⁻⁴ mod n
//
// The step needs no quotient digit, so it can start at once. Its result has at least k + 4 limbs. Therefore
// the last four limbs are removed in the usual way: q' = q·(-1/n) mod B⁴ makes T + q'·n divisible by B⁴.
//
// # Bounds
//
// For T < R², the steps with M leave a number below T·B⁴/R + n·B⁴. The last step leaves a number below
// T/R + 2n, which is below R + 2n. If this number has a carry beyond R, n is subtracted once or twice.
//
// Between operations a value is below R and below 8n, but not always below n. If n ≥ R/8, the second bound
// follows from the first. If n < R/8, values start below 4n, and the reduced product of two such values is
// below 16n²/R + 2n < 4n. Only final results are brought below n.
//
// # Conversion
//
// The Montgomery form of x is computed by shifting x up by one limb modulo n, k times. Each shift is a
// division by n with one digit of quotient. Together they cost no more than a product, so the usual constant
// R² mod n is not needed.

import Basics
import Processor
import SHA

/// An odd modulus n and its precomputed constants.
///
/// Numbers are arrays of ``count`` limbs of 64 bits, the least significant first. The running time depends
/// on the numbers, so this type is for public keys and for test data only.
package struct MontgomeryModulus: Sendable, Equatable {
    /// n in `count` limbs, four unused limbs, then M = B⁻⁴ mod n in `count` limbs, with B = 2^64.
    private let constants: [UInt64]
    /// The number of limbs of 64 bits of each number: enough for n, rounded up to a multiple of four.
    package let count: Int
    /// The length in bits of the modulus n.
    package let bitCount: Int
    /// -1/n mod B⁴, with B = 2^64.
    let negatedInverse: FourLimbs
    /// Divides two limbs by the number that the 64 leading bits of n form.
    private let leading: Reciprocal
    /// The 64 bits of n that follow its 64 leading bits.
    private let second: UInt64

    /// Creates a modulus n with its constants.
    ///
    /// Returns nil unless n is odd and has more than 192 bits: `shiftUp` reads four limbs.
    ///
    /// - Parameter octets: n, most significant octet first. Leading zero octets are ignored.
    package init?(bigEndian octets: Span<UInt8>) {
        var start = 0
        while start < octets.count && octets[start] == 0 { start += 1 }
        guard octets.count - start > 24, octets[octets.count - 1] & 1 == 1 else { return nil }
        let bitCount = (octets.count - start) * 8 - octets[start].leadingZeroBitCount
        let count = (octets.count - start + 31) / 32 * 4
        var constants = [UInt64](repeating: 0, count: 2 * count + 4)
        var negatedInverse = FourLimbs()
        unsafe constants.withUnsafeMutableBufferPointer { buffer in
            // The buffer is not empty, so it has an address.
            let modulus = unsafe buffer.baseAddress.unsafelyUnwrapped
            unsafe load(modulus, octets, count)
            // In bounds: the strip writes constants[count ..< 2·count + 4].
            negatedInverse = unsafe FourLimbs(modulus).negatedInverse
            // With q = -1/n mod B⁴, q·n + 1 is divisible by B⁴, and (q·n + 1) / B⁴ is B⁻⁴ mod n.
            unsafe modulus[count] = 1
            let above = unsafe addStrip(modulus + count, negatedInverse, modulus, count)
            unsafe above.store(modulus + 2 * count)
        }
        let top = (bitCount - 1) / 64
        let vacant = constants[top].leadingZeroBitCount
        leading = Reciprocal(constants[top] << vacant | constants[top - 1] >> (64 - vacant))
        second = constants[top - 1] << vacant | constants[top - 2] >> (64 - vacant)
        self.constants = constants
        self.count = count
        self.bitCount = bitCount
        self.negatedInverse = negatedInverse
    }

    /// Calls `body` with the addresses of n and of M = B⁻⁴ mod n, B = 2^64, valid during the call. Returns
    /// its result.
    @inline(__always)
    func withConstants<Result>(_ body: (_ constants: Constants) -> Result) -> Result {
        unsafe constants.withUnsafeBufferPointer { constants in
            // There are 2·count + 4 limbs and count is not zero, so the buffer has an address and M lies
            // inside.
            unsafe body(
                Constants(
                    modulus: constants.baseAddress.unsafelyUnwrapped,
                    shift: constants.baseAddress.unsafelyUnwrapped + count + 4
                )
            )
        }
    }

    /// Calls `body` with the addresses of n, of M = B⁻⁴ mod n, B = 2^64, and of uninitialised scratch memory,
    /// all valid during the call. Returns its result.
    ///
    /// - Parameter numbers: how many numbers of `count` limbs the scratch memory holds, at least one.
    @inline(__always)
    func withScratch<Result>(
        _ numbers: Int,
        _ body: (_ constants: Constants, _ scratch: MutableLimbs) -> Result
    ) -> Result {
        unsafe withConstants { constants in
            unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: numbers * count) { scratch in
                // The scratch memory is not empty, so it has an address.
                unsafe body(constants, scratch.baseAddress.unsafelyUnwrapped)
            }
        }
    }

    /// The addresses of the modulus n and of M = B⁻⁴ mod n, with B = 2^64. Each has `count` limbs.
    @unsafe struct Constants {
        /// The address of the modulus n.
        let modulus: Limbs
        /// The address of M = B⁻⁴ mod n, with B = 2^64.
        let shift: Limbs
    }
}

// MARK: Kernels

extension MontgomeryModulus {
    /// `number ← (number·B + lowest) mod n`, B = 2^64, for a number below n. `modulus` is the address of n.
    func shiftUp(_ number: MutableLimbs, _ lowest: UInt64, _ modulus: Limbs) {
        // Knuth, The Art of Computer Programming, 4.3.1, algorithm D, step D3: the quotient digit is
        // estimated from the 128 leading bits of n and the 192 bits of the number from the corresponding
        // limb on. The estimate is never too small, rarely too large, and then too large by 1. In bounds: n
        // has four limbs or more, so top ≥ 3.
        let top = (bitCount &- 1) / 64
        let vacant = (top &+ 1) &* 64 &- bitCount
        let high = unsafe number[top] << vacant | number[top - 1] >> (64 &- vacant)
        let middle = unsafe number[top - 1] << vacant | number[top - 2] >> (64 &- vacant)
        let low = unsafe number[top - 2] << vacant | number[top - 3] >> (64 &- vacant)
        var digit = UInt64.max
        if high < leading.divisor {
            var remainder: UInt64
            (digit, remainder) = leading.divide(high, middle)
            while true {
                let product = fullProduct(digit, second)
                var isTooLarge = false
                _ = difference(low, product.low, &isTooLarge)
                _ = difference(remainder, product.high, &isTooLarge)
                guard isTooLarge else { break }
                digit &-= 1
                let (sum, overflow) = remainder.addingReportingOverflow(leading.divisor)
                guard !overflow else { break }
                remainder = sum
            }
        }

        var entering = lowest
        var carried: UInt64 = 0
        var borrow = false
        var index = 0
        while index < count {
            // In bounds: index ≤ count - 4.
            let product = unsafe FourLimbs(modulus + index).multiplied(by: digit, &carried)
            let limbs = unsafe FourLimbs(number + index)
            unsafe number[index] = difference(entering, product.limb0, &borrow)
            unsafe number[index &+ 1] = difference(limbs.limb0, product.limb1, &borrow)
            unsafe number[index &+ 2] = difference(limbs.limb1, product.limb2, &borrow)
            unsafe number[index &+ 3] = difference(limbs.limb2, product.limb3, &borrow)
            entering = limbs.limb3
            index &+= 4
        }
        var excess = entering &- carried &- limb(of: borrow)
        while excess != 0 {
            excess &+= unsafe limb(of: addLimbs(number, modulus, count))
        }
    }

    /// `result ← product / R mod n`, with R = 2^(64 · count). Destroys the product, which is below R².
    ///
    /// The result is below R but may exceed n. Unsafe: it has `count` limbs, and the product `2 · count`.
    func reduce(_ result: MutableLimbs, _ product: MutableLimbs, _ constants: Constants) {
        var carry = false
        var block = 0
        // In bounds: the step at `block` writes product[block + 4 ..< block + count + 8], and block ≤ count -
        // 8.
        while block < count &- 4 {
            let above = unsafe addStrip(
                product + block + 4,
                FourLimbs(product + block),
                constants.shift,
                count
            )
            carry = unsafe addLimbs(product + block + count + 4, above, carry)
            block &+= 4
        }
        let quotient = unsafe FourLimbs(product + block).lowProduct(negatedInverse)
        // In bounds: block = count - 4, so this writes product[count - 4 ..< 2·count].
        let above = unsafe addStrip(product + block, quotient, constants.modulus, count)
        var excess = limb(of: carry)
        excess &+= unsafe limb(of: addLimbs(product + block + count, above, false))
        unsafe result.update(from: product + count, count: count)
        while excess != 0 {
            excess &-= unsafe limb(of: subtractLimbs(result, constants.modulus, count))
        }
    }

    /// Reduces a number of `count` limbs below 8n to a number below n, by at most seven subtractions of n.
    func normalize(_ number: MutableLimbs, _ constants: Constants) {
        while unsafe !isBelow(number, constants.modulus, count) {
            _ = unsafe subtractLimbs(number, constants.modulus, count)
        }
    }
}

// MARK: Exponentiation by a public exponent

extension MontgomeryModulus {
    /// Calls `body` with `base` to the power of `exponent` modulo n, which is this modulus.
    ///
    /// The portable code processes the bits of the exponent from the highest down: a squaring for every bit
    /// except the first, and a multiplication for every further bit that is set. The exponent 65537 takes
    /// sixteen squarings and one multiplication, so it needs no special case there. The exponent is odd. The
    /// last multiplication is by `base` itself instead of its Montgomery form, so its result is not in
    /// Montgomery form either.
    ///
    /// - Parameters:
    ///   - base: the base, most significant octet first, at most `8 · count` octets.
    ///   - exponent: odd, 3 or more.
    ///   - acceleration: the processor instructions to use. The power does not depend on them.
    ///   - body: receives the power in `count` limbs, the least significant limb first.
    /// - Returns: the result of `body`; nil if the base is not below n.
    package func withPower<Result>(
        _ base: Span<UInt8>,
        _ exponent: UInt64,
        acceleration: Acceleration,
        _ body: (Span<UInt64>) -> Result
    ) -> Result? {
        #if Accelerated && arch(x86_64)
            if let kernel = PowerKernel(acceleration), let squarings = squarings(exponent) {
                return withPower(base, squarings, kernel, body)
            }
        #endif
        let count = count
        return unsafe withScratch(5) { constants, scratch in
            // In bounds: there are five numbers of count limbs. The product takes the last two.
            let (plain, form, power, product) = unsafe (
                scratch, scratch + count, scratch + 2 * count, scratch + 3 * count
            )
            unsafe load(plain, base, count)
            guard unsafe isBelow(plain, constants.modulus, count) else { return nil }
            unsafe form.initialize(from: plain, count: count)
            for _ in 0..<count { unsafe shiftUp(form, 0, constants.modulus) }
            unsafe power.initialize(from: form, count: count)
            var bit = UInt64(63 &- exponent.leadingZeroBitCount)
            while bit > 0 {
                bit &-= 1
                unsafe storeSquare(product, power, count)
                unsafe reduce(power, product, constants)
                guard exponent &>> bit & 1 == 1 else { continue }
                unsafe storeProduct(product, power, bit == 0 ? plain : form, count)
                unsafe reduce(power, product, constants)
            }
            unsafe normalize(power, constants)
            return unsafe body(Span(_unsafeStart: power, count: count))
        }
    }
}

// MARK: For many powers at once

extension MontgomeryModulus {
    /// 2 to the power of `exponent` modulo n, in `count` limbs, the least significant first. 0 ≤ `exponent`.
    func power(ofTwo exponent: Int) -> [UInt64] {
        unsafe [UInt64](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            unsafe buffer.initialize(repeating: 0)
            initializedCount = count
            // Count is not zero, so the buffer has an address.
            let power = unsafe buffer.baseAddress.unsafelyUnwrapped
            unsafe withConstants { constants in
                unsafe shiftUp(power, 1 &<< (exponent % 64), constants.modulus)
                for _ in 0..<(exponent / 64) { unsafe shiftUp(power, 0, constants.modulus) }
            }
        }
    }
}
