import AppReceipt
import Basics
import DER
import PKIX
import SHA

// The only file in which the signature of a transaction receipt is verified, and the only one that can make a
// `PurchaseInfo`.

/// The purchase-info of a validated transaction receipt: signed under a root that the trust policy names, and
/// made for the app that the validator expects.
///
/// Only ``TransactionReceiptValidator`` makes one. The signature covers ``signatureVersion`` and all values
/// of the purchase-info. It does not cover ``signingCertificate``, ``claimedEnvironmentName`` or
/// ``outerEntries``.
public struct PurchaseInfo: PurchaseInfoContents {
    public let unverified: UnverifiedPurchaseInfo
    /// The SHA-256 fingerprint of the trusted root that the receipt was signed under.
    public let rootFingerprint: Digest
    /// The checks that were not made, or whose result is not proven, in the order of the steps.
    ///
    /// The list has the step `environment` unless the policy asks for it and the receipt says Sandbox: that
    /// a receipt comes from production is not signed. `expirationDate` is never listed.
    public let notChecked: [ReceiptError.Step]

    fileprivate init(
        _ unverified: UnverifiedPurchaseInfo,
        rootFingerprint: Digest,
        notChecked: [ReceiptError.Step]
    ) {
        self.unverified = unverified
        self.rootFingerprint = rootFingerprint
        self.notChecked = notChecked
    }
}

/// The validation of one transaction receipt: the steps, the current step, and the values that locate an
/// error.
struct TransactionValidation: Sendable {
    private let validator: TransactionReceiptValidator
    /// The step that is being taken.
    private var step = ReceiptError.Step.container
    /// The index of the certificate that a refusal concerns (0 for the signer's); nil if it concerns none.
    private var certificateIndex: Int?
    /// Whether evidence proves, for each certificate of the path except the root's, that the certificate is
    /// not revoked. False if the policy does not check revocation.
    private var isProvenUnrevoked = false

    init(_ validator: TransactionReceiptValidator) { self.validator = validator }

    private var policy: ReceiptPolicy { validator.policy }

    /// Takes the steps from `container` to `deviceHash` with the bytes of the outer property list. Throws at
    /// the first step that fails, with an offset in the list.
    mutating func validate(_ list: [UInt8]) throws(Refusal) -> PurchaseInfo {
        // 1. The outer list, the parts of the signature, and the purchase-info's base64.
        step = .container
        let opened = try OpenedReceipt(list, acceleration: policy.acceleration)
        // 2. The purchase date, the time for judging the certificates.
        step = .creationDate
        let info = try opened.readInfo()
        let purchaseDate = try opened.purchaseDate(info)
        // 3. to 5. The path to a root, the markers, and the signature.
        let root = try authenticate(opened, at: policy.pathTime ?? purchaseDate)
        // 6. The typed values.
        step = .payload
        let contents = try UnverifiedPurchaseInfo(opened, info)
        // 7. to 10. The app's expectations.
        try checkEnvironment(contents)
        try checkBundleIdentifier(contents)
        try checkAppVersion(contents)
        try checkDevice(contents)
        return PurchaseInfo(contents, rootFingerprint: root, notChecked: notChecked(contents))
    }

    // MARK: Steps 3 to 5

