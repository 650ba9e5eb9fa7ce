import AppReceipt
import AppReceiptMint
import CMS
import DER
import PKIX
import SHA
import TestSupport
import Testing

/// A receipt that somebody made who wants what is not his, or that only looks so, and what must become of it.
struct Forgery: Sendable, CustomTestStringConvertible {
    enum Verdict: Sendable {
        /// At this step, for this reason.
        case refused(ReceiptError.Step, Refusal.Code)
        /// As this section of a standard allows or asks for.
        case accepted(String)
    }

    /// A receipt, and the root to pin.
    struct Minted: Sendable {
        let receipt: [UInt8]
        let root: [UInt8]
    }

    /// The good one, which all begin with.
    static var pki: PrivatePKI { CertificateTests.pki }

    let testDescription: String
    let verdict: Verdict
    var isAccepted: Bool { if case .accepted = verdict { true } else { false } }
    /// Whether the `openssl` command accepts what is accepted here; where it does not, a comment says why.
    var isGoodToOpenSSL = true
    var limits = Limits.standard
    private let make: @Sendable () throws -> Minted

    init(
        _ description: String,
        _ verdict: Verdict,
        mint make: @escaping @Sendable () throws -> Minted
    ) {
        testDescription = description
        self.verdict = verdict
        self.make = make
    }

    /// A receipt under the usual root.
    init(
        _ description: String,
        _ verdict: Verdict,
        _ make: @escaping @Sendable () throws -> [UInt8]
    ) {
        self.init(
            description,
            verdict,
            mint: { Minted(receipt: try make(), root: CertificateTests.pki.root.certificate) }
        )
    }

    /// A message that is not as it should be.
    static func message(
        _ description: String,
        _ verdict: Verdict,
        _ change: @escaping @Sendable (inout MessageTemplate) -> Void
    ) -> Forgery {
        Forgery(description, verdict) {
            var mint = ReceiptMint(CertificateTests.pki)
            change(&mint.message)
            return mint.receipt(richPayload)
        }
    }

    /// A certificate that is not as it should be, in a message that is. A changed root is the one to pin.
    static func certificate(
        _ role: PrivatePKI.Role,
        _ description: String,
        _ verdict: Verdict,
        _ change: @escaping @Sendable (inout CertificateTemplate) -> Void
    ) -> Forgery {
        Forgery(
            "\(role): \(description)",
            verdict,
            mint: { .by(CertificateTests.pki.reissued(role, change)) }
        )
    }

    /// A payload that is not as it should be, well signed.
    static func payload(
        _ description: String,
        _ verdict: Verdict,
        _ change: @escaping @Sendable (inout PayloadTemplate) -> Void
    ) -> Forgery {
        Forgery(description, verdict) {
            var payload = richPayload
            change(&payload)
            return ReceiptMint(CertificateTests.pki).receipt(payload)
        }
    }

    func with(_ change: (inout Forgery) -> Void) -> Forgery {
        var copy = self
        change(&copy)
        return copy
    }

    static let all = [signatures, convincingSignatures, messages, certificates, paths, payloads].flatMap {
        $0
    }

    func minted() throws -> Minted { try make() }

    /// The verdict of a validator that expects what the good receipt has.
    func judge() throws {
        let minted = try make()
        let validator = try minted.validator(limits: limits)
        do throws(ReceiptError) {
            _ = try validator.validate(minted.receipt)
            guard case .refused(let step, let code) = verdict else { return }
            Issue.record("accepted, where \(code.name) at \(step.rawValue) was expected")
        } catch {
            guard case .refused(let step, let code) = verdict else {
                Issue.record("\(error)")
                return
            }
            #expect(error.step == step && error.code == code, "\(error)")
        }
    }
}

extension Forgery.Minted {
    /// By this PKI, whose root is pinned, and of the good payload.
    static func by(
        _ pki: PrivatePKI,
        _ payload: PayloadTemplate = richPayload,
        _ change: (inout MessageTemplate) -> Void = { _ in }
    ) -> Self {
        var mint = ReceiptMint(pki)
        change(&mint.message)
        return Self(receipt: mint.receipt(payload), root: mint.root)
    }

    func validator(limits: Limits = .standard) throws -> ReceiptValidator {
        let anchor = try #require(TrustAnchor(fingerprint: HashAlgorithm.sha256.digest(of: root)))
        return ReceiptValidator(
            environments: .only(.production),
            bundleIdentifier: .exactly("com.example.rich"),
            trust: .pinned([anchor]),
            appVersion: "1.2.3",
            deviceIdentifiers: [try #require(DeviceIdentifier([0x02, 0, 0, 0, 0, 0x01]))],
            limits: limits
        )
    }
}

/// A message in DER that is taken apart again.
struct Opened {
    let bytes: [UInt8]
    let signedData: SignedData

    init(_ receipt: [UInt8]) throws {
        bytes = receipt
        signedData = try SignedData(receipt.span)
    }

    var content: [UInt8] { Array(bytes[signedData.content]) }
    var signature: [UInt8] { Array(bytes[signedData.signer.signature]) }
    /// With the tag [0].
    var signedAttributes: [UInt8] { signedData.signer.signedAttributes.map { Array(bytes[$0]) } ?? [] }
    /// The key of the first certificate.
    var subjectPublicKeyInfo: [UInt8] {
        get throws {
            let certificates = try SignedData.decodeCertificates(bytes.span, in: signedData.certificates)
            return Array(bytes[try #require(certificates.first).subjectPublicKeyInfo])
        }
    }
}
