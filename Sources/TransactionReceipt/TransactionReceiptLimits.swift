import AppReceipt
import PKIX
import RSA

/// Limits on the work that a transaction receipt may cause.
public struct TransactionReceiptLimits: Sendable, Hashable {
    /// The maximum length of the property list, in bytes; its base64 text may have twice as many characters.
    /// Genuine receipts of version 2 have up to 2,639 bytes. Version 3 adds about 1,300.
    public var inputBytes = 1 << 16
    /// The maximum number of entries in each of the two property lists. Genuine lists have up to 21. The
    /// search for duplicate keys is quadratic.
    public var entries = 128
    /// The maximum number of signature checks while a path is built. A genuine path needs 2.
    public var signatureChecks = 16
    /// Limits on the certificates.
    package var certificate = CertificateLimits.standard
    /// Limits on the keys of the certificates.
    package var key = KeyLimits.standard

    /// Creates the default limits.
    public init() {}

    /// Creates the default limits, lowered to those for receipts in general where these are lower.
    public init(within limits: Limits) {
        inputBytes = min(inputBytes, limits.inputBytes)
        signatureChecks = min(signatureChecks, limits.signatureChecks)
        certificate.extensions = limits.extensions
        certificate.purposes = limits.purposes
        key = limits.key
    }

    /// The default limits.
    public static var standard: Self { Self() }
}
