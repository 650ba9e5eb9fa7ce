import Basics

/// An odd prime m with R/2 < m < R.
protocol Modulus: Sendable, Hashable {
    associatedtype Number: Limbs
    /// The prime m.
    static var value: Number { get }
    /// R² mod m, with R = B^count and B = 2^64.
    static var radixSquared: Number { get }
    /// -1/m modulo B, with B = 2^64.
    static var negatedInverse: UInt64 { get }
    /// Divides a number by B modulo m: adds the multiple k·m, k below B, that makes the lowest limb zero, and
    /// drops that limb. The result is below R.
    static func reduceByLimb(_ low: inout Number)
}

extension Modulus {
    static func reduceByLimb(_ low: inout Number) {
        _ = low.addProduct(value, low[0] &* negatedInverse)
    }

    /// The number below m that is congruent to a number below 2m, which is given with its carry.
    @inline(__always)
    static func reduced(_ number: Number, carry: Bool) -> Number {
        var less = number
        var borrow = less.subtract(value)
        _ = difference(limb(of: carry), 0, &borrow)
        return number.selected(if: borrow, else: less)
    }
}

/// A residue modulo a prime, in Montgomery form: x is stored as x·R mod m.
///
/// P. L. Montgomery, "Modular Multiplication Without Trial Division", 1985.
struct Residue<M: Modulus>: Sendable, Hashable {
    /// The Montgomery form of this residue x: x·R mod m.
    let form: M.Number

    /// Creates the residue with this Montgomery form, which must be below m. Only a factor of a product may
    /// have a form from m to R - 1.
    @inline(__always)
    init(form: M.Number) { self.form = form }

    /// The residue of a number below R.
    init(_ number: M.Number) { self = Self(form: number) * Self(form: M.radixSquared) }

    @inline(__always)
    static var zero: Self { Self(form: M.Number()) }

    /// One. Its form is R - m, because R is below 2m.
    static var one: Self {
        var form = M.Number()
        _ = form.subtract(M.value)
        return Self(form: form)
    }

    @inline(__always)
    var isZero: Bool { form.isZero }

    @inline(__always)
    static func + (one: Self, other: Self) -> Self {
        var sum = one.form
        let carry = sum.add(other.form)
        return Self(form: M.reduced(sum, carry: carry))
    }

    @inline(__always)
    static func - (one: Self, other: Self) -> Self {
        var difference = one.form
        let borrow = difference.subtract(other.form)
        _ = difference.add(M.value.selected(if: borrow, else: M.Number()))
        return Self(form: difference)
    }

    /// The product. The product is also right if the form of one factor is from m to R - 1.
    @inline(never)
    static func * (one: Self, other: Self) -> Self {
        let product = one.form.multiplied(by: other.form)
        return Self(dividingByRadix: product.high, product.low)
    }

    /// The product of the residue with itself.
    @inline(never)
    func squared() -> Self {
        let square = form.squared()
        return Self(dividingByRadix: square.high, square.low)
    }

    /// The residue whose form is the number `high`·R + `low` divided by R, modulo m (Montgomery reduction).
    /// Precondition: the number is below m·R.
    ///
    /// Before the last step, which subtracts m at most once, the quotient is below (m·R + R·m)/R = 2m.
    @inline(__always)
    private init(dividingByRadix high: M.Number, _ low: M.Number) {
        var (high, low) = (high, low)
        // The compiler would not unroll a loop of six.
        M.reduceByLimb(&low)
        M.reduceByLimb(&low)
        M.reduceByLimb(&low)
        M.reduceByLimb(&low)
        if M.Number.count == 6 {
            M.reduceByLimb(&low)
            M.reduceByLimb(&low)
        }
        let carry = high.add(low)
        form = M.reduced(high, carry: carry)
    }

    /// The residue whose double is this residue.
    @inline(__always)
    func halved() -> Self {
        var even = form
        let carry = even.add(M.value.selected(if: form[0] & 1 == 1, else: M.Number()))
        return Self(form: even.halved(carry: carry))
    }
}
