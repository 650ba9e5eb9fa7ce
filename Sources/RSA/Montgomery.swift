// Arithmetic modulo an odd number n, after Montgomery ("Modular multiplication without trial division",
// 1985).
//
// n has k limbs of 64 bits, k rounded up to a multiple of four; B = 2^64, R = B^k. A number x is kept as xR
// mod n; the product of two such is xyR², and reducing it is dividing by R modulo n. Four limbs q go at a
// time:
//
//     T = q + B⁴·H    stands for    T/B⁴  =  H + q·B⁻⁴  ≡  H + q·M,    M = B⁻⁴ mod n,
//
// which takes no quotient digit and waits for nothing, but leaves a result of k + 4 limbs at the least. So
// the last four limbs go the usual way: q' = q·(-1/n) mod B⁴ makes T + q'·n divisible by B⁴.
//
// Bounds: of T < R², the steps with M leave less than T·B⁴/R + n·B⁴, and the last step leaves less than
// T/R + 2n, so less than R + 2n: n is subtracted once or twice if there is a carry beyond R. Between
// operations a value is below R, not below n, and below 8n: that is the same where n ≥ R/8, and where n < R/8
// values below 4n have a product that leaves less than 16n²/R + 2n < 4n. Only a result is brought below n.
//
// To bring x into the form, x is shifted up by a limb modulo n, k times: a division by n with one digit of
// quotient each time. That costs no more than a product, so R² mod n, the usual constant, is not needed.

import SHA

