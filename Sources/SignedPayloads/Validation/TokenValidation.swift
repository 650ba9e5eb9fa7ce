import AppReceipt
import Basics
import DER
import ECDSA
import PKIX
import Processor
import SHA

// The only file in which the signature of a token is verified, and the only one that can make a `Verified`.

/// The payload of a validated token: signed under a root that the trust policy accepts, and passed by every
/// check that ``notChecked`` does not list. The tokens inside a notification are verified too.
///
/// Only ``SignedPayloadValidator`` makes values of this type.
public struct Verified<Kind: PayloadKind>: PayloadContents {
    public let unverified: Unverified<Kind>
    public var members: PayloadObject { unverified.object }
    /// The SHA-256 fingerprint of the trusted root that the token was signed under.
    public let rootFingerprint: Digest
    /// The checks that were not made, in the order of the steps. A check is left out if the policy does
    /// not ask for it, if payloads of the kind have no member for it, if a payload from a known
    /// environment other than production lacks `appAppleId` (Apple ID), if the token is inside a
    /// notification (age, device), or if evidence is missing (revocation). A notification also lists
    /// `revocation` if a token inside it does.
    public let notChecked: [SignedPayloadError.Step]
    /// The verified tokens inside the payload.
    let nested: Kind.Nested

    fileprivate init(
        _ payload: AuthenticPayload<Kind>,
        _ nested: Kind.Nested,
        notChecked: [SignedPayloadError.Step]
    ) {
        unverified = payload.payload
        rootFingerprint = payload.root
        self.notChecked = notChecked
        self.nested = nested
    }
}

/// A payload that took all steps, before the tokens inside it are validated.
struct AuthenticPayload<Kind: PayloadKind>: Sendable {
    let payload: Unverified<Kind>
    fileprivate let root: Digest
    fileprivate let notChecked: [SignedPayloadError.Step]

    fileprivate init(
        _ payload: Unverified<Kind>,
        root: Digest,
        notChecked: [SignedPayloadError.Step]
    ) {
        (self.payload, self.root, self.notChecked) = (payload, root, notChecked)
    }

    /// The verified payload, which has no tokens inside it.
    func verified() -> Verified<Kind> where Kind.Nested == NothingNested {
        Verified(self, NothingNested(), notChecked: notChecked)
    }

    /// The verified notification, with the verified tokens inside it.
    func verified(_ nested: NestedTokens) -> VerifiedNotification where Kind == NotificationKind {
        // Another certificate than the notification's may have signed a token inside it.
        let isMissing = nested.lacksEvidence && !notChecked.contains(.revocation)
        return Verified(self, nested, notChecked: isMissing ? [.revocation] + notChecked : notChecked)
    }
}

/// A token after the steps from `form` to `leafMarker`: its certificates lead to a trusted root. Its
/// signature is not verified.
///
/// It is a class, so that passing a token on does not copy its values.
final class OpenedToken: Sendable {
    fileprivate let jws: CompactSerialisation
    fileprivate let object: PayloadObject
    fileprivate let signer: SignedPayloadCache.Signer

    fileprivate init(
        _ jws: CompactSerialisation,
        _ object: PayloadObject,
        _ signer: SignedPayloadCache.Signer
    ) {
        (self.jws, self.object, self.signer) = (jws, object, signer)
    }

    /// Whether the signer has tables of its key, so that the signature can be verified with others.
    var hasTables: Bool { signer.tabulated != nil }
}

/// A token after the steps from `form` to `signature`: its signature is verified.
struct SignedToken: Sendable {
    fileprivate let token: OpenedToken

    fileprivate init(_ token: OpenedToken) { self.token = token }

    /// Verifies the signatures of tokens together.
    ///
    /// - Returns: an element for each token, in the order of the tokens; nil if the signature is not valid,
    ///   or if the signer has no tables.
    static func verified(_ tokens: [OpenedToken], _ acceleration: Acceleration) -> [SignedToken?] {
        var signatures = TabulatedSignatures(acceleration: acceleration)
        for token in tokens {
            guard let key = token.signer.tabulated else { continue }
            let signature = token.jws.signature.bytes
            signatures.append(
                concatenated: signature.borrowedSpan,
                digest: token.jws.digest(after: token.signer.header, acceleration),
                by: key
            )
        }
        let verdicts = signatures.verify()
        var next = 0
        return tokens.map { token in
            guard token.hasTables else { return nil }
            defer { next += 1 }
            return verdicts[next] ? SignedToken(token) : nil
        }
    }
}

