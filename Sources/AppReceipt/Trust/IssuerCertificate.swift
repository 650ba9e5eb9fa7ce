import Basics
import DER
import PKIX

/// A certificate that transaction receipts do not contain: of an intermediate, which issued signers'
/// certificates, or of a root.
public struct IssuerCertificate: Sendable, Hashable {
    /// The certificate, in DER.
    package let bytes: [UInt8]

    /// Takes a certificate in DER.
    ///
    /// The certificate need not be trusted: the path that it is part of must end at a pinned root.
    ///
    /// - Throws: `Refusal` unless the bytes are exactly one certificate within the limits.
    public init(_ bytes: [UInt8], limits: CertificateLimits = .standard) throws(Refusal) {
        var reader = Reader(bytes.borrowedSpan)
        _ = try Certificate(&reader, limits: limits)
        try reader.finish("Certificate")
        self.bytes = bytes
    }
}
