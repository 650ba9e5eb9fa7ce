/// A natural number in limbs of 64 bits, the least significant limb first.
///
/// It shares no code with the verifier's arithmetic in `RSA`, so that tests check one against the other. Its
/// running time depends on the numbers, so it is for test keys only.
struct Natural: Sendable, Equatable {
    /// The limbs, the least significant first. The last limb is not zero, and the number zero has no limb.
    private(set) var limbs: [UInt64]

    /// Makes a number from limbs, the least significant first. Zeros at the end are removed.
    init(limbs: [UInt64]) {
        self.limbs = limbs
        while self.limbs.last == 0 { self.limbs.removeLast() }
    }

    init(_ word: UInt64) { self.init(limbs: [word]) }

    /// Makes a number from octets, the most significant octet first (OS2IP, RFC 8017 §4.2).
    init(octets: [UInt8]) {
        var limbs = [UInt64](repeating: 0, count: (octets.count + 7) / 8)
        for (position, octet) in octets.reversed().enumerated() {
            limbs[position / 8] |= UInt64(octet) << UInt64(position % 8 * 8)
        }
        self.init(limbs: limbs)
    }

    /// The number in exactly `count` octets, the most significant first (I2OSP, RFC 8017 §4.1). Leading zeros
    /// fill up a shorter number; the higher octets of a longer one are cut off.
    func octets(count: Int) -> [UInt8] {
        let padded = padded(to: (count + 7) / 8)
        return (0..<count).reversed().map {
            UInt8(truncatingIfNeeded: padded[$0 / 8] >> UInt64($0 % 8 * 8))
        }
    }

    /// The limbs, followed by zeros up to `count` limbs. More limbs than `count` stay as they are.
    private func padded(to count: Int) -> [UInt64] {
        limbs + [UInt64](repeating: 0, count: max(0, count - limbs.count))
    }

    static func < (one: Natural, other: Natural) -> Bool {
        guard one.limbs.count == other.limbs.count else { return one.limbs.count < other.limbs.count }
        return one.limbs.reversed().lexicographicallyPrecedes(other.limbs.reversed())
    }

    static func + (one: Natural, other: Natural) -> Natural {
        let count = max(one.limbs.count, other.limbs.count)
        var sum = one.padded(to: count + 1)
        _ = sum.add(other.padded(to: count), times: 1, at: 0)
        return Natural(limbs: sum)
    }

    /// The difference `one` - `other`. Traps if `other` is greater.
    static func - (one: Natural, other: Natural) -> Natural {
        var difference = one.padded(to: other.limbs.count) + [0]
        let isNegative = difference.subtract(other.padded(to: one.limbs.count), times: 1, at: 0)
        precondition(!isNegative, "the difference is negative")
        return Natural(limbs: difference)
    }

    static func * (one: Natural, other: Natural) -> Natural {
        var product = [UInt64](repeating: 0, count: one.limbs.count + other.limbs.count)
        for (row, limb) in one.limbs.enumerated() { _ = product.add(other.limbs, times: limb, at: row) }
        return Natural(limbs: product)
    }

    static func % (one: Natural, divisor: Natural) -> Natural { one.divided(by: divisor).remainder }

    /// The remainder of a division by a word. Precondition: the word is not zero.
    static func % (one: Natural, word: UInt64) -> UInt64 {
        one.limbs.reversed().reduce(0) { word.dividingFullWidth(($0, $1)).remainder }
    }

