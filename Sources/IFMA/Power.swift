// A power modulo an odd number n of 2048 bits by AVX-512 IFMA: see Instructions.swift. What it is is defined,
// and written out plainly, in Montgomery.swift of the module RSA.
//
// B is 2^52; a number is 40 limbs, of which five vectors of eight lanes have every fifth each; R = B^40 =
// 2^2080. So a number moves down by a limb when the vectors change their names, and the lanes of one move.
//
// # Products
//
// a·b/R mod n is made after Montgomery, one limb bᵢ at a time. C is a sum of columns, which are not
// carried:
//
//     q = C₀·(-1/n) mod B,  with C₀ of  C + a·bᵢ;    C ← (C + a·bᵢ + q·n) / B
//
// The lowest column of that sum is divisible by B, and the others move down by a limb. Low halves are
// added before they move, high halves, which belong a column higher, after it.
//
// In a square two limbs meet twice, aᵢ with aₖ and aₖ with aᵢ. In one vector both are made; of limbs in two
// vectors only that of the first with that of the second, which counts twice: so aᵢ is multiplied by its own
// vector and by those behind it alone, and what the latter give is kept in columns of its own. Nothing comes
// too late: what aᵢ and aₖ give belongs to columns i + k and i + k + 1, and column i + k is read at step
// i + k, which comes no earlier than step i or step k.
//
// Each q waits for the one before. So that it need not wait for vectors, the lowest column is kept in a
// general register with all its bits; what the one above it gets from bᵢ and q is calculated there a
// second time and added to what it had before. Lane 0 of the first vector has no meaning until the end.
//
// Bounds: a column gets two low and two high halves, each below B, of each of 40 limbs at the most: it stays
// below 160·B < 2^60. What goes up from the lowest, of C₀ + a₀·bᵢ + q·n₀ < 2^61 + 2·B², is below 2^54:
// with the column above, which is below 160·B with all its halves, C₀ is below 2^61 again.
//
// All q together are a number below R, so that the product is below a·b/R + n. From a form below 2n on, as
// n < R/2^32, every product is below 4n²/R + n < 2n, and the last, by the base itself, below n + n/2^31: n
// is subtracted from that once at most, which is left to the caller.
//
// # The form
//
// x·R mod n is x moved up by a limb 40 times, with a multiple of n taken away each time:
//
//     X ← X·B - d·n,    d = X·B/n, rounded, but B - 1 if that is less
//
// X may be negative. It is a sum of columns again, none of them negative but the highest. That one is kept in
// a general register, and lane 7 of the last vector has no meaning until the end; the one below it is
// calculated there a second time, for d. Both begin with what the vectors have a column lower. Where d is
// negative, -d·n is added as it is; otherwise d·(R - n) is, that is d times n's limbs with all bits flipped,
// and d; what is above the highest column is known to vanish, save for what it lends to that.
//
// For d, X is taken in units of 2^1986 and n in units of 2^1984, so that it is X·2^54/n. Of n these are
// the 64 leading bits, whose reciprocal is r = 2^125/n, from 2^61 to 2^62; of X, what the two highest
// columns have, and d is what of X·r is above 64 bits, over 2^7.
//
// Bounds: a column has a limb of the number, or a d with which it entered, and gets a low and a high half
// 40 times at the most: it stays below 82·B < 2^59. So the columns left out of X have less than 2^1983, and
// X is too small by less than 2 units, for which d is wrong by less than 2^-8; for what r lacks, as X is
// below 2^62 units in size, and n below its 64 leading bits, by less than that again; and for what X·r
// lacks, by less than 2^-7. With the rounding that is less than 1/2 + 1/64, and X between -(1/2 + 1/64)·n
// and n: where d is B - 1 instead, X·B - (B - 1)·n < n as well. It follows that d has 52 bits and a sign,
// that the highest column is below 2^20 in size, and the final X + n between 0 and 2n.
//
// # Carrying
//
// It goes through the five limbs of each lane, one after another, and what is beyond the last of them goes to
// the first of the next lane, again and again until there is nothing. That is 8 bits at the first time. A
// lane that gets them can go beyond B^5 by one more 1, after which it is small: so each of the lanes 1 to 7
// does that once at the most, and it takes nine times at the most. Few numbers take more than two, but one
// can be chosen that does. Nothing goes beyond the highest lane, as the columns make a number below 2n.
#if Accelerated && arch(x86_64)
    import Builtin

    /// Raises a number to the power of 2^`squarings` + 1 modulo n.
    ///
    /// Numbers are limbs of 64 bits, the least significant first, 32 of them.
    ///
    /// Unsafe: the processor must have AVX-512 IFMA, and the system must save its registers, or the program
    /// ends; and the memory must be there, none of it overlapping.
    ///
    /// - Parameters:
    ///   - power: where the power is written, below 2n.
    ///   - base: below n.
    ///   - modulus: n, odd, of 2048 bits.
    ///   - negatedInverse: -1/n mod 2^64.
    ///   - squarings: 1 or more.
    ///   - scratch: memory for 40 limbs.
    /// - Returns: what of the power is above 2048 bits, 0 or 1.
    @unsafe
    @inline(never)
    public func raise(
        _ power: UnsafeMutablePointer<UInt64>,
        _ base: UnsafePointer<UInt64>,
        _ modulus: UnsafePointer<UInt64>,
        _ negatedInverse: UInt64,
        _ squarings: Int,
        _ scratch: UnsafeMutablePointer<UInt64>
    ) -> UInt64 {
        // In bounds: the scratch memory has as many limbs as a number here.
        unsafe split(scratch, modulus)
        let n = unsafe Number(scratch)
        unsafe split(scratch, base)
        let plain = unsafe Number(scratch)
        // In bounds: there are 32 limbs.
        var number = unsafe form(plain, n, modulus[31], modulus[30])
        for _ in 0..<squarings {
            unsafe number.store(scratch)
            number = unsafe square(number, scratch, n, negatedInverse)
        }
        unsafe plain.store(scratch)
        number = unsafe product(number, scratch, n, negatedInverse)
        unsafe number.store(scratch)
        unsafe join(power, scratch)
        return unsafe scratch[39] &>> 20
    }

    /// 40 limbs: limb i is lane i / 5 of the vector i mod 5.
    private struct Number {
        var limbs0: SIMD8<UInt64>
        var limbs1: SIMD8<UInt64>
        var limbs2: SIMD8<UInt64>
        var limbs3: SIMD8<UInt64>
        var limbs4: SIMD8<UInt64>

        @inline(__always)
        init() {
            let zero = SIMD8<UInt64>(repeating: 0)
            (limbs0, limbs1, limbs2, limbs3, limbs4) = (zero, zero, zero, zero, zero)
        }

        /// Unsafe: 40 limbs must be there.
        @unsafe
        @inline(__always)
        init(_ limbs: UnsafePointer<UInt64>) {
            // In bounds: the caller vouches for 320 bytes.
            let bytes = unsafe UnsafeRawPointer(limbs)
            unsafe limbs0 = bytes.loadUnaligned(as: SIMD8<UInt64>.self)
            unsafe limbs1 = bytes.loadUnaligned(fromByteOffset: 64, as: SIMD8<UInt64>.self)
            unsafe limbs2 = bytes.loadUnaligned(fromByteOffset: 128, as: SIMD8<UInt64>.self)
            unsafe limbs3 = bytes.loadUnaligned(fromByteOffset: 192, as: SIMD8<UInt64>.self)
            unsafe limbs4 = bytes.loadUnaligned(fromByteOffset: 256, as: SIMD8<UInt64>.self)
        }

        /// Unsafe: there must be memory for 40 limbs.
        @unsafe
        @inline(__always)
        func store(_ limbs: UnsafeMutablePointer<UInt64>) {
            // In bounds: the caller vouches for 320 bytes.
            let bytes = UnsafeMutableRawPointer(limbs)
            unsafe bytes.storeBytes(of: limbs0, as: SIMD8<UInt64>.self)
            unsafe bytes.storeBytes(of: limbs1, toByteOffset: 64, as: SIMD8<UInt64>.self)
            unsafe bytes.storeBytes(of: limbs2, toByteOffset: 128, as: SIMD8<UInt64>.self)
            unsafe bytes.storeBytes(of: limbs3, toByteOffset: 192, as: SIMD8<UInt64>.self)
            unsafe bytes.storeBytes(of: limbs4, toByteOffset: 256, as: SIMD8<UInt64>.self)
        }

        /// Adds the low halves of the products with a limb, which is in all lanes, of some vectors.
        @inline(__always)
        mutating func addLow(_ other: Number, _ limb: SIMD8<UInt64>, of vectors: Range<Int> = 0..<5) {
            if vectors.contains(0) { addLowHalves(&limbs0, other.limbs0, limb) }
            if vectors.contains(1) { addLowHalves(&limbs1, other.limbs1, limb) }
            if vectors.contains(2) { addLowHalves(&limbs2, other.limbs2, limb) }
            if vectors.contains(3) { addLowHalves(&limbs3, other.limbs3, limb) }
            if vectors.contains(4) { addLowHalves(&limbs4, other.limbs4, limb) }
        }

        /// Adds the high halves of the products with a limb, which is in all lanes, of some vectors.
        @inline(__always)
        mutating func addHigh(_ other: Number, _ limb: SIMD8<UInt64>, of vectors: Range<Int> = 0..<5) {
            if vectors.contains(0) { addHighHalves(&limbs0, other.limbs0, limb) }
            if vectors.contains(1) { addHighHalves(&limbs1, other.limbs1, limb) }
            if vectors.contains(2) { addHighHalves(&limbs2, other.limbs2, limb) }
            if vectors.contains(3) { addHighHalves(&limbs3, other.limbs3, limb) }
            if vectors.contains(4) { addHighHalves(&limbs4, other.limbs4, limb) }
        }

        /// Moves each limb up by one, the last one out.
        @inline(__always)
        mutating func moveUp(_ entering: UInt64) {
            (limbs0, limbs1, limbs2, limbs3, limbs4) = (up(entering, limbs4), limbs0, limbs1, limbs2, limbs3)
        }

        /// Moves each limb down by one, the first one out.
        @inline(__always)
        mutating func moveDown() {
            (limbs0, limbs1, limbs2, limbs3, limbs4) = (limbs1, limbs2, limbs3, limbs4, down(limbs0))
        }

        /// Each limb without the bits of a mask that it has, and with those that it has not.
        @inline(__always)
        func flipped(_ bits: UInt64) -> Number {
            let bits = SIMD8(repeating: bits)
            var flipped = self
            flipped.limbs0 ^= bits
            flipped.limbs1 ^= bits
            flipped.limbs2 ^= bits
            flipped.limbs3 ^= bits
            flipped.limbs4 ^= bits
            return flipped
        }

        @inline(__always)
        mutating func add(_ other: Number) {
            limbs0 &+= other.limbs0
            limbs1 &+= other.limbs1
            limbs2 &+= other.limbs2
            limbs3 &+= other.limbs3
            limbs4 &+= other.limbs4
        }

        /// Brings every limb below B.
        @inline(__always)
        mutating func carry() {
            var carried = carryInLanes()
            while !isZero(carried) {
                limbs0 &+= up(0, carried)
                carried = carryInLanes()
            }
        }

        /// Brings every limb below B.
        ///
        /// - Returns: what goes beyond the last one of each lane.
        @inline(__always)
        private mutating func carryInLanes() -> SIMD8<UInt64> {
            let mask = SIMD8(repeating: mask)
            limbs1 &+= limbs0 &>> 52
            limbs2 &+= limbs1 &>> 52
            limbs3 &+= limbs2 &>> 52
            limbs4 &+= limbs3 &>> 52
            let carried = limbs4 &>> 52
            limbs0 &= mask
            limbs1 &= mask
            limbs2 &= mask
            limbs3 &= mask
            limbs4 &= mask
            return carried
        }
    }

    /// `number · R mod n`, below 2n, for a number below n.
    @inline(__always)
    private func form(_ number: Number, _ n: Number, _ n31: UInt64, _ n30: UInt64) -> Number {
        // At most 2^62, since the leading bit is set.
        let reciprocal = n31.dividingFullWidth((1 &<< 61, 0)).quotient
        let (n37, n38, n39) = (n30 &>> 4 & mask, (n31 &<< 8 | n30 &>> 56) & mask, n31 &>> 44)
        var columns = number
        var top = columns.limbs4[7]
        var leading = Int64(bitPattern: top &<< 42 &+ columns.limbs3[7] &>> 10)
        for _ in 0..<40 {
            let estimate = (highHalf(leading, reciprocal) &+ 64) &>> 7
            let digit = min(estimate, Int64(mask))
            let sign = digit &>> 63
            let size = UInt64(bitPattern: (digit ^ sign) &- sign)
            // `size` times n is added, or R - n, which is n's limbs flipped, and 1; R is above the top.
            let isPositive = ~UInt64(bitPattern: sign)
            let flip = isPositive & mask
            let ones = size & isPositive

            let product37 = size.multipliedFullWidth(by: n37 ^ flip)
            let product38 = size.multipliedFullWidth(by: n38 ^ flip)
            let product39 = size.multipliedFullWidth(by: n39 ^ flip)
            let above = top &+ highHalf(product39) &- ones
            top = columns.limbs3[7] &+ highHalf(product38) &+ product39.low & mask &+ above &<< 52
            let second = columns.limbs2[7] &+ highHalf(product37) &+ product38.low & mask

            leading = Int64(bitPattern: top &<< 42 &+ second &>> 10)

            let multiple = n.flipped(flip)
            let sizes = SIMD8(repeating: size)
            columns.addHigh(multiple, sizes)
            columns.moveUp(ones)
            columns.addLow(multiple, sizes)
        }
        columns.limbs4[7] = top
        columns.add(n)
        columns.carry()
        return columns
    }

    /// `one · other / R mod n`, below `one · other / R + n`.
    ///
    /// Unsafe: 40 limbs of the other must be there.
    @unsafe
    @inline(__always)
    private func product(
        _ one: Number,
        _ other: UnsafePointer<UInt64>,
        _ n: Number,
        _ negatedInverse: UInt64
    ) -> Number {
        var columns = Columns()
        for lane in 0..<8 {
            // In bounds: lane < 8.
            unsafe columns.add(one, once: 0..<5, other[lane], n, negatedInverse)
            unsafe columns.add(one, once: 0..<5, other[8 &+ lane], n, negatedInverse)
            unsafe columns.add(one, once: 0..<5, other[16 &+ lane], n, negatedInverse)
            unsafe columns.add(one, once: 0..<5, other[24 &+ lane], n, negatedInverse)
            unsafe columns.add(one, once: 0..<5, other[32 &+ lane], n, negatedInverse)
        }
        return columns.sum()
    }

    /// `one² / R mod n`, below `one² / R + n`.
    ///
    /// Unsafe: the limbs must be those of `one`, all 40, as `store` writes them.
    @unsafe
    @inline(__always)
    private func square(
        _ one: Number,
        _ limbs: UnsafePointer<UInt64>,
        _ n: Number,
        _ negatedInverse: UInt64
    ) -> Number {
        var columns = Columns()
        for lane in 0..<8 {
            // In bounds: lane < 8.
            unsafe columns.add(one, once: 0..<1, limbs[lane], n, negatedInverse)
            unsafe columns.add(one, once: 1..<2, limbs[8 &+ lane], n, negatedInverse)
            unsafe columns.add(one, once: 2..<3, limbs[16 &+ lane], n, negatedInverse)
            unsafe columns.add(one, once: 3..<4, limbs[24 &+ lane], n, negatedInverse)
            unsafe columns.add(one, once: 4..<5, limbs[32 &+ lane], n, negatedInverse)
        }
        return columns.sum()
    }

    /// The columns of a product, or of a square.
    private struct Columns {
        private var once = Number()
        private var twice = Number()
        /// The lowest of them.
        private var lowest: UInt64 = 0

        @inline(__always)
        init() {}

        /// Adds a multiple of `one`, and what of n makes the sum divisible by B, and divides it.
        ///
        /// - Parameter vectors: of `one` what is added once. What is in those behind is added twice, and in
        ///   those before not at all.
        @inline(__always)
        mutating func add(
            _ one: Number,
            once vectors: Range<Int>,
            _ limb: UInt64,
            _ n: Number,
            _ negatedInverse: UInt64
        ) {
            var second = once.limbs1[0] &+ twice.limbs1[0] &<< 1
            let low = one.limbs1[0] &* limb & mask
            if vectors.contains(1) { second &+= low }
            if vectors.upperBound < 2 { second &+= low &<< 1 }
            let first = vectors.contains(0) ? one.limbs0[0] : 0
            let sum = multiplyAdd(first, limb, 0, lowest)
            let quotient = sum.low &* negatedInverse & mask
            let divisible = multiplyAdd(n.limbs0[0], quotient, sum.high, sum.low)
            lowest = highHalf(divisible) &+ second &+ n.limbs1[0] &* quotient & mask

            let (limbs, quotients) = (SIMD8(repeating: limb), SIMD8(repeating: quotient))
            let behind = vectors.upperBound..<5
            twice.addLow(one, limbs, of: behind)
            twice.moveDown()
            twice.addHigh(one, limbs, of: behind)
            once.addLow(one, limbs, of: vectors)
            once.addLow(n, quotients)
            once.moveDown()
            once.addHigh(one, limbs, of: vectors)
            once.addHigh(n, quotients)
        }

        @inline(__always)
        func sum() -> Number {
            var sum = once
            sum.add(twice)
            sum.add(twice)
            sum.limbs0[0] = lowest
            sum.carry()
            return sum
        }
    }

    /// `one · other + high·2^64 + low`.
    @inline(__always)
    private func multiplyAdd(
        _ one: UInt64,
        _ other: UInt64,
        _ high: UInt64,
        _ low: UInt64
    ) -> (high: UInt64, low: UInt64) {
        let product = one.multipliedFullWidth(by: other)
        let (sum, carry) = product.low.addingReportingOverflow(low)
        return (product.high &+ high &+ (carry ? 1 : 0), sum)
    }

    /// What of a number below 2^116 is above 52 bits.
    @inline(__always)
    private func highHalf(_ product: (high: UInt64, low: UInt64)) -> UInt64 {
        product.high &<< 12 | product.low &>> 52
    }

    /// What of a product is above 64 bits, rounded down.
    @inline(__always)
    private func highHalf(_ one: Int64, _ other: UInt64) -> Int64 {
        let product = UInt64(bitPattern: one).multipliedFullWidth(by: other)
        return Int64(bitPattern: product.high) &- one &>> 63 & Int64(bitPattern: other)
    }

    // MARK: Radix

    /// From 32 limbs of 64 bits to 40 of 52.
    ///
    /// Unsafe: these must be there.
    @unsafe
    private func split(_ limbs: UnsafeMutablePointer<UInt64>, _ number: UnsafePointer<UInt64>) {
        var index = 0
        while index < 40 {
            let (source, shift) = (52 &* index / 64, UInt64(52 &* index % 64))
            // In bounds: source ≤ 52·39/64 < 32, and the last one is not looked beyond.
            var limb = unsafe number[source] &>> shift
            if shift > 12 && source < 31 { unsafe limb |= number[source &+ 1] &<< (64 &- shift) }
            unsafe limbs[place(index)] = limb & mask
            index &+= 1
        }
    }

    /// From 40 limbs of 52 bits to 32 of 64; what is beyond them is left out.
    ///
    /// Unsafe: these must be there.
    @unsafe
    private func join(_ number: UnsafeMutablePointer<UInt64>, _ limbs: UnsafePointer<UInt64>) {
        var index = 0
        while index < 32 {
            let (source, shift) = (64 &* index / 52, UInt64(64 &* index % 52))
            // In bounds: source ≤ 64·31/52 = 38, there with a shift of 8.
            var limb = unsafe limbs[place(source)] &>> shift | limbs[place(source &+ 1)] &<< (52 &- shift)
            if shift > 40 { unsafe limb |= limbs[place(source &+ 2)] &<< (104 &- shift) }
            unsafe number[index] = limb
            index &+= 1
        }
    }

    /// Where a limb is stored: see ``Number``.
    @inline(__always)
    private func place(_ index: Int) -> Int { index % 5 &* 8 &+ index / 5 }

    // MARK: Lanes

    /// Each lane is the one above it, the last zero.
    @inline(__always)
    private func down(_ lanes: SIMD8<UInt64>) -> SIMD8<UInt64> {
        SIMD8(lanes[1], lanes[2], lanes[3], lanes[4], lanes[5], lanes[6], lanes[7], 0)
    }

    /// Each lane is the one below it.
    @inline(__always)
    private func up(_ entering: UInt64, _ lanes: SIMD8<UInt64>) -> SIMD8<UInt64> {
        SIMD8(entering, lanes[0], lanes[1], lanes[2], lanes[3], lanes[4], lanes[5], lanes[6])
    }

    @inline(__always)
    private func isZero(_ lanes: SIMD8<UInt64>) -> Bool {
        var bits: UInt8 = 0
        bits._value = Builtin.bitcast_Vec8xInt1_Int8(
            Builtin.cmp_ne_Vec8xInt64(lanes._storage._value, Builtin.zeroInitializer())
        )
        return bits == 0
    }
#endif
