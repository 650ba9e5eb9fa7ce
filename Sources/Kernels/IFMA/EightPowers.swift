// Raises eight numbers at once, each modulo its own odd number n of 2048 bits, with AVX-512 IFMA. See
// Instructions.swift for the instructions. Montgomery.swift of the module RSA defines a power in portable
// code.
//
// # Representation
//
// B = 2^52. A number has 40 limbs, the least significant limb first. R = B^40 = 2^2080. A row is a vector
// that holds the limb with one index of all eight numbers, one number in each lane. No operation moves data
// between lanes, so this text describes one lane.
//
// # Products
//
// A product of two numbers has 80 columns. Columns are sums without carries: a·b adds the low half of aᵢ·bⱼ
// to column i + j and the high half to column i + j + 1.
//
// A product is computed in strips. A strip multiplies eight limbs of one number, which are in registers, by
// all limbs of the other number, one after the other. Nine columns are in registers at a time. After each
// limb the lowest of them is complete, and the next column is loaded.
//
// A square computes each product of two different limbs once: a triangle for the products within a block of
// eight limbs, and a strip for the products of the block with all higher limbs. The sum is doubled, and the
// squares of the limbs are added.
//
// # Reduction
//
// Montgomery's reduction removes one column i at a time. It adds q·n·Bⁱ to T, with
//
//     q = Tᵢ·(-1/n) mod B,
//
// which makes column i divisible by B. The bits of the column above the lowest 52 are carried to the next
// column. The carry is known before q·n₀: the low half of q·n₀ is the difference from Tᵢ to the next multiple
// of B, so the carry is (Tᵢ + B - 1) / B, rounded down. Eight values of q need only the eight lowest limbs of
// n. The products of these eight values with the other limbs of n are a strip.
//
// # Bounds
//
// A column of a product receives at most 40 low and 40 high halves, each below B. A column of a square
// receives at most half as many, doubled, and one half of a square. Either column is below 81·B. The
// reduction adds at most as many halves again, and a carry of at most 162. A column therefore stays below
// 162·B < 2^60.
//
// n < R/2^32. The reduced product of two numbers below 2n is below 4n²/R + n < 2n. The reduced product of a
// number below 2n and a number below n is below 2n²/R + n < n + n/2^31, so the caller subtracts n at most
// once.
#if Accelerated && arch(x86_64)
    import Builtin

    /// Raises eight numbers to the power of 2^`squarings` + 1, each modulo its own n. A result may be n
    /// too large.
    ///
    /// A row is a vector of eight lanes, one for each number. The numbers in the rows have limbs of 64 bits,
    /// the least significant limb first:
    ///
    /// ```
    /// rows          input                       output
    ///   0 ..<  32   the bases                   the low 2048 bits of the powers
    ///  32 ..<  64   n, odd, of 2048 bits        unchanged
    ///  64 ..<  96   R² mod n, R = 2^2080        unchanged
    ///  96           -1/n mod 2^64               the bits of the powers above 2048: 0 or 1
    ///  97 ..< 305   scratch memory
    /// ```
    ///
    /// A power is meaningful only if its base is below its n. The power is then below 2n.
    ///
    /// Unsafe: the processor must have AVX-512 IFMA, and the operating system must save the registers of
    /// AVX-512. Otherwise the program crashes. 305 rows of 64 bytes must be readable and writable.
    ///
    /// - Parameters:
    ///   - rows: the address of the first row.
    ///   - squarings: 1 or more.
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

    /// Eight consecutive rows: vectors with one limb or one column of each of eight numbers.
    private struct EightRows {
        var row0: SIMD8<UInt64>
        var row1: SIMD8<UInt64>
        var row2: SIMD8<UInt64>
        var row3: SIMD8<UInt64>
        var row4: SIMD8<UInt64>
        var row5: SIMD8<UInt64>
        var row6: SIMD8<UInt64>
        var row7: SIMD8<UInt64>

        /// Loads eight consecutive rows of 64 bytes from an address.
        ///
        /// Unsafe: the rows must be readable.
        @unsafe
        @inline(__always)
        init(_ rows: UnsafeMutableRawPointer) {
            unsafe (row0, row1, row2, row3) = (row(rows, 0), row(rows, 1), row(rows, 2), row(rows, 3))
            unsafe (row4, row5, row6, row7) = (row(rows, 4), row(rows, 5), row(rows, 6), row(rows, 7))
        }

        /// Stores the eight rows, of 64 bytes each, at consecutive addresses.
        ///
        /// Unsafe: the rows must be writable.
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

        /// For each of the first `count` factors, at most 8: adds the low 52 bits of the factor's product
        /// with `limb` to the row that has the factor's index.
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

        /// For each of the first `count` factors, at most 8: adds the high 52 bits of the factor's product
        /// with `limb`, a product of 104 bits.
        ///
        /// The bits for factor i are added to row i + 1, one column higher. The bits for factor 7 are
        /// added to `next`.
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

        /// Moves every row down by one. The lowest row is dropped, and `next` becomes the highest.
        @inline(__always)
        mutating func moveDown(_ next: SIMD8<UInt64>) {
            (row0, row1, row2, row3) = (row1, row2, row3, row4)
            (row4, row5, row6, row7) = (row5, row6, row7, next)
        }
    }

    /// In each lane: adds the products of the eight limbs in `factors` with `count` limbs to `count + 8`
    /// columns. A limb or a column is a row of 64 bytes.
    ///
    /// Unsafe: `count` limbs must be readable, and `count + 8` columns writable.
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

    /// In each lane: `columns ← one · other`, for numbers of 40 limbs of 52 bits, without carries between
    /// columns. A limb or a column is a row of 64 bytes.
    ///
    /// Unsafe: 40 limbs of each number must be readable, and 80 columns writable.
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

    /// In each lane: `columns ← number²`, for a number of 40 limbs of 52 bits, without carries between
    /// columns. A limb or a column is a row of 64 bytes.
    ///
    /// Unsafe: 40 limbs of the number must be readable, and 80 columns writable.
    @unsafe
    @inline(__always)
    private func setSquare(_ columns: UnsafeMutableRawPointer, _ number: UnsafeMutableRawPointer) {
        unsafe clear(columns)
        var block = 0
        while block < 40 {
            // In bounds: block ≤ 32. The triangle changes columns 2·block to 2·block + 15. The strip changes
            // columns 2·block + 8 to block + 47.
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

    /// In each lane: multiplies every two different limbs of a block of eight limbs, which `factors` and
    /// `limbs` both hold, and adds each product once to 16 columns. A limb or a column is a row of 64 bytes.
    ///
    /// Unsafe: the eight limbs must be readable, and 16 columns writable.
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

    /// In each lane: `number ← columns / R` modulo n, with R = 2^2080 and every limb below 2^52. The result
    /// may be n too large. Destroys the columns. A limb or a column is a row of 64 bytes.
    ///
    /// Unsafe: 40 limbs of n must be readable; 80 columns, 40 limbs of the number and eight rows of quotients
    /// must be writable.
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

    /// Loads the row with an index: 64 bytes with one limb or one column of each of the eight numbers.
    ///
    /// Unsafe: the row must be readable.
    @unsafe
    @inline(__always)
    private func row(_ rows: UnsafeMutableRawPointer, _ index: Int) -> SIMD8<UInt64> {
        // In bounds: the caller provides the row.
        unsafe rows.loadUnaligned(fromByteOffset: index &* 64, as: SIMD8<UInt64>.self)
    }

    /// Stores the row with an index: 64 bytes with one limb or one column of each of the eight numbers.
    ///
    /// Unsafe: the row must be writable.
    @unsafe
    @inline(__always)
    private func setRow(_ rows: UnsafeMutableRawPointer, _ index: Int, _ row: SIMD8<UInt64>) {
        // In bounds: the caller provides the row.
        unsafe rows.storeBytes(of: row, toByteOffset: index &* 64, as: SIMD8<UInt64>.self)
    }

    /// Sets 80 columns to zero. A column is a row of 64 bytes.
    ///
    /// Unsafe: 80 columns must be writable.
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

    /// Converts each of eight numbers from 32 limbs of 64 bits to 40 limbs of 52 bits. A limb is a row.
    ///
    /// Unsafe: 32 limbs must be readable, and 40 limbs writable.
    @unsafe
    @inline(__always)
    private func split(_ limbs: UnsafeMutableRawPointer, _ number: UnsafeMutableRawPointer) {
        var index = 0
        while index < 40 {
            let (source, shift) = (52 &* index / 64, UInt64(52 &* index % 64))
            // In bounds: source ≤ 52·39/64 < 32, and source + 1 is read only if source < 31.
            var limb = unsafe row(number, source) &>> SIMD8(repeating: shift)
            if shift > 12 && source < 31 {
                unsafe limb |= row(number, source &+ 1) &<< SIMD8(repeating: 64 &- shift)
            }
            unsafe setRow(limbs, index, limb & SIMD8(repeating: mask))
            index &+= 1
        }
    }

    /// Converts each of eight numbers from 40 limbs of 52 bits to 32 of 64 bits. Higher bits are dropped.
    ///
    /// Unsafe: 40 limbs must be readable, and 32 limbs writable.
    @unsafe
    @inline(__always)
    private func join(_ number: UnsafeMutableRawPointer, _ limbs: UnsafeMutableRawPointer) {
        var index = 0
        while index < 32 {
            let (source, shift) = (64 &* index / 52, UInt64(64 &* index % 52))
            // In bounds: source ≤ 64·31/52 = 38. There the shift is 8, so source + 2 is not read.
            var limb = unsafe row(limbs, source) &>> SIMD8(repeating: shift)
            unsafe limb |= row(limbs, source &+ 1) &<< SIMD8(repeating: 52 &- shift)
            if shift > 40 { unsafe limb |= row(limbs, source &+ 2) &<< SIMD8(repeating: 104 &- shift) }
            unsafe setRow(number, index, limb)
            index &+= 1
        }
    }
#endif
