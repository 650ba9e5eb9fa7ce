import Basics
import CMS
import DER
import PKIX
import Processor
import SHA

/// The validation of one receipt: the steps, the current step, and the values that locate an error.
///
/// The long steps are not inlined into their callers. On a microcontroller, the stack of such a step is then
/// free while the next one runs.
struct Validation: Sendable {
    let validator: ReceiptValidator
    /// The current step, which an error names.
    var step = ReceiptError.Step.container
    /// Maps offsets in the DER that was made of BER input to the input; nil if the input is DER.
    private var normalised: Normalised?
    /// The message's certificates that are decoded so far. Errors use them.
    private var certificates: [Certificate] = []
    private var isDecodingCertificates = false
    /// The result of `touch` on the content. It has no meaning, and is stored only because the compiler would
    /// leave out the reads otherwise.
    private var touched: UInt8 = 0

    init(_ validator: ReceiptValidator) { self.validator = validator }

    var policy: ReceiptPolicy { validator.policy }

    /// Validates a container: takes all steps, and throws at the first that fails. If the signature holds
    /// under a path that the cache remembers, the certificates are not checked again, except for their dates.
    mutating func validate(_ input: [UInt8], _ cache: inout ValidationCache) throws(Refusal) -> Receipt {
        let message = try open(input)
        if let pending = acceptRememberedCertificates(of: message, cache),
            let content = try? pending.verify(acceleration: policy.acceleration)
        {
            return try receipt(content)
        }
        // A signature that does not hold under a remembered path may hold under another path. If it does
        // not, this validation finds the step that fails.
        return try receipt(authenticate(message, &cache))
    }

    // MARK: Steps 1 and 2

    /// Decodes the container, and the creation date in its unverified content. Throws if one is refused.
    @inline(never)
    mutating func open(_ input: [UInt8]) throws(Refusal) -> OpenedMessage {
        // 1. The container: a signed message with one signer and content of type data.
        guard !input.isEmpty else { throw Refusal(.emptyInput, at: 0, reading: "receipt") }
        guard !ReceiptInput.looksLikeText(input) else {
            throw Refusal(.textGiven, at: 0, reading: "receipt")
        }
        let envelope = try Envelope(input.borrowedSpan, limits: policy.limits.message.encoding)
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
        // the same time (Benchmarks/TRIED.md, on a Zen 5).
        touched = buffer.bytes.borrowedSpan.touch(message.content)
        let (located, creationDate): (LocatedPayload, Timestamp)
        do throws(Refusal) {
            located = try LocatedPayload(
                buffer.bytes.borrowedSpan,
                message.content,
                limits: policy.limits,
                requiresDate: true
            )
            creationDate = try located.requiredCreationDate()
        } catch {
            guard
                let code = LocatedPayload.otherKind(
                    buffer.bytes.borrowedSpan,
                    message.content,
                    policy.limits
                )
            else { throw error }
            step = .container
            throw Refusal(code, at: message.content.lowerBound, reading: "eContent")
        }
        return OpenedMessage(
            buffer: buffer,
            fields: message,
            located: located,
            creationDate: creationDate
        )
    }

    // MARK: Steps 3 to 6

    /// Checks the certificates as ``acceptCertificates(of:_:)`` does, and verifies the signature over the
    /// content. If the signature holds, ``ValidationCache/remember(_:limits:)`` decides whether the cache
    /// keeps the path.
    mutating func authenticate(
        _ message: OpenedMessage,
        _ cache: inout ValidationCache
    ) throws(Refusal) -> VerifiedContent {
        let pending = try acceptCertificates(of: message, &cache)
        // 6. The signature over the content.
        let content = try pending.verify(acceleration: policy.acceleration)
        try cache.remember(content, limits: policy.limits.message)
        return content
    }

