import AppReceipt
import AppReceiptMint
import Basics
import CMS
import PKIX
import SHA
import TestSupport
import Testing

/// A forged receipt, or a valid receipt that looks forged, and the verdict it must get.
struct Forgery: Sendable, CustomTestStringConvertible {
    enum Verdict: Sendable {
        /// Refused at a step, with a code.
        case refused(ReceiptError.Step, Refusal.Code)
        /// Accepted, because this section of a standard allows or requires it.
        case accepted(String)
    }

    /// A receipt and the root to pin.
    struct Minted: Sendable {
        let receipt: [UInt8]
        let root: [UInt8]
    }

    /// The valid PKI that the forgeries start from.
    static var pki: PrivatePKI { CertificateTests.pki }

    let testDescription: String
    let verdict: Verdict
    var isAccepted: Bool { if case .accepted = verdict { true } else { false } }
    /// Whether the `openssl` command accepts a receipt that is accepted here. If not, a comment gives the
    /// reason.
    var isGoodToOpenSSL = true
    var limits = Limits.standard
    var requiresMarkers = true
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

    /// Makes a receipt under the usual root.
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

    /// Makes a receipt with a changed message.
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

    /// Makes a receipt with one changed certificate in an unchanged message. A changed root is the root to
    /// pin.
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

    /// Makes a receipt with a changed payload and a correct signature.
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

    static let all = [
        signatures, convincingSignatures, messages, certificates, paths, payloads, nextCertificates,
    ].flatMap { $0 }

    func minted() throws -> Minted { try make() }

    /// Expects the verdict from a validator whose expectations fit the good receipt.
    func judge() throws {
        let minted = try make()
        let validator = try minted.validator(limits: limits, requiringMarkers: requiresMarkers)
        do throws(ReceiptError) {
            _ = try validator.validate(minted.receipt)
            guard case .refused(let step, let code) = verdict else { return }
            Issue.record("accepted, but \(code.name) at \(step.rawValue) was expected")
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
    /// Signs the good payload, or another, with a PKI whose root is the root to pin.
    static func by(
        _ pki: PrivatePKI,
        _ payload: PayloadTemplate = richPayload,
        _ change: (inout MessageTemplate) -> Void = { _ in }
    ) -> Self {
        var mint = ReceiptMint(pki)
        change(&mint.message)
        return Self(receipt: mint.receipt(payload), root: mint.root)
    }

    func validator(
        limits: Limits = .standard,
        requiringMarkers: Bool = true
    ) throws -> ReceiptValidator {
        let anchor = try #require(TrustAnchor(fingerprint: HashAlgorithm.sha256.digest(of: root)))
        return ReceiptValidator(
            ReceiptPolicy(
                environments: .only(.production),
                bundleIdentifier: .exactly("com.example.rich"),
                trust: .pinned([anchor], requiringMarkers: requiringMarkers),
                appVersion: "1.2.3",
                deviceIdentifiers: [try #require(DeviceIdentifier([0x02, 0, 0, 0, 0, 0x01]))],
                limits: limits
            )
        )
    }
}

/// A decoded message in DER.
struct Opened {
    let bytes: [UInt8]
    let signedData: SignedData

    init(_ receipt: [UInt8]) throws {
        bytes = receipt
        signedData = try SignedData(receipt.span)
    }

    var content: [UInt8] { Array(bytes[signedData.content]) }
    var signature: [UInt8] { Array(bytes[signedData.signer.signature]) }
    /// The signed attributes, with the tag [0].
    var signedAttributes: [UInt8] { signedData.signer.signedAttributes.map { Array(bytes[$0]) } ?? [] }
    /// The public key of the first certificate.
    var subjectPublicKeyInfo: [UInt8] {
        get throws {
            let certificates = try SignedData.decodeCertificates(bytes.span, in: signedData.certificates)
            return Array(bytes[try #require(certificates.first).subjectPublicKeyInfo])
        }
    }
}
