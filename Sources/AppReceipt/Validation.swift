import CMS
import DER
import PKIX
import RSA
import SHA

/// One receipt on its way: the steps, the one it is at, and what is needed to say where it failed.
struct Validation {
    /// What becomes of the signature over the content, and of what is remembered.
    enum Mode {
        /// The signature is verified here.
        case whole
        /// Where a path is remembered, content and signature are left to the caller.
        case leavingSignature
        /// As the first, but nothing remembered is asked, under which the signature did not hold.
        case withoutRemembered
    }

    /// What ``verify(_:_:)`` leaves to be read.
    struct Content {
        let buffer: AttributeBuffer
        /// In the buffer.
        let message: SignedData
        /// The signer's, where it is left to the caller whether content and signature are right, which has to
        /// be known before it asks for the receipt; nil where the content is signed.
        var keyOfLeftSignature: PublicKey? { verified.keyOfLeftSignature }
        /// Over the content.
        var digestAlgorithm: HashAlgorithm { verified.digestAlgorithm }
        fileprivate let creationDate: Timestamp
        fileprivate let verified: Verified
    }

    let validator: ReceiptValidator
    private let mode: Mode
    private var step = ReceiptError.Step.container
    /// The way back to the input's offsets, where the message is not the input.
    private var normalised: Normalised?
    /// As far as they decode, for errors.
    private var certificates: [Certificate] = []
    private var isDecodingCertificates = false

    init(validator: ReceiptValidator, mode: Mode) {
        self.validator = validator
        self.mode = mode
    }

    /// Steps 1 to 6, but for content and signature where they are left.
    mutating func verify(
        _ input: [UInt8],
        _ cache: inout ValidationCache
    ) throws(Refusal) -> Content {
        // 1. The container: a signed message with one signer and content of type data.
        step = .container
        guard !input.isEmpty else { throw Refusal(.emptyInput, at: 0, reading: "receipt") }
        guard !ReceiptInput.looksLikeText(input) else {
            throw Refusal(.textGiven, at: 0, reading: "receipt")
        }
        let envelope = try Envelope(input.span, limits: validator.limits)
        normalised = envelope.normalised
        let message = envelope.signedData
        let buffer = AttributeBuffer(input, envelope)
        guard message.contentType == .data else {
            throw Refusal(.notAReceipt, at: message.contentTypeRange.lowerBound, reading: "eContentType")
        }

        // 2. The one untrusted look at the payload: the date at which the certificates are judged.
        step = .creationDate
        let creationDate = try Payload.creationDate(
            buffer.bytes.span,
            message.content,
            limits: validator.limits
        )
        let time =
            switch validator.pathTime {
            case .creationDate: creationDate
            case .at(let time): time
            }

        // 3. to 6. The path to a pinned root, the markers, and the signature over the content.
        let verified = try verify(message, buffer.bytes.span, at: time, &cache)
        return Content(
            buffer: buffer,
            message: message,
            creationDate: creationDate,
            verified: verified
        )
    }

    /// Steps 7 to 12, of what is signed.
    mutating func receipt(_ content: Content) throws(Refusal) -> Receipt {
        // 7. The payload, now that it is known to be signed, and its date confirmed: that both looks saw one
        // date holds because both refuse a second one, and is checked so that neither can stop doing so
        // unnoticed.
        step = .payload
        let range = content.message.content
        let payload = try Payload(
            content.buffer,
            normalised,
            content: range,
            limits: validator.limits
        )
        guard payload.creationDate == content.creationDate else {
            throw Refusal(.creationDateMismatch, at: range.lowerBound, reading: "creation date")
        }

        // 8. to 12. What the app expects.
        try checkEnvironment(payload)
        try checkBundleIdentifier(payload)
        try checkAppVersion(payload)
        try checkDeviceHash(payload)
        try checkExpirationDate(payload)
        return Receipt(
            payload: payload,
            creationDate: content.creationDate,
            limits: validator.limits,
            notChecked: validator.notChecked,
            digestAlgorithm: content.verified.digestAlgorithm,
            rootFingerprint: content.verified.rootFingerprint,
            signer: content.verified.signer
        )
    }

    /// What was refused, with the step, the offset in the input, and the certificate it is about.
    func explain(_ refusal: Refusal) -> ReceiptError {
        // That a path leads elsewhere is found while it is built, and is a step of its own.
        let step = step == .certificatePath && refusal.code == .untrustedRoot ? .root : step
        let index =
            isDecodingCertificates
            ? certificates.count : certificates.firstIndex { $0.range.contains(refusal.offset) }
        return ReceiptError(step, normalised?.inInput(refusal) ?? refusal, certificateIndex: index)
    }
}

