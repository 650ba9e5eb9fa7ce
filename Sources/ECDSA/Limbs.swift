// Numbers of 256 and 384 bits as limbs of 64 bits, the least significant limb in `limb0`. B is 2^64.
//
// The limbs are properties and not an array, so that they stay in registers. The compiler unrolls the loops
// over them, and replaces each subscript by the property.

import Basics

/// A natural number below R = B^count, with B = 2^64.
protocol Limbs: Sendable, Hashable {
    static var count: Int { get }
    /// Zero.
    init()
    /// The limb with the weight B^index. Precondition: the index is in `0..<count`.
    subscript(index: Int) -> UInt64 { get set }
    /// The product `high`·R + `low`, which is below R².
    func multiplied(by other: Self) -> (high: Self, low: Self)
    /// The square `high`·R + `low` of this number, which is below R².
    func squared() -> (high: Self, low: Self)
    /// Sets `self` to the limbs of `other · factor + self` above the lowest limb. Returns the lowest limb.
    mutating func addProduct(_ other: Self, _ factor: UInt64) -> UInt64
}

/// A number of four limbs of 64 bits, the least significant first.
struct FourLimbs: Limbs {
    var limb0: UInt64 = 0
    var limb1: UInt64 = 0
    var limb2: UInt64 = 0
    var limb3: UInt64 = 0

    static var count: Int { 4 }

    @inline(__always)
    subscript(index: Int) -> UInt64 {
        get {
            switch index {
            case 0: limb0
            case 1: limb1
            case 2: limb2
            default: limb3
            }
        }
        set {
            switch index {
            case 0: limb0 = newValue
            case 1: limb1 = newValue
            case 2: limb2 = newValue
            default: limb3 = newValue
            }
        }
    }

    @inline(__always)
    func multiplied(by other: Self) -> (high: Self, low: Self) {
        var (high, low) = (Self(), Self())
        low.limb0 = high.addProduct(self, other.limb0)
        low.limb1 = high.addProduct(self, other.limb1)
        low.limb2 = high.addProduct(self, other.limb2)
        low.limb3 = high.addProduct(self, other.limb3)
        return (high, low)
    }

    @inline(__always)
    func squared() -> (high: Self, low: Self) {
        var (high, low) = (Self(), Self())
        // Each limb is multiplied by the limbs above it. The compiler drops products by zero.
        var (upper, others) = (Self(), self)
        others.removeLowest()
        low.limb1 = upper.addProduct(others, limb0)
        low.limb2 = upper.removeLowest()
        others.removeLowest()
        low.limb3 = upper.addProduct(others, limb1)
        high.limb0 = upper.removeLowest()
        others.removeLowest()
        high.limb1 = upper.addProduct(others, limb2)
        high.limb2 = upper.limb0
        addSquares(to: &low, &high)
        return (high, low)
    }

    @inline(__always)
    mutating func addProduct(_ other: Self, _ factor: UInt64) -> UInt64 {
        let product0 = fullProduct(other.limb0, factor)
        let product1 = fullProduct(other.limb1, factor)
        let product2 = fullProduct(other.limb2, factor)
        let product3 = fullProduct(other.limb3, factor)
        var carry = false
        let lowest = sum(limb0, product0.low, &carry)
        limb0 = sum(limb1, product1.low, &carry)
        limb1 = sum(limb2, product2.low, &carry)
        limb2 = sum(limb3, product3.low, &carry)
        limb3 = limb(of: carry)
        carry = false
        limb0 = sum(limb0, product0.high, &carry)
        limb1 = sum(limb1, product1.high, &carry)
        limb2 = sum(limb2, product2.high, &carry)
        limb3 = sum(limb3, product3.high, &carry)
        return lowest
    }
}

/// A number of six limbs of 64 bits, the least significant first.
struct SixLimbs: Limbs {
    var limb0: UInt64 = 0
    var limb1: UInt64 = 0
    var limb2: UInt64 = 0
    var limb3: UInt64 = 0
    var limb4: UInt64 = 0
    var limb5: UInt64 = 0

    static var count: Int { 6 }

    @inline(__always)
    subscript(index: Int) -> UInt64 {
        get {
            switch index {
            case 0: limb0
            case 1: limb1
            case 2: limb2
            case 3: limb3
            case 4: limb4
            default: limb5
            }
        }
        set {
            switch index {
            case 0: limb0 = newValue
            case 1: limb1 = newValue
            case 2: limb2 = newValue
            case 3: limb3 = newValue
            case 4: limb4 = newValue
            default: limb5 = newValue
            }
        }
    }

    @inline(__always)
    func multiplied(by other: Self) -> (high: Self, low: Self) {
        var (high, low) = (Self(), Self())
        low.limb0 = high.addProduct(self, other.limb0)
        low.limb1 = high.addProduct(self, other.limb1)
        low.limb2 = high.addProduct(self, other.limb2)
        low.limb3 = high.addProduct(self, other.limb3)
        low.limb4 = high.addProduct(self, other.limb4)
        low.limb5 = high.addProduct(self, other.limb5)
        return (high, low)
    }

