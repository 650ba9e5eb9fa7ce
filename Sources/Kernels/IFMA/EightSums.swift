// Computes eight sums of points of the curve P-256 (SP 800-186 §3.2.1.3) at once, with AVX-512 IFMA. See
// Instructions.swift for the instructions. Points.swift of the module ECDSA defines a sum in portable code.
//
// # Representation
//
// B = 2^52. A number has five limbs, the least significant limb first. R = B^5 = 2^260. A limb is a vector
// with the limb of all eight numbers, one number in each lane. No operation moves data between lanes, so this
// text describes one lane. A residue x modulo p stands as a number that is congruent to x·R.
//
//     p = 2^256 - 2^224 + 2^192 + 2^96 - 1 = (2^48 - 2^16)·B⁴ + 2^36·B³ + 2^44·B - 1
//
// # Products
//
// A product has ten columns. Columns are sums without carries: a·b adds the low half of aᵢ·bⱼ to column i + j
// and the high half to column i + j + 1. Montgomery's reduction removes columns 0 to 4, the lowest first.
// -1/p modulo B is 1, so the low half q of a column is the factor of p. -q removes the low half, and the bits
// above are carried to the next column.
//
// # Sums
//
// A sum of (X, Y, Z) in Jacobian coordinates and an affine point (x, y) takes eight products and three
// squares (D. Hankerson, A. Menezes, S. Vanstone, "Guide to Elliptic Curve Cryptography", 2004, algorithm
// 3.22). The formulas give Z = 0 for equal and for opposite points, and then Z stays 0. The caller computes
// such a sum again, by other means.
//
// # Bounds
//
// Limbs are below B, so numbers are below R < 16.01·p. A column receives at most five low and five high
// halves of a product and as many of the reduction, and a carry: it stays below 2^57. The product of two
// numbers below a·p and b·p is below (a·b/15.9 + 1)·p.
//
// `reduced` takes a number from -32p to 32p and returns one above 0 and below 2.01·p. A point of the caller
// is below 16p. So X and Y are below 16p after the first point, and below 2.01·p after the next. H, R and
// V - X are below 2.01·p. The products with X, Y, x or y are below 3.3·p, and the other products below
// 1.3·p. Z is below 1.3·p.
#if Accelerated && arch(x86_64)
    import Builtin

    /// Adds up `count` points of P-256 in each of eight lanes.
    ///
    /// A row is a vector of eight lanes of 64 bits. A point has eight rows: the limbs of x, then of y.
    /// The limbs have 64 bits, the least significant limb first, and stand for x·2^256 modulo p and
    /// y·2^256 modulo p. A point whose rows are all zero in a lane is left out of the sum of the lane.
    ///
    /// The sum replaces the first point: four rows hold X·2^256 modulo p, and four hold
    /// Z·2^256 modulo p. The x of the sum is X/Z². Z is zero in two cases: no point was added, or a
    /// point was added to an equal or an opposite partial sum. In the second case the sum is unknown.
    ///
    /// Unsafe: the processor must have AVX-512 IFMA, and the operating system must save the registers of
    /// AVX-512. Otherwise the program crashes. `8 * count` rows of 64 bytes must be readable, and the first
    /// eight writable. The coordinates must be below p.
    ///
    /// - Parameters:
    ///   - rows: the address of the first row.
    ///   - count: the number of points, 1 or more.
    @unsafe
    @inline(never)
    public func addEight(_ rows: UnsafeMutableRawPointer, _ count: Int) {
        let zero = SIMD8<UInt64>(repeating: 0)
        var (x, y, z) = (Number(), Number(), Number())
        // All bits are set in the lanes whose sum has a point.
        var started = zero
        var index = 0
        while index < count {
            // In bounds: index < count.
            let point = unsafe rows + 512 &* index
            let (x2, xBits) = unsafe Number.load(point)
            let (y2, yBits) = unsafe Number.load(point + 256)
            let present = allBitsIfNotZero(xBits | yBits)

            let zz = z.product(z)
            let zzz = zz.product(z)
            let h = x2.product(zz).minus(x).reduced()
            let r = y2.product(zzz).minus(y).reduced()
            let hh = h.product(h)
            let hhh = hh.product(h)
            let v = x.product(hh)
            let sumX = r.product(r).minus(hhh).minus(v).minus(v).reduced()
            let sumY = v.minus(sumX).reduced().product(r).minus(hhh.product(y)).reduced()
            let sumZ = z.product(h)

            let (added, first) = (present & started, present & ~started)
            x.replace(by: sumX, where: added)
            y.replace(by: sumY, where: added)
            z.replace(by: sumZ, where: added)
            x.replace(by: x2, where: first)
            y.replace(by: y2, where: first)
            z.replace(by: .one, where: first)
            started |= present
            index &+= 1
        }
        unsafe x.store(rows)
        unsafe z.store(rows + 256)
    }

    /// Five limbs of eight numbers. Each limb is below B = 2^52, except in a result of ``minus(_:)``.
    private struct Number {
        var limb0 = SIMD8<UInt64>(repeating: 0)
        var limb1 = SIMD8<UInt64>(repeating: 0)
        var limb2 = SIMD8<UInt64>(repeating: 0)
        var limb3 = SIMD8<UInt64>(repeating: 0)
        var limb4 = SIMD8<UInt64>(repeating: 0)

        /// The residue 1 in every lane: R modulo p, with R = 2^260.
        @inline(__always)
        static var one: Number {
            var one = Number()
            one.limb0 = SIMD8(repeating: 0x10)
            one.limb1 = SIMD8(repeating: 0xF_0000_0000_0000)
            one.limb2 = SIMD8(repeating: mask)
            one.limb3 = SIMD8(repeating: 0xF_FEFF_FFFF_FFFF)
            one.limb4 = SIMD8(repeating: 0xF_FFFF)
            return one
        }

        /// Loads numbers of four rows below p, and multiplies them by 2^4 = R / 2^256.
        ///
        /// Unsafe: four rows of 64 bytes must be readable.
        ///
        /// - Returns: the numbers, and a row that is zero where the number is zero.
        @unsafe
        @inline(__always)
        static func load(_ rows: UnsafeMutableRawPointer) -> (Number, bits: SIMD8<UInt64>) {
            let (row0, row1) = unsafe (row(rows, 0), row(rows, 1))
            let (row2, row3) = unsafe (row(rows, 2), row(rows, 3))
            let mask = SIMD8(repeating: mask)
            var number = Number()
            number.limb0 = row0 &<< 4 & mask
            number.limb1 = (row0 &>> 48 | row1 &<< 16) & mask
            number.limb2 = (row1 &>> 36 | row2 &<< 28) & mask
            number.limb3 = (row2 &>> 24 | row3 &<< 40) & mask
            number.limb4 = row3 &>> 12
            return (number, row0 | row1 | row2 | row3)
        }

        /// Stores x·2^256 modulo p for each residue x, in four rows. Each number stands for x as x·2^260
        /// modulo p, or as that plus a multiple of p, and must be below 16p.
        ///
        /// Unsafe: four rows of 64 bytes must be writable.
        @unsafe
        @inline(__always)
        func store(_ rows: UnsafeMutableRawPointer) {
            // The product of x·R and 2^256 is x·2^256. It is below 2p, because x·R is below 16p.
            var factor = Number()
            factor.limb4 = SIMD8(repeating: 1 &<< 48)
            let number = product(factor)
            var less = number.minus(.p)
            less.carry()
            let isBelow = less.limb4.shiftedRight(63)
            less.replace(by: number, where: isBelow)
            unsafe setRow(rows, 0, less.limb0 | less.limb1 &<< 52)
            unsafe setRow(rows, 1, less.limb1 &>> 12 | less.limb2 &<< 40)
            unsafe setRow(rows, 2, less.limb2 &>> 24 | less.limb3 &<< 28)
            unsafe setRow(rows, 3, less.limb3 &>> 36 | less.limb4 &<< 16)
        }

        @inline(__always)
        static var p: Number {
            var p = Number()
            p.limb0 = SIMD8(repeating: mask)
            p.limb1 = SIMD8(repeating: 1 &<< 44 &- 1)
            p.limb3 = SIMD8(repeating: 1 &<< 36)
            p.limb4 = SIMD8(repeating: 1 &<< 48 &- 1 &<< 16)
            return p
        }

        /// Takes the numbers of `other` in the lanes in which all bits of `mask` are set.
        @inline(__always)
        mutating func replace(by other: Number, where mask: SIMD8<UInt64>) {
            limb0 = limb0 & ~mask | other.limb0 & mask
            limb1 = limb1 & ~mask | other.limb1 & mask
            limb2 = limb2 & ~mask | other.limb2 & mask
            limb3 = limb3 & ~mask | other.limb3 & mask
            limb4 = limb4 & ~mask | other.limb4 & mask
        }

        /// The difference. Its limbs may be negative: they are in two's complement.
        @inline(__always)
        func minus(_ other: Number) -> Number {
            var difference = self
            difference.limb0 &-= other.limb0
            difference.limb1 &-= other.limb1
            difference.limb2 &-= other.limb2
            difference.limb3 &-= other.limb3
            difference.limb4 &-= other.limb4
            return difference
        }

        /// Carries the bits of each limb above the lowest 52 to the next limb. The highest limb keeps its
        /// bits, and is negative if the number is.
        @inline(__always)
        mutating func carry() {
            let mask = SIMD8(repeating: mask)
            limb1 &+= limb0.shiftedRight(52)
            limb2 &+= limb1.shiftedRight(52)
            limb3 &+= limb2.shiftedRight(52)
            limb4 &+= limb3.shiftedRight(52)
            limb0 &= mask
            limb1 &= mask
            limb2 &= mask
            limb3 &= mask
        }

        /// Subtracts a multiple k·p from each number, a difference from -32p to 32p. The result is above 0
        /// and below 2.01·p.
        ///
        /// The number is f·2^256 + g, where f comes from the highest limb alone: g is above -2^211 and below
        /// 2^256 + 2^211. k is f - 1. The result is g + 2^256 + k·(2^256 - p). The bounds of the result
        /// hold because 2^256 - p is below 2^224.
        @inline(__always)
        func reduced() -> Number {
            var number = self
            let factor = limb4.shiftedRight(48) &- SIMD8(repeating: 1)
            number.limb0 &+= factor
            number.limb1 &-= factor &<< 44
            number.limb3 &-= factor &<< 36
            number.limb4 &+= factor &<< 16 &- factor &<< 48
            number.carry()
            return number
        }

        /// In each lane, a number congruent modulo p to the product divided by 2^260. It may be p or more.
        @inline(__always)
        func product(_ other: Number) -> Number {
            let zero = SIMD8<UInt64>(repeating: 0)
            var (column0, column1, column2, column3, column4) = (zero, zero, zero, zero, zero)
            var (column5, column6, column7, column8, column9) = (zero, zero, zero, zero, zero)
            addProducts(other.limb0, &column0, &column1, &column2, &column3, &column4, &column5)
            addProducts(other.limb1, &column1, &column2, &column3, &column4, &column5, &column6)
            addProducts(other.limb2, &column2, &column3, &column4, &column5, &column6, &column7)
            addProducts(other.limb3, &column3, &column4, &column5, &column6, &column7, &column8)
            addProducts(other.limb4, &column4, &column5, &column6, &column7, &column8, &column9)
            Self.removeLowest(column0, &column1, &column2, &column3, &column4, &column5)
            Self.removeLowest(column1, &column2, &column3, &column4, &column5, &column6)
            Self.removeLowest(column2, &column3, &column4, &column5, &column6, &column7)
            Self.removeLowest(column3, &column4, &column5, &column6, &column7, &column8)
            Self.removeLowest(column4, &column5, &column6, &column7, &column8, &column9)
            var number = Number()
            number.limb0 = column5
            number.limb1 = column6
            number.limb2 = column7
            number.limb3 = column8
            number.limb4 = column9
            number.carry()
            return number
        }

        /// Adds the products of all limbs with a factor to the columns.
        @inline(__always)
        private func addProducts(
            _ factor: SIMD8<UInt64>,
            _ column0: inout SIMD8<UInt64>,
            _ column1: inout SIMD8<UInt64>,
            _ column2: inout SIMD8<UInt64>,
            _ column3: inout SIMD8<UInt64>,
            _ column4: inout SIMD8<UInt64>,
            _ column5: inout SIMD8<UInt64>
        ) {
            addLowHalves(&column0, limb0, factor)
            addLowHalves(&column1, limb1, factor)
            addLowHalves(&column2, limb2, factor)
            addLowHalves(&column3, limb3, factor)
            addLowHalves(&column4, limb4, factor)
            addHighHalves(&column1, limb0, factor)
            addHighHalves(&column2, limb1, factor)
            addHighHalves(&column3, limb2, factor)
            addHighHalves(&column4, limb3, factor)
            addHighHalves(&column5, limb4, factor)
        }

        /// Adds q·p to the columns, where q is the lowest 52 bits of the lowest column. The sum has zeros
        /// in these 52 bits. The higher bits of the lowest column are carried to the next column.
        @inline(__always)
        private static func removeLowest(
            _ column0: SIMD8<UInt64>,
            _ column1: inout SIMD8<UInt64>,
            _ column2: inout SIMD8<UInt64>,
            _ column3: inout SIMD8<UInt64>,
            _ column4: inout SIMD8<UInt64>,
            _ column5: inout SIMD8<UInt64>
        ) {
            let (second, fourth) = (SIMD8<UInt64>(repeating: 1 &<< 44), SIMD8<UInt64>(repeating: 1 &<< 36))
            let fifth = SIMD8<UInt64>(repeating: 1 &<< 48 &- 1 &<< 16)
            column1 &+= column0 &>> 52
            addLowHalves(&column1, column0, second)
            addHighHalves(&column2, column0, second)
            addLowHalves(&column3, column0, fourth)
            addHighHalves(&column4, column0, fourth)
            addLowHalves(&column4, column0, fifth)
            addHighHalves(&column5, column0, fifth)
        }
    }

    extension SIMD8<UInt64> {
        /// Shifts each lane to the right, and repeats its highest bit.
        @inline(__always)
        fileprivate func shiftedRight(_ count: Int64) -> SIMD8<UInt64> {
            var signed = SIMD8<Int64>(repeating: 0)
            signed._storage._value = _storage._value
            signed = signed &>> SIMD8<Int64>(repeating: count)
            var result = self
            result._storage._value = signed._storage._value
            return result
        }
    }

    /// Sets all bits of each lane that is not zero. A lane that is zero stays zero.
    @inline(__always)
    private func allBitsIfNotZero(_ lanes: SIMD8<UInt64>) -> SIMD8<UInt64> {
        (lanes | (SIMD8(repeating: 0) &- lanes)).shiftedRight(63)
    }

    /// Loads the row of 64 bytes with an index, counted in rows from the address `rows`.
    ///
    /// Unsafe: the row must be readable.
    @unsafe
    @inline(__always)
    private func row(_ rows: UnsafeMutableRawPointer, _ index: Int) -> SIMD8<UInt64> {
        // In bounds: the caller provides the row.
        unsafe rows.loadUnaligned(fromByteOffset: index &* 64, as: SIMD8<UInt64>.self)
    }

    /// Stores a row of 64 bytes at an index, counted in rows from the address `rows`.
    ///
    /// Unsafe: the row must be writable.
    @unsafe
    @inline(__always)
    private func setRow(_ rows: UnsafeMutableRawPointer, _ index: Int, _ row: SIMD8<UInt64>) {
        // In bounds: the caller provides the row.
        unsafe rows.storeBytes(of: row, toByteOffset: index &* 64, as: SIMD8<UInt64>.self)
    }
#endif