/// The validation of one token: the steps, the current step, and the values that locate an error.
struct TokenValidation<Kind: PayloadKind>: Sendable {
    private let shared: Shared<SignedPayloadPolicy>
    private var policy: SignedPayloadPolicy { shared.value }
    /// The notification that holds the token; nil if the token came by itself.
    private let notification: UnverifiedNotification?
    /// The current step, which an error names.
    private var step = SignedPayloadError.Step.form
    /// The index in `x5c` of the certificate that the current refusal concerns, or of the one below it if
    /// the refusal concerns a root that `x5c` lacks. Nil if the refusal concerns something else. Nil also for
    /// the code `.keyNotOnP256`.
    private var certificateIndex: Int?
    /// The environment of the payload, from the step `environment` on: the one that the payload names, or
    /// else its notification's. Nil if neither names a known environment.
    private var environment: StoreEnvironment?
    private var notChecked: [SignedPayloadError.Step] = []

    init(_ shared: Shared<SignedPayloadPolicy>, inside notification: UnverifiedNotification?) {
        (self.shared, self.notification) = (shared, notification)
    }

    /// Validates a token, but no token inside it: takes all steps, and throws at the first that fails.
    mutating func validate(
        _ token: [UInt8],
        _ cache: inout SignedPayloadCache
    ) throws(Refusal) -> AuthenticPayload<Kind> {
        try payload(of: verified(open(token, &cache), &cache))
    }

    /// Takes the steps from `form` to `leafMarker`. Returns the token, whose signature is not verified yet.
    /// Throws at the first step that fails, with an offset in the token.
    mutating func open(
        _ token: [UInt8],
        _ cache: inout SignedPayloadCache
    ) throws(Refusal) -> OpenedToken {
        // 1. The three segments.
        step = .form
        let jws = try CompactSerialisation(token, limits: policy.limits, policy.acceleration)
        // 2. The header with its certificates, unless it is remembered.
        step = .header
        let remembered = cache.signer(of: jws)
        let header = remembered == nil ? try self.header(of: jws) : nil
        // 3. The date, the time for judging the certificates.
        step = .signedDate
        let object: PayloadObject
        let time: Timestamp
        do throws(Refusal) {
            object = try PayloadObject(jws.payload.bytes, in: jws.payload.bytes.indices, policy.limits)
            time = try pathTime(object)
        } catch {
            throw jws.payload.mapped(error)
        }
        // 4. to 8. The path to a root, distrust, revocation, and the markers.
        let signer: SignedPayloadCache.Signer
        if let remembered, remembered.holds(at: time) {
            signer = remembered
        } else if let header {
            signer = try self.signer(header, at: time, &cache)
        } else {
            signer = try self.signer(self.header(of: jws), at: time, &cache)
        }
        if !signer.isProvenUnrevoked { skip(.revocation) }
        if !policy.trust.requiresMarkers { notChecked += [.intermediateMarker, .leafMarker] }
        return OpenedToken(jws, object, signer)
    }

    /// Takes the step `signature`. Throws if the signature is wrong, or if the signer's key is not on P-256.
    /// The cache may remember the signer of a valid signature.
    mutating func verified(
        _ token: OpenedToken,
        _ cache: inout SignedPayloadCache
    ) throws(Refusal) -> SignedToken {
        step = .signature
        let signer = token.signer
        try token.jws.verify(
            by: signer.key.key,
            tabulated: signer.tabulated,
            after: signer.header,
            policy.acceleration
        )
        cache.remember(signer, of: token.jws, policy.acceleration)
        return SignedToken(token)
    }

    /// Takes the steps from `payload` to `age`. Throws at the first that fails, with an offset in the token.
    mutating func payload(of signed: SignedToken) throws(Refusal) -> AuthenticPayload<Kind> {
        let token = signed.token
        do throws(Refusal) {
            // 10. The types of the values.
            step = .payload
            let payload = try Unverified<Kind>(token.object)
            // 11. to 15. The app's expectations.
            try checkEnvironment(payload)
            try checkBundleIdentifier(payload)
            try checkAppAppleIdentifier(payload)
            try checkDevice(payload)
            try checkAge(token.object)
            return AuthenticPayload(payload, root: token.signer.root, notChecked: notChecked)
        } catch {
            throw token.jws.payload.mapped(error)
        }
    }

    /// The error for a refusal: the step, the offset in the token, and the certificate that it concerns.
    func explain(_ refusal: Refusal) -> SignedPayloadError {
        SignedPayloadError(step, refusal, certificateIndex: certificateIndex)
    }

    // MARK: Steps 2 to 8

