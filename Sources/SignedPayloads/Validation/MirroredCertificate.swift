import Basics
import ECDSA
import PKIX
import SHA

extension CertificateView {
    /// Whether one of the digests is that of the certificate, of its SubjectPublicKeyInfo, or of a mirrored
    /// certificate, whose ECDSA signature (r, s) is replaced by (r, n - s).
    ///
    /// A certificate's signature is not signed, so anyone can replace (r, s) by (r, n - s). The certificate
    /// is as valid as before, and has another fingerprint.
    func isListedOrMirrored(in digests: [Digest]) -> Bool {
        isListed(in: digests)
            || mirrored.contains { certificate in
                digests.contains { $0 == $0.algorithm.digest(of: certificate.borrowedSpan) }
            }
    }

    /// The DER of the certificates that have the signature (r, n - s) in place of (r, s): one for each curve
    /// for which s is in 1…n-1, where n is the order. Empty if the signature is malformed or too long.
    private var mirrored: [[UInt8]] {
        // The signed part and the algorithm, as they are.
        let rest = fields.tbsCertificate.lowerBound..<fields.signatureAlgorithm.range.upperBound
        let copied = [UInt8](bytes, in: rest)
        return ECPublicKey.mirrored(signature).map { signature in
            // A BIT STRING without unused bits.
            Self.element(0x30, copied + Self.element(0x03, [0] + signature))
        }
    }

    /// An element in DER with a tag of one octet (X.690 §8.1).
    private static func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        let count = contents.count
        guard count >= 0x80 else { return [tag, UInt8(count)] + contents }
        let octets = (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }.drop { $0 == 0 }
        return [tag, 0x80 | UInt8(octets.count)] + octets + contents
    }
}
