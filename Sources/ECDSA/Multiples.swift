extension AffinePoint {
    /// The point with an index in a table that has the limbs of x and y in Montgomery form for each point.
    ///
    /// Precondition: the table has such a point.
    init(_ table: [UInt64], at index: Int) {
        let start = index * 2 * Curve.Number.count
        var (x, y) = (Curve.Number(), Curve.Number())
        for index in 0..<Curve.Number.count {
            x[index] = table[start + index]
            y[index] = table[start + Curve.Number.count + index]
        }
        self.init(x: Residue(form: x), y: Residue(form: y))
    }

    /// The eight odd multiples P, 3·P, 5·P … 15·P of this point P, in this order.
    var oddMultiples: [JacobianPoint<Curve>] {
        var multiple = JacobianPoint(self)
        var double = multiple
        double.double()
        var multiples = [multiple]
        for _ in 1..<8 {
            multiple.add(double)
            multiples.append(multiple)
        }
        return multiples
    }
}

extension PrimeCurve {
    typealias Point = JacobianPoint<Self>

    /// The point u·G + v·Q. `multiples` are Q, 3·Q, 5·Q … 15·Q, in this order. The array may be empty
    /// if v is zero.
    ///
    /// Few digits of the scalars are not zero, and both sums share their doublings (D. Hankerson, A. Menezes,
    /// S. Vanstone, "Guide to Elliptic Curve Cryptography", 2004, algorithm 3.51).
    static func sumOfMultiples(_ u: Number, _ v: Number, _ multiples: [Point]) -> Point {
        let (baseDigits, digits) = (u.nonAdjacentForm(width: 6), v.nonAdjacentForm(width: 5))
        var sum = Point()
        for index in digits.indices.reversed() {
            sum.double()
            let (baseDigit, digit) = (baseDigits[index], digits[index])
            if baseDigit != 0 {
                let multiple = baseMultiple(Int(baseDigit.magnitude))
                sum.add(baseDigit < 0 ? multiple.negated : multiple)
            }
            if digit != 0 {
                let multiple = multiples[Int(digit.magnitude) / 2]
                sum.add(digit < 0 ? multiple.negated : multiple)
            }
        }
        return sum
    }

    /// The point factor·G, for the base point G.
    ///
    /// Precondition: the factor is odd and in 1...31.
    static func baseMultiple(_ factor: Int) -> AffinePoint<Self> {
        AffinePoint(baseMultiples, at: factor / 2)
    }
}

extension Limbs {
    /// The digits of the number in non-adjacent form of a width w, for the weights 1, 2, 4 … R.
    ///
    /// Each digit is zero, or odd and between -2^(w-1) and 2^(w-1). At most one of w digits in a row is not
    /// zero ("Guide to Elliptic Curve Cryptography", algorithm 3.35).
    ///
    /// Precondition: the width is in 2...8.
    func nonAdjacentForm(width: Int) -> [Int8] {
        var digits = [Int8](repeating: 0, count: Self.bitCount + 1)
        var (index, carry) = (0, 0)
        while index <= Self.bitCount {
            let bits = bits(at: index, count: width) + carry
            if bits & 1 == 0 {
                index += 1
            } else {
                carry = bits >> (width - 1)
                digits[index] = Int8(bits - carry << width)
                index += width
            }
        }
        return digits
    }

    /// At most eight bits, the lowest with the weight 2^index. Bits above the number are zero.
    func bits(at index: Int, count: Int) -> Int {
        let (limb, shift) = (index / 64, UInt64(index % 64))
        guard limb < Self.count else { return 0 }
        var bits = self[limb] &>> shift
        if shift > 56 && limb + 1 < Self.count { bits |= self[limb + 1] &<< (64 - shift) }
        return Int(bits & (1 &<< UInt64(count) - 1))
    }
}