/// An odd number to calculate modulo, and what can be known of it beforehand.
///
/// Numbers are arrays of ``count`` limbs, the least significant first. Nothing here takes the same time for
/// all numbers: it is for public keys, and for the making of test data.
package struct MontgomeryModulus: Sendable {
    /// n, four limbs of no meaning, then M: `count`, four and `count` limbs.
    private let constants: [UInt64]
    /// How many limbs a number has here: enough for n, in fours.
    package let count: Int
    /// How many bits n has.
    package let bitCount: Int
    /// -1/n mod B⁴.
    let negatedInverse: FourLimbs
    /// Divides by n's 64 leading bits.
    private let leading: Reciprocal
    /// The 64 bits of n after those.
    private let second: UInt64

    /// From the modulus, most significant octet first.
    ///
    /// Nil unless it is odd and has more than 192 bits: the division below looks at four limbs.
    package init?(bigEndian octets: Span<UInt8>) {
        var start = 0
        while start < octets.count && octets[start] == 0 { start += 1 }
        guard octets.count - start > 24, octets[octets.count - 1] & 1 == 1 else { return nil }
        let bitCount = (octets.count - start) * 8 - octets[start].leadingZeroBitCount
        let count = (octets.count - start + 31) / 32 * 4
        var constants = [UInt64](repeating: 0, count: 2 * count + 4)
        var negatedInverse = FourLimbs()
        unsafe constants.withUnsafeMutableBufferPointer { buffer in
            // It is not empty, so it has an address.
            let modulus = unsafe buffer.baseAddress.unsafelyUnwrapped
            unsafe load(modulus, octets, count)
            // In bounds: the strip writes constants[count ..< 2·count + 4].
            negatedInverse = unsafe FourLimbs(modulus).negatedInverse
            // (q·n + 1) / B⁴, where q·n + 1 is divisible by B⁴, is B⁻⁴ mod n.
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

    /// Whether it is the same n: one comparison where it is the same array, as with a key that came before.
    func isSame(as other: MontgomeryModulus) -> Bool { constants == other.constants }

    /// Calls `body` with the addresses of n and of M.
    @inline(__always)
    func withConstants<Result>(_ body: (_ constants: Constants) -> Result) -> Result {
        unsafe constants.withUnsafeBufferPointer { constants in
            // There are 2·count + 4 limbs, and count is not zero: there is an address, and M lies within.
            unsafe body(
                Constants(
                    modulus: constants.baseAddress.unsafelyUnwrapped,
                    shift: constants.baseAddress.unsafelyUnwrapped + count + 4
                )
            )
        }
    }

    /// The same, and with the address of scratch memory for so many numbers of `count` limbs, one at least.
    @inline(__always)
    private func withScratch<Result>(
        _ numbers: Int,
        _ body: (_ constants: Constants, _ scratch: MutableLimbs) -> Result
    ) -> Result {
        unsafe withConstants { constants in
            unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: numbers * count) { scratch in
                // It is not empty, so it has an address.
                unsafe body(constants, scratch.baseAddress.unsafelyUnwrapped)
            }
        }
    }

    @unsafe struct Constants {
        /// n.
        let modulus: Limbs
        /// M.
        let shift: Limbs
    }
}

// MARK: Kernels

extension MontgomeryModulus {
    /// `number ← number·B + limb mod n`, for a number below n.
    private func shiftUp(_ number: MutableLimbs, _ limb: UInt64, _ modulus: Limbs) {
        // Knuth, The Art of Computer Programming, 4.3.1, algorithm D, step D3: from n's 128 leading bits and
        // the number's 192 from the same place up, the digit of the quotient is hardly ever too large, then
        // by 1, and never too small.
        // In bounds: n has four limbs or more, so top ≥ 3.
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
                let product = digit.multipliedFullWidth(by: second)
                var isTooLarge = false
                _ = subtract(low, product.low, &isTooLarge)
                _ = subtract(remainder, product.high, &isTooLarge)
                guard isTooLarge else { break }
                digit &-= 1
                let (sum, overflow) = remainder.addingReportingOverflow(leading.divisor)
                guard !overflow else { break }
                remainder = sum
            }
        }

        var entering = limb
        var carried: UInt64 = 0
        var borrow = false
        var index = 0
        while index < count {
            // In bounds: index ≤ count - 4.
            let product = unsafe FourLimbs(modulus + index).multiplied(by: digit, &carried)
            let limbs = unsafe FourLimbs(number + index)
            unsafe number[index] = subtract(entering, product.limb0, &borrow)
            unsafe number[index &+ 1] = subtract(limbs.limb0, product.limb1, &borrow)
            unsafe number[index &+ 2] = subtract(limbs.limb1, product.limb2, &borrow)
            unsafe number[index &+ 3] = subtract(limbs.limb2, product.limb3, &borrow)
            entering = limbs.limb3
            index &+= 4
        }
        var excess = entering &- carried &- octet(borrow)
        while excess != 0 {
            excess &+= unsafe octet(addLimbs(number, modulus, count))
        }
    }

    /// `result ← product / R mod n`, below R: see the head of this file. Destroys the product.
    private func reduce(_ result: MutableLimbs, _ product: MutableLimbs, _ constants: Constants) {
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
        var excess = octet(carry)
        excess &+= unsafe octet(addLimbs(product + block + count, above, false))
        unsafe result.update(from: product + count, count: count)
        while excess != 0 {
            excess &-= unsafe octet(subtractLimbs(result, constants.modulus, count))
        }
    }

    /// Brings a number below 8n below n.
    func normalize(_ number: MutableLimbs, _ constants: Constants) {
        while unsafe !isBelow(number, constants.modulus, count) {
            _ = unsafe subtractLimbs(number, constants.modulus, count)
        }
    }
}

// MARK: Exponentiation by a public exponent

