/// A certificate, what it was made from, and its key.
public struct Identity: Sendable {
    /// What the certificate says.
    public let template: CertificateTemplate
    /// The key that belongs to the certificate, if the template says so.
    public let key: PrivateKey
    /// In DER.
    public let certificate: [UInt8]

    /// Signs a certificate.
    ///
    /// - Parameter issuerKey: nil for the certificate's own.
    public init(_ template: CertificateTemplate, key: PrivateKey, signedBy issuerKey: PrivateKey? = nil) {
        self.template = template
        self.key = key
        certificate = template.signed(by: issuerKey ?? key)
    }
}
