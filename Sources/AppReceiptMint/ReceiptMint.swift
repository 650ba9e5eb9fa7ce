import DER
import SHA

/// Makes signed receipts under a private root, for tests of this package and of apps that validate receipts.
///
/// ```swift
/// let mint = ReceiptMint()
/// let receipt = mint.receipt(bundleIdentifier: "com.example.app") {
///     $0.purchases = [PurchaseTemplate(productIdentifier: "com.example.pro")]
/// }
/// ```
///
/// A validator accepts these receipts only if its trust policy pins ``root``. The same seed makes the same
/// receipts, byte for byte. The keys of the seeds 1 and 2 ship with this module. The keys of any other seed
/// are generated, which takes time in a debug build: make one mint and share it. A mint is a value that any
/// number of tasks can use at once.
public struct ReceiptMint: Sendable {
    /// The root certificate to pin, in DER.
    public let root: [UInt8]
    /// The template of the signed messages. A change applies to the receipts that are made after it.
    public var message: MessageTemplate

    /// Makes a mint of receipts that resemble the App Store's, with test keys, which protect nothing.
    ///
    /// - Parameters:
    ///   - seed: the seed of the keys. The keys of the seeds 1 and 2 ship with this module; the keys of other
    ///     seeds are generated.
    ///   - digest: the hash of the content. Apple has used SHA-256 since 2023, and SHA-1 before.
    public init(seed: UInt64 = 1, digest: HashAlgorithm = .sha256) {
        self.init(PrivatePKI(seed: seed), digest: digest)
    }

    /// Makes a mint of receipts that resemble the App Store's, with given certificates and keys.
    public init(_ pki: PrivatePKI, digest: HashAlgorithm = .sha256) {
        root = pki.root.certificate
        message = MessageTemplate(
            certificates: pki.certificates,
            signers: [SignerTemplate(pki.leaf, digest: digest)]
        )
    }

    /// Makes a mint of receipts that resemble receipts of StoreKit testing in Xcode.
    ///
    /// One self-signed certificate for code signing signs the receipts itself, and the envelope is BER. The
    /// receipts' environment is `Production` unless the caller sets it.
    ///
    /// - Parameter key: the key of the certificate.
    public static func xcodeLike(_ key: PrivateKey = PrivateKey(seed: 1)) -> ReceiptMint {
        let name = NameTemplate(commonName: "Mint", organizationalUnit: "Mint", organization: "Mint")
        var template = CertificateTemplate(
            issuer: name,
            subject: name,
            subjectPublicKeyInfo: key.subjectPublicKeyInfo
        )
        template.extensions = [
            .basicConstraints(isCertificateAuthority: true),
            .keyUsage([.digitalSignature, .keyCertSign]),
            .extendedKeyUsage([ObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 3, 3)], isCritical: true),
        ]
        let identity = Identity(template, key: key)
        var signer = SignerTemplate(identity)
        signer.signatureAlgorithm = .rsaSignature(.sha256)
        var message = MessageTemplate(certificates: [identity.certificate], signers: [signer])
        message.encoding = .ber(segmentByteCount: 1024)
        return ReceiptMint(root: identity.certificate, message: message)
    }

    private init(root: [UInt8], message: MessageTemplate) {
        self.root = root
        self.message = message
    }

    /// Signs a payload and returns the receipt: the encoded message, not in base64.
    public func receipt(_ payload: PayloadTemplate) -> [UInt8] { message.signed(payload: payload.encoded()) }

    /// Makes and signs a receipt for an app, and returns the encoded message. By default the app was bought
    /// in production and the receipt has no purchases.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: the app's bundle identifier.
    ///   - change: changes the payload before it is signed.
    public func receipt(
        bundleIdentifier: String,
        _ change: (inout PayloadTemplate) -> Void = { _ in }
    ) -> [UInt8] {
        var payload = PayloadTemplate(bundleIdentifier: bundleIdentifier)
        change(&payload)
        return receipt(payload)
    }
}
