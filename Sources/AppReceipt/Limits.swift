import CMS
import RSA

/// Limits on the work that a receipt may cause: the limits of `CMS`, `PKIX`, `DER` and `RSA`, and two more.
public struct Limits: Sendable, Hashable {
    /// Limits on the CMS message that is a receipt's container, and on its certificates.
    public var message = MessageLimits.standard
    /// Limits on the keys of the certificates.
    public var key = KeyLimits.standard
    /// The maximum number of attributes in one SET. It bounds the receipt's SET, in which an attribute may be
    /// a purchase, and also the SET of each purchase. The longest genuine receipt seen has 187 purchases.
    public var attributes = 1 << 16
    /// The maximum number of signature checks while a path is built. A genuine path needs 2. Certificates
    /// that look alike can force more. A check by a key of more than 4096 bits, or with another exponent than
    /// 65537, may count as several: see `SigningKey.checkWeight`.
    public var signatureChecks = 16

    /// The default limits. For other limits, change the properties of a copy.
    public static var standard: Self { Self() }

    /// The maximum length of a receipt, in bytes: `message.encoding.inputBytes`. Its base64 text may have
    /// twice as many characters.
    public var inputBytes: Int {
        get { message.encoding.inputBytes }
        set { message.encoding.inputBytes = newValue }
    }
}
