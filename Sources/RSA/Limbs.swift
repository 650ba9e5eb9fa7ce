// Natural numbers as limbs of 64 bits, the least significant limb first. B is 2^64.
//
// The inner loop is the strip (`addStrip`): it multiplies a number of four limbs by a long number and adds
// the product to a sum in memory. For each limb of the long number, four products share one load and one
// store. The halves of the products are added in two carry chains of five additions. This keeps the
// multiplier busy: each product costs one multiplication and two and a half additions with carry.
//
// A machine with words of 32 bits computes products and strips from halves of limbs (HalfLimbs.swift). The
// results and all other functions are the same.
//
// A product is one strip for every four limbs of a factor. A square is the sum of the strips above the
// diagonal, doubled, and the squares on the diagonal.
//
// The small functions are transparent rather than always inlined, because debug builds inline transparent
// functions only. This makes the strips four times as fast in a debug build, and changes no release build.

import Basics

/// The address of limbs to read: the words of 64 bits of a number, the least significant first.
typealias Limbs = UnsafePointer<UInt64>
/// The address of limbs to write: the words of 64 bits of a number, the least significant first.
typealias MutableLimbs = UnsafeMutablePointer<UInt64>

/// A number of four limbs of 64 bits, the least significant in `limb0`.
struct FourLimbs: Equatable {
    var limb0: UInt64 = 0
    var limb1: UInt64 = 0
    var limb2: UInt64 = 0
    var limb3: UInt64 = 0
}

extension FourLimbs {
    /// Loads four limbs from an address, the least significant first.
    ///
    /// Unsafe: four limbs must be readable.
    @_transparent
    init(_ limbs: Limbs) {
        // In bounds: the caller provides four limbs.
        unsafe self.init(limb0: limbs[0], limb1: limbs[1], limb2: limbs[2], limb3: limbs[3])
    }

    /// Stores the four limbs at an address, the least significant first.
    ///
    /// Unsafe: four limbs must be writable.
    @_transparent
    func store(_ limbs: MutableLimbs) {
        // In bounds: the caller provides four limbs.
        unsafe limbs[0] = limb0
        unsafe limbs[1] = limb1
        unsafe limbs[2] = limb2
        unsafe limbs[3] = limb3
    }

    /// The product of `self` and `other` modulo B⁴ = 2^256.
    @_transparent
    func lowProduct(_ other: FourLimbs) -> FourLimbs {
        var product = FourLimbs()
        var high: UInt64 = 0
        (high, product.limb0) = multiplyAdd(limb0, other.limb0, 0, 0)
        (high, product.limb1) = multiplyAdd(limb0, other.limb1, 0, high)
        (high, product.limb2) = multiplyAdd(limb0, other.limb2, 0, high)
        product.limb3 = limb0 &* other.limb3 &+ high
        (high, product.limb1) = multiplyAdd(limb1, other.limb0, product.limb1, 0)
        (high, product.limb2) = multiplyAdd(limb1, other.limb1, product.limb2, high)
        product.limb3 &+= limb1 &* other.limb2 &+ high
        (high, product.limb2) = multiplyAdd(limb2, other.limb0, product.limb2, 0)
        product.limb3 &+= limb2 &* other.limb1 &+ high
        product.limb3 &+= limb3 &* other.limb0
        return product
    }

    /// The four low limbs of `self · factor + carried`. `carried` is set to the fifth limb.
    @_transparent
    func multiplied(by factor: UInt64, _ carried: inout UInt64) -> FourLimbs {
        let product0 = fullProduct(factor, limb0)
        let product1 = fullProduct(factor, limb1)
        let product2 = fullProduct(factor, limb2)
        let product3 = fullProduct(factor, limb3)
        var carry = false
        let product = FourLimbs(
            limb0: sum(product0.low, carried, &carry),
            limb1: sum(product1.low, product0.high, &carry),
            limb2: sum(product2.low, product1.high, &carry),
            limb3: sum(product3.low, product2.high, &carry)
        )
        carried = product3.high &+ limb(of: carry)
        return product
    }

    /// -1/n modulo B⁴ = 2^256, for the number n in `self`, which must be odd.
    ///
    /// Newton's method: if n·y = -1 + e, then n·y·(2 + n·y) = -1 + e², so each step doubles the number of
    /// correct bits. The first estimate, -n, has three correct bits.
    var negatedInverse: FourLimbs {
        var low = 0 &- limb0
        for _ in 0..<5 { low = low &* (2 &+ limb0 &* low) }
        var inverse = FourLimbs(limb0: low)
        for _ in 0..<2 { inverse = inverse.lowProduct(lowProduct(inverse).plusTwo) }
        return inverse
    }

