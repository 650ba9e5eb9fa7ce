// Eight powers at once, modulo eight odd numbers of 2048 bits, by AVX-512 IFMA: see Instructions.swift. What
// a power is is defined, and written out plainly, in Montgomery.swift of the module RSA.
//
// B is 2^52; a number is 40 limbs, the least significant first; R = B^40 = 2^2080. A row is a vector with the
// same limb of eight numbers, a lane each, which have nothing to do with each other: lanes never meet. So
// everything here is said of one lane.
//
// # Products
//
// A product of two numbers is 80 columns, which are sums, not carried: a·b adds the low halves of aᵢ·bⱼ to
// column i + j, and the high halves to the one above. It is made of strips: eight limbs of a number, in
// registers, times one limb of another after the other. Nine columns are in registers meanwhile; with each
// limb the lowest is done, and one more comes.
//
// Of a square, each product of two limbs that differ is made once: of eight limbs among themselves, a
// triangle, and with all those above, a strip. The sum is doubled, and the squares of limbs are added.
//
// # Reduction
//
// After Montgomery: T ← (T + q·n·Bⁱ), one limb q after the other, so that column i becomes divisible by B,
//
//     q = Tᵢ·(-1/n) mod B,
//
// and what is above its 52 bits goes up. That is known before q·n₀ is: the low half of q·n₀ is what Tᵢ lacks
// to the next multiple of B, so that the carry is (Tᵢ + B - 1) / B. Eight such limbs are found with the eight
// lowest of n, which is all that they need of it; their products with the others are a strip.
//
// Bounds: a column of a product gets a low and a high half of each of 40 products at the most, all below B;
// one of a square half of that, doubled, and a half of one square: below 81·B. From the reduction it gets as
// many halves, and a carry of 162 at the most: it stays below 162·B < 2^60.
//
// As n < R/2^32: a product of numbers below 2n, reduced, is below 4n²/R + n < 2n; one of a number below 2n by
// a number below n is below 2n²/R + n < n + n/2^31. n is subtracted from that once at most, which is left to
// the caller.
#if Accelerated && arch(x86_64)
    import Builtin

    /// Raises eight numbers to the power of 2^`squarings` + 1, each modulo an n of its own.
    ///
    /// `rows` are vectors of eight lanes. What is given has limbs of 64 bits, the least significant first:
    ///
    /// ```
    ///   0 ..<  32   eight bases; then their powers, without what is above 2048 bits, of those below their n
    ///  32 ..<  64   n, odd, of 2048 bits
    ///  64 ..<  96   R² mod n
    ///  96           -1/n mod 2^64; then what of each power is above 2048 bits, 0 or 1
    ///  97 ..< 305   scratch memory
    /// ```
    ///
    /// Unsafe: the processor must have AVX-512 IFMA, and the system must save its registers, or the program
    /// ends; and the memory must be there, 305 rows of 64 bytes.
    ///
    /// - Parameter squarings: 1 or more.
    @unsafe
    @inline(never)
    public func raiseEight(_ rows: UnsafeMutableRawPointer, _ squarings: Int) {
        let (base, n, number) = unsafe (rows + 97 &* 64, rows + 137 &* 64, rows + 177 &* 64)
        let (columns, quotients) = unsafe (rows + 217 &* 64, rows + 297 &* 64)
        let inverse = unsafe row(rows, 96)
        unsafe split(base, rows)
        unsafe split(n, rows + 32 &* 64)
        unsafe split(number, rows + 64 &* 64)

        unsafe setProduct(columns, number, base)
        unsafe reduce(number, columns, n, inverse, quotients)
        for _ in 0..<squarings {
            unsafe setSquare(columns, number)
            unsafe reduce(number, columns, n, inverse, quotients)
        }
        unsafe setProduct(columns, number, base)
        unsafe reduce(number, columns, n, inverse, quotients)

        unsafe join(rows, number)
        unsafe setRow(rows, 96, row(number, 39) &>> 20)
    }

    /// Eight rows.
    private struct EightRows {
        var row0: SIMD8<UInt64>
        var row1: SIMD8<UInt64>
        var row2: SIMD8<UInt64>
        var row3: SIMD8<UInt64>
        var row4: SIMD8<UInt64>
        var row5: SIMD8<UInt64>
        var row6: SIMD8<UInt64>
        var row7: SIMD8<UInt64>

        /// Unsafe: they must be there.
        @unsafe
        @inline(__always)
        init(_ rows: UnsafeMutableRawPointer) {
            unsafe (row0, row1, row2, row3) = (row(rows, 0), row(rows, 1), row(rows, 2), row(rows, 3))
            unsafe (row4, row5, row6, row7) = (row(rows, 4), row(rows, 5), row(rows, 6), row(rows, 7))
        }

        /// Unsafe: they must be there.
        @unsafe
        @inline(__always)
        func store(_ rows: UnsafeMutableRawPointer) {
            unsafe setRow(rows, 0, row0)
            unsafe setRow(rows, 1, row1)
            unsafe setRow(rows, 2, row2)
            unsafe setRow(rows, 3, row3)
            unsafe setRow(rows, 4, row4)
            unsafe setRow(rows, 5, row5)
            unsafe setRow(rows, 6, row6)
            unsafe setRow(rows, 7, row7)
        }

        /// Adds the low halves of the products of so many of the factors, 8 at the most, with a limb.
        @inline(__always)
        mutating func addLow(_ factors: EightRows, _ limb: SIMD8<UInt64>, _ count: Int) {
            if count > 0 { addLowHalves(&row0, factors.row0, limb) }
            if count > 1 { addLowHalves(&row1, factors.row1, limb) }
            if count > 2 { addLowHalves(&row2, factors.row2, limb) }
            if count > 3 { addLowHalves(&row3, factors.row3, limb) }
            if count > 4 { addLowHalves(&row4, factors.row4, limb) }
            if count > 5 { addLowHalves(&row5, factors.row5, limb) }
            if count > 6 { addLowHalves(&row6, factors.row6, limb) }
            if count > 7 { addLowHalves(&row7, factors.row7, limb) }
        }

        /// Adds the high halves, each a column higher, so that the last one is added to `next`.
        @inline(__always)
        mutating func addHigh(
            _ factors: EightRows,
            _ limb: SIMD8<UInt64>,
            _ count: Int,
            _ next: inout SIMD8<UInt64>
        ) {
            if count > 0 { addHighHalves(&row1, factors.row0, limb) }
            if count > 1 { addHighHalves(&row2, factors.row1, limb) }
            if count > 2 { addHighHalves(&row3, factors.row2, limb) }
            if count > 3 { addHighHalves(&row4, factors.row3, limb) }
            if count > 4 { addHighHalves(&row5, factors.row4, limb) }
            if count > 5 { addHighHalves(&row6, factors.row5, limb) }
            if count > 6 { addHighHalves(&row7, factors.row6, limb) }
            if count > 7 { addHighHalves(&next, factors.row7, limb) }
        }

        /// Moves each a row down, the lowest one out.
        @inline(__always)
        mutating func moveDown(_ next: SIMD8<UInt64>) {
            (row0, row1, row2, row3) = (row1, row2, row3, row4)
            (row4, row5, row6, row7) = (row5, row6, row7, next)
        }
    }

    /// Adds the products of eight factors and `count` limbs to `count + 8` columns.
    ///
    /// Unsafe: these must be there.
    @unsafe
    @inline(__always)
    private func addStrip(
        _ columns: UnsafeMutableRawPointer,
        _ factors: EightRows,
        _ limbs: UnsafeMutableRawPointer,
        _ count: Int
    ) {
        // In bounds: index < count.
        var sums = unsafe EightRows(columns)
        var index = 0
        while index < count {
            let limb = unsafe row(limbs, index)
            var next = unsafe row(columns, index &+ 8)
            sums.addLow(factors, limb, 8)
            sums.addHigh(factors, limb, 8, &next)
            unsafe setRow(columns, index, sums.row0)
            sums.moveDown(next)
            index &+= 1
        }
        unsafe sums.store(columns + count &* 64)
    }

    /// `columns ← one · other`, 80 of them.
    ///
    /// Unsafe: these and 40 limbs of each number must be there.
    @unsafe
    @inline(__always)
    private func setProduct(
        _ columns: UnsafeMutableRawPointer,
        _ one: UnsafeMutableRawPointer,
        _ other: UnsafeMutableRawPointer
    ) {
        unsafe clear(columns)
        var block = 0
        while block < 40 {
            // In bounds: block ≤ 32, and block + 48 ≤ 80.
            unsafe addStrip(columns + block &* 64, EightRows(one + block &* 64), other, 40)
            block &+= 8
        }
    }

    /// `columns ← number²`, 80 of them.
    ///
    /// Unsafe: these and 40 limbs must be there.
    @unsafe
    @inline(__always)
    private func setSquare(_ columns: UnsafeMutableRawPointer, _ number: UnsafeMutableRawPointer) {
        unsafe clear(columns)
        var block = 0
        while block < 40 {
            // In bounds: block ≤ 32; the triangle changes columns 2·block to 2·block + 15, the strip those
            // from 2·block + 8 to block + 47.
            let (first, limbs) = unsafe (columns + 2 &* block &* 64, number + block &* 64)
            let factors = unsafe EightRows(limbs)
            unsafe addTriangle(first, factors, limbs)
            unsafe addStrip(first + 8 &* 64, factors, limbs + 8 &* 64, 32 &- block)
            block &+= 8
        }
        var index = 0
        while index < 40 {
            // In bounds: 2·index + 1 < 80.
            let limb = unsafe row(number, index)
            var (low, high) = unsafe (row(columns, 2 &* index), row(columns, 2 &* index &+ 1))
            low &+= low
            high &+= high
            addLowHalves(&low, limb, limb)
            addHighHalves(&high, limb, limb)
            unsafe setRow(columns, 2 &* index, low)
            unsafe setRow(columns, 2 &* index &+ 1, high)
            index &+= 1
        }
    }

    /// Adds the products of each of eight limbs with those below it to 16 columns.
    ///
    /// Unsafe: these and the limbs must be there.
    @unsafe
    @inline(__always)
    private func addTriangle(
        _ columns: UnsafeMutableRawPointer,
        _ factors: EightRows,
        _ limbs: UnsafeMutableRawPointer
    ) {
        // In bounds: index < 8.
        var sums = unsafe EightRows(columns)
        var index = 0
        while index < 8 {
            let limb = unsafe row(limbs, index)
            var next = unsafe row(columns, index &+ 8)
            sums.addLow(factors, limb, index)
            sums.addHigh(factors, limb, index, &next)
            unsafe setRow(columns, index, sums.row0)
            sums.moveDown(next)
            index &+= 1
        }
        unsafe sums.store(columns + 8 &* 64)
    }

    /// `number ← columns / R mod n`, with every limb below B. Destroys the columns.
    ///
    /// Unsafe: 80 columns, 40 limbs of the number and of n, and eight quotients must be there.
    @unsafe
    @inline(__always)
    private func reduce(
        _ number: UnsafeMutableRawPointer,
        _ columns: UnsafeMutableRawPointer,
        _ n: UnsafeMutableRawPointer,
        _ inverse: SIMD8<UInt64>,
        _ quotients: UnsafeMutableRawPointer
    ) {
        let mask = SIMD8(repeating: mask)
        let lowest = unsafe EightRows(n)
        var block = 0
        while block < 40 {
            // In bounds: block ≤ 32, and block + 48 ≤ 80.
            let first = unsafe columns + block &* 64
            var sums = unsafe EightRows(first)
            var index = 0
            while index < 8 {
                var quotient = SIMD8<UInt64>(repeating: 0)
                addLowHalves(&quotient, sums.row0, inverse)
                unsafe setRow(quotients, index, quotient)
                var next = unsafe row(first, index &+ 8)
                sums.row1 &+= (sums.row0 &+ mask) &>> 52
                sums.addLow(lowest, quotient, 8)
                sums.addHigh(lowest, quotient, 8, &next)
                sums.moveDown(next)
                index &+= 1
            }
            unsafe sums.store(first + 8 &* 64)
            unsafe addStrip(first + 8 &* 64, EightRows(quotients), n + 8 &* 64, 32)
            block &+= 8
        }
        var carry = SIMD8<UInt64>(repeating: 0)
        var index = 0
        while index < 40 {
            // In bounds: index < 40.
            let sum = unsafe row(columns, 40 &+ index) &+ carry
            unsafe setRow(number, index, sum & mask)
            carry = sum &>> 52
            index &+= 1
        }
    }

    // MARK: Rows

    /// Unsafe: it must be there.
    @unsafe
    @inline(__always)
    private func row(_ rows: UnsafeMutableRawPointer, _ index: Int) -> SIMD8<UInt64> {
        // In bounds: the caller vouches for the row.
        unsafe rows.loadUnaligned(fromByteOffset: index &* 64, as: SIMD8<UInt64>.self)
    }

    /// Unsafe: it must be there.
    @unsafe
    @inline(__always)
    private func setRow(_ rows: UnsafeMutableRawPointer, _ index: Int, _ row: SIMD8<UInt64>) {
        // In bounds: the caller vouches for the row.
        unsafe rows.storeBytes(of: row, toByteOffset: index &* 64, as: SIMD8<UInt64>.self)
    }

    /// Unsafe: 80 columns must be there.
    @unsafe
    @inline(__always)
    private func clear(_ columns: UnsafeMutableRawPointer) {
        var index = 0
        while index < 80 {
            // In bounds: index < 80.
            unsafe setRow(columns, index, SIMD8(repeating: 0))
            index &+= 1
        }
    }

    /// From 32 limbs of 64 bits to 40 of 52.
    ///
    /// Unsafe: these must be there.
    @unsafe
    @inline(__always)
    private func split(_ limbs: UnsafeMutableRawPointer, _ number: UnsafeMutableRawPointer) {
        var index = 0
        while index < 40 {
            let (source, shift) = (52 &* index / 64, UInt64(52 &* index % 64))
            // In bounds: source ≤ 52·39/64 < 32, and the last one is not looked beyond.
            var limb = unsafe row(number, source) &>> SIMD8(repeating: shift)
            if shift > 12 && source < 31 {
                unsafe limb |= row(number, source &+ 1) &<< SIMD8(repeating: 64 &- shift)
            }
            unsafe setRow(limbs, index, limb & SIMD8(repeating: mask))
            index &+= 1
        }
    }

    /// From 40 limbs of 52 bits to 32 of 64; what is beyond them is left out.
    ///
    /// Unsafe: these must be there.
    @unsafe
    @inline(__always)
    private func join(_ number: UnsafeMutableRawPointer, _ limbs: UnsafeMutableRawPointer) {
        var index = 0
        while index < 32 {
            let (source, shift) = (64 &* index / 52, UInt64(64 &* index % 52))
            // In bounds: source ≤ 64·31/52 = 38, there with a shift of 8.
            var limb = unsafe row(limbs, source) &>> SIMD8(repeating: shift)
            unsafe limb |= row(limbs, source &+ 1) &<< SIMD8(repeating: 52 &- shift)
            if shift > 40 { unsafe limb |= row(limbs, source &+ 2) &<< SIMD8(repeating: 104 &- shift) }
            unsafe setRow(number, index, limb)
            index &+= 1
        }
    }
#endif
