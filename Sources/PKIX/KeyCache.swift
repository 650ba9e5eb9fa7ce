import Bytes
import DER

/// Decoded public keys, remembered by the bytes of their SubjectPublicKeyInfo.
///
/// Decoding a key can be expensive: an RSA key computes constants of its modulus. A remembered key depends on
/// the bytes of its encoding and on the requirements only, so input cannot plant a wrong key. A cache is a
/// value without locks: each worker has its own.
public struct KeyCache<Key: SignatureKey>: Sendable {
    /// The requirements on each key. A key that does not meet them is refused and never remembered.
    public let requirements: Key.Requirements
    private(set) var entries: [(encoding: [UInt8], key: Key)] = []
    private var oldest = 0

    /// How many keys are remembered. The oldest one gives way to a new one. Apple has used fewer than a dozen
    /// keys at any one time.
    static var capacity: Int { 64 }

    /// Creates an empty cache.
    public init(_ requirements: Key.Requirements) { self.requirements = requirements }

    /// The public key of a certificate, decoded at most once while it is remembered.
    ///
    /// - Throws: what decoding a `Key` throws, with an offset in the certificate's buffer.
    public mutating func key(of certificate: CertificateView) throws(Refusal) -> Key {
        let bytes = certificate.bytes
        let range = certificate.fields.subjectPublicKeyInfo
        for index in entries.indices {
            let encoding = entries[index].encoding
            if bytes.holds(range, sameAs: encoding.borrowedSpan, 0..<encoding.count) {
                return entries[index].key
            }
        }
        let key = try Key(subjectPublicKeyInfo: bytes, in: range, requirements: requirements)
        let entry = ([UInt8](bytes, in: range), key)
        if entries.count < Self.capacity {
            entries.append(entry)
        } else {
            entries[oldest] = entry
            oldest = (oldest + 1) % Self.capacity
        }
        return key
    }
}
