import Basics
import SHA

/// A private key d, and the arithmetic of signatures with it (FIPS 186-5 §6.4.1).
///
/// Only the module `AppReceiptMint`, which makes receipts and tokens for tests, signs. **Never use the scalar
/// to keep a secret**: the time of ``point`` depends on the private key, and the time of a signature on k.
package struct PrivateScalar: Sendable {
    private enum Number: Sendable {
        case p256(FourLimbs)
        case p384(SixLimbs)
    }
    private let number: Number

    /// Decodes a private key: the most significant octet first, as many octets as n has.
    ///
    /// Returns nil for another length, for zero, and for a number that is not below n.
    package init?(_ curve: Curve, octets: Span<UInt8>) {
        switch curve {
        case .p256:
            guard let number = P256.scalar(octets) else { return nil }
            self.number = .p256(number)
        case .p384:
            guard let number = P384.scalar(octets) else { return nil }
            self.number = .p384(number)
        }
    }

    /// The private key in octets, the most significant first, as many as n has.
    package var octets: [UInt8] {
        switch number {
        case .p256(let d): d.octets
        case .p384(let d): d.octets
        }
    }

    /// The public key d·G in uncompressed form: 04, x and y (SEC 1 §2.3.3).
    package var point: [UInt8] {
        switch number {
        case .p256(let d): P256.sumOfMultiples(d, P256.Number(), []).uncompressed
        case .p384(let d): P384.sumOfMultiples(d, P384.Number(), []).uncompressed
        }
    }

    /// The signature r ‖ s for a digest and a number k, which no other signature may use.
    ///
    /// - Parameters:
    ///   - digest: the digest of the message. If it is longer than n, its leftmost bits count.
    ///   - nonce: k, the most significant octet first, as many octets as n has.
    ///   - base: the multiples of the base point of P-256, which the curve P-384 does not use.
    /// - Returns: r ‖ s, each in as many octets as n has. Nil if k has another length, if k is not in 1…n-1,
    ///   or if r or s is zero: then another k is needed.
    package func signature(of digest: Digest, nonce: Span<UInt8>, base: P256Multiples) -> [UInt8]? {
        switch number {
        case .p256(let d):
            guard let k = P256.scalar(nonce) else { return nil }
            return P256.signature(d, k, P256Multiples.sum(k, of: base, P256.Number(), of: base), digest)
        case .p384(let d):
            guard let k = P384.scalar(nonce) else { return nil }
            return P384.signature(d, k, P384.sumOfMultiples(k, P384.Number(), []), digest)
        }
    }

    /// A digest as a number modulo n (RFC 6979 §2.3.4, bits2octets): as many octets as n has.
    package static func reduced(_ digest: Digest, _ curve: Curve) -> [UInt8] {
        switch curve {
        case .p256: P256.residue(digest).number.octets
        case .p384: P384.residue(digest).number.octets
        }
    }
}

extension PrimeCurve {
    /// Decodes a number from 1 to n - 1, the most significant octet first, in as many octets as n has. Nil
    /// for another length or another number.
    fileprivate static func scalar(_ octets: Span<UInt8>) -> Number? {
        guard octets.count == Number.octetCount else { return nil }
        let number = Number(octets)
        return number.isZero || !number.isBelow(Order.value) ? nil : number
    }

    /// The leftmost bits of a digest, as a number modulo n (FIPS 186-5 §6.4.1, steps 1 and 2).
    fileprivate static func residue(_ digest: Digest) -> Residue<Order> {
        let octets = digest.bytes
        let count = min(octets.count, Number.octetCount)
        return Residue(Number(octets.borrowedSpan.extracting(0..<count)))
    }

    /// r ‖ s for the point k·G; nil if r or s is zero.
    fileprivate static func signature(_ d: Number, _ k: Number, _ point: Point, _ digest: Digest) -> [UInt8]?
    {
        // x is below p, and p is below 2n.
        let x = AffinePoint.points([point])[0].x.number
        let r = Residue<Order>(x)
        let inverse = Residue<Order>(Order.inverse(of: k))
        let s = inverse * (residue(digest) + r * Residue(d))
        guard !r.isZero, !s.isZero else { return nil }
        return r.number.octets + s.number.octets
    }
}

extension JacobianPoint {
    /// The point in uncompressed form: 04, x and y (SEC 1 §2.3.3). Precondition: it is not the point at
    /// infinity.
    fileprivate var uncompressed: [UInt8] {
        let point = AffinePoint.points([self])[0]
        return [0x04] + point.x.number.octets + point.y.number.octets
    }
}

extension Residue {
    /// The residue as a number below m.
    fileprivate var number: M.Number { (self * Self(form: M.Number(1))).form }
}
