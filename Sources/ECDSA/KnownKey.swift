import Basics
import SHA

/// A public key on P-384 with a table of its multiples.
///
/// The verdict is that of ``ECPublicKey/verify(_:digest:)``.
package struct KnownKey: Sendable {
    private let base, multiples: P384Multiples

    /// Creates a key with its table; nil unless the first point of the table is the key.
    ///
    /// - Parameter multiples: the limbs of the key's ``P384Multiples``. Precondition, not checked: there are
    ///   768, and the points after the first are right.
    package init?(_ key: ECPublicKey, multiples: [UInt64]) {
        base = P384Multiples(limbs: p384BaseParts)
        self.multiples = P384Multiples(limbs: multiples)
        guard key.point == .p384(self.multiples.point(0)) else { return nil }
    }

    /// Verifies a signature in DER over a message with this digest. Throws what
    /// ``ECPublicKey/verify(_:digest:)`` throws: a code of `DER`, a code for r or s out of range, or
    /// `.ecSignatureMismatch`.
    package func verify(_ signature: Span<UInt8>, digest: Digest) throws(Refusal) {
        let (r, s) = try ECPublicKey.numbers(of: signature)
        let factors = try SignatureScalars<P384>(signature, r, s, digest).factors
        guard P384Multiples.sum(factors.u, of: base, factors.v, of: multiples).hasX(factors.r) else {
            throw Refusal(.ecSignatureMismatch, at: 0, reading: "signature")
        }
    }
}

/// A table of multiples of a point P of P-384: k·2^(49·i)·P for the parts i from 0 to 7 and the odd k up to
/// 15.
///
/// A scalar has 385 digits in non-adjacent form. The digit d with the weight 2^(49·i + j) stands for
/// d·2^(49·i)·P, doubled j times. The eight parts share these doublings, and so do two scalars: there are 49
/// doublings in place of 385 (D. Hankerson, A. Menezes, S. Vanstone, "Guide to Elliptic Curve Cryptography",
/// 2004, §3.3.2). A table takes 6 KB.
struct P384Multiples: Sendable {
    /// The width of the non-adjacent form of a scalar. Its largest digit is 15.
    static var width: Int { 5 }
    /// The number of points that the table has for each part i: k·2^(49·i)·P for k = 1, 3 … 15.
    static var multipleCount: Int { 8 }
    /// The number of parts into which the digits of a scalar are divided.
    static var partCount: Int { 8 }
    /// The number of digits of a part: 49. The last part has 42, because a scalar has 385.
    static var partLength: Int { P384.Number.bitCount / partCount + 1 }

    /// The limbs of x and y of each point, in Montgomery form. The points of the first part come first.
    let limbs: [UInt64]

    /// The point of the table with an index in 0..<64. The index of k·2^(49·i)·P is 8·i + (k - 1) / 2.
    func point(_ index: Int) -> AffinePoint<P384> { AffinePoint(limbs, at: index) }

    /// The point u·P + v·Q, for the table `one` of P and the table `other` of Q.
    static func sum(_ u: P384.Number, of one: Self, _ v: P384.Number, of other: Self) -> JacobianPoint<P384> {
        let (digits, otherDigits) = (u.nonAdjacentForm(width: width), v.nonAdjacentForm(width: width))
        var sum = JacobianPoint<P384>()
        for column in (0..<partLength).reversed() {
            sum.double()
            one.add(digits, column, to: &sum)
            other.add(otherDigits, column, to: &sum)
        }
        return sum
    }

    /// Adds to `sum` the points of those digits of a scalar that have the weights 2^column, 2^(49 + column),
    /// 2^(98 + column) …
    private func add(_ digits: [Int8], _ column: Int, to sum: inout JacobianPoint<P384>) {
        var start = 0
        for index in stride(from: column, to: digits.count, by: Self.partLength) {
            let digit = digits[index]
            if digit != 0 {
                let multiple = point(start + Int(digit.magnitude) / 2)
                sum.add(digit < 0 ? multiple.negated : multiple)
            }
            start += Self.multipleCount
        }
    }
}
