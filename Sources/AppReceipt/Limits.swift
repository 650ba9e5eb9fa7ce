import CMS
import DER
import PKIX
import RSA

/// Limits on the work that a receipt may cause: the limits of every module, gathered.
public struct Limits: Sendable, Hashable {
    /// Limits on the message and its certificates.
    package var message = MessageLimits.standard
    /// Limits on the keys of the certificates.
    package var key = KeyLimits.standard

    /// The maximum number of attributes in one SET: the receipt's SET, where each attribute may be a
    /// purchase, or a purchase's SET. The longest genuine receipt seen has 187 purchases.
    public var attributes = 1 << 16
    /// The maximum number of signature checks while a path is built. A genuine path needs 2. Certificates
    /// that look alike can force more.
    public var signatureChecks = 16

    /// Creates the default limits.
    public init() {}

    /// The default limits. Every `limits` parameter of this module uses them.
    public static var standard: Self { Self() }
}

extension Limits {
    /// The maximum length of a receipt, in bytes; its base64 text may have twice as many characters. See
    /// `EncodingLimits.inputBytes`.
    public var inputBytes: Int {
        get { message.encoding.inputBytes }
        set { message.encoding.inputBytes = newValue }
    }
    /// The maximum depth of nested elements. See `EncodingLimits.depth`.
    public var depth: Int {
        get { message.encoding.depth }
        set { message.encoding.depth = newValue }
    }
    /// The maximum number of elements that the BER normaliser visits. See `EncodingLimits.elements`.
    public var elements: Int {
        get { message.encoding.elements }
        set { message.encoding.elements = newValue }
    }
    /// The maximum number of certificates in a receipt. See `MessageLimits.certificates`.
    public var certificates: Int {
        get { message.certificates }
        set { message.certificates = newValue }
    }
    /// The maximum number of extensions in a certificate. See `CertificateLimits.extensions`.
    public var extensions: Int {
        get { message.certificate.extensions }
        set { message.certificate.extensions = newValue }
    }
    /// The maximum number of purposes in a certificate's extended key usage. See
    /// `CertificateLimits.purposes`.
    public var purposes: Int {
        get { message.certificate.purposes }
        set { message.certificate.purposes = newValue }
    }
    /// The maximum length of an RSA modulus, in bits. See `KeyLimits.modulusBits`.
    public var modulusBits: Int {
        get { key.modulusBits }
        set { key.modulusBits = newValue }
    }
    /// The maximum length of an RSA public exponent, in bits. See `KeyLimits.exponentBits`.
    public var exponentBits: Int {
        get { key.exponentBits }
        set { key.exponentBits = newValue }
    }
}