    /// Finds a path to a trusted root, and checks distrust, the signer's algorithms and key and, where the
    /// policy asks for it, revocation and markers. The content's signature is not verified.
    @inline(never)
    private mutating func acceptCertificates(
        of message: OpenedMessage,
        _ cache: inout ValidationCache
    ) throws(Refusal) -> PendingSignature {
        // 3. The certificates, and the path from the signer's to a pinned root.
        step = .certificatePath
        let signed = message.view
        let (set, limits) = (signed.fields.certificates, policy.limits.message)
        isDecodingCertificates = true
        try SignedData.decodeCertificates(signed.bytes, in: set, limits: limits, into: &certificates)
        isDecodingCertificates = false
        let list = CertificateList(certificates, in: signed.bytes)
        let index = try signed.signerIndex(among: list)
        let signer = list[index]
        let time = policy.pathTime ?? message.creationDate
        let path = try CertificationPath.find(
            from: index,
            among: list,
            at: time,
            to: policy.trust.anchors,
            policy: validator.cacheRules.value.path,
            keys: &cache.keys,
            acceleration: policy.acceleration
        )
        // 4. Distrust, revocation, and Apple's markers.
        let isProvenUnrevoked = try checkCertificates(of: path, list, &cache)
        // 5. The signer's algorithms and key.
        step = .signature
        let algorithm = try checkedAlgorithm(of: message)
        let key: SigningKey
        do throws(Refusal) {
            key = try cache.keys.key(of: signer)
        } catch {
            // If the content's digest is wrong too, the error names the digest.
            let digest = algorithm.hash.digest(
                of: message.buffer.bytes[message.fields.content].borrowedSpan,
                acceleration: policy.acceleration
            )
            _ = try signed.signedDigest(contentDigest: digest, acceleration: policy.acceleration)
            throw error
        }
        return PendingSignature(
            message: message,
            algorithm: algorithm,
            key: key,
            signer: signer.fields.range,
            rootFingerprint: policy.trust.anchors[path.anchor].fingerprint,
            isProvenUnrevoked: isProvenUnrevoked,
            newPath: FoundPath(path: path, time: time, isProvenUnrevoked: isProvenUnrevoked)
        )
    }

    /// Checks that no certificate of a path is distrusted. Where the policy asks for it, also checks Apple's
    /// markers, and that no certificate except the root's is revoked.
    ///
    /// - Returns: whether evidence proves that no certificate except the root's is revoked; false if the
    ///   policy does not check revocation.
    @inline(never)
    private mutating func checkCertificates(
        of path: CertificationPath,
        _ list: CertificateList,
        _ cache: inout ValidationCache
    ) throws(Refusal) -> Bool {
        let trust = policy.trust
        step = .distrust
        try policy.distrusted.check(path, among: list, to: trust.anchors)
        var isProvenUnrevoked = false
        if let revocation = policy.revocation {
            step = .revocation
            isProvenUnrevoked = try revocation.check(
                path,
                among: list,
                to: trust.anchors,
                distrusted: policy.distrusted,
                keys: &cache.keys,
                acceleration: policy.acceleration
            )
        }
        try trust.checkMarkers(
            of: path,
            list,
            intermediate: (.intermediateMarker, .missingIntermediateMarker),
            signer: (.receiptSigningMarker, .missingLeafMarker),
            &step
        )
        return isProvenUnrevoked
    }

    /// The unverified signature of a message whose certificates the cache remembers with an accepted path.
    ///
    /// The certificates are not checked again, except for their dates, because their bytes are the same. The
    /// signer is checked. Returns nil if no remembered path can be used, for any reason:
    /// ``authenticate(_:_:)`` then finds a path, or the reason of the refusal.
    @inline(never)
    func acceptRememberedCertificates(
        of message: OpenedMessage,
        _ cache: ValidationCache
    ) -> PendingSignature? {
        let signed = message.view
        guard let index = cache.index(of: message.fields.certificates, in: signed.bytes) else { return nil }
        // The span lends the path, which would be copied otherwise.
        let paths = cache.paths.elements.borrowedSpan
        // A search for this signer at this time must find the remembered path.
        guard let signer = try? signed.signerIndex(among: paths[index].list),
            paths[index].found.path.indices.first == signer,
            CertificationPath.findsSamePath(
                at: policy.pathTime ?? message.creationDate,
                as: paths[index].found.time,
                among: paths[index].certificates,
                to: policy.trust.anchors
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
            rootFingerprint: policy.trust.anchors[paths[index].found.path.anchor].fingerprint,
            isProvenUnrevoked: paths[index].found.isProvenUnrevoked,
            newPath: nil
        )
    }

