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
    /// The maximum length of a revocation list, in bytes. For a long time Apple's list for its WWDR
    /// certificates was the largest known, and public authorities have had lists of 11 to 22 MB. A list of
    /// 32 MiB takes about 0.4 s.
    public var listBytes = 1 << 25
    /// The maximum number of statuses in an OCSP response. Responders send one; RFC 6960 allows any number.
    public var statuses = 64
    /// The maximum number of entries in a revocation list; a list with more is refused. An entry with a
    /// reason and a serial number of 16 octets has 49 bytes, so ``listBytes`` has room for about 685,000.
    public var entries = 1 << 20
    /// The maximum number of certificates in an OCSP response. A response needs one, the responder's,
    /// unless the issuer itself is the responder. If several are the responder's, they are tried until one
    /// verifies the response. Each try takes two signature checks, so the default of ``signatureChecks``
    /// allows eight tries.
    public var certificates = 8
    /// The maximum number of extensions in one value of type Extensions, and of names in the distribution
    /// point of a revocation list. The limit does not apply to the extensions of certificates. RFC 5280
    /// defines seven extensions of a revocation list. The search for duplicates is quadratic.
    public var extensions = 16
    /// The maximum number of signature checks for one call of ``RevocationEvidence``'s `status`. A response
    /// by a delegate needs two, any other piece needs one. A check by a large key counts as several: see
    /// ``SignatureKey/checkWeight``.
    public var signatureChecks = 16
    /// Limits on each certificate in an OCSP response.
    public var certificate = CertificateLimits.standard

    /// The default limits. Change the properties of a copy for others.
    public static var standard: Self { Self() }
}
