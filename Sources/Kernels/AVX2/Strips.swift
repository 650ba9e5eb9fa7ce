// Sums of products for the kernels that raise numbers with limbs of 28 bits.
//
// B = 2^28. Columns are sums of products of limbs, without carries. A strip multiplies five factors, which
// are in registers, by limbs, one after the other. Five columns are in registers at a time. After each limb
// the lowest of them is complete, and the next column is loaded.
#if Accelerated && arch(x86_64)
    /// Loads the row with an index, counted in rows from the address `rows`.
    ///
    /// Unsafe: the row must be readable. This is not checked.
    @inline(__always)
    @unsafe
    func row(_ rows: UnsafeMutableRawPointer, _ index: Int) -> Row {
        unsafe rows.loadUnaligned(fromByteOffset: index &* MemoryLayout<Row>.size, as: Row.self)
    }

    /// Stores a row at an index, counted in rows from the address `rows`.
    ///
    /// Unsafe: the row must be writable. This is not checked.
    @inline(__always)
    @unsafe
    func setRow(_ rows: UnsafeMutableRawPointer, _ index: Int, _ row: Row) {
        unsafe rows.storeBytes(of: row, toByteOffset: index &* MemoryLayout<Row>.size, as: Row.self)
    }

    /// B - 1, with B = 2^28: a limb of 28 bits that are all set.
    @inline(__always)
    var mask: UInt64 { 1 &<< 28 &- 1 }

    /// Five consecutive rows: vectors with one limb or one column in each lane.
    typealias FiveRows = (row0: Row, row1: Row, row2: Row, row3: Row, row4: Row)

    /// Loads five consecutive rows from an address.
    ///
    /// Unsafe: the rows must be readable.
    @unsafe
    @inline(__always)
    func fiveRows(_ rows: UnsafeMutableRawPointer) -> FiveRows {
        unsafe (row(rows, 0), row(rows, 1), row(rows, 2), row(rows, 3), row(rows, 4))
    }

    /// Multiplies `count` rows of limbs by five factors, and adds the products to `count + 4` rows of
    /// columns.
    ///
    /// Unsafe: `count` rows of limbs must be readable, a multiple of five. `count + 5` rows of columns are
    /// read and written.
    @unsafe
    @inline(__always)
    func addStrip(
        _ columns: UnsafeMutableRawPointer,
        _ factors: FiveRows,
        _ limbs: UnsafeMutableRawPointer,
        _ count: Int
    ) {
        // In bounds: index + 4 < count. The five sums change their roles, so that none is moved.
        var (sum0, sum1, sum2, sum3, sum4) = unsafe fiveRows(columns)
        var index = 0
        while index < count {
            unsafe step(&sum0, &sum1, &sum2, &sum3, &sum4, factors, limbs, columns, index)
            unsafe step(&sum1, &sum2, &sum3, &sum4, &sum0, factors, limbs, columns, index &+ 1)
            unsafe step(&sum2, &sum3, &sum4, &sum0, &sum1, factors, limbs, columns, index &+ 2)
            unsafe step(&sum3, &sum4, &sum0, &sum1, &sum2, factors, limbs, columns, index &+ 3)
            unsafe step(&sum4, &sum0, &sum1, &sum2, &sum3, factors, limbs, columns, index &+ 4)
            index &+= 5
        }
        unsafe setRow(columns, count, sum0)
        unsafe setRow(columns, count &+ 1, sum1)
        unsafe setRow(columns, count &+ 2, sum2)
        unsafe setRow(columns, count &+ 3, sum3)
        unsafe setRow(columns, count &+ 4, sum4)
    }

    /// Adds the products of five factors with the limb at an index to five sums. Stores the lowest sum, which
    /// is complete, in its column, and loads the next column in its place.
    @unsafe
    @inline(__always)
    private func step(
        _ sum0: inout Row,
        _ sum1: inout Row,
        _ sum2: inout Row,
        _ sum3: inout Row,
        _ sum4: inout Row,
        _ factors: FiveRows,
        _ limbs: UnsafeMutableRawPointer,
        _ columns: UnsafeMutableRawPointer,
        _ index: Int
    ) {
        let limb = unsafe row(limbs, index)
        unsafe setRow(columns, index, sum0 &+ product(factors.row0, limb))
        sum1 &+= product(factors.row1, limb)
        sum2 &+= product(factors.row2, limb)
        sum3 &+= product(factors.row3, limb)
        sum4 &+= product(factors.row4, limb)
        sum0 = unsafe row(columns, index &+ 5)
    }

    /// Each of five rows, with the number in every lane doubled.
    @inline(__always)
    func doubled(_ rows: FiveRows) -> FiveRows {
        (
            rows.row0 &+ rows.row0, rows.row1 &+ rows.row1, rows.row2 &+ rows.row2, rows.row3 &+ rows.row3,
            rows.row4 &+ rows.row4
        )
    }

    /// Adds products of five limbs and five factors to nine columns: of each limb with the factor of the same
    /// index, and with twice each factor of a lower index. If the factors are the limbs, the sum of the
    /// products is the square of the five limbs.
    ///
    /// Unsafe: the columns must be writable.
    ///
    /// - Parameter doubled: twice each factor.
    @unsafe
    @inline(__always)
    func addSquare(
        _ columns: UnsafeMutableRawPointer,
        _ limbs: FiveRows,
        _ factors: FiveRows,
        _ doubled: FiveRows
    ) {
        let (a0, a1, a2, a3, a4) = limbs
        let (b0, b1, b2, b3, b4) = factors
        let (d0, d1, d2, d3, _) = doubled
        unsafe add(columns, 0, product(a0, b0))
        unsafe add(columns, 1, product(a1, d0))
        unsafe add(columns, 2, product(a2, d0) &+ product(a1, b1))
        unsafe add(columns, 3, product(a3, d0) &+ product(a2, d1))
        unsafe add(columns, 4, product(a4, d0) &+ product(a3, d1) &+ product(a2, b2))
        unsafe add(columns, 5, product(a4, d1) &+ product(a3, d2))
        unsafe add(columns, 6, product(a4, d2) &+ product(a3, b3))
        unsafe add(columns, 7, product(a4, d3))
        unsafe add(columns, 8, product(a4, b4))
    }

    /// Adds `sum`, lane by lane, to the column with an index, counted in rows.
    @unsafe
    @inline(__always)
    func add(_ columns: UnsafeMutableRawPointer, _ index: Int, _ sum: Row) {
        unsafe setRow(columns, index, row(columns, index) &+ sum)
    }
#endif
