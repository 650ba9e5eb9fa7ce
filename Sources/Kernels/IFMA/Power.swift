// Raises a number modulo an odd number n of 2048 bits with AVX-512 IFMA. See Instructions.swift for the
// instructions. Montgomery.swift of the module RSA defines a power in portable code.
//
// # Representation
//
// B = 2^52. A number has 40 limbs. R = B^40 = 2^2080. Five vectors of eight lanes hold the limbs: limb i is
// in lane i / 5 of vector i mod 5. To move a number down by one limb, the vectors are renamed, and the lanes
// of one vector are shifted.
//
// # Products
//
// a·b/R mod n is computed with Montgomery's method, one limb bᵢ at a time. C is a sum of columns without
// carries:
//
//     q = C₀·(-1/n) mod B,  with C₀ of  C + a·bᵢ;    C ← (C + a·bᵢ + q·n) / B
//
// The lowest column of the new sum is divisible by B. Dividing by B moves the other columns down by one limb.
// Low halves of products are added before the move. High halves belong one column higher, so they are added
// after it.
//
// A square contains every product of two different limbs twice, as aᵢ·aₖ and as aₖ·aᵢ. For two limbs in one
// vector both products are computed. For limbs in two vectors only the product of the limb in the first
// vector with the limb in the second is computed, and it counts twice. So aᵢ is multiplied by its own vector
// and by the later vectors only. The products with the later vectors are added to separate columns, which are
// doubled at the end. No product arrives too late: aᵢ·aₖ belongs to the columns i + k and i + k + 1, and step
// i + k, which reads column i + k, comes no earlier than step i or step k.
//
// Each q depends on the previous one. To keep the vectors out of this chain, a general register holds the
// lowest column with all its bits. The contribution of bᵢ and q to the column above it is computed a second
// time in general registers and added to the earlier value of that column. Lane 0 of the first vector is
// meaningless until the end.
//
// Bounds: a column receives two low and two high halves, each below B, for each of at most 40 limbs, so it
// stays below 160·B < 2^60. The carry from the lowest column comes from C₀ + a₀·bᵢ + q·n₀ < 2^61 + 2·B², so
// it is below 2^54. The column above is below 160·B with all its halves. With the carry, the new C₀ is below
// 2^61 again.
//
// All q together form a number below R, so the product is below a·b/R + n. Because n < R/2^32, and because
// the Montgomery form is below 2n, every product is below 4n²/R + n < 2n. The last product, with the base
// itself, is below n + n/2^31, so the caller subtracts n at most once.
//
// # Conversion to the Montgomery form
//
// x·R mod n is computed by moving x up by one limb 40 times and subtracting a multiple of n each time:
//
//     X ← X·B - d·n,    d = X·B/n, rounded, but B - 1 if that is less
//
// X may be negative. It is a sum of columns, and only the highest column may be negative. A general register
// holds the highest column, and lane 7 of the last vector is meaningless until the end. The column below the
// highest is computed a second time in general registers, because d depends on it. Both start with the values
// that the vectors hold one column lower.
//
// If d is negative, -d·n is added. Otherwise d·(R - n) is added: d times the limbs of n with all bits
// flipped, plus d. The resulting excess above the highest column, a multiple of R, is known to vanish, except
// for the part that is borrowed from it for the highest column.
//
// To estimate d, X is taken in units of 2^1986 and n in units of 2^1984, so d is X·2^54/n in these units. For
// n the units leave its 64 leading bits, whose reciprocal is r = 2^125/n, between 2^61 and 2^62. For X they
// leave the two highest columns. d is the part of X·r above 64 bits, divided by 2^7.
//
// Bounds: a column holds a limb of the number, or a d that entered it, and receives one low and one high half
// at most 40 times. It stays below 82·B < 2^59. So the columns of X that are left out are below 2^1983, and X
// is too small by less than 2 units. The resulting error of d is below 2^-8. The error of r, from its
// rounding and from the bits of n below the 64 leading ones, adds less than 2^-8 again, because X is below
// 2^62 units in size. The dropped part of X·r adds less than 2^-7. With the rounding, the error is below 1/2
// + 1/64, so X lies between -(1/2 + 1/64)·n and n. If d is B - 1 instead, X·B - (B - 1)·n < n as well. It
// follows that d has 52 bits and a sign, that the highest column is below 2^20 in size, and that the final X
// + n lies between 0 and 2n.
//
// # Carrying
//
// Carries pass through the five limbs of each lane, one after another. The carry out of the fifth limb goes
// to the first limb of the next lane. This is repeated until there is no such carry. The first carries have
// up to 8 bits. A lane that receives one can exceed B^5 by one more carry of 1, and is small afterwards. So
// each of lanes 1 to 7 carries again at most once, and there are at most nine passes. Few numbers need more
// than two passes, but an attacker can choose one that does. Nothing is carried out of the highest lane,
// because the columns form a number below 2n.
#if Accelerated && arch(x86_64)
    import Builtin

    /// Raises `base` to the power of 2^`squarings` + 1 modulo n. Stores the low 2048 bits of the result in
    /// `power`, and returns the higher bits. The result may be n too large.
    ///
    /// Numbers have 32 limbs of 64 bits, the least significant limb first.
    ///
    /// Unsafe: the processor must have AVX-512 IFMA, and the operating system must save the registers of
    /// AVX-512. Otherwise the program crashes. 32 limbs of the base and the modulus must be readable, and 32
    /// limbs of the power and 40 limbs of scratch memory writable. None of them may overlap.
    ///
    /// - Parameters:
    ///   - power: receives the low 2048 bits of the power, which is below 2n.
    ///   - base: the base, below n.
    ///   - modulus: n, odd, of 2048 bits.
    ///   - negatedInverse: -1/n mod 2^64.
    ///   - squarings: 1 or more.
    ///   - scratch: memory for 40 limbs.
    /// - Returns: the bits of the power above 2048: 0 or 1.
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
        // In bounds: the scratch memory has 40 limbs, as many as a number here.
        unsafe split(scratch, modulus)
        let n = unsafe Number(scratch)
        unsafe split(scratch, base)
        let plain = unsafe Number(scratch)
        // In bounds: the modulus has 32 limbs.
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

    /// A number of 40 limbs of 52 bits: limb i is in lane i / 5 of vector i mod 5.
    private struct Number {
        var limbs0: SIMD8<UInt64>
        var limbs1: SIMD8<UInt64>
        var limbs2: SIMD8<UInt64>
        var limbs3: SIMD8<UInt64>
        var limbs4: SIMD8<UInt64>

        /// Creates the number zero.
        @inline(__always)
        init() {
            let zero = SIMD8<UInt64>(repeating: 0)
            (limbs0, limbs1, limbs2, limbs3, limbs4) = (zero, zero, zero, zero, zero)
        }

        /// Loads 40 limbs in the order in which `store` writes them: one vector after the other.
        ///
        /// Unsafe: 40 limbs must be readable.
        @unsafe
        @inline(__always)
        init(_ limbs: UnsafePointer<UInt64>) {
            // In bounds: the caller provides 320 bytes.
            let bytes = unsafe UnsafeRawPointer(limbs)
            unsafe limbs0 = bytes.loadUnaligned(as: SIMD8<UInt64>.self)
            unsafe limbs1 = bytes.loadUnaligned(fromByteOffset: 64, as: SIMD8<UInt64>.self)
            unsafe limbs2 = bytes.loadUnaligned(fromByteOffset: 128, as: SIMD8<UInt64>.self)
            unsafe limbs3 = bytes.loadUnaligned(fromByteOffset: 192, as: SIMD8<UInt64>.self)
            unsafe limbs4 = bytes.loadUnaligned(fromByteOffset: 256, as: SIMD8<UInt64>.self)
        }

        /// Stores 40 limbs, one vector after the other.
        ///
        /// Unsafe: 40 limbs must be writable.
        @unsafe
        @inline(__always)
        func store(_ limbs: UnsafeMutablePointer<UInt64>) {
            // In bounds: the caller provides 320 bytes.
            let bytes = UnsafeMutableRawPointer(limbs)
            unsafe bytes.storeBytes(of: limbs0, as: SIMD8<UInt64>.self)
            unsafe bytes.storeBytes(of: limbs1, toByteOffset: 64, as: SIMD8<UInt64>.self)
            unsafe bytes.storeBytes(of: limbs2, toByteOffset: 128, as: SIMD8<UInt64>.self)
            unsafe bytes.storeBytes(of: limbs3, toByteOffset: 192, as: SIMD8<UInt64>.self)
            unsafe bytes.storeBytes(of: limbs4, toByteOffset: 256, as: SIMD8<UInt64>.self)
        }

        /// Adds the low 52 bits of the product of each limb of `other` and one limb, which all lanes of
        /// `limb` hold, to the limb with the same index. Only the vectors with the indices `vectors` change.
        @inline(__always)
        mutating func addLow(_ other: Number, _ limb: SIMD8<UInt64>, of vectors: Range<Int> = 0..<5) {
            if vectors.contains(0) { addLowHalves(&limbs0, other.limbs0, limb) }
            if vectors.contains(1) { addLowHalves(&limbs1, other.limbs1, limb) }
            if vectors.contains(2) { addLowHalves(&limbs2, other.limbs2, limb) }
            if vectors.contains(3) { addLowHalves(&limbs3, other.limbs3, limb) }
            if vectors.contains(4) { addLowHalves(&limbs4, other.limbs4, limb) }
        }

        /// Adds the high 52 bits of the product of each limb of `other` and one limb, which all lanes of
        /// `limb` hold, to the limb with the same index. Only the vectors with the indices `vectors` change.
        @inline(__always)
        mutating func addHigh(_ other: Number, _ limb: SIMD8<UInt64>, of vectors: Range<Int> = 0..<5) {
            if vectors.contains(0) { addHighHalves(&limbs0, other.limbs0, limb) }
            if vectors.contains(1) { addHighHalves(&limbs1, other.limbs1, limb) }
            if vectors.contains(2) { addHighHalves(&limbs2, other.limbs2, limb) }
            if vectors.contains(3) { addHighHalves(&limbs3, other.limbs3, limb) }
            if vectors.contains(4) { addHighHalves(&limbs4, other.limbs4, limb) }
        }

        /// Moves every limb up by one place. The last limb is dropped, and `entering` becomes the first.
        @inline(__always)
        mutating func moveUp(_ entering: UInt64) {
            (limbs0, limbs1, limbs2, limbs3, limbs4) = (up(entering, limbs4), limbs0, limbs1, limbs2, limbs3)
        }

        /// Moves every limb down by one place. The first limb is dropped, and the last becomes zero.
        @inline(__always)
        mutating func moveDown() {
            (limbs0, limbs1, limbs2, limbs3, limbs4) = (limbs1, limbs2, limbs3, limbs4, down(limbs0))
        }

        /// The number with each limb replaced by limb ⊕ `bits`: where `bits` has a 1, the bit is flipped.
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

        /// Adds the limbs of another number, without carries.
        @inline(__always)
        mutating func add(_ other: Number) {
            limbs0 &+= other.limbs0
            limbs1 &+= other.limbs1
            limbs2 &+= other.limbs2
            limbs3 &+= other.limbs3
            limbs4 &+= other.limbs4
        }

        /// Propagates all carries, so that every limb is below 2^52. A carry out of the last limb is dropped.
        @inline(__always)
        mutating func carry() {
            var carried = carryInLanes()
            while !isZero(carried) {
                limbs0 &+= up(0, carried)
                carried = carryInLanes()
            }
        }

        /// Propagates carries through the five limbs of each lane, so that every limb is below B = 2^52.
        ///
        /// - Returns: the carry out of the last limb of each lane.
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

    /// The Montgomery form of a number below n: `number · R` modulo n, below 2n, with R = 2^2080.
    ///
    /// - Parameters:
    ///   - n31: the highest limb of n, of 64 bits.
    ///   - n30: the limb of 64 bits below it.
    @inline(__always)
    private func form(_ number: Number, _ n: Number, _ n31: UInt64, _ n30: UInt64) -> Number {
        // At most 2^62, because the leading bit of n is set.
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
            // Adds `size` times n, or `size` times R - n, which is n with flipped limbs, plus 1. R lies above
            // the highest column.
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

    /// `one · other / R` modulo n, below `one · other / R + n`, with R = 2^2080 and limbs below 2^52.
    ///
    /// Unsafe: 40 limbs of `other` must be readable, in the order in which `Number.store` writes them.
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

    /// `one² / R` modulo n, below `one² / R + n`, with R = 2^2080 and limbs below 2^52.
    ///
    /// Unsafe: 40 limbs must be readable. They must be the limbs of `one`, as `Number.store` writes them.
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

    /// The columns of a product or a square during Montgomery's reduction: a sum for each limb, not carried.
    private struct Columns {
        /// Columns that the sum of all columns contains once.
        private var once = Number()
        /// Columns that the sum of all columns contains twice. They are zero except in a square.
        private var twice = Number()
        /// The lowest column of the sum, with all its bits. The lowest column of `once` is meaningless.
        private var lowest: UInt64 = 0

        /// Creates columns that are all zero.
        @inline(__always)
        init() {}

        /// Adds `one · limb`, adds the multiple of n that makes the sum divisible by B = 2^52, divides by B.
        ///
        /// - Parameter vectors: the vectors of `one` whose products count once. Products of later vectors
        ///   count twice, and products of earlier vectors are not added.
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

        /// The number that all columns form, with every limb below B = 2^52.
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

    /// `one · other + high·2^64 + low`, which must be below 2^128.
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

    /// A number below 2^116, given in two words of 64 bits, divided by 2^52 and rounded down.
    @inline(__always)
    private func highHalf(_ product: (high: UInt64, low: UInt64)) -> UInt64 {
        product.high &<< 12 | product.low &>> 52
    }

    /// The product of a signed and an unsigned number, divided by 2^64 and rounded down.
    @inline(__always)
    private func highHalf(_ one: Int64, _ other: UInt64) -> Int64 {
        let product = UInt64(bitPattern: one).multipliedFullWidth(by: other)
        return Int64(bitPattern: product.high) &- one &>> 63 & Int64(bitPattern: other)
    }

    // MARK: Radix

    /// Splits a number of 32 limbs of 64 bits into 40 limbs of 52 bits, in the order of `Number.store`.
    ///
    /// Unsafe: 32 limbs must be readable, and 40 limbs writable.
    @unsafe
    private func split(_ limbs: UnsafeMutablePointer<UInt64>, _ number: UnsafePointer<UInt64>) {
        var index = 0
        while index < 40 {
            let (source, shift) = (52 &* index / 64, UInt64(52 &* index % 64))
            // In bounds: source ≤ 52·39/64 < 32, and source + 1 is read only if source < 31.
            var limb = unsafe number[source] &>> shift
            if shift > 12 && source < 31 { unsafe limb |= number[source &+ 1] &<< (64 &- shift) }
            unsafe limbs[place(index)] = limb & mask
            index &+= 1
        }
    }

    /// Converts a number from 40 limbs of 52 bits, in the order of `Number.store`, to 32 limbs of 64 bits.
    /// Higher bits are dropped.
    ///
    /// Unsafe: 40 limbs must be readable, and 32 limbs writable.
    @unsafe
    private func join(_ number: UnsafeMutablePointer<UInt64>, _ limbs: UnsafePointer<UInt64>) {
        var index = 0
        while index < 32 {
            let (source, shift) = (64 &* index / 52, UInt64(64 &* index % 52))
            // In bounds: source ≤ 64·31/52 = 38. There the shift is 8, so source + 2 is not read.
            var limb = unsafe limbs[place(source)] &>> shift | limbs[place(source &+ 1)] &<< (52 &- shift)
            if shift > 40 { unsafe limb |= limbs[place(source &+ 2)] &<< (104 &- shift) }
            unsafe number[index] = limb
            index &+= 1
        }
    }

    /// The index, in the order of `Number.store`, of the limb that has the given index in the number.
    @inline(__always)
    private func place(_ index: Int) -> Int { index % 5 &* 8 &+ index / 5 }

    // MARK: Lanes

    /// Moves every lane down by one. The last lane becomes zero.
    @inline(__always)
    private func down(_ lanes: SIMD8<UInt64>) -> SIMD8<UInt64> {
        SIMD8(lanes[1], lanes[2], lanes[3], lanes[4], lanes[5], lanes[6], lanes[7], 0)
    }

    /// Moves every lane up by one. The first lane becomes `entering`.
    @inline(__always)
    private func up(_ entering: UInt64, _ lanes: SIMD8<UInt64>) -> SIMD8<UInt64> {
        SIMD8(entering, lanes[0], lanes[1], lanes[2], lanes[3], lanes[4], lanes[5], lanes[6])
    }

    /// Whether all lanes are zero.
    @inline(__always)
    private func isZero(_ lanes: SIMD8<UInt64>) -> Bool {
        var bits: UInt8 = 0
        bits._value = Builtin.bitcast_Vec8xInt1_Int8(
            Builtin.cmp_ne_Vec8xInt64(lanes._storage._value, Builtin.zeroInitializer())
        )
        return bits == 0
    }
#endif