    private mutating func header(of jws: CompactSerialisation) throws(Refusal) -> ProtectedHeader {
        step = .header
        return try ProtectedHeader(
            of: jws,
            certificateCount: policy.trust.certificateCount,
            limits: policy.limits,
            policy.acceleration,
            reading: &certificateIndex
        )
    }

    /// The time for judging the certificates: the policy's `pathTime`, or else the payload's date. Throws
    /// `.missingSignedDate` or `.invalidValue` if that date is needed and is missing or malformed.
    private func pathTime(_ object: PayloadObject) throws(Refusal) -> Timestamp {
        if let time = policy.pathTime { return time }
        let name = Kind.shape.date
        guard object.range(of: name.description) != nil else {
            throw object.refusal(.missingSignedDate, name)
        }
        guard let date = object.date(name.description) else { throw object.refusal(.invalidValue, name) }
        return date
    }

    /// Finds a path from the first certificate of `x5c` over the others to a trusted root, and checks
    /// distrust, revocation and the markers of its certificates. Returns the first certificate's key, and
    /// what the path proved.
    private mutating func signer(
        _ header: ProtectedHeader,
        at time: Timestamp,
        _ cache: inout SignedPayloadCache
    ) throws(Refusal) -> SignedPayloadCache.Signer {
        do throws(Refusal) {
            // 4. and 5. The path.
            step = .certificatePath
            let certificates = header.list
            let anchors = try self.anchors(for: certificates[0], &cache.keys)
            let path = try CertificationPath.find(
                from: 0,
                among: certificates,
                at: time,
                to: anchors,
                policy: policy.trust.path,
                keys: &cache.keys,
                acceleration: policy.acceleration
            )
            for (position, index) in path.indices.enumerated() where position != index {
                throw certificates[position].refusal(.certificateOrder, "x5c")
            }
            // 6. The list of distrusted certificates and keys.
            step = .distrust
            let distrusted = policy.distrusted.finding { $0.isListedOrMirrored(in: $1) }
            try distrusted.check(path, among: certificates, to: anchors)
            // Evidence about revocation.
            step = .revocation
            let isProvenUnrevoked = try policy.revocation?.check(
                path,
                among: certificates,
                to: anchors,
                distrusted: distrusted,
                keys: &cache.keys,
                acceleration: policy.acceleration
            )
            // 7. and 8. The markers.
            try checkMarkers(certificates)
            step = .signature
            let key = try cache.keys.key(of: certificates[0])
            return SignedPayloadCache.Signer(
                key: key,
                root: anchors[path.anchor].fingerprint,
                validities: path.endsOutside ? nil : header.certificates.map { $0.validity },
                isProvenUnrevoked: isProvenUnrevoked ?? false
            )
        } catch {
            certificateIndex = header.index(of: error.offset)
            throw error.moved(to: certificateIndex.map { header.offsets[$0] } ?? 0)
        }
    }

    /// The trusted roots: the policy's, or the signer's certificate if the policy accepts any self-signed
    /// one. In the second case, throws unless that certificate is self-signed.
    private func anchors(
        for signer: CertificateView,
        _ keys: inout KeyCache<ECDSASignatureKey>
    ) throws(Refusal) -> [TrustAnchor] {
        if let anchors = policy.trust.anchors { return anchors }
        guard signer.isSelfIssued else { throw signer.refusal(.notSelfSigned, "issuer") }
        let algorithm = try ECDSASignatureKey.Algorithm(ofCertificate: signer.fields.signatureAlgorithm)
        let signed = signer.signedDigest(algorithm.hash, acceleration: policy.acceleration)
        let key = try keys.key(of: signer)
        do throws(Refusal) {
            try key.verify(signer.signature, of: signed, by: algorithm, acceleration: policy.acceleration)
        } catch {
            throw signer.refusal(.notSelfSigned, "signatureValue")
        }
        return [TrustAnchor(fingerprint: signer.fingerprint(.sha256))].compactMap { $0 }
    }

    /// If the trust policy requires markers, checks that the intermediate's and the signer's certificate each
    /// have their marker extension.
    private mutating func checkMarkers(_ certificates: CertificateList) throws(Refusal) {
        guard policy.trust.requiresMarkers else { return }
        step = .intermediateMarker
        guard certificates[1].extension(.intermediateMarker) != nil else {
            throw certificates[1].refusal(.missingIntermediateMarker, "extensions")
        }
        step = .leafMarker
        guard certificates[0].extension(.receiptSigningMarker) != nil else {
            throw certificates[0].refusal(.missingLeafMarker, "extensions")
        }
    }