    @inline(__always)
    func squared() -> (high: Self, low: Self) {
        var (high, low) = (Self(), Self())
        // Each limb is multiplied by the limbs above it. The compiler drops products by zero.
        var (upper, others) = (Self(), self)
        others.removeLowest()
        low.limb1 = upper.addProduct(others, limb0)
        low.limb2 = upper.removeLowest()
        others.removeLowest()
        low.limb3 = upper.addProduct(others, limb1)
        low.limb4 = upper.removeLowest()
        others.removeLowest()
        low.limb5 = upper.addProduct(others, limb2)
        high.limb0 = upper.removeLowest()
        others.removeLowest()
        high.limb1 = upper.addProduct(others, limb3)
        high.limb2 = upper.removeLowest()
        others.removeLowest()
        high.limb3 = upper.addProduct(others, limb4)
        high.limb4 = upper.limb0
        addSquares(to: &low, &high)
        return (high, low)
    }

    @inline(__always)
    mutating func addProduct(_ other: Self, _ factor: UInt64) -> UInt64 {
        let product0 = fullProduct(other.limb0, factor)
        let product1 = fullProduct(other.limb1, factor)
        let product2 = fullProduct(other.limb2, factor)
        let product3 = fullProduct(other.limb3, factor)
        let product4 = fullProduct(other.limb4, factor)
        let product5 = fullProduct(other.limb5, factor)
        var carry = false
        let lowest = sum(limb0, product0.low, &carry)
        limb0 = sum(limb1, product1.low, &carry)
        limb1 = sum(limb2, product2.low, &carry)
        limb2 = sum(limb3, product3.low, &carry)
        limb3 = sum(limb4, product4.low, &carry)
        limb4 = sum(limb5, product5.low, &carry)
        limb5 = limb(of: carry)
        carry = false
        limb0 = sum(limb0, product0.high, &carry)
        limb1 = sum(limb1, product1.high, &carry)
        limb2 = sum(limb2, product2.high, &carry)
        limb3 = sum(limb3, product3.high, &carry)
        limb4 = sum(limb4, product4.high, &carry)
        limb5 = sum(limb5, product5.high, &carry)
        return lowest
    }
}

extension Limbs {
    /// The number of bits that a number below R has at most.
    static var bitCount: Int { 64 * count }
    /// The number of octets that a number below R has at most.
    static var octetCount: Int { 8 * count }

    /// Creates the number whose lowest limb is given. Its other limbs are zero.
    init(_ limb: UInt64) {
        self.init()
        self[0] = limb
    }

    /// The number that octets stand for, the most significant octet first (SEC 1 §2.3.8).
    ///
    /// Precondition: there are at most ``octetCount`` octets.
    init(_ octets: Span<UInt8>) {
        self.init()
        for index in octets.indices {
            let weight = octets.count - 1 - index
            self[weight / 8] |= UInt64(octets[index]) &<< UInt64(weight % 8 * 8)
        }
    }

    /// The number in ``octetCount`` octets, the most significant octet first (SEC 1 §2.3.7).
    var octets: [UInt8] {
        (0..<Self.octetCount).reversed().map { weight in
            UInt8(truncatingIfNeeded: self[weight / 8] >> UInt64(weight % 8 * 8))
        }
    }

    var isZero: Bool { self == Self() }

    func isBelow(_ other: Self) -> Bool {
        var number = self
        return number.subtract(other)
    }

    /// Adds a number modulo R. Returns the carry.
    @inline(__always)
    mutating func add(_ other: Self) -> Bool {
        var carry = false
        for index in 0..<Self.count { self[index] = sum(self[index], other[index], &carry) }
        return carry
    }

    /// Subtracts a number modulo R. Returns the borrow.
    @inline(__always)
    mutating func subtract(_ other: Self) -> Bool {
        var borrow = false
        for index in 0..<Self.count { self[index] = difference(self[index], other[index], &borrow) }
        return borrow
    }

    /// Returns `self` if the condition holds, and `other` if not, without a branch.
    @inline(__always)
    func selected(if condition: Bool, else other: Self) -> Self {
        let mask = 0 &- limb(of: condition)
        var selected = Self()
        for index in 0..<Self.count { selected[index] = self[index] & mask | other[index] & ~mask }
        return selected
    }

    /// Half of the number and of a carry with the weight R. The lowest bit is dropped.
    @inline(__always)
    func halved(carry: Bool) -> Self {
        var half = Self()
        for index in 0..<Self.count - 1 { half[index] = self[index] &>> 1 | self[index + 1] &<< 63 }
        half[Self.count - 1] = self[Self.count - 1] &>> 1 | limb(of: carry) &<< 63
        return half
    }

    /// Divides this number by B = 2^64. Returns the lowest limb, which is the remainder.
    @_transparent
    @discardableResult
    mutating func removeLowest() -> UInt64 {
        let lowest = self[0]
        for index in 1..<Self.count { self[index - 1] = self[index] }
        self[Self.count - 1] = 0
        return lowest
    }

    /// Completes the square of `self`. `high · R + low` is the sum of the products of two different limbs,
    /// each once. The function doubles this sum, and adds the squares of the limbs.
    @_transparent
    func addSquares(to low: inout Self, _ high: inout Self) {
        var carry = false
        for index in 0..<Self.count { low[index] = sum(low[index], low[index], &carry) }
        for index in 0..<Self.count { high[index] = sum(high[index], high[index], &carry) }
        carry = false
        for index in 0..<Self.count / 2 {
            let square = fullProduct(self[index], self[index])
            low[2 * index] = sum(low[2 * index], square.low, &carry)
            low[2 * index + 1] = sum(low[2 * index + 1], square.high, &carry)
        }
        for index in 0..<Self.count / 2 {
            let limb = self[Self.count / 2 + index]
            let square = fullProduct(limb, limb)
            high[2 * index] = sum(high[2 * index], square.low, &carry)
            high[2 * index + 1] = sum(high[2 * index + 1], square.high, &carry)
        }
    }
}
