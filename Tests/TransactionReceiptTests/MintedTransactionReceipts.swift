import AppReceipt
import AppReceiptMint
import DER
import PKIX
import TestSupport
import TransactionReceipt

/// Mints of both versions, and validators that trust them.
enum Minted {
    static let two = TransactionReceiptMint(.two, keys(leaf: Keys.bits1024))
    static let three = TransactionReceiptMint(.three, Keys.pki)

    static func keys(leaf: PrivateKey) -> PrivatePKI.Keys {
        PrivatePKI.Keys(root: Keys.pki.root, intermediate: Keys.pki.intermediate, leaf: leaf)
    }

    static func mint(_ version: SignatureVersion) -> TransactionReceiptMint {
        version == .two ? two : three
    }

    /// A validator that trusts the mint's root and is given its intermediate.
    static func validator(
        _ mint: TransactionReceiptMint,
        environments: EnvironmentExpectation = .only(.productionSandbox),
        bundleIdentifier: BundleIdentifierExpectation = .exactly("com.example.app"),
        requiringMarkers: Bool = true,
        pathTime: PathTime = .creationDate,
        limits: TransactionReceiptLimits = .standard
    ) throws -> TransactionReceiptValidator {
        TransactionReceiptValidator(
            environments: environments,
            bundleIdentifier: bundleIdentifier,
            trust: .pinned(
                [try TrustAnchor(certificate: mint.root)],
                requiringMarkers: requiringMarkers
            ),
            issuers: [try IssuerCertificate(mint.intermediate)],
            pathTime: pathTime,
            limits: limits
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