    // MARK: Steps 11 to 15

    /// Notes a check that is not made, for ``Verified/notChecked``.
    private mutating func skip(_ step: SignedPayloadError.Step) { notChecked.append(step) }

    private mutating func checkEnvironment(_ payload: Unverified<Kind>) throws(Refusal) {
        step = .environment
        let (reading, claims) = (Kind.shape.environment, payload.claims)
        var name = payload.environmentName
        if let outer = notification?.environmentName {
            guard name?.hasSameBytes(as: outer) ?? true else {
                throw claims.refusal(.nestedTokenMismatch, reading)
            }
            name = outer
        }
        environment = name.flatMap(StoreEnvironment.init(name:))
        let (accepted, only) = (policy.environments.accepted, policy.trust.onlyEnvironments)
        guard accepted != nil || only != nil else { return skip(.environment) }
        guard name != nil else { throw claims.refusal(.missingEnvironmentClaim, reading) }
        guard let environment, accepted?.contains(environment) ?? true, only?.contains(environment) ?? true
        else { throw claims.refusal(.environmentClaimMismatch, reading) }
    }

    private mutating func checkBundleIdentifier(_ payload: Unverified<Kind>) throws(Refusal) {
        step = .bundleIdentifier
        guard Kind.shape.hasBundleIdentifier else { return skip(.bundleIdentifier) }
        let (claims, name) = (payload.claims, payload.claims.utf8("bundleId"))
        if let name, let outer = notification?.claims.utf8("bundleId"), name != outer {
            throw claims.refusal(.nestedTokenMismatch, "bundleId")
        }
        guard let accepted = policy.bundleIdentifier.accepted else { return skip(.bundleIdentifier) }
        guard let name else { throw claims.refusal(.missingBundleIdentifierClaim, "bundleId") }
        guard accepted.contains(where: { name.borrowedSpan.isUTF8(of: $0) }) else {
            throw claims.refusal(.bundleIdentifierClaimMismatch, "bundleId")
        }
    }

    private mutating func checkAppAppleIdentifier(_ payload: Unverified<Kind>) throws(Refusal) {
        step = .appAppleIdentifier
        guard Kind.shape.hasAppAppleIdentifier else { return skip(.appAppleIdentifier) }
        let (claims, identifier) = (payload.claims, payload.claims.integer("appAppleId"))
        if let identifier, let outer = notification?.claims.integer("appAppleId"), identifier != outer {
            throw claims.refusal(.nestedTokenMismatch, "appAppleId")
        }
        guard let expected = policy.appAppleIdentifier else { return skip(.appAppleIdentifier) }
        guard let identifier else {
            // Only payloads from production are sure to have the member.
            guard let environment, environment != .production else {
                throw claims.refusal(.missingAppAppleIdentifier, "appAppleId")
            }
            return skip(.appAppleIdentifier)
        }
        guard identifier == expected else { throw claims.refusal(.appAppleIdentifierMismatch, "appAppleId") }
    }

    /// If the policy names a device, checks that the device verification is the SHA-384 digest, in base64,
    /// of the nonce followed by the device's identifier, both in lower case. Does not check the device of
    /// a token inside a notification, or of a payload whose kind names no device.
    private mutating func checkDevice(_ payload: Unverified<Kind>) throws(Refusal) {
        step = .deviceVerification
        guard let device = policy.deviceVerificationIdentifier, Kind.shape.hasDevice, notification == nil
        else {
            return skip(.deviceVerification)
        }
        let object = payload.object
        guard let verification = object.utf8("deviceVerification"),
            let nonce = object.utf8("deviceVerificationNonce")
        else { throw object.refusal(.missingDeviceVerification, "deviceVerification") }
        let hashed = (nonce + [UInt8](utf8: device)).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        var expected: [UInt8] = []
        expected.append(base64: HashAlgorithm.sha384.digest(of: hashed.borrowedSpan).bytes[...])
        guard verification == expected else {
            throw object.refusal(.deviceVerificationMismatch, "deviceVerification")
        }
    }

    private mutating func checkAge(_ object: PayloadObject) throws(Refusal) {
        step = .age
        guard let age = policy.age, notification == nil else { return skip(.age) }
        let name = Kind.shape.date
        guard let date = object.date(name.description) else { throw object.refusal(.missingSignedDate, name) }
        guard date <= age.now + .minutes(1) else { throw object.refusal(.signedInTheFuture, name) }
        guard date >= age.now - age.maximum else { throw object.refusal(.signedTooEarly, name) }
    }
}
