import Basics
import ECDSA
import PKIX
import SHA

extension DistrustList {
    /// Whether the list has a certificate that differs from a certificate in the signature alone.
    ///
    /// A certificate's signature is not signed, and anyone can replace its s by n - s. The certificate is as
    /// valid as before, and has another fingerprint. Keys on the list are not affected.
    func containsMirrored(_ certificate: CertificateView) -> Bool {
        guard !isEmpty else { return false }
        return certificate.mirrored.contains { contains(certificate: $0.borrowedSpan) }
    }

    /// Checks that the list has no certificate that differs from one of `x5c` in the signature alone.
    ///
    /// - Parameters:
    ///   - path: the indices of the path's certificates, without a root that was not offered.
    ///   - certificates: the certificates of `x5c`.
    /// - Throws: `.distrusted`, with the offset of the certificate.
    func checkMirrored(_ path: [Int], among certificates: CertificateList) throws(Refusal) {
        for index in path where containsMirrored(certificates[index]) {
            throw certificates[index].refusal(.distrusted, "certificate")
        }
    }
}

extension CertificateView {
    /// The certificates that have the signature (r, n - s) in place of (r, s).
    fileprivate var mirrored: [[UInt8]] {
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
