import DER
import SHA

/// What a path must be like beyond RFC 5280.
public struct PathPolicy: Sendable, Hashable {
    /// What a signer's extended key usage must say.
    public enum Purpose: Sendable, Hashable {
        /// Where the extension is present, it names this purpose or any.
        case permitted(ObjectIdentifier)
        /// The extension is present, and names this purpose or any.
        case required(ObjectIdentifier)
    }

    /// How many certificates the path may have, from the signer's to the root's, both included.
    public var certificateCount: ClosedRange<Int>
    /// Asked of the signer's certificate; an issuer that confines itself must permit it too.
    public var purpose: Purpose
    /// The shortest hash that a signature of the path may be over; SHA-1 admits all.
    public var minimumHash: HashAlgorithm
    /// Of which `signatureChecks` counts here.
    public var limits: Limits

    /// Any hash is admitted, unless a shortest one is named.
    public init(
        certificateCount: ClosedRange<Int>,
        purpose: Purpose,
        minimumHash: HashAlgorithm = .sha1,
        limits: Limits = .standard
    ) {
        self.certificateCount = certificateCount
        self.purpose = purpose
        self.minimumHash = minimumHash
        self.limits = limits
    }
}
