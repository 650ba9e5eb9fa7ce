import AppReceipt
import Bytes
import DER
import PKIX
import SHA

// The only file in which the signature of a transaction receipt is verified, and the only one that can make a
// `CheckedPurchaseInfo`.

/// A purchase-info whose signature holds, and which is what the app expects.
struct CheckedPurchaseInfo: Sendable {
    let contents: UnverifiedPurchaseInfo
    let rootFingerprint: Digest
    let notChecked: [ReceiptError.Step]

    fileprivate init(
        _ contents: UnverifiedPurchaseInfo,
        rootFingerprint: Digest,
        notChecked: [ReceiptError.Step]
    ) {
        self.contents = contents
        self.rootFingerprint = rootFingerprint
        self.notChecked = notChecked
    }
}

/// The validation of one transaction receipt: the steps, the current step, and what an error needs to name
/// its place.
struct TransactionValidation: Sendable {
    private let validator: TransactionReceiptValidator
    /// The current step.
    private var step = ReceiptError.Step.container
    /// The certificate that the current refusal concerns; nil if it concerns something else.
    private var certificateIndex: Int?

    init(_ validator: TransactionReceiptValidator) { self.validator = validator }

    /// Takes all steps.
    mutating func validate(_ list: [UInt8]) throws(Refusal) -> PurchaseInfo {
        // 1. The outer list, the parts of the signature, and the purchase-info's base64.
        step = .container
        let opened = try OpenedReceipt(
            list,
            limits: validator.limits,
            acceleration: validator.acceleration
        )
        // 2. The purchase date, the time for judging the certificates.
        step = .creationDate
        let info = try opened.readInfo(limits: validator.limits)
        let purchaseDate = try opened.purchaseDate(info)
        let time =
            switch validator.pathTime {
            case .creationDate: purchaseDate
            case .at(let time): time
            }
        // 3. to 5. The path to a root, the markers, and the signature.
        let root = try verifySignature(of: opened, at: time)
        // 6. The typed values.
        step = .payload
        let contents = try UnverifiedPurchaseInfo(opened, info)
        // 7. to 10. The app's expectations.
        try checkEnvironment(contents)
        try checkBundleIdentifier(contents)
        try checkAppVersion(contents)
        try checkDevice(contents)
        return PurchaseInfo(
            CheckedPurchaseInfo(contents, rootFingerprint: root, notChecked: notChecked(contents))
        )
    }

    // MARK: Steps 3 to 5

