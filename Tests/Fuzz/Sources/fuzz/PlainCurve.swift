import ECDSA

/// A prime of 256 or 384 bits whose highest limb is 2^32 - 1, and schoolbook arithmetic modulo it.
///
/// A number has its limbs of 32 bits in the order of their weights.
struct PlainPrime {
    let value: [UInt32]

    init(_ digits: String) {
        value = PlainPrime.limbs(
            stride(from: 0, to: digits.utf8.count, by: 2).map { start in
                let octet = digits.utf8.dropFirst(start).prefix(2)
                return UInt8(String(decoding: octet, as: UTF8.self), radix: 16) ?? 0
            }
        )
    }

    private static func limbs(_ octets: [UInt8]) -> [UInt32] {
        stride(from: octets.count, to: 0, by: -4).map { end in
            octets[max(0, end - 4)..<end].reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    /// The number of octets of a residue.
    var octetCount: Int { value.count * 4 }

    /// The residue of a number in octets, the most significant first.
    func residue(_ octets: [UInt8]) -> [UInt32] { reduced(PlainPrime.limbs(octets)) }

    func residue(_ small: Int) -> [UInt32] {
        let residue = reduced([UInt32(small.magnitude)])
        return small < 0 ? difference(reduced([]), residue) : residue
    }

    /// All octets of a residue.
    func octets(_ residue: [UInt32]) -> [UInt8] {
        residue.reversed().flatMap { limb in (0..<4).map { UInt8(truncatingIfNeeded: limb >> (24 - 8 * $0)) }
        }
    }

    func isZero(_ residue: [UInt32]) -> Bool { residue.allSatisfy { $0 == 0 } }

    /// Whether octets stand for a number below the prime.
    func isAbove(_ octets: [UInt8]) -> Bool { octets.lexicographicallyPrecedes(self.octets(value)) }

    func sum(_ one: [UInt32], _ other: [UInt32]) -> [UInt32] {
        var sum = [UInt32](repeating: 0, count: value.count + 1)
        var carry: UInt64 = 0
        for index in value.indices {
            carry += UInt64(one[index]) + UInt64(other[index])
            sum[index] = UInt32(truncatingIfNeeded: carry)
            carry >>= 32
        }
        sum[value.count] = UInt32(carry)
        return reduced(sum)
    }

    func difference(_ one: [UInt32], _ other: [UInt32]) -> [UInt32] {
        var negated = value
        PlainPrime.subtract(other, 1, &negated, 0)
        return sum(one, negated)
    }

    func product(_ one: [UInt32], _ other: [UInt32]) -> [UInt32] {
        var product = [UInt32](repeating: 0, count: one.count + other.count)
        for place in one.indices {
            var carry: UInt64 = 0
            for further in other.indices {
                carry += UInt64(one[place]) * UInt64(other[further]) + UInt64(product[place + further])
                product[place + further] = UInt32(truncatingIfNeeded: carry)
                carry >>= 32
            }
            product[place + other.count] = UInt32(carry)
        }
        return reduced(product)
    }

    /// Fermat's theorem.
    func inverse(_ residue: [UInt32]) -> [UInt32] {
        var exponent = value
        exponent[0] -= 2
        return power(residue, exponent)
    }

    func power(_ residue: [UInt32], _ exponent: [UInt32]) -> [UInt32] {
        var power = self.residue(1)
        for bit in (0..<32 * exponent.count).reversed() {
            power = product(power, power)
            if exponent[bit / 32] >> UInt32(bit % 32) & 1 == 1 { power = product(power, residue) }
        }
        return power
    }

    /// The root of a square. The prime is 3 modulo 4.
    func root(_ square: [UInt32]) -> [UInt32]? {
        // (p + 1) / 4 = ⌊p / 4⌋ + 1
        var exponent = value.indices.map { index in
            value[index] >> 2 | (index + 1 < value.count ? value[index + 1] << 30 : 0)
        }
        // Neither prime ends in as many ones.
        for index in exponent.indices {
            exponent[index] &+= 1
            if exponent[index] != 0 { break }
        }
        let root = power(square, exponent)
        return product(root, root) == square ? root : nil
    }

    /// The residue of any number.
    private func reduced(_ number: consuming [UInt32]) -> [UInt32] {
        let count = value.count
        while number.count < count { number.append(0) }
        for place in (0...(number.count - count)).reversed() where place + count < number.count {
            // The highest limb is at most the quotient, because the prime is below 2^(32·count).
            while number[place + count] > 0 {
                PlainPrime.subtract(value, number[place + count], &number, place)
            }
        }
        number.removeLast(number.count - count)
        while isReducible(number) { PlainPrime.subtract(value, 1, &number, 0) }
        return number
    }

    /// Whether a number of as many limbs is not below the prime.
    private func isReducible(_ number: [UInt32]) -> Bool {
        for index in value.indices.reversed() where number[index] != value[index] {
            return number[index] > value[index]
        }
        return true
    }

    /// Subtracts a multiple of a number at a place. The result is not negative.
    private static func subtract(
        _ number: [UInt32],
        _ factor: UInt32,
        _ rest: inout [UInt32],
        _ place: Int
    ) {
        var (carry, borrow): (UInt64, Int64) = (0, 0)
        for index in place..<rest.count {
            if index - place < number.count { carry += UInt64(number[index - place]) * UInt64(factor) }
            let limb = Int64(rest[index]) - Int64(carry & 0xFFFF_FFFF) + borrow
            rest[index] = UInt32(truncatingIfNeeded: limb)
            borrow = limb >> 32
            carry >>= 32
        }
    }
}

/// A curve, with the complete formula for sums (J. Renes, C. Costello, L. Batina, "Complete addition formulas
/// for prime order elliptic curves", 2016, algorithm 4). It has no exceptions, unlike the module's formulas.
struct PlainCurve {
    let curve: Curve
    /// p and n.
    let p, n: PlainPrime
    private let b: [UInt32]
    /// G.
    let base: Point

    /// X, Y and Z; x is X/Z, and y is Y/Z. Z is zero for the point at infinity.
    typealias Point = (x: [UInt32], y: [UInt32], z: [UInt32])

    private init(_ curve: Curve, p: String, n: String, b: String, x: String, y: String) {
        (self.curve, self.p, self.n) = (curve, PlainPrime(p), PlainPrime(n))
        self.b = PlainPrime(b).value
        base = (PlainPrime(x).value, PlainPrime(y).value, self.p.residue(1))
    }

    // SP 800-186 §3.2.1.3 and §3.2.1.4.
    static let p256 = PlainCurve(
        .p256,
        p: "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
        n: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
        b: "5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b",
        x: "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
        y: "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
    )
    static let p384 = PlainCurve(
        .p384,
        p: "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffff",
        n: "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973",
        b: "b3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef",
        x: "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7",
        y: "3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f"
    )

    var infinity: Point { (p.residue(0), p.residue(1), p.residue(0)) }

    /// The points with an x have this y, or its negative.
    func y(_ x: [UInt32]) -> [UInt32]? {
        let cube = p.product(p.product(x, x), x)
        return p.root(p.sum(p.difference(cube, p.product(p.residue(3), x)), b))
    }

    /// 04 ‖ x ‖ y. Nil for the point at infinity.
    func uncompressed(_ point: Point) -> [UInt8]? {
        guard !p.isZero(point.z) else { return nil }
        let inverse = p.inverse(point.z)
        return [4] + p.octets(p.product(point.x, inverse)) + p.octets(p.product(point.y, inverse))
    }

    func negated(_ point: Point) -> Point { (point.x, p.difference(p.residue(0), point.y), point.z) }

    /// u·P + v·Q.
    func sumOfMultiples(_ u: [UInt32], _ one: Point, _ v: [UInt32], _ other: Point) -> Point {
        // A number above n / 2 is taken as its negative, so that small ones take little time.
        func shortest(_ factor: [UInt32], _ point: Point) -> ([UInt32], Point) {
            guard factor[factor.count - 1] >> 31 == 1 else { return (factor, point) }
            return (n.difference(n.residue(0), factor), negated(point))
        }
        let ((u, one), (v, other)) = (shortest(u, one), shortest(v, other))
        let multiples = [infinity, one, other, sum(one, other)]
        var result = infinity
        var isEmpty = true
        for bit in (0..<32 * u.count).reversed() {
            if !isEmpty { result = sum(result, result) }
            let digits = [u, v].map { Int($0[bit / 32] >> UInt32(bit % 32) & 1) }
            guard digits != [0, 0] else { continue }
            result = sum(result, multiples[digits[0] + 2 * digits[1]])
            isEmpty = false
        }
        return result
    }

    func sum(_ one: Point, _ other: Point) -> Point {
        let (xx, yy, zz) = (p.product(one.x, other.x), p.product(one.y, other.y), p.product(one.z, other.z))
        // The mixed products: X1·Y2 + X2·Y1, and so on.
        func mixed(_ a: [UInt32], _ b: [UInt32], _ c: [UInt32], _ d: [UInt32]) -> [UInt32] {
            p.sum(p.product(a, d), p.product(b, c))
        }
        let xy = mixed(one.x, one.y, other.x, other.y)
        let yz = mixed(one.y, one.z, other.y, other.z)
        let xz = mixed(one.x, one.z, other.x, other.z)
        func times3(_ number: [UInt32]) -> [UInt32] { p.sum(p.sum(number, number), number) }
        let first = times3(p.difference(xz, p.product(b, zz)))
        let second = times3(p.difference(p.difference(p.product(b, xz), times3(zz)), xx))
        let third = p.difference(times3(xx), times3(zz))
        let (minus, plus) = (p.difference(yy, first), p.sum(yy, first))
        return (
            p.difference(p.product(xy, plus), p.product(yz, second)),
            p.sum(p.product(plus, minus), p.product(third, second)),
            p.sum(p.product(yz, minus), p.product(xy, third))
        )
    }
}
