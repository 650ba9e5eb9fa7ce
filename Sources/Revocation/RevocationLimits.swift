import PKIX

/// Limits on the work that evidence about revocation may cause.
public struct RevocationLimits: Sendable, Hashable {
    /// The maximum number of OCSP responses. A path of three certificates needs at most two.
    public var responses = 16
    /// The maximum number of revocation lists. A path of three certificates needs at most two.
    public var lists = 16
    /// The maximum length of an OCSP response, in bytes. A response with the responder's certificate has
    /// about 2,000.
    public var responseBytes = 1 << 16
    /// The maximum length of a revocation list, in bytes. Public authorities have had lists of 11 to 22 MB.
    public var listBytes = 1 << 25
    /// The maximum number of statuses in an OCSP response. Responders send one; RFC 6960 allows any number.
    public var statuses = 64
    /// The maximum number of entries in a revocation list; a list with more is refused. An entry with a
    /// reason and a serial number of 16 octets has 49 bytes, so ``listBytes`` has room for about 685,000.
    public var entries = 1 << 20
    /// The maximum number of certificates in an OCSP response. A response needs one, the responder's,
    /// unless the issuer itself is the responder. If several are the responder's, they are tried until one
    /// verifies the response. A try takes at most two signature checks, or more with a large key. The
    /// default of ``signatureChecks`` is twice this default.
    public var certificates = 8
    /// The maximum number of extensions in one value of type Extensions, and of names in the distribution
    /// point of a revocation list. The limit does not apply to the extensions of certificates. RFC 5280
    /// defines seven extensions of a revocation list. The search for duplicate extensions is quadratic at
    /// worst.
    public var extensions = 16
    /// The maximum number of signature checks for one call of ``RevocationEvidence``'s `status`. A response
    /// by a delegate needs at least two, any other piece needs one. A check by a large key counts as several:
    /// see ``SignatureKey/checkWeight``.
    public var signatureChecks = 16
    /// Limits on each certificate in an OCSP response.
    public var certificate = CertificateLimits.standard

    /// The default limits. Change the properties of a copy for others.
    public static var standard: Self { Self() }
}
