import Basics

/// Decoded public keys, remembered by the bytes of their SubjectPublicKeyInfo.
///
/// Decoding a key can be expensive: an RSA key computes constants of its modulus. A remembered key depends on
/// the bytes of its encoding and on the requirements only, so input cannot plant a wrong key. A cache is a
/// value without locks: each worker has its own.
public struct KeyCache<Key: SignatureKey>: Sendable {
    /// The requirements on each key. A key that does not meet them is refused and never remembered.
    package let requirements: Key.Requirements
    /// The SubjectPublicKeyInfo bytes of ``keys``, at the same indices. A search here is not generic.
    private(set) var encodings = RecentElements<[UInt8]>(capacity: Self.capacity)
    private var keys = RecentElements<Key>(capacity: Self.capacity)

    /// The maximum number of remembered keys. Beyond it, a new key replaces the oldest. Apple has used fewer
    /// than a dozen keys at any one time.
    static var capacity: Int { 64 }

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
}