    /// Finds a path, valid at `time`, from the signer to a trusted root. Checks distrust, and revocation
    /// and the markers if the policy asks for them. Verifies the signature over the version octet and the
    /// purchase-info. Returns the root's SHA-256 fingerprint.
    private mutating func authenticate(
        _ opened: OpenedReceipt,
        at time: Timestamp
    ) throws(Refusal) -> Digest {
        // 3. The certificates, and the path from the signer's to a pinned root.
        step = .certificatePath
        let blob = opened.blob
        var buffer = [UInt8](opened.signature.bytes.borrowedSpan, in: blob.certificate)
        let leafByteCount = buffer.count
        for issuer in validator.issuers { buffer.append(issuer.bytes.borrowedSpan, in: issuer.bytes.indices) }
        let bytes = buffer.borrowedSpan
        var certificates: [Certificate] = []
        do throws(Refusal) {
            certificates = try decodeCertificates(bytes, leafByteCount: leafByteCount)
            var keys = KeyCache<SigningKey>(policy.key)
            let list = CertificateList(certificates, in: bytes)
            let path = try CertificationPath.find(
                from: 0,
                among: list,
                at: time,
                to: policy.trust.anchors,
                policy: policy.path(
                    intermediateMarker: blob.version.intermediateMarker,
                    leafMarker: blob.version.leafMarker
                ),
                keys: &keys,
                acceleration: policy.acceleration
            )
            let anchors = policy.trust.anchors
            step = .distrust
            try policy.distrusted.check(path, among: list, to: anchors)
            if let revocation = policy.revocation {
                step = .revocation
                isProvenUnrevoked = try revocation.check(
                    path,
                    among: list,
                    to: anchors,
                    distrusted: policy.distrusted,
                    keys: &keys,
                    acceleration: policy.acceleration
                )
            }
            // 4. The markers of the version.
            try policy.trust.checkMarkers(
                of: path,
                list,
                intermediate: (blob.version.intermediateMarker, .missingVersionIntermediateMarker),
                signer: (blob.version.leafMarker, .missingVersionLeafMarker),
                &step
            )
            // 5. The signature. Only the key of this certificate may have 1024 bits, and only in version 2.
            step = .signature
            let digestAlgorithm = blob.version.digestAlgorithm
            guard digestAlgorithm.digestByteCount >= policy.minimumDigest.digestByteCount else {
                throw Refusal(.weakDigest, at: 0, reading: "signature")
            }
            var requirements = policy.key
            requirements.minimumModulusBits = blob.version.minimumModulusBits
            let key = try SigningKey(
                subjectPublicKeyInfo: bytes,
                in: certificates[0].subjectPublicKeyInfo,
                requirements: requirements
            )
            try verify(opened, by: key)
            return policy.trust.anchors[path.anchor].fingerprint
        } catch {
            throw located(error, opened, certificates, leafByteCount: leafByteCount)
        }
    }

    /// Decodes the signer's certificate, which is in the first `leafByteCount` bytes, and the issuers'
    /// certificates after it.
    private mutating func decodeCertificates(
        _ bytes: Span<UInt8>,
        leafByteCount: Int
    ) throws(Refusal) -> [Certificate] {
        certificateIndex = 0
        let limits = policy.limits.message.certificate
        var leaf = Reader(bytes, in: 0..<leafByteCount)
        var certificates = [try Certificate(&leaf, limits: limits)]
        try leaf.finish("Certificate")
        var issuers = Reader(bytes, in: leafByteCount..<bytes.count)
        while !issuers.isAtEnd {
            certificateIndex = certificates.count
            certificates.append(try Certificate(&issuers, limits: limits))
        }
        certificateIndex = nil
        return certificates
    }

    /// Verifies the signature: PKCS#1 v1.5 and the version's hash algorithm over the version octet and the
    /// purchase-info.
    ///
    /// - Throws: `Refusal` with offset 0.
    private func verify(_ opened: OpenedReceipt, by key: SigningKey) throws(Refusal) {
        let blob = opened.signature.bytes.borrowedSpan
        let algorithm = opened.blob.version.digestAlgorithm
        var hash = HashFunction(algorithm, acceleration: policy.acceleration)
        hash.update(blob.extracting(0..<1))
        hash.update(opened.info.bytes.borrowedSpan)
        try key.verify(
            blob.extracting(opened.blob.signature),
            of: hash.finalize(),
            by: .rsa(algorithm),
            acceleration: policy.acceleration
        )
    }

    /// A refusal whose offset counts in the outer list, from one whose offset counts in the certificates,
    /// the signer's first, or is 0 for the signature. A refusal of an issuer's certificate gets the place of
    /// the signer's. Sets ``certificateIndex`` if it is nil and a certificate is refused.
    private mutating func located(
        _ refusal: Refusal,
        _ opened: OpenedReceipt,
        _ certificates: [Certificate],
        leafByteCount: Int
    ) -> Refusal {
        let isAboutSignature = step == .signature && refusal.offset == 0
        if !isAboutSignature, certificateIndex == nil {
            certificateIndex = certificates.firstIndex { $0.range.contains(refusal.offset) }
        }
        let start = isAboutSignature ? opened.blob.signature.lowerBound : opened.blob.certificate.lowerBound
        // The first issuer begins where the signer's certificate ends, and a certificate that is cut off is
        // refused at its end.
        let isInLeaf = (certificateIndex ?? 0) == 0 && refusal.offset <= leafByteCount
        let inLeaf = !isAboutSignature && isInLeaf ? refusal.offset : 0
        return opened.signature.mapped(refusal.moved(to: start + inLeaf))
    }