// MARK: Certificates and signature

extension Validation {
    private mutating func verify(
        _ message: SignedData,
        _ bytes: Span<UInt8>,
        at time: Timestamp,
        _ cache: inout ValidationCache
    ) throws(Refusal) -> Verified {
        if mode != .withoutRemembered, let index = cache.index(of: message.certificates, in: bytes) {
            // A refusal here may be of this path alone: without what is remembered, it is found where it
            // lies.
            if let verified = try? verifyRemembered(message, bytes, at: time, cache.paths[index]) {
                return verified
            }
        }
        step = .certificatePath
        isDecodingCertificates = true
        try SignedData.decodeCertificates(
            bytes,
            in: message.certificates,
            limits: validator.limits,
            into: &certificates
        )
        isDecodingCertificates = false
        let signer = try message.signer.certificate(among: certificates, in: bytes, bytes: bytes)
        let path = try CertificationPath.find(
            from: signer,
            among: certificates,
            in: bytes,
            at: time,
            to: validator.trust.anchors,
            policy: validator.pathPolicy,
            verifier: &cache.verifier
        )
        try checkMarkers(path, certificates, bytes)
        let hash = try checkHash(message)
        try message.verifySignature(
            in: bytes,
            by: certificates[signer],
            in: bytes,
            verifier: &cache.verifier
        )
        if cache.keeps(message.certificates) { try remember(path, at: time, message, bytes, &cache) }
        return verified(path, hash, certificates[signer].range)
    }

    /// Keeps a path that held, with the certificates in a buffer of its own.
    private func remember(
        _ path: CertificationPath,
        at time: Timestamp,
        _ message: SignedData,
        _ bytes: Span<UInt8>,
        _ cache: inout ValidationCache
    ) throws(Refusal) {
        let encoding = [UInt8](bytes, in: message.certificates)
        let certificates = try SignedData.decodeCertificates(
            encoding.span,
            in: 0..<encoding.count,
            limits: validator.limits
        )
        let signer = certificates[path.indices[0]]
        cache.remember(
            ValidationCache.RememberedPath(
                encoding: encoding,
                certificates: certificates,
                path: path,
                time: time,
                key: try cache.verifier.key(at: signer.subjectPublicKeyInfo, in: encoding.span)
            )
        )
    }

    /// What is known once the signature has held, or if it does.
    struct Verified {
        let digestAlgorithm: HashAlgorithm
        let rootFingerprint: Digest
        /// Where the signer's certificate lies in the receipt.
        let signer: Range<Int>
        /// Nil where the signature has held.
        let keyOfLeftSignature: PublicKey?
    }

    private func verified(
        _ path: CertificationPath,
        _ hash: HashAlgorithm,
        _ signer: Range<Int>,
        leaving keyOfLeftSignature: PublicKey? = nil
    ) -> Verified {
        Verified(
            digestAlgorithm: hash,
            rootFingerprint: validator.trust.anchors[path.anchor].fingerprint,
            signer: signer,
            keyOfLeftSignature: keyOfLeftSignature
        )
    }

    /// The same steps for certificates that came before and held: all but their signatures and markers, which
    /// are what they were. A refusal is not told: see where this is asked.
    private mutating func verifyRemembered(
        _ message: SignedData,
        _ bytes: Span<UInt8>,
        at time: Timestamp,
        _ remembered: ValidationCache.RememberedPath
    ) throws(Refusal) -> Verified? {
        let certificateBytes = remembered.encoding.span
        let signer = try message.signer.certificate(
            among: remembered.certificates,
            in: certificateBytes,
            bytes: bytes
        )
        // Where a search for this signer at this time may find another path, it is made.
        guard remembered.path.indices.first == signer,
            CertificationPath.isFoundAlike(
                at: time,
                as: remembered.time,
                among: remembered.certificates,
                to: validator.trust.anchors
            )
        else { return nil }
        let hash = try checkHash(message)
        if mode != .leavingSignature {
            try remembered.key.verify(
                bytes.extracting(message.signer.signature),
                digest: message.signedDigest(in: bytes, acceleration: validator.acceleration),
                acceleration: validator.acceleration
            )
        }
        // What is remembered are the same bytes from where the receipt's certificates begin.
        let start = message.certificates.lowerBound
        let range = remembered.certificates[signer].range
        return verified(
            remembered.path,
            hash,
            (start + range.lowerBound)..<(start + range.upperBound),
            leaving: mode == .leavingSignature ? remembered.key : nil
        )
    }

