import PKIX

/// Limits on the work that evidence about revocation may cause.
public struct RevocationLimits: Sendable, Hashable {
    /// The maximum number of OCSP responses. A path of three certificates needs two.
    public var responses = 16
    /// The maximum number of revocation lists. A path of three certificates needs two.
    public var lists = 16
    /// The maximum length of an OCSP response, in bytes. A response with the responder's certificate has
    /// about 2,000.
    public var responseBytes = 1 << 16
    /// The maximum length of a revocation list, in bytes. Apple's list for its WWDR certificates was long the
    /// largest known, and public authorities have had lists of 11 to 22 MB. 32 MiB take about 0.4 s.
    public var listBytes = 1 << 25
    /// The maximum number of statuses in an OCSP response. Responders send one; RFC 6960 allows any number.
    public var statuses = 64
    /// The maximum number of entries in a revocation list; a list with more is refused. An entry with a
    /// reason and a serial number of 16 octets has 49 bytes, so ``listBytes`` has room for about 685,000.
    public var entries = 1 << 20
    /// The maximum number of certificates in an OCSP response. A response needs one, the responder's, unless
    /// the issuer itself is the responder. Each that is the responder's is tried: two signature checks. So
    /// ``signatureChecks`` allows eight.
    public var certificates = 8
    /// The maximum number of extensions in one value of type Extensions, and of names in a list's
    /// distribution point. RFC 5280 defines seven extensions of a list. The search for duplicates is
    /// quadratic.
    public var extensions = 16
    /// The maximum number of signature checks for one call of ``RevocationEvidence``'s `status`. A response
    /// by a delegate needs two, any other piece needs one. A check by a large key counts as several: see
    /// ``SignatureKey/checkWeight``.
    public var signatureChecks = 16
    /// Limits on the certificates of responders.
    public var certificate = CertificateLimits.standard

    /// The default limits. Change the properties of a copy for others.
    public static var standard: Self { Self() }
}
