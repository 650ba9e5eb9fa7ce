// A power modulo an odd number n of 2048 bits by AVX-512 IFMA: see Instructions.swift. What it is is defined,
// and written out plainly, in Montgomery.swift of the module RSA.
//
// B is 2^52; a number is 40 limbs, in five vectors of eight lanes, the least significant first; R = B^40 =
// 2^2080.
//
// # Products
//
// a·b/R mod n is made after Montgomery, one limb bᵢ at a time. C is a sum of columns, which are not
// carried:
//
//     q = C₀·(-1/n) mod B,  with C₀ of  C + a·bᵢ;    C ← (C + a·bᵢ + q·n) / B
//
// The lowest column of that sum is divisible by B, and the others move down by a lane. Low halves are
// added before they move, high halves, which belong a column higher, after it: those have a sum of their
// own, added at once, so that a lane waits for fewer additions.
//
// Each q waits for the one before. So that it need not wait for vectors, the lowest column is kept in a
// general register with all its bits; what the one above it gets from bᵢ and q is calculated there a
// second time and added to what it had before. Lane 0 of C has no meaning until the end.
//
// Bounds: a column gets two low and two high halves, each below B, of each of 40 limbs at the most: it stays
// below 160·B < 2^60. What goes up from the lowest, of C₀ + a₀·bᵢ + q·n₀ < 2^61 + 2·B², is below 2^54:
// with such a column and two halves, C₀ is below 2^61 again.
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
// X may be negative. It is a sum of columns again, none of them negative but the highest, which is kept in
// a general register, as is the one below it; vectors bring their columns to where those two need them. A
// negative multiple is added as it is. A positive one is added as d·(R - n), that is d times n's limbs
// with all bits flipped, and d; what is above the highest column is known to vanish, save for what it
// lends to that.
//
// For d, X is taken in units of 2^1986 and n in units of 2^1984, so that it is X·2^54/n. Of n these are
// the 64 leading bits, whose reciprocal is r = 2^125/n, from 2^61 to 2^62; of X, what the two highest
// columns have, and d is the high half of X·r over 2^7.
//
// Bounds: a column gets a low and a high half, the lowest d besides, 40 times at the most, and stays below
// 2^59. So the columns left out of X have less than 2^1983, and X is too small by less than 2 units, for
// which d is wrong by less than 2^-8; for what r lacks, and n below its 64 leading bits, again; and for what
// X·r lacks, by less than 2^-7. With the rounding that is less than 1/2 + 1/64, and X between
// -(1/2 + 1/64)·n and n: where d is B - 1
// instead, X·B - (B - 1)·n < n as well. It follows that d has 52 bits and a sign, that the highest column
// is below 2^20 in size, X below 2^63 units, and the final X + n between 0 and 2n.
//
// # Carrying
//
// It is done for all limbs at once. What is above 52 bits, 9 bits at the most, is added to the next limb;
// after which those that are B or more carry 1, and those that are B - 1 pass on what they get. Let g and
// p be numbers with a bit for each such limb: 2·g + p carries through p as it should, and the bits that it
// changes, (2·g + p) ⊕ p, are the limbs to add 1 to. What goes beyond the highest limb is left out: a
// number from 0 to R - 1 is right whatever multiple of R its columns make besides.
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
        var number = unsafe form(plain, n, modulus[31])
        for _ in 0..<squarings {
            unsafe number.store(scratch)
            number = unsafe product(number, scratch, n, negatedInverse)
        }
        unsafe plain.store(scratch)
        number = unsafe product(number, scratch, n, negatedInverse)
        unsafe number.store(scratch)
        unsafe join(power, scratch)
        return unsafe scratch[39] &>> 20
    }

    /// 40 limbs.
    private struct Number {
        var limbs0: SIMD8<UInt64>
        var limbs8: SIMD8<UInt64>
        var limbs16: SIMD8<UInt64>
        var limbs24: SIMD8<UInt64>
        var limbs32: SIMD8<UInt64>

        @inline(__always)
        init() {
            let zero = SIMD8<UInt64>(repeating: 0)
            (limbs0, limbs8, limbs16, limbs24, limbs32) = (zero, zero, zero, zero, zero)
        }

        /// Unsafe: 40 limbs must be there.
        @unsafe
        @inline(__always)
        init(_ limbs: UnsafePointer<UInt64>) {
            // In bounds: the caller vouches for 320 bytes.
            let bytes = unsafe UnsafeRawPointer(limbs)
            unsafe limbs0 = bytes.loadUnaligned(as: SIMD8<UInt64>.self)
            unsafe limbs8 = bytes.loadUnaligned(fromByteOffset: 64, as: SIMD8<UInt64>.self)
            unsafe limbs16 = bytes.loadUnaligned(fromByteOffset: 128, as: SIMD8<UInt64>.self)
            unsafe limbs24 = bytes.loadUnaligned(fromByteOffset: 192, as: SIMD8<UInt64>.self)
            unsafe limbs32 = bytes.loadUnaligned(fromByteOffset: 256, as: SIMD8<UInt64>.self)
        }

        /// Unsafe: there must be memory for 40 limbs.
        @unsafe
        @inline(__always)
        func store(_ limbs: UnsafeMutablePointer<UInt64>) {
            // In bounds: the caller vouches for 320 bytes.
            let bytes = UnsafeMutableRawPointer(limbs)
            unsafe bytes.storeBytes(of: limbs0, as: SIMD8<UInt64>.self)
            unsafe bytes.storeBytes(of: limbs8, toByteOffset: 64, as: SIMD8<UInt64>.self)
            unsafe bytes.storeBytes(of: limbs16, toByteOffset: 128, as: SIMD8<UInt64>.self)
            unsafe bytes.storeBytes(of: limbs24, toByteOffset: 192, as: SIMD8<UInt64>.self)
            unsafe bytes.storeBytes(of: limbs32, toByteOffset: 256, as: SIMD8<UInt64>.self)
        }

        /// Adds the low halves of the products with a limb, which is in all lanes.
        @inline(__always)
        mutating func addLow(_ other: Number, _ limb: SIMD8<UInt64>) {
            addLowHalves(&limbs0, other.limbs0, limb)
            addLowHalves(&limbs8, other.limbs8, limb)
            addLowHalves(&limbs16, other.limbs16, limb)
            addLowHalves(&limbs24, other.limbs24, limb)
            addLowHalves(&limbs32, other.limbs32, limb)
        }

        /// Adds the high halves of the products with a limb, which is in all lanes.
        @inline(__always)
        mutating func addHigh(_ other: Number, _ limb: SIMD8<UInt64>) {
            addHighHalves(&limbs0, other.limbs0, limb)
            addHighHalves(&limbs8, other.limbs8, limb)
            addHighHalves(&limbs16, other.limbs16, limb)
            addHighHalves(&limbs24, other.limbs24, limb)
            addHighHalves(&limbs32, other.limbs32, limb)
        }

        /// Moves each limb up by a lane, the last one out, and adds.
        @inline(__always)
        mutating func shiftUp(_ entering: UInt64, adding other: Number) {
            limbs32 = up(limbs24, limbs32) &+ other.limbs32
            limbs24 = up(limbs16, limbs24) &+ other.limbs24
            limbs16 = up(limbs8, limbs16) &+ other.limbs16
            limbs8 = up(limbs0, limbs8) &+ other.limbs8
            limbs0 = up(SIMD8(repeating: entering), limbs0) &+ other.limbs0
        }

        /// Each limb without the bits of a mask that it has, and with those that it has not.
        @inline(__always)
        func flipped(_ bits: UInt64) -> Number {
            let bits = SIMD8(repeating: bits)
            var flipped = self
            flipped.limbs0 ^= bits
            flipped.limbs8 ^= bits
            flipped.limbs16 ^= bits
            flipped.limbs24 ^= bits
            flipped.limbs32 ^= bits
            return flipped
        }

        @inline(__always)
        mutating func add(_ other: Number) {
            limbs0 &+= other.limbs0
            limbs8 &+= other.limbs8
            limbs16 &+= other.limbs16
            limbs24 &+= other.limbs24
            limbs32 &+= other.limbs32
        }

        /// Moves each limb down by a lane, and adds.
        @inline(__always)
        mutating func shiftDown(adding other: Number) {
            limbs0 = down(limbs0, limbs8) &+ other.limbs0
            limbs8 = down(limbs8, limbs16) &+ other.limbs8
            limbs16 = down(limbs16, limbs24) &+ other.limbs16
            limbs24 = down(limbs24, limbs32) &+ other.limbs24
            limbs32 = down(limbs32, SIMD8(repeating: 0)) &+ other.limbs32
        }

        /// Brings every limb below B.
        @inline(__always)
        mutating func carry() {
            let mask = SIMD8(repeating: mask)
            let (carry0, carry8, carry16, carry24) = (
                limbs0 &>> 52, limbs8 &>> 52, limbs16 &>> 52, limbs24 &>> 52
            )
            limbs0 = (limbs0 & mask) &+ up(SIMD8(repeating: 0), carry0)
            limbs8 = (limbs8 & mask) &+ up(carry0, carry8)
            limbs16 = (limbs16 & mask) &+ up(carry8, carry16)
            limbs24 = (limbs24 & mask) &+ up(carry16, carry24)
            limbs32 = (limbs32 & mask) &+ up(carry24, limbs32 &>> 52)
            let generating =
                above(limbs0, mask) | above(limbs8, mask) &<< 8 | above(limbs16, mask) &<< 16
                | above(limbs24, mask) &<< 24 | above(limbs32, mask) &<< 32
            let passing =
                equal(limbs0, mask) | equal(limbs8, mask) &<< 8 | equal(limbs16, mask) &<< 16
                | equal(limbs24, mask) &<< 24 | equal(limbs32, mask) &<< 32
            let carries = (generating &<< 1 &+ passing) ^ passing
            limbs0 = (limbs0 &+ lanes(carries)) & mask
            limbs8 = (limbs8 &+ lanes(carries &>> 8)) & mask
            limbs16 = (limbs16 &+ lanes(carries &>> 16)) & mask
            limbs24 = (limbs24 &+ lanes(carries &>> 24)) & mask
            limbs32 = (limbs32 &+ lanes(carries &>> 32)) & mask
        }
    }

    /// `number · R mod n`, below 2n, for a number below n.
    @inline(__always)
    private func form(_ number: Number, _ n: Number, _ leading: UInt64) -> Number {
        // At most 2^62, since the leading bit is set.
        let reciprocal = Int64(bitPattern: leading.dividingFullWidth((1 &<< 61, 0)).quotient)
        let (n37, n38, n39) = (n.limbs32[5], n.limbs32[6], n.limbs32[7])
        var columns = number
        var second = columns.limbs32[6]
        var top = columns.limbs32[7]
        for _ in 0..<40 {
            let leading = Int64(bitPattern: top) &<< 42 &+ Int64(bitPattern: second &>> 10)
            let estimate = (leading.multipliedFullWidth(by: reciprocal).high &+ 64) &>> 7
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
            top = columns.limbs32[6] &+ highHalf(product38) &+ product39.low & mask &+ above &<< 52
            second = columns.limbs32[5] &+ highHalf(product37) &+ product38.low & mask

            let multiple = n.flipped(flip)
            let sizes = SIMD8(repeating: size)
            var lows = Number()
            lows.addLow(multiple, sizes)
            columns.addHigh(multiple, sizes)
            columns.shiftUp(ones, adding: lows)
        }
        columns.limbs32[7] = top
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
        var columns = Number()
        var lowest: UInt64 = 0
        var index = 0
        while index < 40 {
            // In bounds: index < 40.
            let limb = unsafe other[index]
            let second = columns.limbs0[1] &+ one.limbs0[1] &* limb & mask
            let sum = multiplyAdd(one.limbs0[0], limb, 0, lowest)
            let quotient = sum.low &* negatedInverse & mask
            let divisible = multiplyAdd(n.limbs0[0], quotient, sum.high, sum.low)
            lowest = highHalf(divisible) &+ second &+ n.limbs0[1] &* quotient & mask

            let limbs = SIMD8(repeating: limb)
            let quotients = SIMD8(repeating: quotient)
            var highs = Number()
            columns.addLow(one, limbs)
            highs.addHigh(one, limbs)
            columns.addLow(n, quotients)
            highs.addHigh(n, quotients)
            columns.shiftDown(adding: highs)
            index &+= 1
        }
        columns.limbs0[0] = lowest
        columns.carry()
        return columns
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

    /// What of a product below B² is above 52 bits.
    @inline(__always)
    private func highHalf(_ product: (high: UInt64, low: UInt64)) -> UInt64 {
        product.high &<< 12 | product.low &>> 52
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
            unsafe limbs[index] = limb & mask
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
            var limb = unsafe limbs[source] &>> shift | limbs[source &+ 1] &<< (52 &- shift)
            if shift > 40 { unsafe limb |= limbs[source &+ 2] &<< (104 &- shift) }
            unsafe number[index] = limb
            index &+= 1
        }
    }

    // MARK: Lanes

    /// Each lane is the one above it, the last the first of the next vector.
    @inline(__always)
    private func down(_ lanes: SIMD8<UInt64>, _ next: SIMD8<UInt64>) -> SIMD8<UInt64> {
        SIMD8(lanes[1], lanes[2], lanes[3], lanes[4], lanes[5], lanes[6], lanes[7], next[0])
    }

    /// Each lane is the one below it, the first the last of the vector before.
    @inline(__always)
    private func up(_ before: SIMD8<UInt64>, _ lanes: SIMD8<UInt64>) -> SIMD8<UInt64> {
        SIMD8(before[7], lanes[0], lanes[1], lanes[2], lanes[3], lanes[4], lanes[5], lanes[6])
    }

    /// A bit for each lane that is above the other.
    @inline(__always)
    private func above(_ one: SIMD8<UInt64>, _ other: SIMD8<UInt64>) -> UInt64 {
        var bits: UInt8 = 0
        bits._value = Builtin.bitcast_Vec8xInt1_Int8(
            Builtin.cmp_ugt_Vec8xInt64(one._storage._value, other._storage._value)
        )
        return UInt64(bits)
    }

    /// A bit for each lane that is equal to the other.
    @inline(__always)
    private func equal(_ one: SIMD8<UInt64>, _ other: SIMD8<UInt64>) -> UInt64 {
        var bits: UInt8 = 0
        bits._value = Builtin.bitcast_Vec8xInt1_Int8(
            Builtin.cmp_eq_Vec8xInt64(one._storage._value, other._storage._value)
        )
        return UInt64(bits)
    }

    /// A lane, 0 or 1, for each of the low eight bits.
    @inline(__always)
    private func lanes(_ bits: UInt64) -> SIMD8<UInt64> {
        var lanes = SIMD8<UInt64>(repeating: 0)
        lanes._storage._value = Builtin.zext_Vec8xInt1_Vec8xInt64(
            Builtin.bitcast_Int8_Vec8xInt1(UInt8(truncatingIfNeeded: bits)._value)
        )
        return lanes
    }
#endif