    /// Each marker is an extension of its own, in its own certificate.
    private mutating func checkMarkers(
        _ path: CertificationPath,
        _ certificates: [Certificate],
        _ bytes: Span<UInt8>
    ) throws(Refusal) {
        guard validator.trust.requiresMarkers else { return }
        step = .intermediateMarker
        let signer = certificates[path.indices[0]]
        guard path.indices.count > 1 else {
            throw Refusal(.missingIntermediateMarker, at: signer.range.lowerBound, reading: "extensions")
        }
        let intermediate = certificates[path.indices[1]]
        guard intermediate.extension(.intermediateMarker, in: bytes) != nil else {
            throw Refusal(
                .missingIntermediateMarker,
                at: intermediate.range.lowerBound,
                reading: "extensions"
            )
        }
        step = .leafMarker
        guard signer.extension(.receiptSigningMarker, in: bytes) != nil else {
            throw Refusal(.missingLeafMarker, at: signer.range.lowerBound, reading: "extensions")
        }
    }

    /// The hash of the content, which is to be long enough.
    private mutating func checkHash(_ message: SignedData) throws(Refusal) -> HashAlgorithm {
        step = .signature
        let hash = try message.signer.hashAlgorithm()
        guard hash.digestByteCount >= validator.minimumDigest.digestByteCount else {
            throw Refusal(
                .weakDigest,
                at: message.signer.digestAlgorithm.range.lowerBound,
                reading: "digestAlgorithm"
            )
        }
        return hash
    }
}

// MARK: What the app expects

extension Validation {
    private mutating func checkEnvironment(_ payload: Payload) throws(Refusal) {
        step = .environment
        guard let accepted = validator.environments.accepted else { return }
        guard let environment = payload.environment else {
            throw Refusal(.missingEnvironment, at: payload.set.lowerBound, reading: "environment")
        }
        guard accepted.contains(where: { payload.buffer.holds(environment, $0.name) }) else {
            throw Refusal(.environmentMismatch, at: environment.lowerBound, reading: "environment")
        }
    }

    private mutating func checkBundleIdentifier(_ payload: Payload) throws(Refusal) {
        step = .bundleIdentifier
        guard let accepted = validator.bundleIdentifier.accepted else { return }
        guard let identifier = payload.bundleIdentifier else {
            throw Refusal(.missingBundleIdentifier, at: payload.set.lowerBound, reading: "bundle identifier")
        }
        guard accepted.contains(where: { payload.buffer.holds(identifier, $0) }) else {
            throw Refusal(.bundleIdentifierMismatch, at: identifier.lowerBound, reading: "bundle identifier")
        }
    }

    private mutating func checkAppVersion(_ payload: Payload) throws(Refusal) {
        step = .appVersion
        guard let expected = validator.appVersion else { return }
        guard let version = payload.appVersion else {
            throw Refusal(.missingAppVersion, at: payload.set.lowerBound, reading: "app version")
        }
        guard payload.buffer.holds(version, expected) else {
            throw Refusal(.appVersionMismatch, at: version.lowerBound, reading: "app version")
        }
    }

    /// SHA-1 over the device identifier, the opaque value, and the bundle identifier's raw octets, in this
    /// order.
    private mutating func checkDeviceHash(_ payload: Payload) throws(Refusal) {
        step = .deviceHash
        guard let candidates = validator.deviceIdentifiers else { return }
        guard let opaqueValue = payload.opaqueValue, let expected = payload.sha1Hash,
            let bundleIdentifier = payload.rawBundleIdentifier
        else { throw Refusal(.missingDeviceHash, at: payload.set.lowerBound, reading: "device hash") }
        let bytes = payload.buffer.bytes.span
        for identifier in candidates {
            var hash = SHA1(acceleration: validator.acceleration)
            hash.update(identifier.bytes.span)
            hash.update(bytes.extracting(opaqueValue))
            hash.update(bytes.extracting(bundleIdentifier))
            if hash.finalize().equals(bytes.extracting(expected)) { return }
        }
        throw Refusal(.deviceHashMismatch, at: expected.lowerBound, reading: "device hash")
    }

    /// A receipt without an expiration date does not expire.
    private mutating func checkExpirationDate(_ payload: Payload) throws(Refusal) {
        step = .expirationDate
        guard let now = validator.now, let expirationDate = payload.expirationDate else { return }
        guard now <= expirationDate else {
            throw Refusal(.receiptExpired, at: payload.expirationDateOffset, reading: "expiration date")
        }
    }
}
