/// A certificate with its private key and the template it was made from.
public struct CertifiedKey<Key: CertificateKey>: Sendable {
    /// The template that the certificate was made from.
    public let template: CertificateTemplate
    /// The private key of the certificate's subject, provided that the template has the matching public key.
    public let key: Key
    /// The encoded certificate. It is DER if all fields of the template have correct values.
    public let certificate: [UInt8]

    /// Signs a certificate and keeps it with the template and the subject's key.
    ///
    /// - Parameters:
    ///   - template: the fields of the certificate.
    ///   - key: the private key of the certificate's subject.
    ///   - issuerKey: the key that signs; nil for a certificate that signs itself.
    public init(_ template: CertificateTemplate, key: Key, signedBy issuerKey: Key? = nil) {
        self.template = template
        self.key = key
        certificate = template.signed(by: issuerKey ?? key)
    }
}

/// An RSA certificate with its private key.
public typealias Identity = CertifiedKey<PrivateKey>
