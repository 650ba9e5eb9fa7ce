/// A natural number in limbs of 64 bits, the least significant first: the little that key generation and
/// the Chinese remainder theorem need besides arithmetic modulo a number.
///
/// Numbers may have zero limbs at their end; a limb that is not there is zero.
struct Natural: Sendable {
    var limbs: [UInt64]

    init(limbs: [UInt64]) { self.limbs = limbs }

    /// From octets, the most significant first (OS2IP, RFC 8017 §4.2).
    init(octets: [UInt8]) {
        limbs = [UInt64](repeating: 0, count: (octets.count + 7) / 8)
        var place = octets.count
        for octet in octets {
            place -= 1
            limbs[place / 8] |= UInt64(octet) << UInt64(place % 8 * 8)
        }
    }

    /// So many octets, the most significant first (I2OSP, RFC 8017 §4.1). What does not fit is cut off.
    func octets(count: Int) -> [UInt8] {
        (0..<count).map { index in
            let place = count - 1 - index
            return UInt8(truncatingIfNeeded: limb(place / 8) >> UInt64(place % 8 * 8))
        }
    }

    private func limb(_ index: Int) -> UInt64 { index < limbs.count ? limbs[index] : 0 }

    func isBelow(_ other: Natural) -> Bool {
        var index = max(limbs.count, other.limbs.count)
        while index > 0 {
            index -= 1
            let (mine, theirs) = (limb(index), other.limb(index))
            if mine != theirs { return mine < theirs }
        }
        return false
    }

    /// This number and another one, modulo 2^64 to the number of limbs of this one.
    func adding(_ other: Natural) -> Natural {
        var sum = self
        var carry: UInt64 = 0
        for index in limbs.indices {
            let (partial, first) = limbs[index].addingReportingOverflow(other.limb(index))
            let (result, second) = partial.addingReportingOverflow(carry)
            sum.limbs[index] = result
            carry = first || second ? 1 : 0
        }
        return sum
    }

    /// This number less another one, modulo 2^64 to the number of limbs of this one.
    func subtracting(_ other: Natural) -> Natural {
        var difference = self
        var borrow: UInt64 = 0
        for index in limbs.indices {
            let (partial, first) = limbs[index].subtractingReportingOverflow(other.limb(index))
            let (result, second) = partial.subtractingReportingOverflow(borrow)
            difference.limbs[index] = result
            borrow = first || second ? 1 : 0
        }
        return difference
    }

    func multiplied(by other: Natural) -> Natural {
        var product = [UInt64](repeating: 0, count: limbs.count + other.limbs.count)
        for row in limbs.indices {
            var carry: UInt64 = 0
            for column in other.limbs.indices {
                // At most (2^64 - 1)² + 2·(2^64 - 1) = 2^128 - 1, so the high half never overflows.
                var (high, low) = limbs[row].multipliedFullWidth(by: other.limbs[column])
                let (partial, first) = low.addingReportingOverflow(product[row + column])
                (low, high) = (partial, first ? high + 1 : high)
                let (result, second) = low.addingReportingOverflow(carry)
                product[row + column] = result
                carry = second ? high + 1 : high
            }
            product[row + other.limbs.count] = carry
        }
        return Natural(limbs: product)
    }

    /// Quotient and remainder of a division by a word, which must not be zero.
    func divided(by divisor: UInt64) -> (quotient: Natural, remainder: UInt64) {
        var quotient = self
        var remainder: UInt64 = 0
        for index in limbs.indices.reversed() {
            (quotient.limbs[index], remainder) = divisor.dividingFullWidth((remainder, limbs[index]))
        }
        return (quotient, remainder)
    }

    func remainder(dividedBy divisor: UInt64) -> UInt64 {
        var remainder: UInt64 = 0
        var index = limbs.count
        while index > 0 {
            index -= 1
            remainder = divisor.dividingFullWidth((remainder, limbs[index])).remainder
        }
        return remainder
    }

    /// Half of it, rounded down.
    var halved: Natural {
        Natural(limbs: limbs.indices.map { limbs[$0] >> 1 | limb($0 + 1) << 63 })
    }
}

/// The number below `modulus` whose product with `value` leaves 1; nil where there is none. By Euclid's
/// algorithm.
///
/// - Parameter modulus: 2 or more.
func inverse(of value: UInt64, modulo modulus: UInt32) -> UInt64? {
    var (dividend, divisor) = (Int64(modulus), Int64(value % UInt64(modulus)))
    var (previous, coefficient): (Int64, Int64) = (0, 1)
    while divisor != 0 {
        let quotient = dividend / divisor
        (dividend, divisor) = (divisor, dividend - quotient * divisor)
        (previous, coefficient) = (coefficient, previous - quotient * coefficient)
    }
    guard dividend == 1 else { return nil }
    return UInt64(previous < 0 ? previous + Int64(modulus) : previous)
}
