import AppReceipt
import Basics
import DER
import ECDSA
import PKIX
import SHA
import SignedPayloads

/// A flaw of a token, for which a validator must refuse it. The raw value is the published name.
///
/// The refusals come from a validator whose policy pins the mint's root, requires Apple's markers, sets no
/// `pathTime`, and expects the bundle identifier, the environment and the app that the template has.
public enum TokenFlaw: String, Sendable, Hashable, CaseIterable {
    /// A member was added to the payload after signing.
    case tamperedPayload = "tampered-payload"
    /// One bit of the signature is inverted.
    case wrongSignature = "wrong-signature"
    /// The header names ES384. The signature is of ES256.
    case wrongAlgorithm = "wrong-algorithm"
    /// The path ends at a root with the right name and another key.
    case foreignRoot = "foreign-root"
    /// The leaf certificate lacks Apple's marker extension.
    case missingLeafMarker = "missing-leaf-marker"
    /// The intermediate certificate lacks Apple's marker extension.
    case missingIntermediateMarker = "missing-intermediate-marker"
    /// The leaf certificate expired at the end of the year 1999, before the first token.
    case expiredPath = "expired-path"
    /// The token ends within its payload.
    case truncated
    /// The payload's segment has the character `!`, which is not of the alphabet.
    case notBase64 = "not-base64"
    /// The payload lacks the date of signing: `signedDate`, or `receiptCreationDate` in an app transaction.
    case missingDate = "missing-date"
    /// The token is for another bundle identifier. Renewal information and realtime requests have none.
    case wrongBundle = "wrong-bundle"
    /// The token is from the sandbox, or from production if the template's ``TokenTemplate/environment`` is
    /// `Sandbox`.
    case wrongEnvironment = "wrong-environment"
    /// The token has another app's `appAppleId`. Transactions and renewal information have no `appAppleId`.
    case wrongApp = "wrong-app"
    /// The transaction inside a notification, or else its app transaction, is for another app.
    case nestedOtherApp = "nested-other-app"
    /// The renewal information inside a notification, or else its app transaction, is from another
    /// environment.
    case nestedOtherEnvironment = "nested-other-environment"

    /// Whether a payload can have the flaw.
    public func applies(to template: TokenTemplate) -> Bool {
        switch self {
        case .wrongBundle: template.kind.shape.hasBundleIdentifier
        case .wrongApp: template.kind.shape.hasAppAppleIdentifier && template.appAppleIdentifier != nil
        case .nestedOtherApp, .nestedOtherEnvironment: nested(in: template) != nil
        default: true
        }
    }

    /// The step at which a validator refuses the token.
    public var step: SignedPayloadError.Step {
        switch self {
        case .tamperedPayload, .wrongSignature: .signature
        case .wrongAlgorithm: .header
        case .foreignRoot: .root
        case .missingLeafMarker: .leafMarker
        case .missingIntermediateMarker: .intermediateMarker
        case .expiredPath: .certificatePath
        case .truncated, .notBase64: .form
        case .missingDate: .signedDate
        case .wrongBundle, .nestedOtherApp: .bundleIdentifier
        case .wrongEnvironment, .nestedOtherEnvironment: .environment
        case .wrongApp: .appAppleIdentifier
        }
    }

    /// The code with which a validator refuses the token.
    public var code: Refusal.Code {
        switch self {
        case .tamperedPayload, .wrongSignature: .ecSignatureMismatch
        case .wrongAlgorithm: .unexpectedAlgorithm
        case .foreignRoot: .untrustedRoot
        case .missingLeafMarker: .missingLeafMarker
        case .missingIntermediateMarker: .missingIntermediateMarker
        case .expiredPath: .expired
        case .truncated: .notCompactJWS
        case .notBase64: .notBase64URL
        case .missingDate: .missingSignedDate
        case .wrongBundle: .bundleIdentifierClaimMismatch
        case .wrongEnvironment: .environmentClaimMismatch
        case .wrongApp: .appAppleIdentifierMismatch
        case .nestedOtherApp, .nestedOtherEnvironment: .nestedTokenMismatch
        }
    }

