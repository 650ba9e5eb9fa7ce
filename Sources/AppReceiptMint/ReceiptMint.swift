import DER
import SHA

/// Makes receipts under a root of its own, for tests: of this package, and of apps that validate
/// receipts.
///
/// ```swift
/// let mint = ReceiptMint(seed: 1)
/// let receipt = mint.receipt(bundleIdentifier: "com.example.app") {
///     $0.purchases = [PurchaseTemplate(productIdentifier: "com.example.pro")]
/// }
/// ```
///
/// A validator accepts them whose trust policy is pinned to ``root``, and no other. The same seed makes
/// the same receipts, byte for byte. Making a mint means making keys, which takes time in debug builds:
/// make one, and share it; it is a value that any number of tasks may use at once.
public struct ReceiptMint: Sendable {
    /// The certificate to pin, in DER.
    public let root: [UInt8]
    /// How messages are signed: change it for receipts of another kind.
    public var message: MessageTemplate

    /// A mint of receipts in the likeness of the App Store's.
    ///
    /// - Parameters:
    ///   - seed: of the keys.
    ///   - digest: what the content is signed over: SHA-256 as Apple does since 2023, or SHA-1 as before.
    public init(seed: UInt64, digest: HashAlgorithm = .sha256) {
        self.init(PrivatePKI(seed: seed), digest: digest)
    }

    /// The same, with certificates that are at hand.
    public init(_ pki: PrivatePKI, digest: HashAlgorithm = .sha256) {
        root = pki.root.certificate
        message = MessageTemplate(
            certificates: pki.certificates,
            signers: [SignerTemplate(pki.leaf, digest: digest)]
        )
    }

    /// A mint of receipts in the likeness of those of StoreKit testing in Xcode: one self-signed
    /// certificate for code signing that signs receipts itself, and an envelope in BER.
    public static func xcodeLike(seed: UInt64) -> ReceiptMint { xcodeLike(PrivateKey(seed: seed)) }

    /// The same, with a key that is at hand.
    public static func xcodeLike(_ key: PrivateKey) -> ReceiptMint {
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

    /// Signs a payload.
    public func receipt(_ payload: PayloadTemplate) -> [UInt8] { message.signed(payload: payload.encoded()) }

    /// Signs a receipt for an app: by default one bought in production, without purchases.
    ///
    /// - Parameter change: says more of the receipt.
    public func receipt(
        bundleIdentifier: String,
        _ change: (inout PayloadTemplate) -> Void = { _ in }
    ) -> [UInt8] {
        var payload = PayloadTemplate(bundleIdentifier: bundleIdentifier)
        change(&payload)
        return receipt(payload)
    }
}