    /// Finds a path from the signer to a trusted root, and verifies the signature over the version octet and
    /// the purchase-info.
    ///
    /// - Returns: the fingerprint of the root.
    private mutating func verifySignature(
        of opened: OpenedReceipt,
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
            var keys = KeyCache<SigningKey>(keyRequirements(minimumModulusBits: nil))
            let list = CertificateList(certificates, in: bytes)
            let path = try CertificationPath.find(
                from: 0,
                among: list,
                at: time,
                to: validator.trust.anchors,
                policy: validator.pathPolicy(for: blob.version),
                keys: &keys,
                acceleration: validator.acceleration
            )
            // 4. The markers of the version.
            try checkMarkers(path, list, blob.version)
            // 5. The signature. Only the key of this certificate may have 1024 bits, and only in version 2.
            step = .signature
            guard HashAlgorithm.sha1.digestByteCount >= validator.minimumDigest.digestByteCount else {
                throw Refusal(.weakDigest, at: 0, reading: "signature")
            }
            let key = try SigningKey(
                subjectPublicKeyInfo: bytes,
                in: certificates[0].subjectPublicKeyInfo,
                requirements: keyRequirements(minimumModulusBits: blob.version.minimumModulusBits)
            )
            try verify(opened, by: key)
            return validator.trust.anchors[path.anchor].fingerprint
        } catch {
            throw located(error, opened, certificates, leafByteCount: leafByteCount)
        }
    }

    /// Decodes the signer's certificate, which stands first, and the issuers' certificates behind it.
    private mutating func decodeCertificates(
        _ bytes: Span<UInt8>,
        leafByteCount: Int
    ) throws(Refusal) -> [Certificate] {
        certificateIndex = 0
        let limits = validator.limits.certificate
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

    /// Requirements on a key.
    ///
    /// - Parameter minimumModulusBits: nil for the requirement on the keys of all issuers.
    private func keyRequirements(minimumModulusBits: Int?) -> SigningKey.Requirements {
        var requirements = SigningKey.Requirements()
        requirements.limits = validator.limits.key
        if let minimumModulusBits { requirements.minimumModulusBits = minimumModulusBits }
        return requirements
    }

    /// Checks that the intermediate's and the signer's certificate each have the marker of the version.
    private mutating func checkMarkers(
        _ path: CertificationPath,
        _ certificates: CertificateList,
        _ version: SignatureVersion
    ) throws(Refusal) {
        guard validator.trust.requiresMarkers else { return }
        step = .intermediateMarker
        let intermediate = certificates[path.indices.count > 1 ? path.indices[1] : 0]
        guard path.indices.count > 1, intermediate.extension(version.intermediateMarker) != nil else {
            throw Refusal(
                .missingVersionIntermediateMarker,
                at: intermediate.fields.range.lowerBound,
                reading: "extensions"
            )
        }
        step = .leafMarker
        guard certificates[0].extension(version.leafMarker) != nil else {
            throw Refusal(.missingVersionLeafMarker, at: 0, reading: "extensions")
        }
    }

    /// Verifies the signature: PKCS#1 v1.5 and SHA-1 over the version octet and the purchase-info.
    ///
    /// - Throws: `Refusal` with offset 0.
    private func verify(_ opened: OpenedReceipt, by key: SigningKey) throws(Refusal) {
        let blob = opened.signature.bytes.borrowedSpan
        var hash = SHA1(acceleration: validator.acceleration)
        hash.update(blob.extracting(0..<1))
        hash.update(opened.info.bytes.borrowedSpan)
        try key.verify(
            blob.extracting(opened.blob.signature),
            of: hash.finalize(),
            by: .rsa(.sha1),
            acceleration: validator.acceleration
        )
    }

    /// A refusal with its offset counted in the outer list, from a refusal about certificates or the
    /// signature.
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

    /// Checks the environment that the receipt claims, and that the transaction identifier does not belie it.
    private mutating func checkEnvironment(_ contents: UnverifiedPurchaseInfo) throws(Refusal) {
        step = .environment
        guard checksEnvironment else { return }
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
        guard validator.trust.onlyEnvironment.map({ $0 == environment }) ?? true,
            validator.environments.accepted?.contains(environment) ?? true
        else { throw Refusal(.environmentMismatch, at: place, reading: "environment") }
    }

    /// Whether the app or the trust policy expects an environment.
    private var checksEnvironment: Bool {
        validator.environments.accepted != nil || validator.trust.onlyEnvironment != nil
    }

    /// The environment that the outer list claims: production if it names none. Nil for an unknown name.
    private static func environment(_ contents: UnverifiedPurchaseInfo) -> ReceiptEnvironment? {
        guard let claimed = contents.opened.environment else { return .production }
        let name = contents.opened.bytes.borrowedSpan.extracting(claimed)
        return name.equals("Sandbox") ? .productionSandbox : nil
    }

    private mutating func checkBundleIdentifier(_ contents: UnverifiedPurchaseInfo) throws(Refusal) {
        step = .bundleIdentifier
        guard let accepted = validator.bundleIdentifier.accepted else { return }
        let info = contents.opened.info
        guard let identifier = contents.range(of: "bid") else {
            throw info.mapped(Refusal(.missingPurchasedApp, at: 0, reading: "bid"))
        }
        let bytes = info.bytes[identifier]
        guard accepted.contains(where: { bytes.borrowedSpan.isUTF8(of: $0) }) else {
            throw info.mapped(
                Refusal(.bundleIdentifierMismatch, at: identifier.lowerBound, reading: "bid")
            )
        }
    }

    private mutating func checkAppVersion(_ contents: UnverifiedPurchaseInfo) throws(Refusal) {
        step = .appVersion
        guard let expected = validator.appVersion else { return }
        let info = contents.opened.info
        guard let version = contents.range(of: "bvrs") else {
            throw info.mapped(Refusal(.missingPurchasedVersion, at: 0, reading: "bvrs"))
        }
        guard info.bytes[version].borrowedSpan.isUTF8(of: expected) else {
            throw info.mapped(Refusal(.appVersionMismatch, at: version.lowerBound, reading: "bvrs"))
        }
    }

    /// Checks that the device's identifier for the vendor is one of the expected ones.
    private mutating func checkDevice(_ contents: UnverifiedPurchaseInfo) throws(Refusal) {
        step = .deviceHash
        guard let candidates = validator.deviceIdentifiers else { return }
        let info = contents.opened.info
        guard let range = contents.range(of: "unique-vendor-identifier") else {
            throw info.mapped(
                Refusal(.missingVendorIdentifier, at: 0, reading: "unique-vendor-identifier")
            )
        }
        let text = String(utf8: info.bytes[range].borrowedSpan)
        guard let identifier = DeviceIdentifier(text), candidates.contains(identifier) else {
            throw info.mapped(
                Refusal(.deviceHashMismatch, at: range.lowerBound, reading: "unique-vendor-identifier")
            )
        }
    }

    /// The checks that were left out, and the environment if production cannot be proved.
    private func notChecked(_ contents: UnverifiedPurchaseInfo) -> [ReceiptError.Step] {
        var steps: [ReceiptError.Step] = []
        if !validator.trust.requiresMarkers { steps += [.intermediateMarker, .leafMarker] }
        if !checksEnvironment || Self.environment(contents) != .productionSandbox {
            steps.append(.environment)
        }
        if validator.bundleIdentifier.accepted == nil { steps.append(.bundleIdentifier) }
        if validator.appVersion == nil { steps.append(.appVersion) }
        if validator.deviceIdentifiers == nil { steps.append(.deviceHash) }
        return steps
    }

    // MARK: Errors

    /// The error for a refusal: the step, the offset in the outer list, and the certificate that it concerns.
    func explain(_ refusal: Refusal) -> ReceiptError {
        // The path search finds an untrusted root, which is a step of its own.
        let step = step == .certificatePath && refusal.code == .untrustedRoot ? .root : step
        return ReceiptError(step, refusal, certificateIndex: certificateIndex)
    }
}
