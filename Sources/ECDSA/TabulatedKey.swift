import Basics
import SHA

/// A public key on P-256 with tables of multiples, for a key that verifies many signatures.
///
/// The verdict is that of ``ECPublicKey/verify(concatenated:digest:)``.
package struct TabulatedKey: Sendable {
    let base, key: P256Multiples

    /// Makes the table of a key; nil unless the key is on P-256.
    ///
    /// - Parameter base: the table of the base point, which all keys share.
    package init?(_ key: ECPublicKey, base: P256Multiples) {
        guard case .p256(let point) = key.point else { return nil }
        (self.base, self.key) = (base, P256Multiples(of: point))
    }

    /// Verifies a signature r ‖ s, given the digest of the message. Throws what
    /// ``ECPublicKey/verify(concatenated:digest:)`` throws: `.ecSignatureLength`, a code for r or s out of
    /// range, or `.ecSignatureMismatch`.
    package func verify(concatenated signature: Span<UInt8>, digest: Digest) throws(Refusal) {
        let count = P256.Number.octetCount
        guard signature.count == 2 * count else {
            throw Refusal(.ecSignatureLength, at: 0, reading: "signature")
        }
        let scalars = try SignatureScalars<P256>(signature, 0..<count, count..<2 * count, digest)
        guard verifies(scalars.factors) else {
            throw Refusal(.ecSignatureMismatch, at: 0, reading: "signature")
        }
    }

    /// Whether u·G + v·Q has the x that the signature needs.
    func verifies(_ factors: VerificationFactors<P256>) -> Bool {
        P256Multiples.sum(factors.u, of: base, factors.v, of: key).hasX(factors.r)
    }
}

/// A table of multiples of a point P of P-256: k·2^(6·i)·P for the digits k from 1 to 32 and the windows i.
///
/// A scalar has a digit in each window, so that a multiple of P is a sum of at most 43 points of the table
/// (D. Hankerson, A. Menezes, S. Vanstone, "Guide to Elliptic Curve Cryptography", 2004, algorithm 3.41, with
/// signed digits). The table takes 88 KB.
package struct P256Multiples: Sendable {
    /// The number of bits of a window.
    static var width: Int { 6 }
    /// The largest digit.
    static var largest: Int { 1 << (width - 1) }
    /// The number of windows. The highest has two bits that no number has, so that its digit is not negative.
    static var windowCount: Int { (P256.Number.bitCount + width) / width }

    /// The points k·2^(6·i)·P: for the window i = 0 those with k from 1 to 32, then for i = 1, and so on.
    let points: [AffinePoint<P256>]

    /// The multiples of the base point G.
    package static var ofBasePoint: Self { Self(of: P256.baseMultiple(1)) }

    /// Computes the multiples of a point.
    ///
    /// No multiple is the point at infinity, because the order of P is a prime above each digit.
    init(of point: AffinePoint<P256>) {
        var power = JacobianPoint(point)
        var powers = [power]
        for _ in 1..<Self.windowCount {
            for _ in 0..<Self.width { power.double() }
            powers.append(power)
        }
        var multiples: [JacobianPoint<P256>] = []
        multiples.reserveCapacity(Self.windowCount * Self.largest)
        for power in AffinePoint.points(powers) {
            let start = multiples.count
            var multiple = JacobianPoint(power)
            multiples.append(multiple)
            for digit in 2...Self.largest {
                if digit % 2 == 0 {
                    multiple = multiples[start + digit / 2 - 1]
                    multiple.double()
                } else {
                    multiple.add(power)
                }
                multiples.append(multiple)
            }
        }
        points = AffinePoint.points(multiples)
    }

    /// The point u·P + v·Q, where `one` is the table of P and `other` the table of Q.
    static func sum(_ u: P256.Number, of one: Self, _ v: P256.Number, of other: Self) -> JacobianPoint<P256> {
        var sum = JacobianPoint<P256>()
        one.add(u, to: &sum)
        other.add(v, to: &sum)
        return sum
    }

    /// Adds factor·P to `sum`, where P is the point of this table.
    private func add(_ factor: P256.Number, to sum: inout JacobianPoint<P256>) {
        forEachPoint(of: factor) { _, point in
            if let point { sum.add(point) }
        }
    }

    /// Calls `body` with each window and its point, which is nil for the digit zero. The sum of the points is
    /// factor·P.
    @inline(__always)
    func forEachPoint(
        of factor: P256.Number,
        _ body: (_ window: Int, AffinePoint<P256>?) -> Void
    ) {
        factor.forEachSignedDigit(width: Self.width) { window, digit in
            guard digit != 0 else { return body(window, nil) }
            let point = points[window * Self.largest + abs(digit) - 1]
            body(window, digit < 0 ? point.negated : point)
        }
    }
}

extension Limbs {
    /// Calls `body` with the digits of the number for the weights 1, 2^w, 2^(2w) … of a width w.
    ///
    /// Each digit is above -2^(w-1), and at most 2^(w-1). The last is not negative, because at least the
    /// highest bit of its window is above the bits of the number.
    ///
    /// Precondition: the width is in 2...7.
    @inline(__always)
    func forEachSignedDigit(width: Int, _ body: (_ window: Int, _ digit: Int) -> Void) {
        var (window, carry) = (0, 0)
        for index in stride(from: 0, through: Self.bitCount, by: width) {
            let bits = self.bits(at: index, count: width) + carry
            carry = bits > 1 << (width - 1) ? 1 : 0
            body(window, bits - carry << width)
            window += 1
        }
    }
}