    /// `self + 2` modulo B⁴ = 2^256.
    private var plusTwo: FourLimbs {
        var carry = false
        return FourLimbs(
            limb0: sum(limb0, 2, &carry),
            limb1: sum(limb1, 0, &carry),
            limb2: sum(limb2, 0, &carry),
            limb3: sum(limb3, 0, &carry)
        )
    }
}

/// Writes a number, given most significant octet first, to `count` limbs, least significant limb first.
///
/// Missing octets count as zero, and higher octets are dropped. Unsafe: `count` limbs must be writable.
func load(_ limbs: MutableLimbs, _ octets: Span<UInt8>, _ count: Int) {
    var end = octets.count
    for index in 0..<count {
        let start = max(end - 8, 0)
        var limb: UInt64 = 0
        if end - start == 8 {
            // In bounds: eight octets lie between `start` and `end`.
            limb = unsafe octets.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt64.self)
                .bigEndian
        } else {
            for octet in start..<end { limb = limb &<< 8 | UInt64(octets[octet]) }
        }
        // In bounds: index < count, and the caller provides count limbs.
        unsafe limbs[index] = limb
        end = start
    }
}

/// `one · other + addend + second`, which is at most 2^128 - 1, in two limbs of 64 bits.
@_transparent
func multiplyAdd(
    _ one: UInt64,
    _ other: UInt64,
    _ addend: UInt64,
    _ second: UInt64
) -> (high: UInt64, low: UInt64) {
    let product = fullProduct(one, other)
    var carry = false
    var low = sum(product.low, addend, &carry)
    var high = product.high &+ limb(of: carry)
    carry = false
    low = sum(low, second, &carry)
    high &+= limb(of: carry)
    return (high, low)
}

/// Adds `multiplier · factor + carried` to the `count` limbs of `number`. `factor` has `count` limbs, too.
///
/// Unsafe: `factor` must have `count` readable limbs, and `number` `count` writable limbs.
///
/// - Returns: the four limbs of the result above `number[count - 1]`.
@_transparent
func addStrip(
    _ number: MutableLimbs,
    _ multiplier: FourLimbs,
    _ factor: Limbs,
    _ count: Int,
    carried: FourLimbs = FourLimbs()
) -> FourLimbs {
    #if HalfLimbs || (_pointerBitWidth(_32) && !arch(arm64_32))
        // In bounds: the caller provides the limbs.
        return unsafe addStripOfHalves(number, multiplier, factor, count, carried)
    #else
        var above = carried
        var index = 0
        while index < count {
            // In bounds: index < count, and both have count limbs.
            let limbOfFactor = unsafe factor[index]
            let product0 = multiplier.limb0.multipliedFullWidth(by: limbOfFactor)
            let product1 = multiplier.limb1.multipliedFullWidth(by: limbOfFactor)
            let product2 = multiplier.limb2.multipliedFullWidth(by: limbOfFactor)
            let product3 = multiplier.limb3.multipliedFullWidth(by: limbOfFactor)
            var carry = false
            let column0 = sum(above.limb0, product0.low, &carry)
            let column1 = sum(above.limb1, product1.low, &carry)
            let column2 = sum(above.limb2, product2.low, &carry)
            let column3 = sum(above.limb3, product3.low, &carry)
            let column4 = product3.high &+ limb(of: carry)
            carry = false
            unsafe number[index] = sum(column0, number[index], &carry)
            above.limb0 = sum(column1, product0.high, &carry)
            above.limb1 = sum(column2, product1.high, &carry)
            above.limb2 = sum(column3, product2.high, &carry)
            above.limb3 = column4 &+ limb(of: carry)
            index &+= 1
        }
        return above
    #endif
}

/// `product ← one · other`.
///
/// Unsafe: the factors must have `count` limbs, a multiple of four, and the product `2 · count`. The product
/// must not overlap the factors.
func storeProduct(_ product: MutableLimbs, _ one: Limbs, _ other: Limbs, _ count: Int) {
    // In bounds: the strip `row` writes product[row ..< row + count + 4], and row ≤ count - 4. Each limb that
    // the strip adds to is one of the cleared limbs or was written by the previous strip.
    unsafe product.initialize(repeating: 0, count: count)
    var row = 0
    while row < count {
        let above = unsafe addStrip(product + row, FourLimbs(one + row), other, count)
        unsafe above.store(product + row + count)
        row &+= 4
    }
}

