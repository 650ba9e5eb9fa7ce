import Basics
import DER
import SHA

extension ECPublicKey {
    /// Verifies a signature in DER over a message with this digest (FIPS 186-5 §6.4.2).
    ///
    /// ```
    /// ECDSA-Sig-Value ::= SEQUENCE {    -- RFC 3279 §2.2.3
    ///     r  INTEGER,
    ///     s  INTEGER }
    /// ```
    ///
    /// The time depends on the key, the signature and the digest, all of them public.
    ///
    /// - Parameters:
    ///   - signature: the encoding, which must fill the span.
    ///   - digest: the digest of the signed message. If it is longer than n, its leftmost bits count. The
    ///     caller decides whether its algorithm is strong enough.
    /// - Throws: `.ecSignatureOutOfRange` unless r and s are in 1…n-1, `.ecSignatureMismatch` for a wrong
    ///   signature, and the refusals of the DER reader, for example for an INTEGER that is negative.
    public func verify(_ signature: Span<UInt8>, digest: Digest) throws(Refusal) {
        let (r, s) = try Self.numbers(of: signature)
        try verify(signature, r, s, digest)
    }

    /// Decodes an ECDSA-Sig-Value (RFC 3279 §2.2.3). Returns the ranges of r and s without sign octets.
    /// Throws the codes of `DER`, also for negative numbers.
    static func numbers(of signature: Span<UInt8>) throws(Refusal) -> (r: Range<Int>, s: Range<Int>) {
        var reader = Reader(signature)
        var value = try reader.nested(.sequence, "ECDSA-Sig-Value")
        try reader.finish("ECDSA-Sig-Value")
        let r = try value.readUnsignedInteger("ECDSA-Sig-Value.r")
        let s = try value.readUnsignedInteger("ECDSA-Sig-Value.s")
        try value.finish("ECDSA-Sig-Value")
        return (r, s)
    }

    /// Verifies a signature r ‖ s over a message with this digest (FIPS 186-5 §6.4.2, RFC 7518 §3.4).
    ///
    /// - Parameters:
    ///   - signature: r and s, both as long as n, most significant octet first.
    ///   - digest: the digest of the signed message, as for ``verify(_:digest:)``.
    /// - Throws: `.ecSignatureLength` for another length, `.ecSignatureOutOfRange` unless r and s are in
    ///   1…n-1, and `.ecSignatureMismatch` for a wrong signature.
    public func verify(concatenated signature: Span<UInt8>, digest: Digest) throws(Refusal) {
        let count = curve == .p256 ? P256.Number.octetCount : P384.Number.octetCount
        guard signature.count == 2 * count else {
            throw Refusal(.ecSignatureLength, at: 0, reading: "signature")
        }
        try verify(signature, 0..<count, count..<2 * count, digest)
    }

    /// Verifies a signature with r and s at these ranges.
    private func verify(
        _ signature: Span<UInt8>,
        _ r: Range<Int>,
        _ s: Range<Int>,
        _ digest: Digest
    ) throws(Refusal) {
        let isValid =
            switch point {
            case .p256(let point): try point.verifies(signature, r, s, digest)
            case .p384(let point): try point.verifies(signature, r, s, digest)
            }
        guard isValid else { throw Refusal(.ecSignatureMismatch, at: 0, reading: "signature") }
    }
}

/// The numbers of a signature over a message: r and s, both in 1…n-1, and e, the leftmost bits of the digest
/// (FIPS 186-5 §6.4.2).
struct SignatureScalars<Curve: PrimeCurve> {
    let r, s, e: Curve.Number

    /// Reads r and s at two ranges of a signature, the most significant octet first, and e from the digest of
    /// the message.
    ///
    /// - Throws: `.ecSignatureOutOfRange` if r or s is not in 1…n-1, with the offset of its range.
    init(
        _ signature: Span<UInt8>,
        _ rRange: Range<Int>,
        _ sRange: Range<Int>,
        _ digest: Digest
    ) throws(Refusal) {
        r = try Self.scalar(signature, in: rRange, "ECDSA-Sig-Value.r")
        s = try Self.scalar(signature, in: sRange, "ECDSA-Sig-Value.s")
        let octets = digest.bytes
        e = Curve.Number(octets.borrowedSpan.extracting(0..<min(octets.count, Curve.Number.octetCount)))
    }

    /// Reads a number, which must be in 1…n-1.
    private static func scalar(
        _ bytes: Span<UInt8>,
        in range: Range<Int>,
        _ reading: StaticString
    ) throws(Refusal) -> Curve.Number {
        if range.count <= Curve.Number.octetCount {
            let scalar = Curve.Number(bytes.extracting(range))
            if !scalar.isZero && scalar.isBelow(Curve.Order.value) { return scalar }
        }
        throw Refusal(.ecSignatureOutOfRange, at: range.lowerBound, reading: reading)
    }

    /// The factors u and v of the signature.
    var factors: VerificationFactors<Curve> { factors(Residue(Curve.Order.inverse(of: s))) }

    /// The factors u and v of each of many signatures, in their order, with one inversion for all.
    static func factors(of signatures: [Self]) -> [VerificationFactors<Curve>] {
        zip(signatures, Residue<Curve.Order>.inverses(of: signatures.map { Residue($0.s) }))
            .map { $0.factors($1) }
    }

    /// The factors of the signature, for the inverse of s.
    private func factors(_ inverse: Residue<Curve.Order>) -> VerificationFactors<Curve> {
        // A product with a number in place of a form has the product of the numbers as its form.
        VerificationFactors(
            r: r,
            u: (Residue(form: e) * inverse).form,
            v: (Residue(form: r) * inverse).form
        )
    }
}

/// The factors u = e/s and v = r/s modulo n. The signature is valid if the x of u·G + v·Q is congruent to r
/// modulo n.
struct VerificationFactors<Curve: PrimeCurve> {
    let r, u, v: Curve.Number
}

extension AffinePoint {
    /// Whether r and s are a signature by this public key for a digest (FIPS 186-5 §6.4.2).
    ///
    /// - Throws: `.ecSignatureOutOfRange`.
    fileprivate func verifies(
        _ signature: Span<UInt8>,
        _ r: Range<Int>,
        _ s: Range<Int>,
        _ digest: Digest
    ) throws(Refusal) -> Bool {
        let factors = try SignatureScalars<Curve>(signature, r, s, digest).factors
        return Curve.sumOfMultiples(factors.u, factors.v, oddMultiples).hasX(factors.r)
    }
}

extension JacobianPoint {
    /// Whether the point has an x that is congruent to r modulo n. Precondition: r is below n.
    ///
    /// x is below p, and p is below 2n: x is r, or r + n if that is below p. x = X/Z² is compared as X =
    /// x·Z².
    func hasX(_ r: Curve.Number) -> Bool {
        guard !isInfinity else { return false }
        let zz = z.squared()
        if Residue(r) * zz == x { return true }
        var sum = r
        return !sum.add(Curve.Order.value) && sum.isBelow(Curve.Field.value) && Residue(sum) * zz == x
    }
}
