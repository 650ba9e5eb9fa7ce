// Raises several numbers at once, each modulo its own odd number n of 2048 bits, with products of two numbers
// of 32 bits: four numbers with AVX2, and eight with AVX-512. The target AVX512VL compiles this file too.
// Montgomery.swift of the module RSA defines a power in portable code.
//
// # Representation
//
// B = 2^28. A number has 75 limbs, the least significant limb first. R = B^75 = 2^2100. A row is a vector
// that holds the limb with one index of all numbers, one number in each lane. No operation moves data between
// lanes, so this text describes one lane.
//
// # Products
//
// A product of two numbers has 149 columns. Columns are sums without carries: a·b adds aᵢ·bⱼ to column i + j.
//
// A product is computed in strips. A strip multiplies five limbs of one number, which are in registers, by
// all limbs of the other number, one after the other. Five columns are in registers at a time. After each
// limb the lowest of them is complete, and the next column is loaded.
//
// A square computes each product of two different limbs once, with one of the limbs doubled: the products
// within a block of five limbs, and a strip for the products of the block with all higher limbs.
//
// # Reduction
//
// Montgomery's reduction removes one column i at a time. It adds q·n·Bⁱ to T, with
//
//     q = Tᵢ·(-1/n) mod B,
//
// which makes column i divisible by B. The bits of the column above the lowest 28 are carried to the next
// column. Five values of q need only the five lowest limbs of n. The products of these five values with the
// other limbs of n are a strip.
//
// # Bounds
//
// A column of a product receives at most 75 products of limbs, each at most (B - 1)², and so does a column of
// a square, where a product with a doubled limb counts twice. The reduction adds at most 75 again, and a
// carry below 2^36. A column therefore stays below 150·B² + 2^36 < 2^64. A doubled limb is below 2^29, so
// every factor has at most 32 bits.
//
// n < R/2^52. The reduced product of two numbers below 2n is below 4n²/R + n < 2n. The reduced product of a
// number below 2n and a number below n is below 2n²/R + n < n + n/2^51, so the caller subtracts n at most
// once.
#if Accelerated && arch(x86_64)
    /// Raises numbers to the power of 2^`squarings` + 1, each modulo its own n: four numbers with AVX2,
    /// and eight with AVX-512. A result may be n too large.
    ///
    /// A row is a vector with a lane for each number. The numbers in the rows have limbs of 64 bits, the
    /// least significant limb first:
    ///
    /// ```
    /// rows          input                       output
    ///   0 ..<  32   the bases                   the low 2048 bits of the powers
    ///  32 ..<  64   n, odd, of 2048 bits        unchanged
    ///  64 ..<  96   R² mod n, R = 2^2100        unchanged
    ///  96           -1/n mod 2^64               the bits of the powers above 2048: 0 or 1
    ///  97 ..< 477   scratch memory
    /// ```
    ///
    /// A power is meaningful only if its base is below its n. The power is then below 2n.
    ///
    /// Unsafe: the processor must have AVX2, BMI1 and BMI2, or for the function of the target AVX512VL also
    /// AVX-512 BW and VL, and the operating system must save the registers. Otherwise the program crashes.
    /// 477 rows must be readable and writable.
    ///
    /// - Parameters:
    ///   - rows: the address of the first row.
    ///   - squarings: 1 or more.
    @unsafe
    @inline(never)
    public func raiseLanes(_ rows: UnsafeMutableRawPointer, _ squarings: Int) {
        let width = MemoryLayout<Row>.size
        let (base, n, number) = unsafe (rows + 97 &* width, rows + 172 &* width, rows + 247 &* width)
        let (columns, quotients) = unsafe (rows + 322 &* width, rows + 472 &* width)
        let inverse = unsafe row(rows, 96)
        unsafe split(base, rows)
        unsafe split(n, rows + 32 &* width)
        unsafe split(number, rows + 64 &* width)

        unsafe setProduct(columns, number, base)
        unsafe reduce(number, columns, n, inverse, quotients)
        for _ in 0..<squarings {
            unsafe setSquare(columns, number)
            unsafe reduce(number, columns, n, inverse, quotients)
        }
        unsafe setProduct(columns, number, base)
        unsafe reduce(number, columns, n, inverse, quotients)

        unsafe join(rows, number)
        // 2048 = 73·28 + 4.
        let top = unsafe or(shiftDown(row(number, 73), 4), shiftUp(row(number, 74), 24))
        unsafe setRow(rows, 96, top)
    }

    /// In each lane: `columns ← one · other`, for numbers of 75 limbs of 28 bits, without carries between
    /// columns. A limb or a column is a row.
    ///
    /// Unsafe: 75 limbs of each number must be readable, and 150 columns writable.
    @unsafe
    @inline(__always)
    private func setProduct(
        _ columns: UnsafeMutableRawPointer,
        _ one: UnsafeMutableRawPointer,
        _ other: UnsafeMutableRawPointer
    ) {
        unsafe clear(columns)
        var block = 0
        while block < 75 {
            // In bounds: block ≤ 70, and block + 80 ≤ 150.
            let start = block &* MemoryLayout<Row>.size
            unsafe addStrip(columns + start, fiveRows(one + start), other, 75)
            block &+= 5
        }
    }

    /// In each lane: `columns ← number²`, for a number of 75 limbs of 28 bits, without carries between
    /// columns. A limb or a column is a row.
    ///
    /// Unsafe: 75 limbs of the number must be readable, and 150 columns writable.
    @unsafe
    @inline(__always)
    private func setSquare(_ columns: UnsafeMutableRawPointer, _ number: UnsafeMutableRawPointer) {
        unsafe clear(columns)
        var block = 0
        while block < 75 {
            // In bounds: block ≤ 70. The first nine columns are 2·block to 2·block + 8. The strip changes
            // columns 2·block + 5 to block + 79.
            let start = block &* MemoryLayout<Row>.size
            let first = unsafe columns + 2 &* start
            let limbs = unsafe fiveRows(number + start)
            let doubled = doubled(limbs)
            unsafe addSquare(first, limbs, limbs, doubled)
            unsafe addStrip(
                first + 5 &* MemoryLayout<Row>.size,
                doubled,
                number + start + 5 &* MemoryLayout<Row>.size,
                70 &- block
            )
            block &+= 5
        }
    }

    /// In each lane: `number ← columns / R` modulo n, with R = 2^2100 and every limb below 2^28. The result
    /// may be n too large. Destroys the columns. A limb or a column is a row.
    ///
    /// Unsafe: 75 limbs of n must be readable; 150 columns, 75 limbs of the number and five rows of quotients
    /// must be writable.
    @unsafe
    @inline(__always)
    private func reduce(
        _ number: UnsafeMutableRawPointer,
        _ columns: UnsafeMutableRawPointer,
        _ n: UnsafeMutableRawPointer,
        _ inverse: Row,
        _ quotients: UnsafeMutableRawPointer
    ) {
        let width = MemoryLayout<Row>.size
        let lowest = unsafe fiveRows(n)
        var block = 0
        while block < 75 {
            // In bounds: block ≤ 70, and block + 80 ≤ 150.
            let first = unsafe columns + block &* width
            var (sum0, sum1, sum2, sum3, sum4) = unsafe fiveRows(first)
            var index = 0
            while index < 5 {
                let quotient = and(product(sum0, inverse), mask)
                unsafe setRow(quotients, index, quotient)
                sum0 &+= product(quotient, lowest.row0)
                sum1 &+= product(quotient, lowest.row1) &+ shiftDown(sum0, 28)
                sum2 &+= product(quotient, lowest.row2)
                sum3 &+= product(quotient, lowest.row3)
                sum4 &+= product(quotient, lowest.row4)
                (sum0, sum1, sum2, sum3) = (sum1, sum2, sum3, sum4)
                sum4 = unsafe row(first, index &+ 5)
                index &+= 1
            }
            let next = unsafe first + 5 &* width
            unsafe setRow(next, 0, sum0)
            unsafe setRow(next, 1, sum1)
            unsafe setRow(next, 2, sum2)
            unsafe setRow(next, 3, sum3)
            unsafe setRow(next, 4, sum4)
            unsafe addStrip(next, fiveRows(quotients), n + 5 &* width, 70)
            block &+= 5
        }
        var carry = Row(repeating: 0)
        var index = 0
        while index < 75 {
            // In bounds: index < 75.
            let sum = unsafe row(columns, 75 &+ index) &+ carry
            unsafe setRow(number, index, and(sum, mask))
            carry = shiftDown(sum, 28)
            index &+= 1
        }
    }

    /// Sets 150 columns to zero. A column is a row.
    ///
    /// Unsafe: 150 columns must be writable.
    @unsafe
    @inline(__always)
    private func clear(_ columns: UnsafeMutableRawPointer) {
        var index = 0
        while index < 150 {
            // In bounds: index < 150.
            unsafe setRow(columns, index, Row(repeating: 0))
            index &+= 1
        }
    }

    /// In each lane, converts `number`, 32 limbs of 64 bits, to `limbs`, 75 of 28 bits. A limb is a row.
    ///
    /// Unsafe: 32 rows must be readable at `number`, and 75 rows writable at `limbs`.
    @unsafe
    @inline(__always)
    private func split(_ limbs: UnsafeMutableRawPointer, _ number: UnsafeMutableRawPointer) {
        var index = 0
        while index < 74 {
            let (source, shift) = (28 &* index / 64, UInt64(28 &* index % 64))
            // In bounds: source ≤ 28·73/64 < 32, and source + 1 is read only if source < 31.
            var limb = unsafe shiftDown(row(number, source), shift)
            if shift > 36 && source < 31 {
                limb = unsafe or(limb, shiftUp(row(number, source &+ 1), 64 &- shift))
            }
            unsafe setRow(limbs, index, and(limb, mask))
            index &+= 1
        }
        unsafe setRow(limbs, 74, Row(repeating: 0))
    }

    /// In each lane, converts `limbs`, 75 limbs of 28 bits, to `number`, 32 of 64 bits. Drops higher bits.
    ///
    /// Unsafe: 75 rows must be readable at `limbs`, and 32 rows writable at `number`.
    @unsafe
    @inline(__always)
    private func join(_ number: UnsafeMutableRawPointer, _ limbs: UnsafeMutableRawPointer) {
        var index = 0
        while index < 32 {
            let (source, shift) = (64 &* index / 28, UInt64(64 &* index % 28))
            // In bounds: source ≤ 64·31/28 = 70, and the last limb that is read is source + 3.
            var limb = unsafe shiftDown(row(limbs, source), shift)
            limb = unsafe or(limb, shiftUp(row(limbs, source &+ 1), 28 &- shift))
            limb = unsafe or(limb, shiftUp(row(limbs, source &+ 2), 56 &- shift))
            if shift > 20 { limb = unsafe or(limb, shiftUp(row(limbs, source &+ 3), 84 &- shift)) }
            unsafe setRow(number, index, limb)
            index &+= 1
        }
    }
#endif
