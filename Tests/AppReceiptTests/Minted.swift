import AppReceipt
import AppReceiptMint
import Basics
import DER
import PKIX
import SHA
import TestSupport
import Testing

/// The mints of these tests: a private PKI that resembles Apple's, and a second PKI with equal names.
enum Minted {
    static let pki = PrivatePKI(Keys.pki)
    static let mint = ReceiptMint(pki)
    static let impostors = pki.lookAlike(Keys.impostors)
    static let impostor = ReceiptMint(impostors)
    /// 2024-06-01T12:00:00Z, the creation date of all receipts that state no other.
    static let creationDate = Timestamp(millisecondsSince1970: 1_717_243_200_000)

    /// A policy that pins roots by their fingerprints alone.
    static func fingerprints(_ roots: [UInt8]..., requiresMarkers: Bool = true) -> TrustPolicy {
        let anchors = roots.compactMap {
            TrustAnchor(fingerprint: HashAlgorithm.sha256.digest(of: $0.span))
        }
        return .pinned(anchors, requiringMarkers: requiresMarkers)
    }

    /// A policy that pins roots by their certificates.
    static func atHand(_ roots: [UInt8]...) -> TrustPolicy {
        .pinned(anchors(roots))
    }

    /// Trust anchors with the roots' certificates.
    static func anchors(_ roots: [[UInt8]]) -> [TrustAnchor] {
        roots.compactMap { try? TrustAnchor(certificate: $0) }
    }

    /// A validator that requires a signature under the mint's root, valid at the creation date, and nothing
    /// else.
    static let validator = ReceiptValidator(
        ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: fingerprints(mint.root))
    )

    /// A good receipt.
    static let receipt = mint.receipt(bundleIdentifier: "com.example.app")

    /// The leaf's signature over the content of ``receipt``. It does not depend on the message's
    /// certificates.
    static let receiptSignature: [UInt8] = {
        let content = PayloadTemplate(bundleIdentifier: "com.example.app").encoded()
        return Keys.pki.leaf.sign(HashAlgorithm.sha256.digest(of: content.span))
    }()

    /// A receipt whose message has these certificates instead of the leaf, the intermediate and the root.
    static func receipt(carrying certificates: [[UInt8]]) -> [UInt8] {
        var mint = mint
        mint.message.certificates = certificates
        return mint.receipt(bundleIdentifier: "com.example.app")
    }

    /// A member of the set of certificates in another format (RFC 5652 §10.2.2). No path needs it, and no
    /// signature covers it.
    static func otherFormat(_ contents: [UInt8]) -> [UInt8] {
        var writer = Writer()
        writer.nest(.constructed(3)) {
            $0.writeObjectIdentifier(ObjectIdentifier(1, 2, 3))
            $0.writeOctetString(contents)
        }
        return writer.bytes
    }
}

/// The outcome of a validation, with enough fields to compare two outcomes.
enum Verdict: Equatable, Sendable, CustomStringConvertible {
    case accepted(
        root: Digest,
        signer: [UInt8],
        digest: HashAlgorithm,
        creationDate: Timestamp,
        notChecked: [ReceiptError.Step]
    )
    case refused(ReceiptError.Step, Refusal.Code, offset: Int, certificateIndex: Int?)

    init(_ validator: ReceiptValidator, _ bytes: [UInt8], _ cache: inout ValidationCache) {
        self.init(Result { () throws(ReceiptError) in try validator.validate(bytes, cache: &cache) })
    }

    init(_ outcome: Result<Receipt, ReceiptError>) {
        do throws(ReceiptError) {
            let receipt = try outcome.get()
            self = .accepted(
                root: receipt.rootFingerprint,
                signer: Array(receipt.signingCertificate),
                digest: receipt.digestAlgorithm,
                creationDate: receipt.creationDate,
                notChecked: receipt.notChecked
            )
        } catch {
            self = .refused(
                error.step,
                error.code,
                offset: error.offset,
                certificateIndex: error.certificateIndex
            )
        }
    }

    /// The outcome with a new cache.
    init(_ validator: ReceiptValidator, _ bytes: [UInt8]) {
        var cache = ValidationCache()
        self.init(validator, bytes, &cache)
    }

    var isAccepted: Bool {
        if case .accepted = self { true } else { false }
    }

    /// The step of a refusal; nil for an accepted receipt.
    var step: ReceiptError.Step? {
        if case .refused(let step, _, _, _) = self { step } else { nil }
    }
    var code: Refusal.Code? {
        if case .refused(_, let code, _, _) = self { code } else { nil }
    }

    var description: String {
        switch self {
        case .accepted(let root, _, let digest, let date, let notChecked):
            "accepted under \(root) over \(digest) at \(date), \(notChecked) not checked"
        case .refused(let step, let code, let offset, let index):
            "\(step.rawValue): \(code.name) at \(offset), certificate \(index.map(String.init) ?? "none")"
        }
    }
}

/// Expects that a receipt is refused. Returns the error.
@discardableResult
func refuses(
    _ step: ReceiptError.Step,
    _ code: Refusal.Code,
    at offset: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws(ReceiptError) -> some ReceiptContents
) -> ReceiptError? {
    do throws(ReceiptError) {
        _ = try body()
        Issue.record("accepted, where \(code.name) was expected", sourceLocation: sourceLocation)
        return nil
    } catch {
        #expect(error.step == step && error.code == code, "\(error)", sourceLocation: sourceLocation)
        if let offset { #expect(error.offset == offset, "\(error)", sourceLocation: sourceLocation) }
        return error
    }
}

extension [UInt8] {
    /// The first offset, from a start on, where `part` occurs.
    func offset(of part: [UInt8], from start: Int = 0) -> Int? {
        guard let first = part.first else { return start }
        var next = start
        while let candidate = self[next...].firstIndex(of: first) {
            if self[candidate...].starts(with: part) { return candidate }
            next = candidate + 1
        }
        return nil
    }
}
