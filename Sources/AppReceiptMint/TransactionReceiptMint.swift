import DER
import PKIX
import SHA

/// Makes signed iOS 6 transaction receipts under a private root, for tests.
///
/// ```swift
/// let mint = TransactionReceiptMint(.two)
/// let receipt = mint.receipt(productIdentifier: "com.example.pro")
/// ```
///
/// A validator accepts these receipts only if its trust policy pins ``root`` and it is given the
/// ``intermediate``, which these receipts do not contain. The same seed makes the same receipts.
public struct TransactionReceiptMint: Sendable {
    /// The version of the signature.
    public enum Version: UInt8, Sendable, Hashable, CaseIterable {
        /// A signer with a key of 1024 bits under an authority with the iTunes Store's marker.
        case two = 2
        /// A signer of app receipts with a key of 2048 bits.
        case three = 3
    }

    /// The version of the signatures.
    public let version: Version
    /// The certificates and their keys. The leaf signs.
    public var pki: PrivatePKI

    /// Makes a mint.
    ///
    /// - Parameters:
    ///   - version: the version of the signatures.
    ///   - seed: the seed of the keys. The keys of 2048 bits of the seeds 1 and 2 ship with this module. The
    ///     key of 1024 bits is generated, which takes a moment in a debug build: make one mint and share it.
    public init(_ version: Version, seed: UInt64 = 1) {
        var keys = PrivatePKI.Keys(seed: seed)
        if version == .two { keys.leaf = PrivateKey(.rsa1024, seed: seed) }
        self.init(version, keys)
    }

    /// Makes a mint with given keys, which may be wrong for the version.
    public init(_ version: Version, _ keys: PrivatePKI.Keys) {
        self.version = version
        var options = PrivatePKI.Options()
        options.hash = .sha1
        guard version == .two else {
            pki = PrivatePKI(keys, options: options)
            return
        }
        options.markers = .none
        pki = PrivatePKI(keys, options: options)
            .reissued(.intermediate) { $0.extensions.append(.iTunesStoreMarker) }
            .reissued(.leaf) { $0.extensions.append(.purchaseReceiptMarker) }
    }

    /// The root certificate to pin, in DER.
    public var root: [UInt8] { pki.root.certificate }
    /// The certificate of the signer's issuer, in DER.
    public var intermediate: [UInt8] { pki.intermediate.certificate }

    /// A template of a receipt of one purchase in the sandbox, on 2015-06-01 at 12:00.
    public func template(
        productIdentifier: String = "com.example.app.pro",
        bundleIdentifier: String = "com.example.app"
    ) -> TransactionReceiptTemplate {
        TransactionReceiptTemplate(
            version: version.rawValue,
            certificate: pki.leaf.certificate,
            key: pki.leaf.key,
            entries: [
                .init("original-purchase-date-pst", "2015-06-01 05:00:00 America/Los_Angeles"),
                .init("purchase-date-ms", "1433160000000"),
                .init("unique-identifier", "0000000000000000000000000000000000000000"),
                .init("original-transaction-id", "1000000000000001"),
                .init("bvrs", "1"),
                .init("transaction-id", "1000000000000001"),
                .init("quantity", "1"),
                .init("original-purchase-date-ms", "1433160000000"),
                .init("unique-vendor-identifier", "00000000-0000-0000-0000-000000000000"),
                .init("item-id", "1234567890"),
                .init("product-id", productIdentifier),
                .init("purchase-date", "2015-06-01 12:00:00 Etc/GMT"),
                .init("original-purchase-date", "2015-06-01 12:00:00 Etc/GMT"),
                .init("bid", bundleIdentifier),
                .init("purchase-date-pst", "2015-06-01 05:00:00 America/Los_Angeles"),
            ]
        )
    }

    /// Makes and signs a receipt: the base64 of its property list.
    ///
    /// - Parameters:
    ///   - productIdentifier: the product that was bought.
    ///   - bundleIdentifier: the app's bundle identifier.
    ///   - change: changes the template before it is signed.
    public func receipt(
        productIdentifier: String = "com.example.app.pro",
        bundleIdentifier: String = "com.example.app",
        _ change: (inout TransactionReceiptTemplate) -> Void = { _ in }
    ) -> [UInt8] {
        var template = template(productIdentifier: productIdentifier, bundleIdentifier: bundleIdentifier)
        change(&template)
        return template.base64()
    }
}
