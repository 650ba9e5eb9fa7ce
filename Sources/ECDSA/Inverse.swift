// The inverse modulo a prime. D. J. Bernstein, B.-Y. Yang, "Fast constant-time gcd computation and modular
// inversion", 2019. As in libsecp256k1 (doc/safegcd_implementation.md), batches of steps are computed on the
// lowest limbs. The time depends on the number, which is public. With Fermat's theorem, 1/x = x^(m-2), a
// verification takes 11 % longer on P-256, and 14 % on P-384.

import Basics

extension Modulus {
    /// 1/number modulo m.
    ///
    /// Precondition: the number is not zero, and below m.
    static func inverse(of number: Number) -> Number {
        var (f, g) = (Signed(number: value), Signed(number: number))
        // d·number ≡ f and e·number ≡ g modulo m.
        var (d, e) = (Number(), Number(1))
        var eta = -1
        while !g.number.isZero {
            let steps = DivisionSteps(f.number[0], g.number[0], &eta)
            (d, e) = (combined(steps.u, d, steps.v, e), combined(steps.q, d, steps.r, e))
            (f, g) = (
                (Sum(steps.u, f) + Sum(steps.v, g)).quotient, (Sum(steps.q, f) + Sum(steps.r, g)).quotient
            )
        }
        // f is the greatest common divisor or its negative: 1 or -1.
        return f.above < 0 ? (Residue<Self>.zero - Residue(form: d)).form : d
    }

    /// (a·one + b·other) / 2^62 modulo m.
    ///
    /// |a| + |b| is at most 2^62. The multiple of m that makes the sum divisible is below 2^62·m, so the
    /// quotient is above -m and below 2m. Then m is added or subtracted if needed, so the result is not
    /// negative, and below m.
    private static func combined(_ a: Int64, _ one: Number, _ b: Int64, _ other: Number) -> Number {
        let sum = Sum(a, Signed(number: one)) + Sum(b, Signed(number: other))
        let multiple = Int64(truncatingIfNeeded: sum.lowest &* negatedInverse & (1 &<< 62 &- 1))
        var quotient = (sum + Sum(multiple, Signed(number: value))).quotient
        if quotient.above >= 0 { return reduced(quotient.number, carry: quotient.above > 0) }
        _ = quotient.number.add(value)
        return quotient.number
    }
}

extension Residue {
    /// The inverses of many residues, in order, with one inversion for all (P. L. Montgomery, "Speeding the
    /// Pollard and Elliptic Curve Methods of Factorization", 1987, §10.3.1).
    ///
    /// Precondition: no residue is zero.
    static func inverses(of residues: [Self]) -> [Self] {
        // For each residue, the product of the residues before it.
        var (products, product) = ([Self](), Self.one)
        products.reserveCapacity(residues.count)
        for residue in residues {
            products.append(product)
            product = product * residue
        }
        // The inverse of a form has 1/(x·R) as its number, and 1/x is that number times R.
        var inverse = Self(Self(M.inverse(of: product.form)).form)
        // Each product is replaced by the inverse of its residue.
        for index in residues.indices.reversed() {
            products[index] = inverse * products[index]
            inverse = inverse * residues[index]
        }
        return products
    }
}

/// The number `number + above · R`, with R = B^count and B = 2^64. For a negative number, `above` is -1.
private struct Signed<Number: Limbs> {
    var number: Number
    var above: Int64 = 0
}

/// A signed number in two's complement, with one limb more than `Number`. `lowest` is its lowest limb.
private struct Sum<Number: Limbs> {
    var lowest: UInt64
    var upper = Number()

    /// The product of a factor, at most 2^62 in size, and a number above -R and below R.
    init(_ factor: Int64, _ number: Signed<Number>) {
        let bits = UInt64(bitPattern: factor)
        lowest = upper.addProduct(number.number, bits)
        // The bits of a negative number are 2^64 or R too large.
        if factor < 0 { _ = upper.subtract(number.number) }
        if number.above < 0 { upper[Number.count - 1] &-= bits }
    }

    static func + (one: Self, other: Self) -> Self {
        var result = one
        var carry = false
        result.lowest = sum(one.lowest, other.lowest, &carry)
        _ = result.upper.add(other.upper)
        if carry { _ = result.upper.add(Number(1)) }
        return result
    }

    /// This number divided by 2^62, rounded down.
    var quotient: Signed<Number> {
        var number = Number()
        var below = lowest
        for index in 0..<Number.count {
            number[index] = upper[index] &<< 2 | below &>> 62
            below = upper[index]
        }
        return Signed(number: number, above: Int64(bitPattern: below) &>> 62)
    }
}

/// The factors u, v, q and r of 62 division steps from (f, g) to (f', g'): 2^62 · (f', g') = (u·f + v·g,
/// q·f + r·g). |u| + |v| and |q| + |r| are at most 2^62.
///
/// If g is odd and δ is positive, a step replaces (f, g) by (g, (g - f) / 2). Otherwise it replaces g by
/// g / 2 or (g + f) / 2. η is -δ.
private struct DivisionSteps {
    var (u, v, q, r): (Int64, Int64, Int64, Int64) = (1, 0, 0, 1)

    /// Computes the steps from the lowest limbs of f and g and from η, and sets `eta` to η after the steps.
    init(_ f: UInt64, _ g: UInt64, _ eta: inout Int) {
        var (f, g) = (f, g)
        var remaining = 62
        while true {
            // Halves g while it is even.
            let zeros = min(g.trailingZeroBitCount, remaining)
            g &>>= UInt64(zeros)
            u &<<= Int64(zeros)
            v &<<= Int64(zeros)
            eta -= zeros
            remaining -= zeros
            if remaining == 0 { return }
            if eta < 0 {
                eta = -eta
                (f, g) = (g, 0 &- f)
                (u, q) = (q, 0 &- u)
                (v, r) = (r, 0 &- v)
            }
            // Until η is negative again, the steps only add f to g. They add up to the multiple of f that
            // makes the low bits of g zero. 1/f is f·(2 - f²) modulo 64.
            let bits = UInt64(min(eta + 1, remaining, 6))
            let factor = f &* g &* (f &* f &- 2) & (1 &<< bits &- 1)
            g = g &+ f &* factor
            q = q &+ u &* Int64(factor)
            r = r &+ v &* Int64(factor)
        }
    }
}
