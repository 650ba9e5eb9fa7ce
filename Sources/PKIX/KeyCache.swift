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
    /// The encodings of ``keys``. They are a list of their own, so that a search for one is not generic.
    private(set) var encodings: [[UInt8]] = []
    private var keys: [Key] = []
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
        if let index = index(of: bytes, in: range) { return keys[index] }
        let key = try Key(subjectPublicKeyInfo: bytes, in: range, requirements: requirements)
        let encoding = [UInt8](bytes, in: range)
        if keys.isEmpty {
            // A path of three certificates has three keys, for which each list is allocated once.
            encodings.reserveCapacity(3)
            keys.reserveCapacity(3)
        }
        if keys.count < Self.capacity {
            encodings.append(encoding)
            keys.append(key)
        } else {
            encodings[oldest] = encoding
            keys[oldest] = key
            oldest = (oldest + 1) % Self.capacity
        }
        return key
    }

    /// The index of the key that is remembered for an encoding; nil if there is none.
    private func index(of bytes: Span<UInt8>, in range: Range<Int>) -> Int? {
        for index in encodings.indices {
            let encoding = encodings[index]
            if bytes.holds(range, sameAs: encoding.borrowedSpan, 0..<encoding.count) { return index }
        }
        return nil
    }
}
