import Basics

/// Decoded public keys, remembered by the bytes of their SubjectPublicKeyInfo, and verdicts about the
/// revocation of certificates.
///
/// Decoding a key can be expensive: an RSA key computes constants of its modulus. A remembered key depends on
/// the bytes of its encoding and on the requirements only, so input cannot plant a wrong key. A cache is a
/// value without locks: each worker has its own.
public struct KeyCache<Key: SignatureKey>: Sendable {
    /// The requirements on each key. A key that does not meet them is refused and never remembered.
    package let requirements: Key.Requirements
    /// The SubjectPublicKeyInfo bytes of ``keys``, at the same indices. They are stored apart from the keys,
    /// so that the code that searches them does not depend on the type of the keys.
    private(set) var encodings = RecentElements<[UInt8]>(capacity: Self.capacity)
    private var keys = RecentElements<Key>(capacity: Self.capacity)
    /// The last certificate whose revocation was judged; nil if none was. It refers to those before it that
    /// are still remembered.
    private var judged: JudgedCertificate?

    /// The maximum number of remembered keys. Beyond it, a new key replaces the one that was added first.
    static var capacity: Int { 64 }
    /// The maximum number of remembered verdicts about revocation. Once it is reached, the cache forgets them
    /// all before it adds another.
    static var judgedCapacity: Int { 16 }

    /// Creates an empty cache for keys that must meet these requirements.
    public init(_ requirements: Key.Requirements) { self.requirements = requirements }

    /// The public key of a certificate, from the cache or else decoded and then remembered.
    ///
    /// - Throws: what decoding a `Key` throws, with an offset in the certificate's buffer.
    public mutating func key(of certificate: CertificateView) throws(Refusal) -> Key {
        let bytes = certificate.bytes
        let range = certificate.fields.subjectPublicKeyInfo
        for index in encodings.elements.indices {
            let encoding = encodings.elements[index]
            if bytes.holds(range, sameAs: encoding.borrowedSpan, 0..<encoding.count) {
                return keys.elements[index]
            }
        }
        let key = try Key(subjectPublicKeyInfo: bytes, in: range, requirements: requirements)
        encodings.append([UInt8](bytes, in: range))
        keys.append(key)
        return key
    }

    /// What a policy of revocation says about a certificate: the remembered verdict, or else the result of a
    /// function, which is then remembered.
    ///
    /// Anybody can send the certificates of a genuine signer again and again, in messages that differ. A
    /// verdict is remembered for the signed parts of the certificate and of its issuer's. Their signatures
    /// are not compared, because anybody can write a signature of ECDSA in a second way. The verdict must
    /// depend on nothing else.
    ///
    /// Precondition: all calls for one cache are under one policy and one list of distrusted certificates.
    /// The caches of the validators are emptied when these change.
    package mutating func revocationVerdict(
        about certificate: CertificateView,
        issuedBy issuer: CertificateView,
        _ judge: (inout Self) -> RevocationVerdict
    ) -> RevocationVerdict {
        var one = judged
        while let known = one {
            if certificate.equals(known.certificate) && issuer.equals(known.issuer) { return known.verdict }
            one = known.earlier
        }
        let verdict = judge(&self)
        let isFull = judged.map { $0.count >= Self.judgedCapacity } ?? false
        judged = JudgedCertificate(
            [UInt8](certificate.bytes, in: certificate.fields.tbsCertificate),
            [UInt8](issuer.bytes, in: issuer.fields.tbsCertificate),
            verdict,
            after: isFull ? nil : judged
        )
        return verdict
    }
}

/// What a policy of revocation says about a certificate.
package enum RevocationVerdict: Sendable, Equatable {
    /// Evidence proves that the certificate is not revoked.
    case good
    /// The certificate is revoked.
    case revoked
    /// It is not known whether the certificate is revoked. The code says why.
    case unknown(Refusal.Code)
}

/// The TBSCertificate of a certificate and of its issuer's, and the verdict about the certificate.
///
/// It is a class, so that a cache without such a certificate holds no more than a reference.
private final class JudgedCertificate: Sendable {
    let certificate: [UInt8]
    let issuer: [UInt8]
    let verdict: RevocationVerdict
    /// The certificate that was judged before this one; nil if there was none, or if the cache was full and
    /// forgot all before it added this one.
    let earlier: JudgedCertificate?
    /// The number of certificates in the list that ``earlier`` forms, this one included.
    let count: Int

    init(
        _ certificate: [UInt8],
        _ issuer: [UInt8],
        _ verdict: RevocationVerdict,
        after earlier: JudgedCertificate?
    ) {
        (self.certificate, self.issuer, self.verdict) = (certificate, issuer, verdict)
        self.earlier = earlier
        count = earlier.map { $0.count &+ 1 } ?? 1
    }
}

extension CertificateView {
    /// Whether the signed part of the certificate (RFC 5280 §4.1.1.1) has these octets.
    fileprivate func equals(_ encoding: [UInt8]) -> Bool {
        bytes.holds(fields.tbsCertificate, sameAs: encoding.borrowedSpan, encoding.indices)
    }
}
