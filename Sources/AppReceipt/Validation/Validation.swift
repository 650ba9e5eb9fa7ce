import Bytes
import CMS
import DER
import PKIX
import Processor
import SHA

/// The validation of one receipt: the steps, the current step, and what an error needs to name its place.
struct Validation: Sendable {
    let validator: ReceiptValidator
    /// The current step.
    var step = ReceiptError.Step.container
    /// Maps offsets to the input; nil if the message is the input itself.
    private var normalised: Normalised?
    /// The message's certificates that are decoded so far. Errors use them.
    private var certificates: [Certificate] = []
    private var isDecodingCertificates = false

    init(_ validator: ReceiptValidator) { self.validator = validator }

    /// Takes all steps.
    mutating func validate(_ input: [UInt8], _ cache: inout ValidationCache) throws(Refusal) -> Receipt {
        let message = try open(input)
        if let pending = rememberedSigner(of: message, cache),
            let content = try? pending.verify(acceleration: validator.acceleration)
        {
            return try receipt(content)
        }
        // A signature that does not hold under a remembered path may hold under another path. If it does
        // not, this validation finds the step that fails.
        return try receipt(verifySignature(of: message, &cache))
    }

    // MARK: Steps 1 and 2

    /// Decodes the container, and reads the creation date from its unverified content.
    mutating func open(_ input: [UInt8]) throws(Refusal) -> OpenedMessage {
        // 1. The container: a signed message with one signer and content of type data.
        guard !input.isEmpty else { throw Refusal(.emptyInput, at: 0, reading: "receipt") }
        guard !ReceiptInput.looksLikeText(input) else {
            throw Refusal(.textGiven, at: 0, reading: "receipt")
        }
        let envelope = try Envelope(input.borrowedSpan, limits: validator.limits.message.encoding)
        normalised = envelope.normalised
        let message = envelope.signedData
        let buffer = AttributeBuffer(input, envelope)
        guard message.contentType == .data else {
            throw Refusal(.notAReceipt, at: message.contentTypeRange.lowerBound, reading: "eContentType")
        }

        // 2. The creation date, the time for judging the certificates.
        step = .creationDate
        // The content is walked from attribute to attribute. A receipt of 74 KB that is not in the
        // processor's cache takes a sixth less time when its content is touched first, and a short one takes
        // the same time (Benchmarks/RESULTS.md, on a Zen 5).
        let touched = buffer.bytes.borrowedSpan.touch(message.content)
        let creationDate = try Payload.creationDate(
            buffer.bytes.borrowedSpan,
            message.content,
            limits: validator.limits
        )
        return OpenedMessage(
            buffer: buffer,
            fields: message,
            creationDate: creationDate,
            touched: touched
        )
    }

    /// The certificates must be valid at this time.
    private func pathTime(of message: OpenedMessage) -> Timestamp {
        switch validator.pathTime {
        case .creationDate: message.creationDate
        case .at(let time): time
        }
    }

    // MARK: Steps 3 to 6

    /// Finds a path from the signer to a trusted root, and verifies the signature over the content. The path
    /// is remembered in the cache if the signature holds.
    mutating func verifySignature(
        of message: OpenedMessage,
        _ cache: inout ValidationCache
    ) throws(Refusal) -> VerifiedContent {
        let pending = try findSigner(of: message, &cache)
        // 6. The signature over the content.
        let content = try pending.verify(acceleration: validator.acceleration)
        try cache.remember(content, limits: validator.limits.message)
        return content
    }

    /// Finds a path from the signer to a trusted root.
    private mutating func findSigner(
        of message: OpenedMessage,
        _ cache: inout ValidationCache
    ) throws(Refusal) -> PendingSignature {
        // 3. The certificates, and the path from the signer's to a pinned root.
        step = .certificatePath
        let signed = message.view
        isDecodingCertificates = true
        try signed.decodeCertificates(limits: validator.limits.message, into: &certificates)
        isDecodingCertificates = false
        let list = CertificateList(certificates, in: signed.bytes)
        let index = try signed.signerIndex(among: list)
        let signer = list[index]
        let time = pathTime(of: message)
        let path = try CertificationPath.find(
            from: index,
            among: list,
            at: time,
            to: validator.trust.anchors,
            policy: validator.pathPolicy,
            keys: &cache.keys,
            acceleration: validator.acceleration
        )
        // 4. Apple's markers.
        try checkMarkers(path, list)
        // 5. The signer's algorithms and key.
        step = .signature
        let algorithm = try checkedAlgorithm(of: message)
        let key: SigningKey
        do throws(Refusal) {
            key = try cache.keys.key(of: signer)
        } catch {
            // If the content's digest is wrong too, the error names the digest.
            _ = try signed.signedDigest(acceleration: validator.acceleration)
            throw error
        }
        return PendingSignature(
            message: message,
            algorithm: algorithm,
            key: key,
            signer: signer.fields.range,
            rootFingerprint: validator.trust.anchors[path.anchor].fingerprint,
            newPath: FoundPath(path: path, time: time)
        )
    }