extension MontgomeryModulus {
    /// Calls `body` with `base` to the power of `exponent` modulo n.
    ///
    /// Left to right, a squaring for each bit of the exponent but the first, a multiplication for each that
    /// is set: for 65537, sixteen squarings and one multiplication, so that it needs no road of its own. The
    /// exponent is odd: its last multiplication is by `base` itself, which leads out of the form.
    ///
    /// - Parameters:
    ///   - base: most significant octet first, at most `8 · count` octets.
    ///   - exponent: odd, 3 or more.
    ///   - acceleration: with it or without, the power is the same.
    /// - Returns: what `body` returned; nil where the base is not below n.
    package func withPower<Result>(
        _ base: Span<UInt8>,
        _ exponent: UInt64,
        acceleration: Acceleration,
        _ body: (Span<UInt64>) -> Result
    ) -> Result? {
        let count = count
        return unsafe withScratch(5) { constants, scratch in
            // In bounds: five numbers of count limbs, power one of them, the last two of them one product.
            let (plain, form, power, product) = unsafe (
                scratch, scratch + count, scratch + 2 * count, scratch + 3 * count
            )
            unsafe load(plain, base, count)
            guard unsafe isBelow(plain, constants.modulus, count) else { return nil }
            #if Accelerated && arch(x86_64)
                if let squarings = squarings(exponent, acceleration) {
                    unsafe raiseByIFMA(power, plain, squarings, product, constants)
                    return unsafe body(Span(_unsafeStart: power, count: count))
                }
            #endif
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

// MARK: For the making of keys and signatures, and for eight powers at once

extension MontgomeryModulus {
    /// B to the power of `exponent`, modulo n.
    func radix(toThe exponent: Int) -> [UInt64] {
        unsafe withNumber { constants, power in
            unsafe shiftUp(power, 1, constants.modulus)
            for _ in 0..<exponent { unsafe shiftUp(power, 0, constants.modulus) }
        }
    }

    /// `number` modulo n, times R: the form in which to multiply. The number may have any length.
    package func montgomeryForm(of number: [UInt64]) -> [UInt64] {
        unsafe withNumber { constants, form in
            for limb in number.reversed() { unsafe shiftUp(form, limb, constants.modulus) }
            for _ in 0..<count { unsafe shiftUp(form, 0, constants.modulus) }
        }
    }

    /// The number, below n, of which this is the Montgomery form.
    package func number(ofMontgomeryForm form: [UInt64]) -> [UInt64] {
        multiply(form, [1] + [UInt64](repeating: 0, count: count - 1))
    }

    /// The Montgomery form of the product of two numbers in Montgomery form.
    package func multiply(_ one: [UInt64], _ other: [UInt64]) -> [UInt64] {
        precondition(one.count == count && other.count == count, "not numbers of this modulus")
        return unsafe withNumber { constants, result in
            unsafe withScratch(2) { _, product in
                unsafe storeProduct(product, one, other, count)
                unsafe reduce(result, product, constants)
                unsafe normalize(result, constants)
            }
        }
    }

    /// The Montgomery form of the square of a number in Montgomery form.
    package func square(_ root: [UInt64]) -> [UInt64] {
        precondition(root.count == count, "not a number of this modulus")
        return unsafe withNumber { constants, result in
            unsafe withScratch(2) { _, product in
                unsafe storeSquare(product, root, count)
                unsafe reduce(result, product, constants)
                unsafe normalize(result, constants)
            }
        }
    }

    /// `base` to the power of `exponent` modulo n. Neither is in Montgomery form; both may have any length.
    ///
    /// Left to right, four bits of the exponent at a time: as many squarings, and one multiplication by a
    /// power of the base from a table, unless the four are zero.
    package func power(_ base: [UInt64], _ exponent: [UInt64]) -> [UInt64] {
        let form = montgomeryForm(of: base)
        let one = montgomeryForm(of: [1])
        return unsafe withNumber { _, power in
            unsafe withScratch(18) { constants, scratch in
                // In bounds: a product, then sixteen numbers of count limbs, the powers 0 to 15.
                let (product, table) = unsafe (scratch, scratch + 2 * count)
                unsafe table.initialize(from: one, count: count)
                for entry in 1..<16 {
                    unsafe storeProduct(product, table + (entry &- 1) &* count, form, count)
                    unsafe reduce(table + entry &* count, product, constants)
                }
                unsafe power.update(from: one, count: count)
                var isOne = true
                for limb in exponent.reversed() {
                    for place in (0..<UInt64(16)).reversed() {
                        let digit = Int(limb &>> (4 &* place) & 15)
                        if isOne && digit == 0 { continue }
                        if !isOne {
                            for _ in 0..<4 {
                                unsafe storeSquare(product, power, count)
                                unsafe reduce(power, product, constants)
                            }
                        }
                        isOne = false
                        guard digit != 0 else { continue }
                        unsafe storeProduct(product, power, table + digit &* count, count)
                        unsafe reduce(power, product, constants)
                    }
                }
                // The product with 1 leads out of the form.
                unsafe table.initialize(repeating: 0, count: count)
                unsafe table[0] = 1
                unsafe storeProduct(product, power, table, count)
                unsafe reduce(power, product, constants)
                unsafe normalize(power, constants)
            }
        }
    }

    /// A number of `count` limbs, zero at first, that `body` fills.
    private func withNumber(_ body: (Constants, MutableLimbs) -> Void) -> [UInt64] {
        unsafe [UInt64](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            unsafe buffer.initialize(repeating: 0)
            initializedCount = count
            unsafe withConstants { constants in
                // Count is not zero, so there is an address.
                unsafe body(constants, buffer.baseAddress.unsafelyUnwrapped)
            }
        }
    }
}