    // MARK: Steps 7 to 10

    /// Does nothing if neither the app nor the trust policy restricts the environment. Otherwise throws if
    /// one of them does not accept the receipt's environment, or if the receipt does not claim the sandbox
    /// although its transaction identifier has the sandbox's form.
    private mutating func checkEnvironment(_ contents: UnverifiedPurchaseInfo) throws(Refusal) {
        step = .environment
        guard policy.checksEnvironment else { return }
        let claimed = contents.opened.environment
        let place = claimed?.lowerBound ?? 0
        guard let environment = Self.environment(contents) else {
            throw Refusal(.environmentMismatch, at: place, reading: "environment")
        }
        guard environment == .productionSandbox || !contents.hasSandboxTransactionIdentifier else {
            let range = contents.fields.transactionIdentifier
            throw contents.opened.info.mapped(
                Refusal(.environmentContradiction, at: range.lowerBound, reading: "transaction-id")
            )
        }
        guard policy.trust.onlyEnvironment.map({ $0 == environment }) ?? true,
            policy.environments.accepted?.contains(environment) ?? true
        else { throw Refusal(.environmentMismatch, at: place, reading: "environment") }
    }

    /// The environment that the outer list claims: the sandbox for `Sandbox`, production if the list has no
    /// entry `environment`, and nil for any other name.
    private static func environment(_ contents: UnverifiedPurchaseInfo) -> ReceiptEnvironment? {
        guard let claimed = contents.opened.environment else { return .production }
        let name = contents.opened.bytes.borrowedSpan.extracting(claimed)
        return name.equals("Sandbox") ? .productionSandbox : nil
    }

    private mutating func checkBundleIdentifier(_ contents: UnverifiedPurchaseInfo) throws(Refusal) {
        step = .bundleIdentifier
        guard let accepted = policy.bundleIdentifier.accepted else { return }
        try check("bid", of: contents, .missingPurchasedApp, .bundleIdentifierMismatch) { text in
            accepted.contains { text.isUTF8(of: $0) }
        }
    }

    private mutating func checkAppVersion(_ contents: UnverifiedPurchaseInfo) throws(Refusal) {
        step = .appVersion
        guard let expected = policy.appVersion else { return }
        try check("bvrs", of: contents, .missingPurchasedVersion, .appVersionMismatch) {
            $0.isUTF8(of: expected)
        }
    }

    /// Does nothing if the policy's `deviceIdentifiers` are nil. Otherwise throws unless
    /// `unique-vendor-identifier` is one of them.
    private mutating func checkDevice(_ contents: UnverifiedPurchaseInfo) throws(Refusal) {
        step = .deviceHash
        guard let candidates = policy.deviceIdentifiers else { return }
        try check("unique-vendor-identifier", of: contents, .missingVendorIdentifier, .deviceHashMismatch) {
            DeviceIdentifier(String(utf8: $0)).map(candidates.contains) ?? false
        }
    }

    /// Throws `missing` if the purchase-info lacks a key, and `mismatch` if its value is not expected.
    private func check(
        _ key: StaticString,
        of contents: UnverifiedPurchaseInfo,
        _ missing: Refusal.Code,
        _ mismatch: Refusal.Code,
        _ isExpected: (Span<UInt8>) -> Bool
    ) throws(Refusal) {
        let info = contents.opened.info
        guard let range = contents.range(of: key) else {
            throw info.mapped(Refusal(missing, at: 0, reading: key))
        }
        guard isExpected(info.bytes.borrowedSpan.extracting(range)) else {
            throw info.mapped(Refusal(mismatch, at: range.lowerBound, reading: key))
        }
    }

    /// The checks that were not made, the environment unless the receipt says Sandbox, and the revocation
    /// unless evidence disproves it. The expiration date is never in the list.
    private func notChecked(_ contents: UnverifiedPurchaseInfo) -> [ReceiptError.Step] {
        policy.notChecked(
            isEnvironmentSigned: Self.environment(contents) == .productionSandbox,
            isProvenUnrevoked: isProvenUnrevoked
        ).filter { $0 != .expirationDate }
    }

    /// The error for a refusal: the step, the offset in the outer list, and the certificate that it concerns.
    func explain(_ refusal: Refusal) -> ReceiptError {
        ReceiptError(step, refusal, certificateIndex: certificateIndex)
    }
}
