import AppReceipt
import AppReceiptMint
import DER
import PKIX
import SHA
import TestSupport
import Testing

/// What these tests mint with: one PKI in Apple's likeness, and another that looks the same.
enum Minted {
    static let pki = PrivatePKI(Keys.pki)
    static let mint = ReceiptMint(pki)
    static let impostors = pki.lookAlike(Keys.impostors)
    static let impostor = ReceiptMint(impostors)
    /// 2024-06-01T12:00:00Z, when all receipts were made that say nothing else.
    static let creationDate = Timestamp(millisecondsSince1970: 1_717_243_200_000)

    /// Pinned to roots by their fingerprints alone.
    static func fingerprints(_ roots: [UInt8]..., requiresMarkers: Bool = true) -> TrustPolicy {
        let anchors = roots.compactMap {
            TrustAnchor(fingerprint: HashAlgorithm.sha256.digest(of: $0.span))
        }
        return requiresMarkers ? .pinned(anchors) : .pinned(anchors).withoutMarkers
    }

    /// Pinned to roots whose certificates are at hand.
    static func atHand(_ roots: [UInt8]...) -> TrustPolicy {
        .pinned(anchors(roots))
    }

    /// Roots with their certificates.
    static func anchors(_ roots: [[UInt8]]) -> [TrustAnchor] {
        roots.compactMap { try? TrustAnchor(certificate: $0) }
    }

    /// A validator that expects nothing but a signature under the mint's root, at the creation date.
    static let validator = ReceiptValidator(
        environments: .any,
        bundleIdentifier: .any,
        trust: fingerprints(mint.root)
    )

    /// A good receipt.
    static let receipt = mint.receipt(bundleIdentifier: "com.example.app")

    /// The leaf's signature over the content of that receipt, whatever certificates come with it.
    static let receiptSignature: [UInt8] = {
        let content = PayloadTemplate(bundleIdentifier: "com.example.app").encoded()
        return Keys.pki.leaf.sign(HashAlgorithm.sha256.digest(of: content.span))
    }()

    /// A message that carries other certificates than the leaf, the intermediate and the root, in their
    /// order.
    static func receipt(carrying certificates: [[UInt8]]) -> [UInt8] {
        var mint = mint
        mint.message.certificates = certificates
        return mint.receipt(bundleIdentifier: "com.example.app")
    }

    /// A member of the set of certificates in another format (RFC 5652 §10.2.2): no path needs it, and nobody
    /// signs it.
    static func otherFormat(_ contents: [UInt8]) -> [UInt8] {
        var writer = Writer()
        writer.write(.constructed(3), contents)
        return writer.bytes
    }
}

/// What became of a receipt: enough to tell two outcomes apart.
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

    /// With nothing remembered.
    init(_ validator: ReceiptValidator, _ bytes: [UInt8]) {
        var cache = ValidationCache()
        self.init(validator, bytes, &cache)
    }

    var isAccepted: Bool {
        if case .accepted = self { true } else { false }
    }

    /// Without the place.
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

/// Expects that a receipt is refused, and gives the error for further questions.
@discardableResult
func refuses(
    _ step: ReceiptError.Step,
    _ code: Refusal.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws(ReceiptError) -> some ReceiptContents
) -> ReceiptError? {
    do throws(ReceiptError) {
        _ = try body()
        Issue.record("accepted, where \(code.name) was expected", sourceLocation: sourceLocation)
        return nil
    } catch {
        #expect(error.step == step && error.code == code, "\(error)", sourceLocation: sourceLocation)
        return error
    }
}

extension [UInt8] {
    /// Where these bytes stand, the first time after an offset.
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