/// `square ← root²`.
///
/// Each product of two different limbs is added once. Then the sum is doubled, and the squares of the limbs
/// are added.
///
/// Unsafe: the root must have `count` limbs, a multiple of four, and the square `2 · count`. The square must
/// not overlap the root.
func storeSquare(_ square: MutableLimbs, _ root: Limbs, _ count: Int) {
    // In bounds: the strip `row` writes square[2·row + 1 ..< row + count + 4], and row ≤ count - 4. Each limb
    // that the strip adds to is one of the cleared limbs or was written by the previous strip.
    unsafe square.initialize(repeating: 0, count: count)
    var row = 0
    while row < count {
        let multiplier = unsafe FourLimbs(root + row)
        let above = unsafe addTriangle(square + 2 &* row + 1, multiplier)
        let rest = unsafe addStrip(
            square + 2 &* row + 4,
            multiplier,
            root + row + 4,
            count &- row &- 4,
            carried: above
        )
        unsafe rest.store(square + row + count)
        row &+= 4
    }
    var carry = false
    var shifted: UInt64 = 0
    var index = 0
    while index < count {
        // In bounds: 2·index + 1 < 2·count.
        let product = unsafe fullProduct(root[index], root[index])
        let low = unsafe square[2 &* index]
        let high = unsafe square[2 &* index &+ 1]
        unsafe square[2 &* index] = sum(low &<< 1 | shifted, product.low, &carry)
        unsafe square[2 &* index &+ 1] = sum(high &<< 1 | low &>> 63, product.high, &carry)
        shifted = high &>> 63
        index &+= 1
    }
}

/// Adds the products limbᵢ · limbⱼ with i < j, each times B^(i + j - 1), B = 2^64, to `sum`.
///
/// Unsafe: `sum` must have three limbs.
///
/// - Returns: the three limbs of the result above the limbs of `sum`, the lowest in `limb0`; `limb3` is 0.
@_transparent
private func addTriangle(_ sum: MutableLimbs, _ limbs: FourLimbs) -> FourLimbs {
    var above = FourLimbs()
    var high: UInt64
    var column3: UInt64
    // In bounds: the caller provides three limbs.
    unsafe (high, sum[0]) = multiplyAdd(limbs.limb0, limbs.limb1, sum[0], 0)
    unsafe (high, sum[1]) = multiplyAdd(limbs.limb0, limbs.limb2, sum[1], high)
    unsafe (above.limb0, column3) = multiplyAdd(limbs.limb0, limbs.limb3, sum[2], high)
    (high, column3) = multiplyAdd(limbs.limb1, limbs.limb2, column3, 0)
    unsafe sum[2] = column3
    (above.limb1, above.limb0) = multiplyAdd(limbs.limb1, limbs.limb3, above.limb0, high)
    (above.limb2, above.limb1) = multiplyAdd(limbs.limb2, limbs.limb3, above.limb1, 0)
    return above
}

/// Adds `addend` and `carry` to the four limbs at `number`, which receive the result modulo 2^256.
///
/// Unsafe: `number` must have four limbs.
///
/// - Returns: the carry out of the highest limb.
@_transparent
func addLimbs(_ number: MutableLimbs, _ addend: FourLimbs, _ carry: Bool) -> Bool {
    var carry = carry
    // In bounds: the caller provides four limbs.
    unsafe number[0] = sum(number[0], addend.limb0, &carry)
    unsafe number[1] = sum(number[1], addend.limb1, &carry)
    unsafe number[2] = sum(number[2], addend.limb2, &carry)
    unsafe number[3] = sum(number[3], addend.limb3, &carry)
    return carry
}

/// Subtracts `other` from `number`, which receives the difference modulo 2^(64 · count).
///
/// Unsafe: both must have `count` limbs.
///
/// - Returns: the borrow out of the highest limb.
func subtractLimbs(_ number: MutableLimbs, _ other: Limbs, _ count: Int) -> Bool {
    var borrow = false
    for index in 0..<count {
        // In bounds: index < count, and both have count limbs.
        unsafe number[index] = difference(number[index], other[index], &borrow)
    }
    return borrow
}

/// Adds `other` to `number`, which receives the sum modulo 2^(64 · count).
///
/// Unsafe: both must have `count` limbs.
///
/// - Returns: the carry out of the highest limb.
func addLimbs(_ number: MutableLimbs, _ other: Limbs, _ count: Int) -> Bool {
    var carry = false
    for index in 0..<count {
        // In bounds: index < count, and both have count limbs.
        unsafe number[index] = sum(number[index], other[index], &carry)
    }
    return carry
}

/// Whether the number `one` is less than the number `other`, least significant limb first.
///
/// Unsafe: both must have `count` limbs.
func isBelow(_ one: Limbs, _ other: Limbs, _ count: Int) -> Bool {
    var borrow = false
    for index in 0..<count {
        // In bounds: index < count, and both have count limbs.
        _ = unsafe difference(one[index], other[index], &borrow)
    }
    return borrow
}
