import SHA

/// Makes signed iOS 6 transaction receipts under a private root, for tests.
///
/// ```swift
/// let mint = TransactionReceiptMint(.two)
/// let receipt = mint.receipt(productIdentifier: "com.example.pro")
/// ```
///
/// A validator accepts these receipts only if its trust policy pins ``root`` and it is given the
/// ``intermediate``, which these receipts do not contain. The same version and seed make the same receipts.
public struct TransactionReceiptMint: Sendable {
    /// The version of a receipt's signature. It decides the hash, the markers, the entries of the
    /// purchase-info and, unless the caller gives keys, the length of the signer's key.
    public enum Version: UInt8, Sendable, Hashable, CaseIterable {
        /// SHA-1, and a signer with a key of 1024 bits under an authority with the iTunes Store's marker.
        case two = 2
        /// SHA-1, a signer with a key of 2048 bits, and the markers of app receipts.
        case three = 3
        /// As version 3, with SHA-256 in the signatures of the receipts and of the certificates, and with
        /// more entries in the purchase-info.
        case four = 4
    }

    /// The version of the receipts' signatures.
    public let version: Version
    /// The certificates and their keys. The key of the leaf signs the receipts.
    public var pki: PrivatePKI

    /// Makes a mint.
    ///
    /// - Parameters:
    ///   - version: the version of the signatures.
    ///   - seed: the seed of the keys. The keys of 2048 bits of the seeds 1 and 2 ship with this module. All
    ///     other keys, such as the leaf's key of 1024 bits in version 2, are generated, which takes time in
    ///     a debug build: make one mint and share it.
    public init(_ version: Version, seed: UInt64 = 1) {
        var keys = PrivatePKI.Keys(seed: seed)
        if version == .two { keys.leaf = PrivateKey(.rsa1024, seed: seed) }
        self.init(version, keys)
    }

    /// Makes a mint with given keys. Their lengths are not checked and may be wrong for the version.
    public init(_ version: Version, _ keys: PrivatePKI.Keys) {
        self.version = version
        var options = PrivatePKI.Options()
        options.hash = Self.hash(of: version)
        guard version == .two else {
            pki = PrivatePKI(keys, options: options)
            return
        }
        options.markers = .none
        pki = PrivatePKI(keys, options: options)
            .reissued(.intermediate) { $0.extensions.append(.iTunesStoreMarker) }
            .reissued(.leaf) { $0.extensions.append(.purchaseReceiptMarker) }
    }

    /// The hash algorithm of the signatures of receipts and of their certificates.
    private static func hash(of version: Version) -> HashAlgorithm { version == .four ? .sha256 : .sha1 }

    /// The root certificate to pin, in DER.
    public var root: [UInt8] { pki.root.certificate }
    /// The certificate of the signer's issuer, in DER.
    public var intermediate: [UInt8] { pki.intermediate.certificate }

    /// The entries that genuine receipts have in version 4, but not in version 2.
    private static let entriesOfVersionFour: [TransactionReceiptTemplate.Entry] = [
        ("app-item-id", "1234567891"),
        ("in-app-ownership-type", "PURCHASED"),
        ("is-in-intro-offer-period", "false"),
        ("is-trial-period", "false"),
    ]

    /// A template of a receipt of one purchase in the sandbox, on 2015-06-01 at 12:00 UTC.
    public func template(
        productIdentifier: String = "com.example.app.pro",
        bundleIdentifier: String = "com.example.app"
    ) -> TransactionReceiptTemplate {
        var template = TransactionReceiptTemplate(
            version: version.rawValue,
            certificate: pki.leaf.certificate,
            key: pki.leaf.key,
            entries: [
                ("original-purchase-date-pst", "2015-06-01 05:00:00 America/Los_Angeles"),
                ("purchase-date-ms", "1433160000000"),
                ("unique-identifier", "0000000000000000000000000000000000000000"),
                ("original-transaction-id", "1000000000000001"),
                ("bvrs", "1"),
                ("transaction-id", "1000000000000001"),
                ("quantity", "1"),
                ("original-purchase-date-ms", "1433160000000"),
                ("unique-vendor-identifier", "00000000-0000-0000-0000-000000000000"),
                ("item-id", "1234567890"),
                ("product-id", productIdentifier),
                ("purchase-date", "2015-06-01 12:00:00 Etc/GMT"),
                ("original-purchase-date", "2015-06-01 12:00:00 Etc/GMT"),
                ("bid", bundleIdentifier),
                ("purchase-date-pst", "2015-06-01 05:00:00 America/Los_Angeles"),
            ]
        )
        template.hash = Self.hash(of: version)
        if version == .four { template.entries += Self.entriesOfVersionFour }
        return template
    }

    /// Makes and signs a receipt. Returns the base64 of its property list, in ASCII.
    ///
    /// - Parameters:
    ///   - productIdentifier: the product that was bought.
    ///   - bundleIdentifier: the app's bundle identifier.
    ///   - change: changes the template that the receipt is made from.
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
