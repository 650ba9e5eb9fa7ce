/// A natural number in limbs of 64 bits, the least significant limb first.
///
/// It has the few operations that key generation and the Chinese remainder theorem need besides modular
/// arithmetic. A number may end in zero limbs; a limb beyond the last one counts as zero.
struct Natural: Sendable {
    var limbs: [UInt64]

    init(limbs: [UInt64]) { self.limbs = limbs }

    /// Reads octets, the most significant octet first (OS2IP, RFC 8017 §4.2).
    init(octets: [UInt8]) {
        limbs = [UInt64](repeating: 0, count: (octets.count + 7) / 8)
        var place = octets.count
        for octet in octets {
            place -= 1
            limbs[place / 8] |= UInt64(octet) << UInt64(place % 8 * 8)
        }
    }

    /// Reads hexadecimal digits, the most significant digit first.
    ///
    /// Precondition: the string has hexadecimal digits only.
    init(hexadecimal digits: String) {
        limbs = []
        var rest = Substring(digits)
        while !rest.isEmpty {
            let limb = UInt64(rest.suffix(16), radix: 16)
            precondition(limb != nil, "the digits are not hexadecimal")
            limbs.append(limb ?? 0)
            rest = rest.dropLast(16)
        }
    }

    /// The number with zero limbs appended until it has at least `count` limbs.
    func padded(to count: Int) -> Natural {
        Natural(limbs: limbs + [UInt64](repeating: 0, count: max(0, count - limbs.count)))
    }

    /// The lowest `count` octets, the most significant octet first (I2OSP, RFC 8017 §4.1). Higher octets are
    /// cut off.
    func octets(count: Int) -> [UInt8] {
        (0..<count).map { index in
            let place = count - 1 - index
            return UInt8(truncatingIfNeeded: limb(place / 8) >> UInt64(place % 8 * 8))
        }
    }

    private func limb(_ index: Int) -> UInt64 { index < limbs.count ? limbs[index] : 0 }

    /// Whether this number is smaller than another one.
    func isBelow(_ other: Natural) -> Bool {
        var index = max(limbs.count, other.limbs.count)
        while index > 0 {
            index -= 1
            let (mine, theirs) = (limb(index), other.limb(index))
            if mine != theirs { return mine < theirs }
        }
        return false
    }

    /// The sum with another number, modulo 2^(64·k), where k is the number of limbs of this number.
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

    /// The difference to another number, modulo 2^(64·k), where k is the number of limbs of this number.
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

    /// The product, which has the limbs of both factors together.
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

    /// The quotient and the remainder of a division by a word.
    ///
    /// Precondition: the word is not zero.
    func divided(by divisor: UInt64) -> (quotient: Natural, remainder: UInt64) {
        var quotient = self
        var remainder: UInt64 = 0
        for index in limbs.indices.reversed() {
            (quotient.limbs[index], remainder) = divisor.dividingFullWidth((remainder, limbs[index]))
        }
        return (quotient, remainder)
    }

    /// The remainder of a division by a word.
    ///
    /// Precondition: the word is not zero.
    func remainder(dividedBy divisor: UInt64) -> UInt64 {
        var remainder: UInt64 = 0
        var index = limbs.count
        while index > 0 {
            index -= 1
            remainder = divisor.dividingFullWidth((remainder, limbs[index])).remainder
        }
        return remainder
    }

    /// Half of the number, rounded down.
    var halved: Natural {
        Natural(limbs: limbs.indices.map { limbs[$0] >> 1 | limb($0 + 1) << 63 })
    }
}

/// The inverse of a number modulo a word, by Euclid's extended algorithm.
///
/// Returns the number below `modulus` whose product with `value` is 1 modulo `modulus`. Returns nil if the
/// two have a common factor.
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