    /// The member whose token is the reason why a validator refuses the notification. Nil if the reason is
    /// the outer token itself, or if the flaw does not apply to the template.
    public func nested(in template: TokenTemplate) -> SignedPayloadError.NestedToken? {
        let candidates: [SignedPayloadError.NestedToken]
        switch self {
        case .nestedOtherApp: candidates = [.transaction, .appTransaction]
        case .nestedOtherEnvironment: candidates = [.renewalInfo, .appTransaction]
        default: candidates = []
        }
        guard template.kind == .notification else { return nil }
        return candidates.first { if case .token? = template[claim: $0.rawValue] { true } else { false } }
    }
}

// MARK: Making the flaw

extension TokenFlaw {
    /// The PKI that signs tokens with the flaw: `pki` itself unless the flaw is in the certificates.
    func changed(_ pki: TokenPKI) -> TokenPKI {
        switch self {
        case .foreignRoot:
            // Other keys, which nevertheless follow from the PKI's.
            var seeds = SeededGenerator(seed: pki.leaf.key.point.suffix(8).reduce(0) { $0 << 8 | UInt64($1) })
            return pki.lookAlike(TokenPKI.Keys(seed: seeds.next()))
        case .missingLeafMarker:
            return pki.reissued(.leaf) { $0.extensions.removeAll { $0.identifier == .receiptSigningMarker } }
        case .missingIntermediateMarker:
            return pki.reissued(.intermediate) {
                $0.extensions.removeAll { $0.identifier == .intermediateMarker }
            }
        case .expiredPath:
            return pki.reissued(.leaf) {
                // 1999-01-01T00:00:00Z to 1999-12-31T23:59:59Z.
                $0.notBefore = Timestamp(millisecondsSince1970: 915_148_800_000)
                $0.notAfter = Timestamp(millisecondsSince1970: 946_684_799_000)
            }
        default: return pki
        }
    }

    /// Changes the payload before it is signed. Does nothing if the flaw is made elsewhere.
    func change(_ template: inout TokenTemplate) {
        switch self {
        case .missingDate: template.signedDate = nil
        case .wrongBundle: template.bundleIdentifier = Self.otherApp(template.bundleIdentifier)
        case .wrongEnvironment: template.environment = Self.other(template.environment)
        case .wrongApp:
            if let identifier = template.appAppleIdentifier { template.appAppleIdentifier = identifier ^ 1 }
        case .nestedOtherApp:
            guard let name = nested(in: template) else { return }
            template.changeNested(name) { $0.bundleIdentifier = Self.otherApp($0.bundleIdentifier) }
        case .nestedOtherEnvironment:
            guard let name = nested(in: template) else { return }
            template.changeNested(name) { $0.environment = Self.other($0.environment) }
        default: break
        }
    }

    /// A bundle identifier other than this one.
    private static func otherApp(_ identifier: String?) -> String { (identifier ?? "com.example") + ".other" }

    /// An environment other than this one: `Production` for `Sandbox`, and `Sandbox` for any other or none.
    private static func other(_ environment: String?) -> String {
        environment.map { $0.hasSameBytes(as: "Sandbox") } ?? false ? "Production" : "Sandbox"
    }

    /// Changes the header, the signature, or the payload that is written in place of the signed `payload`.
    /// Does nothing if the flaw is made elsewhere.
    func change(_ jws: inout JWSTemplate, _ payload: [UInt8]) {
        switch self {
        case .wrongAlgorithm: jws.header["alg"] = "ES384"
        case .wrongSignature:
            jws.forgery = { digest, key in
                var signature = key.signConcatenated(digest)
                signature[signature.count - 1] ^= 1
                return signature
            }
        case .tamperedPayload:
            jws.writtenPayload = payload.dropLast() + [UInt8](",\"granted\":true}".utf8)
        default: break
        }
    }

    /// The signed token: changed for the flaws `truncated` and `notBase64`, otherwise as it is.
    func changed(_ token: [UInt8]) -> [UInt8] {
        let stops = token.indices.filter { token[$0] == UInt8(ascii: ".") }
        guard stops.count == 2 else { return token }
        switch self {
        case .truncated: return [UInt8](token[..<((stops[0] + stops[1]) / 2)])
        case .notBase64:
            var token = token
            token[(stops[0] + stops[1]) / 2] = UInt8(ascii: "!")
            return token
        default: return token
        }
    }
}
