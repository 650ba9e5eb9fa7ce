import AppReceipt
import Basics
import PKIX
import ReceiptCorpus
import ReceiptResults
import SignedPayloads

/// Explains a refusal to a person, in a short text.
///
/// A hint relies on unverified claims of the receipt. It is no verdict. With one exception, it never names
/// an option that would make the command accept the refused receipt: a forged receipt must not be able to
/// ask for its own trust. The exception is a receipt or token that claims to be of StoreKit testing in Xcode
/// and whose certificates are not trusted. Its hint names `--xcode-testing`, unless that was given, together
/// with the reason why no server for customers may have it.
enum Hint {
    /// Returns a hint about the fault of a judgement, or nil if there is nothing to add to the error.
    ///
    /// - Parameter arguments: the arguments of a command that validates.
    static func of(_ fault: Fault, _ judgement: Judgement, _ arguments: Arguments) -> String? {
        if let mismatch = judgement.mismatch, mismatch.isExpectation {
            return mismatchHint(fault, mismatch, judgement, arguments)
        }
        if fault.code == .jsonWebSignature {
            return
                "the command judges a token that is alone or in Apple's JSON. Its help says for which tokens the "
                + "kind of payload must be named"
        }
        if let kind = judgement.kind { return tokenHint(fault, judgement.container, kind, arguments) }
        let outline = Outline(judgement.container)
        let receipt = outline.receipt
        switch (fault.step, fault.code) {
        case (.container, _):
            let isCertificate = (try? TrustAnchor(certificate: judgement.container)) != nil
            return isCertificate ? "this is a certificate, not a receipt" : nil
        case (.root, _), (.certificatePath, .pathTooShort), (.certificatePath, .pathTooLong),
            (.certificatePath, .extendedKeyUsageNotPermitted):
            return trustHint(fault, outline, receipt, arguments)
        case (.certificatePath, .expired), (.certificatePath, .notYetValid):
            guard let at = arguments.last("--at"), at.text != "creation" else { return nil }
            return
                "the certificates were judged at \(at.text); Apple judges them at the receipt's creation date"
        case (.leafMarker, _), (.intermediateMarker, _):
            return
                "Apple marks the certificates that may sign receipts; certificates of developers lack the mark"
        case (.deviceHash, .deviceHashMismatch):
            guard let receipt, isFetchedFromServer(receipt) else { return nil }
            return "the receipt was fetched from Apple's server: its device is 16 zero bytes, not a real one"
        case (.expirationDate, _):
            guard let date = receipt?.expirationDate, let now = arguments.last("--now") else {
                return nil
            }
            return "the receipt expired at \(date), before \(now.text)"
        default: return nil
        }
    }

    private static func mismatchHint(
        _ fault: Fault,
        _ mismatch: Mismatch,
        _ judgement: Judgement,
        _ arguments: Arguments
    ) -> String {
        let name = String(fault.stepName.map { $0 == "-" ? " " : $0 })
        let subject = fault.nestedToken ?? (judgement.kind == nil ? "receipt" : "payload")
        let found = mismatch.found.map { "the \(subject)'s \(name) is \($0)" }
        // Receipts and tokens have different environments. All that are expected may be the other's.
        let expected =
            mismatch.expected.isEmpty ? arguments.all("--environment").map(\.text) : mismatch.expected
        return "\(found ?? "the \(subject) has no \(name)"), and the command expects "
            + expected.joined(separator: " or ")
    }

    private static func tokenHint(
        _ fault: Fault,
        _ token: [UInt8],
        _ kind: SignedPayloadKind,
        _ arguments: Arguments
    ) -> String? {
        switch fault.code {
        case .certificateCount, .untrustedRoot:
            let claimed = try? PayloadValues(unverified: token, kind).environmentName
            let environment = claimed.flatMap(StoreEnvironment.init(name:))
            guard environment == .xcode || environment == .localTesting, !arguments.has("--xcode-testing")
            else { return nil }
            return xcodeHint("token")
        case .otherKind:
            return SignedPayloadKind(claimedBy: token).map {
                "the payload has the member of a kind: \($0.rawValue)"
            }
        case .missingSignedDate where kind == .notification:
            return
                "notifications of 2022 have no date; the caller must know when their certificates were valid"
        default: return nil
        }
    }

    private static func xcodeHint(_ subject: String) -> String {
        "this is a \(subject) of StoreKit testing in Xcode; anybody can make one, so it proves no purchase. "
            + "For tests on your own machine, --xcode-testing accepts such \(subject)s and no others. On a server "
            + "that customers reach, it would give everything away"
    }

    /// Whether the receipt has the device hash of a device identifier of 16 zero bytes, as receipts from
    /// Apple's server have.
    private static func isFetchedFromServer(_ receipt: UnverifiedReceipt) -> Bool {
        guard let opaqueValue = receipt.opaqueValue, let expected = receipt.sha1Hash,
            let bundleIdentifier = receipt.attributes.first(where: { $0.type == 2 })?.value
        else { return false }
        let message = DeviceIdentifier.server.bytes + opaqueValue + bundleIdentifier
        return HashAlgorithm.sha1.digest(of: message.borrowedSpan).equals(expected.borrowedSpan)
    }

    private static func trustHint(
        _ fault: Fault,
        _ outline: Outline,
        _ receipt: UnverifiedReceipt?,
        _ arguments: Arguments
    ) -> String? {
        let isXcode = receipt?.environment == .xcode
        if isXcode, !arguments.has("--xcode-testing") {
            return xcodeHint("receipt")
        }
        if !isXcode, receipt != nil, arguments.has("--xcode-testing") {
            return "this is no receipt of StoreKit testing in Xcode, the only kind that the command trusts"
        }
        // The refusal points into the root that the path ends at.
        guard fault.code == .untrustedRoot, let offset = fault.offset,
            let root = outline.certificates.first(where: { $0.range.contains(offset) })
        else { return nil }
        let trusted = arguments.trustedRoots
        return
            "the path ends at the root with the SHA-256 \(root.fingerprint); the command trusts only \(trusted)"
    }
}

extension Mismatch {
    /// The mismatch in one line: the found value, or `nothing`, and the expected ones. Object identifiers
    /// that are known have their names.
    var line: String {
        let found = found.map { $0.split(separator: ",").map { Self.named(String($0.drop { $0 == " " })) } }
        let accepted = expected.map(Self.named).joined(separator: " or ")
        return "found \(found?.joined(separator: ", ") ?? "nothing"), expected \(accepted)"
    }

    private static func named(_ value: String) -> String {
        ObjectIdentifierName.of(value).map { "\($0) (\(value))" } ?? value
    }
}