    /// The signer's signature algorithm. Throws what `SignerInfo.algorithm(for:)` throws, and `.weakDigest`
    /// if the hash is weaker than the policy's `minimumDigest`.
    private func checkedAlgorithm(of message: OpenedMessage) throws(Refusal) -> SigningKey.Algorithm {
        let signer = message.fields.signer
        let algorithm = try signer.algorithm(for: SigningKey.self)
        guard algorithm.hash.digestByteCount >= policy.minimumDigest.digestByteCount else {
            throw Refusal(
                .weakDigest,
                at: signer.digestAlgorithm.range.lowerBound,
                reading: "digestAlgorithm"
            )
        }
        return algorithm
    }

    // MARK: Steps 7 to 12

    /// Decodes the verified content, and checks the app's expectations. Throws at the first that fails.
    @inline(never)
    mutating func receipt(_ content: VerifiedContent) throws(Refusal) -> Receipt {
        // 7. The payload: the attributes that the walk of step 2 found. The signature covers them.
        step = .payload
        let message = content.signed.message
        let claimed = try UnverifiedReceipt(
            message.buffer,
            normalised,
            message.located,
            limits: policy.limits
        )
        // 8. to 12. The app's expectations.
        try checkExpectations(claimed)
        return Receipt(CheckedContent(content, claimed, validator))
    }

    // MARK: Errors

    /// The error for a refusal: the step, the offset in the input, and the certificate that it concerns.
    func explain(_ refusal: Refusal) -> ReceiptError {
        let index =
            isDecodingCertificates
            ? certificates.count : certificates.firstIndex { $0.range.contains(refusal.offset) }
        return ReceiptError(step, normalised?.mappedToInput(refusal) ?? refusal, certificateIndex: index)
    }
}

/// The parts of a validated receipt that a ``Receipt`` keeps.
///
/// It is a class, so that a receipt is passed on without a copy of its values.
@usableFromInline
final class CheckedContent: Sendable {
    /// The decoded attributes, with the buffer that their ranges count in.
    @usableFromInline let unverified: UnverifiedReceipt
    /// The validator that accepted the receipt.
    private let validator: ReceiptValidator
    /// The hash algorithm of the digest that the signature covers.
    let digestAlgorithm: HashAlgorithm
    /// The SHA-256 fingerprint of the trusted root.
    let rootFingerprint: Digest
    let creationDate: Timestamp
    /// The range of the signer's certificate in the buffer of ``unverified``.
    let signer: Range<Int>
    /// The range of the signed content in the buffer of ``unverified``.
    private let range: Range<Int>
    /// The digest of the content if the signature covers SHA-256, which was computed for the signature; nil
    /// otherwise.
    private let knownDigest: Digest?
    /// Whether evidence proves that no certificate of the path is revoked; the root's is not asked about.
    /// False if the policy does not check revocation.
    private let isProvenUnrevoked: Bool

    /// The SHA-256 digest of the content. Each access computes it unless the signature covers SHA-256.
    var contentDigest: Digest {
        knownDigest
            ?? HashAlgorithm.sha256.digest(
                of: unverified.buffer.bytes[range].borrowedSpan,
                acceleration: validator.policy.acceleration
            )
    }
    /// The checks that were not made, in the order of the steps.
    var notChecked: [ReceiptError.Step] {
        validator.notChecked(isProvenUnrevoked: isProvenUnrevoked)
    }

    fileprivate init(
        _ verified: VerifiedContent,
        _ unverified: consuming UnverifiedReceipt,
        _ validator: ReceiptValidator
    ) {
        let signed = verified.signed
        self.unverified = unverified
        self.validator = validator
        digestAlgorithm = signed.algorithm.hash
        rootFingerprint = signed.rootFingerprint
        creationDate = signed.message.creationDate
        signer = signed.signer
        range = signed.message.fields.content
        isProvenUnrevoked = signed.isProvenUnrevoked
        knownDigest = digestAlgorithm == .sha256 ? verified.contentDigest : nil
    }
}