    /// The signer of a message whose certificates the cache remembers with an accepted path.
    ///
    /// The certificates' signatures and markers are not checked again, because their bytes are the same. The
    /// signer and the time are checked. Returns nil if the remembered path does not serve, for any reason:
    /// ``verifySignature(of:_:)`` then finds a path, or the reason of the refusal.
    func rememberedSigner(of message: OpenedMessage, _ cache: ValidationCache) -> PendingSignature? {
        let signed = message.view
        guard let index = cache.index(of: message.fields.certificates, in: signed.bytes) else { return nil }
        // The span lends the path, which would be copied otherwise.
        let paths = cache.paths.borrowedSpan
        // A search for this signer at this time must find the remembered path.
        guard let signer = try? signed.signerIndex(among: paths[index].list),
            paths[index].found.path.indices.first == signer,
            CertificationPath.findsSamePath(
                at: pathTime(of: message),
                as: paths[index].found.time,
                among: paths[index].certificates,
                to: validator.trust.anchors
            ),
            let algorithm = try? checkedAlgorithm(of: message)
        else { return nil }
        // The remembered bytes equal the message's bytes from the start of its certificates.
        let start = message.fields.certificates.lowerBound
        let range = paths[index].certificates[signer].range
        return PendingSignature(
            message: message,
            algorithm: algorithm,
            key: paths[index].key,
            signer: (start + range.lowerBound)..<(start + range.upperBound),
            rootFingerprint: validator.trust.anchors[paths[index].found.path.anchor].fingerprint,
            newPath: nil
        )
    }

    /// Checks that the intermediate's and the signer's certificate each have their marker extension.
    private mutating func checkMarkers(
        _ path: CertificationPath,
        _ certificates: CertificateList
    ) throws(Refusal) {
        guard validator.trust.requiresMarkers else { return }
        step = .intermediateMarker
        let signer = certificates[path.indices[0]]
        guard path.indices.count > 1 else {
            throw Refusal(
                .missingIntermediateMarker,
                at: signer.fields.range.lowerBound,
                reading: "extensions"
            )
        }
        let intermediate = certificates[path.indices[1]]
        guard intermediate.extension(.intermediateMarker) != nil else {
            throw Refusal(
                .missingIntermediateMarker,
                at: intermediate.fields.range.lowerBound,
                reading: "extensions"
            )
        }
        step = .leafMarker
        guard signer.extension(.receiptSigningMarker) != nil else {
            throw Refusal(.missingLeafMarker, at: signer.fields.range.lowerBound, reading: "extensions")
        }
    }

    /// The signature algorithm. Throws if the content's hash algorithm is weaker than `minimumDigest`.
    private func checkedAlgorithm(of message: OpenedMessage) throws(Refusal) -> SigningKey.Algorithm {
        let signer = message.fields.signer
        let algorithm = try signer.algorithm(for: SigningKey.self)
        guard algorithm.hash.digestByteCount >= validator.minimumDigest.digestByteCount else {
            throw Refusal(
                .weakDigest,
                at: signer.digestAlgorithm.range.lowerBound,
                reading: "digestAlgorithm"
            )
        }
        return algorithm
    }

    // MARK: Steps 7 to 12

    /// Decodes the verified content, and checks what the app expects.
    mutating func receipt(_ content: VerifiedContent) throws(Refusal) -> Receipt {
        // 7. The payload, and its date once more. Both readings refuse a second date, so they agree. This is
        // checked, so that neither reading can stop refusing it unnoticed.
        step = .payload
        let range = content.signed.message.fields.content
        let payload = try Payload(
            content.signed.message.buffer,
            normalised,
            content: range,
            limits: validator.limits
        )
        guard payload.creationDate == content.signed.message.creationDate else {
            throw Refusal(.creationDateMismatch, at: range.lowerBound, reading: "creation date")
        }
        // 8. to 12. The app's expectations.
        try checkExpectations(payload)
        return Receipt(CheckedContent(content, payload, validator))
    }

    // MARK: Errors

    /// The error for a refusal: the step, the offset in the input, and the certificate that it concerns.
    func explain(_ refusal: Refusal) -> ReceiptError {
        // The path search finds an untrusted root, which is a step of its own.
        let step = step == .certificatePath && refusal.code == .untrustedRoot ? .root : step
        let index =
            isDecodingCertificates
            ? certificates.count : certificates.firstIndex { $0.range.contains(refusal.offset) }
        return ReceiptError(step, normalised?.mappedToInput(refusal) ?? refusal, certificateIndex: index)
    }
}

/// A verified content that is what the app expects, as far as a ``Receipt`` keeps it.
///
/// It is a class because programs pass receipts on, and a copy of all its values takes longer than the
/// allocation.
final class CheckedContent: Sendable {
    /// The decoded attributes, with the bytes that the receipt keeps.
    let payload: Payload
    /// The limits that the payload was decoded within. They apply to its purchases, too.
    let limits: Limits
    /// The checks that the app did not ask for.
    let leftOut: LeftOutChecks
    /// The hash algorithm of the digest that the signature covers.
    let digestAlgorithm: HashAlgorithm
    /// The SHA-256 fingerprint of the trusted root.
    let rootFingerprint: Digest
    let creationDate: Timestamp
    /// The range of the signer's certificate in the bytes that the receipt keeps.
    let signer: Range<Int>

    fileprivate init(_ verified: VerifiedContent, _ payload: consuming Payload, _ validator: ReceiptValidator)
    {
        let signed = verified.signed
        self.payload = payload
        limits = validator.limits
        leftOut = validator.leftOut
        digestAlgorithm = signed.algorithm.hash
        rootFingerprint = signed.rootFingerprint
        creationDate = signed.message.creationDate
        signer = signed.signer
    }
}
