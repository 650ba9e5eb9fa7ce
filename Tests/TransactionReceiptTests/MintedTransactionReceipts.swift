import AppReceipt
import AppReceiptMint
import PKIX
import TestSupport
import TransactionReceipt

/// Mints of all versions, and validators that trust them.
enum Minted {
    static let two = TransactionReceiptMint(.two, keys(leaf: Keys.bits1024))
    static let three = TransactionReceiptMint(.three, Keys.pki)
    static let four = TransactionReceiptMint(.four, Keys.pki)

    static func keys(leaf: PrivateKey) -> PrivatePKI.Keys {
        PrivatePKI.Keys(root: Keys.pki.root, intermediate: Keys.pki.intermediate, leaf: leaf)
    }

    static func mint(_ version: SignatureVersion) -> TransactionReceiptMint {
        switch version {
        case .two: two
        case .three: three
        case .four: four
        }
    }

    /// A validator that trusts the mint's root and is given its intermediate.
    static func validator(
        _ mint: TransactionReceiptMint,
        environments: EnvironmentExpectation = .only(.productionSandbox),
        bundleIdentifier: BundleIdentifierExpectation = .exactly("com.example.app"),
        requiringMarkers: Bool = true,
        minimumDigest: HashAlgorithm = .sha1,
        pathTime: Timestamp? = nil,
        distrusted: DistrustList = .empty,
        revocation: RevocationPolicy<SigningKey>? = nil
    ) throws -> TransactionReceiptValidator {
        TransactionReceiptValidator(
            ReceiptPolicy(
                environments: environments,
                bundleIdentifier: bundleIdentifier,
                trust: .pinned(
                    [try TrustAnchor(certificate: mint.root)],
                    requiringMarkers: requiringMarkers
                ),
                issuers: [try IssuerCertificate(mint.intermediate)],
                minimumDigest: minimumDigest,
                distrusted: distrusted,
                revocation: revocation,
                pathTime: pathTime
            )
        )
    }

    /// The error for a receipt; nil if it is accepted.
    static func error(_ validator: TransactionReceiptValidator, _ bytes: [UInt8]) -> ReceiptError? {
        do throws(ReceiptError) {
            _ = try validator.validate(bytes)
            return nil
        } catch {
            return error
        }
    }
}

extension TransactionReceiptTemplate {
    /// Writes another version, with the signature that this version requires.
    mutating func sign(as other: SignatureVersion) {
        version = other.rawValue
        hash = other.digestAlgorithm
    }
}
