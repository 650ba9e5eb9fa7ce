import DER
import SHA

/// Requirements on a certification path beyond RFC 5280.
public struct PathPolicy: Sendable, Hashable {
    /// The purpose that the extended key usages of the path's certificates must permit.
    public enum Purpose: Sendable, Hashable {
        /// The signer's certificate must have no extended key usage, or one that names this purpose or
        /// `anyExtendedKeyUsage`.
        case permitted(ObjectIdentifier)
        /// The signer's certificate must have an extended key usage that names this purpose or
        /// `anyExtendedKeyUsage`.
        case required(ObjectIdentifier)

        /// The object identifier of the purpose, whether it is ``permitted(_:)`` or ``required(_:)``.
        package var identifier: ObjectIdentifier {
            switch self {
            case .permitted(let identifier), .required(let identifier): identifier
            }
        }
    }

    /// How many certificates the path may have, from the signer's to the root's, both included.
    package var certificateCount: ClosedRange<Int>
    /// The purpose that the signer's certificate must permit. An extended key usage of an issuer must permit
    /// it too.
    package var purpose: Purpose
    /// The weakest hash algorithm that is accepted in a certificate's signature.
    ///
    /// Algorithms are compared by the length of their digests, so SHA-1 accepts all. The root's own signature
    /// is not checked.
    package var minimumHash: HashAlgorithm
    /// The maximum number of signature checks while a path is built.
    ///
    /// A check by an expensive key counts as several: see ``SignatureKey/checkWeight``. Below 0 counts as 0.
    package var signatureChecks: Int
    /// An extension that the signer's issuer should have; nil for none.
    ///
    /// The search tries the offered issuers of the signer's certificate that have the extension before all
    /// other issuers of that certificate. If the second certificate of the path that is found was offered and
    /// lacks the extension, then the search has found no path through an offered second certificate with the
    /// extension.
    ///
    /// In the signer's issuer, and in no other certificate, the extension counts as known if it is critical.
    /// The caller must therefore refuse a path whose second certificate lacks the extension.
    package var preferredIssuerExtension: ObjectIdentifier?
    /// An extension that the caller requires of the signer's certificate; nil for none.
    ///
    /// The search does not look for the extension. In the signer's certificate, and in no other certificate,
    /// the extension counts as known if it is critical. The caller must therefore refuse a path whose first
    /// certificate lacks the extension.
    package var signerExtension: ObjectIdentifier?

    /// Creates a policy. By default it admits every hash algorithm, and 16 signature checks.
    public init(
        certificateCount: ClosedRange<Int>,
        purpose: Purpose,
        minimumHash: HashAlgorithm = .sha1,
        signatureChecks: Int = 16,
        preferredIssuerExtension: ObjectIdentifier? = nil,
        signerExtension: ObjectIdentifier? = nil
    ) {
        self.certificateCount = certificateCount
        self.purpose = purpose
        self.minimumHash = minimumHash
        self.signatureChecks = signatureChecks
        self.preferredIssuerExtension = preferredIssuerExtension
        self.signerExtension = signerExtension
    }
}
