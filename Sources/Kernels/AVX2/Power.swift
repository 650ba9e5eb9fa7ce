// Raises a number modulo an odd number n of 2048 bits, with products of two numbers of 32 bits. The target
// AVX512VL compiles this file too. Montgomery.swift of the module RSA defines a power in portable code.
//
// # Representation
//
// B = 2^28. R = B^75 = 2^2100. A number has 80 limbs. The highest six are zero. The limbs are in V
// rows of L lanes: V is 20 and L is 4 with AVX2, 10 and 8 with AVX-512. Limb i is in lane i / V of row i mod
// V.
//
// # Products
//
// a·b/R mod n is computed with Montgomery's method. Step s, of 75, adds a·bₛ and q·n to the columns from s
// on, with
//
//     q = C·(-1/n) mod B,    C the sum of column s,
//
// which makes column s divisible by B. The rest of it is carried to the next column.
//
// Columns are sums without carries, in rows. Row p of the columns holds column p in lane 0, column p + V in
// lane 1, and so on. So limb i of a, in row r, and bₛ meet in row r + s, in the lane of limb i, and no lane
// has to move. When step s is done, column s is complete. The other lanes of row s are moved down by one lane
// and added to row s + V, where their columns are from then on.
//
// Five steps are taken together. A strip adds the products a·bₛ of all five. Then general registers compute
// the values of q, which depend on the lowest five columns only, and a strip adds their products with n.
// Meanwhile the vectors add the products a·bₛ of the next five steps, which need no q.
//
// A square contains every product of two different limbs twice, as aᵢ·aₖ and as aₖ·aᵢ. For two limbs in one
// row both are computed. Otherwise only the product with the factor in the earlier row is computed, doubled.
// No product arrives too late: aᵢ·aₖ belongs to column i + k, and step i + k, which completes it, comes no
// earlier than step k.
//
// # Bounds
//
// A column receives at most 75 products of a limb and a factor, each at most (B - 1)², where a product with a
// doubled factor counts twice, and at most 75 products of a q and a limb of n. It also receives a carry below
// 2^36. It stays below 150·B² + 2^36 < 2^64. A doubled factor is below 2^29, so every factor has at most 32
// bits.
//
// All q together form a number below R, so the product is below a·b/R + n. Because n < R/2^52, and because
// numbers are below 2n, every product is below 4n²/R + n < n + n/2^50. So the caller subtracts n at most
// once.
//
// # Carrying
//
// Carries pass through the limbs of each lane, one after another. The carry out of the last limb goes to the
// first limb of the next lane. This is repeated until there is no such carry. The first carries have up to 36
// bits, and the later ones are 0 or 1. Each lane carries at most once more after the lanes before it have
// stopped, so there are at most L + 1 passes. Nothing is carried out of the highest lane, because the columns
// form a number below 2n.
#if Accelerated && arch(x86_64)
    /// Raises `base` to the power of 2^`squarings` + 1 modulo n. Stores the low 2048 bits of the result in
    /// `power`, and returns the higher bits. The result may be n too large.
    ///
    /// Numbers have 32 limbs of 64 bits, the least significant limb first.
    ///
    /// Unsafe: the processor must have AVX2, BMI1 and BMI2, or for the function of the target AVX512VL also
    /// AVX-512 BW and VL, and the operating system must save the registers. Otherwise the program crashes.
    /// 32 limbs of each number must be readable, 32 limbs of the power writable, and 8,192 bytes of scratch
    /// memory. None of them may overlap.
    ///
    /// - Parameters:
    ///   - power: receives the low 2048 bits of the power, which is below 2n.
    ///   - form: base · 2^2100 mod n.
    ///   - base: the base, below n.
    ///   - modulus: n, odd, of 2048 bits.
    ///   - negatedInverse: -1/n mod 2^64.
    ///   - squarings: 1 or more.
    ///   - scratch: 8,192 bytes, aligned to 8.
    /// - Returns: the bits of the power above 2048: 0 or 1.
    @unsafe
    @inline(never)
    public func raise(
        _ power: UnsafeMutablePointer<UInt64>,
        _ form: UnsafePointer<UInt64>,
        _ base: UnsafePointer<UInt64>,
        _ modulus: UnsafePointer<UInt64>,
        _ negatedInverse: UInt64,
        _ squarings: Int,
        _ scratch: UnsafeMutableRawPointer
    ) -> UInt64 {
        // In bounds: 3·V + 80 + V rows are 160 of 32 bytes, or 120 of 64.
        let size = rowCount &* rowSize
        let (number, n, plain, columns) = unsafe (
            scratch, scratch + size, scratch + 2 &* size, scratch + 3 &* size
        )
        unsafe split(n, modulus)
        unsafe split(number, form)
        unsafe split(plain, base)
        for _ in 0..<squarings { unsafe square(number, n, negatedInverse, columns) }
        unsafe multiply(number, plain, n, negatedInverse, columns)
        unsafe join(power, number)
        // 2048 = 73·28 + 4.
        return unsafe limb(number, 73) &>> 4 | limb(number, 74) &<< 24
    }

    /// The size of a row in bytes: 8 for each lane.
    @inline(__always)
    private var rowSize: Int { MemoryLayout<Row>.size }

    /// V, the number of rows that hold the 80 limbs of a number: 20 with AVX2, 10 with AVX-512.
    @inline(__always)
    private var rowCount: Int { 640 / MemoryLayout<Row>.size }

    /// `number ← number² / R` modulo n, with R = 2^2100. The result may be n too large. Destroys the columns.
    /// V is `rowCount`.
    ///
    /// Unsafe: the rows of both numbers must be readable, the rows of `number` and 80 + V rows of columns
    /// writable.
    @unsafe
    @inline(__always)
    private func square(
        _ number: UnsafeMutableRawPointer,
        _ n: UnsafeMutableRawPointer,
        _ negatedInverse: UInt64,
        _ columns: UnsafeMutableRawPointer
    ) {
        unsafe reduce(number, n, negatedInverse, columns) { step in
            // In bounds: block ≤ V - 5, and step + V + 5 ≤ 75 + V.
            let block = step % rowCount
            let start = unsafe columns + (step &+ block) &* rowSize
            let limbs = unsafe number + block &* rowSize
            let factors = unsafe fiveFactors(number, step)
            let doubled = doubled(factors)
            unsafe addSquare(start, fiveRows(limbs), factors, doubled)
            let behind = 5 &* rowSize
            unsafe addStrip(start + behind, doubled, limbs + behind, rowCount &- block &- 5)
        }
    }

    /// `number ← number · other / R` modulo n, with R = 2^2100. The result may be n too large. Destroys the
    /// columns. V is `rowCount`.
    ///
    /// Unsafe: the rows of all numbers must be readable, the rows of `number` and 80 + V rows of columns
    /// writable.
    @unsafe
    @inline(__always)
    private func multiply(
        _ number: UnsafeMutableRawPointer,
        _ other: UnsafeMutableRawPointer,
        _ n: UnsafeMutableRawPointer,
        _ negatedInverse: UInt64,
        _ columns: UnsafeMutableRawPointer
    ) {
        unsafe reduce(number, n, negatedInverse, columns) { step in
            // In bounds: step + V + 5 ≤ 75 + V.
            unsafe addStrip(columns + step &* rowSize, fiveFactors(other, step), number, rowCount)
        }
    }

    /// Adds up a product in the columns, and sets `number ← product / R` modulo n, with R = 2^2100. The
    /// result may be n too large. Destroys the columns. V is `rowCount`.
    ///
    /// Unsafe: the rows of n must be readable, and V rows of `number` and 80 + V rows of columns writable.
    ///
    /// - Parameter addProducts: adds the products with five limbs, from the index `step` on, to the columns.
    @unsafe
    @inline(__always)
    private func reduce(
        _ number: UnsafeMutableRawPointer,
        _ n: UnsafeMutableRawPointer,
        _ negatedInverse: UInt64,
        _ columns: UnsafeMutableRawPointer,
        _ addProducts: (_ step: Int) -> Void
    ) {
        unsafe clear(columns)
        addProducts(0)
        var carry: UInt64 = 0
        // In bounds: step ≤ 70. The rows of columns that are used end at step + V + 5.
        var step = 0
        while step < 75 {
            let first = unsafe columns + step &* rowSize
            var sums = unsafe fiveLowest(first)
            sums.0 &+= carry
            if step < 70 { addProducts(step &+ 5) }
            let quotients: FiveRows
            (quotients, carry) = unsafe fiveQuotients(sums, n, negatedInverse)
            unsafe addStrip(first, quotients, n, rowCount)
            let behind = unsafe first + rowCount &* rowSize
            unsafe add(behind, 0, down(row(first, 0)))
            unsafe add(behind, 1, down(row(first, 1)))
            unsafe add(behind, 2, down(row(first, 2)))
            unsafe add(behind, 3, down(row(first, 3)))
            unsafe add(behind, 4, down(row(first, 4)))
            step &+= 5
        }
        unsafe store(number, columns + 75 &* rowSize, carry)
    }

    /// Five numbers of 64 bits.
    private typealias Five = (UInt64, UInt64, UInt64, UInt64, UInt64)

    /// The five numbers q whose products with n make five columns divisible by 2^28, each q in all lanes
    /// of a row, and the carry out of the fifth column.
    ///
    /// Unsafe: five rows of n must be readable.
    ///
    /// - Parameter sums: the sums of the five columns, with the carry into the first column.
    @unsafe
    @inline(__always)
    private func fiveQuotients(
        _ sums: Five,
        _ n: UnsafeMutableRawPointer,
        _ negatedInverse: UInt64
    ) -> (quotients: FiveRows, carry: UInt64) {
        let (n0, n1, n2, n3, n4) = unsafe fiveLowest(n)
        let q0 = sums.0 &* negatedInverse & mask
        let column1 = sums.1 &+ q0 &* n1 &+ (sums.0 &+ q0 &* n0) &>> 28
        let q1 = column1 &* negatedInverse & mask
        let column2 = sums.2 &+ q0 &* n2 &+ q1 &* n1 &+ (column1 &+ q1 &* n0) &>> 28
        let q2 = column2 &* negatedInverse & mask
        var column3 = sums.3 &+ q0 &* n3 &+ q1 &* n2 &+ q2 &* n1
        column3 &+= (column2 &+ q2 &* n0) &>> 28
        let q3 = column3 &* negatedInverse & mask
        var column4 = sums.4 &+ q0 &* n4 &+ q1 &* n3 &+ q2 &* n2 &+ q3 &* n1
        column4 &+= (column3 &+ q3 &* n0) &>> 28
        let q4 = column4 &* negatedInverse & mask
        let quotients = (repeated(q0), repeated(q1), repeated(q2), repeated(q3), repeated(q4))
        return (quotients, (column4 &+ q4 &* n0) &>> 28)
    }

    /// Lane 0 of each of five consecutive rows.
    ///
    /// Unsafe: the rows must be readable.
    @unsafe
    @inline(__always)
    private func fiveLowest(_ rows: UnsafeMutableRawPointer) -> Five {
        unsafe (lowest(rows, 0), lowest(rows, 1), lowest(rows, 2), lowest(rows, 3), lowest(rows, 4))
    }

    /// Propagates the carries of V rows of columns, V = `rowCount`, and stores a number with every limb
    /// below 2^28.
    ///
    /// Unsafe: V rows of columns must be readable, and V rows of the number writable.
    ///
    /// - Parameter carry: the carry into the first column.
    @unsafe
    @inline(__always)
    private func store(
        _ number: UnsafeMutableRawPointer,
        _ columns: UnsafeMutableRawPointer,
        _ carry: UInt64
    ) {
        var carries = Row(repeating: 0)
        carries[0] = carry
        var source = unsafe columns
        repeat {
            var index = 0
            while index < rowCount {
                // In bounds: index < V.
                let sum = unsafe row(source, index) &+ carries
                unsafe setRow(number, index, and(sum, mask))
                carries = shiftDown(sum, 28)
                index &+= 1
            }
            unsafe source = number
            carries = up(carries)
        } while !isZero(carries)
    }

    /// Five consecutive limbs, each in all lanes of a row. All five come from the same lane of `number`.
    ///
    /// Unsafe: the limbs must be readable.
    ///
    /// - Parameter index: the index of the first limb, a multiple of five.
    @unsafe
    @inline(__always)
    private func fiveFactors(_ number: UnsafeMutableRawPointer, _ index: Int) -> FiveRows {
        let limbs = unsafe fiveLowest(number + place(index))
        return (
            repeated(limbs.0), repeated(limbs.1), repeated(limbs.2), repeated(limbs.3), repeated(limbs.4)
        )
    }

    /// Lane 0 of the row with an index.
    @unsafe
    @inline(__always)
    private func lowest(_ rows: UnsafeMutableRawPointer, _ index: Int) -> UInt64 {
        unsafe rows.load(fromByteOffset: index &* rowSize, as: UInt64.self)
    }

    /// The limb with an index, 0 to 79, of a number.
    @unsafe
    @inline(__always)
    private func limb(_ number: UnsafeMutableRawPointer, _ index: Int) -> UInt64 {
        unsafe number.load(fromByteOffset: place(index), as: UInt64.self)
    }

    /// The offset in bytes, from the start of a number's rows, of the limb with an index.
    @inline(__always)
    private func place(_ index: Int) -> Int { index % rowCount &* rowSize &+ index / rowCount &* 8 }

    /// Sets 80 + V rows of columns to zero. V is `rowCount`.
    ///
    /// Unsafe: 80 + V rows must be writable.
    @unsafe
    @inline(__always)
    private func clear(_ columns: UnsafeMutableRawPointer) {
        var index = 0
        while index < 80 &+ rowCount {
            // In bounds: index < 80 + V.
            unsafe setRow(columns, index, Row(repeating: 0))
            index &+= 1
        }
    }

    /// Converts a number from 32 limbs of 64 bits to 80 limbs of 28 bits in V rows. V is `rowCount`.
    ///
    /// Unsafe: 32 limbs must be readable, and V rows writable.
    @unsafe
    private func split(_ rows: UnsafeMutableRawPointer, _ number: UnsafePointer<UInt64>) {
        var index = 0
        while index < 80 {
            let (source, shift) = (28 &* index / 64, UInt64(28 &* index % 64))
            // In bounds: a limb is read only if its index is below 32.
            var limb = unsafe source < 32 ? number[source] &>> shift : 0
            if shift > 36 && source < 31 { unsafe limb |= number[source &+ 1] &<< (64 &- shift) }
            unsafe rows.storeBytes(of: limb & mask, toByteOffset: place(index), as: UInt64.self)
            index &+= 1
        }
    }

    /// Converts a number from 80 limbs of 28 bits in V = `rowCount` rows to its low 32 limbs of 64 bits.
    ///
    /// Unsafe: V rows must be readable, and 32 limbs writable.
    @unsafe
    private func join(_ number: UnsafeMutablePointer<UInt64>, _ rows: UnsafeMutableRawPointer) {
        var index = 0
        while index < 32 {
            let (source, shift) = (64 &* index / 28, UInt64(64 &* index % 28))
            // In bounds: source ≤ 64·31/28 = 70, and the last limb that is read is source + 3.
            var joined = unsafe limb(rows, source) &>> shift
            unsafe joined |= limb(rows, source &+ 1) &<< (28 &- shift)
            unsafe joined |= limb(rows, source &+ 2) &<< (56 &- shift)
            if shift > 20 { unsafe joined |= limb(rows, source &+ 3) &<< (84 &- shift) }
            unsafe number[index] = joined
            index &+= 1
        }
    }

    /// Whether all lanes are zero.
    @inline(__always)
    private func isZero(_ x: Row) -> Bool {
        var bits: UInt64 = 0
        for lane in 0..<Row.scalarCount { bits |= x[lane] }
        return bits == 0
    }
#endif