    /// The quotient and the remainder (D. E. Knuth, "The Art of Computer Programming", volume 2, §4.3.1,
    /// algorithm D). Precondition: the divisor is not zero.
    func divided(by divisor: Natural) -> (quotient: Natural, remainder: Natural) {
        guard let leading = divisor.limbs.last, !(self < divisor) else { return (Natural(0), self) }
        // With the leading bit of the divisor set, the first guess of a digit is at most 2 too high.
        let shift = UInt64(leading.leadingZeroBitCount)
        let factor = Natural(1 << shift)
        let divisor = (divisor * factor).limbs
        let (count, top) = (divisor.count, divisor[divisor.count - 1])
        var rest = (self * factor).limbs + [0]
        var quotient = [UInt64](repeating: 0, count: rest.count - count)
        for start in quotient.indices.reversed() {
            let (high, low) = (rest[start + count], rest[start + count - 1])
            var digit = high < top ? top.dividingFullWidth((high, low)).quotient : .max
            if rest.subtract(divisor, times: digit, at: start) {
                repeat { digit -= 1 } while !rest.add(divisor, times: 1, at: start)
            }
            quotient[start] = digit
        }
        let remainder = (0..<count).map { rest[$0] >> shift | rest[$0 + 1] << (64 - shift) }
        return (Natural(limbs: quotient), Natural(limbs: remainder))
    }

    /// This number to the power `exponent`, modulo `modulus`, by square and multiply from the highest bit.
    func power(_ exponent: Natural, modulo modulus: Natural) -> Natural {
        let base = self % modulus
        var power = Natural(1) % modulus
        for limb in exponent.limbs.reversed() {
            for bit in (0..<UInt64(64)).reversed() {
                power = power * power % modulus
                if limb >> bit & 1 == 1 { power = power * base % modulus }
            }
        }
        return power
    }

    /// This number's inverse modulo `modulus`, by Euclid's algorithm. Nil if the two have a common factor.
    ///
    /// Precondition: the modulus is 2 or more.
    func inverse(modulo modulus: Natural) -> Natural? {
        var (dividend, divisor) = (modulus, self % modulus)
        // Both are congruent to a multiple of the number: `dividend` to `previous` of them.
        var (previous, coefficient) = (Natural(0), Natural(1))
        while divisor != Natural(0) {
            let (quotient, remainder) = dividend.divided(by: divisor)
            let multiple = quotient * coefficient % modulus
            (dividend, divisor) = (divisor, remainder)
            (previous, coefficient) = (coefficient, (previous + modulus - multiple) % modulus)
        }
        return dividend == Natural(1) ? previous : nil
    }
}

extension [UInt64] {
    /// Adds `factor` × `number`, shifted by `start` limbs. The limb `start + number.count`, which must exist,
    /// takes the carry. Returns whether the sum overflows that limb.
    fileprivate mutating func add(_ number: [UInt64], times factor: UInt64, at start: Int) -> Bool {
        var carry: UInt64 = 0
        for index in number.indices {
            let product = factor.multipliedFullWidth(by: number[index])
            let (partial, isOver) = product.low.addingReportingOverflow(carry)
            let (sum, isOverAgain) = self[start + index].addingReportingOverflow(partial)
            // At most (2^64 - 1)² + 2·(2^64 - 1) = 2^128 - 1, so the carry is a word.
            carry = product.high + (isOver ? 1 : 0) + (isOverAgain ? 1 : 0)
            self[start + index] = sum
        }
        let (sum, isOver) = self[start + number.count].addingReportingOverflow(carry)
        self[start + number.count] = sum
        return isOver
    }

    /// Subtracts `factor` × `number`, shifted by `start` limbs. The limb `start + number.count`, which must
    /// exist, takes the borrow. Returns whether the difference would bring that limb below zero.
    fileprivate mutating func subtract(_ number: [UInt64], times factor: UInt64, at start: Int) -> Bool {
        var borrow: UInt64 = 0
        for index in number.indices {
            let product = factor.multipliedFullWidth(by: number[index])
            let (partial, isOver) = product.low.addingReportingOverflow(borrow)
            let (difference, isUnder) = self[start + index].subtractingReportingOverflow(partial)
            borrow = product.high + (isOver ? 1 : 0) + (isUnder ? 1 : 0)
            self[start + index] = difference
        }
        let (difference, isUnder) = self[start + number.count].subtractingReportingOverflow(borrow)
        self[start + number.count] = difference
        return isUnder
    }
}
