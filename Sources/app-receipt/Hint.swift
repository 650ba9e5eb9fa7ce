import AppReceipt
import Bytes
import PKIX
import ReceiptCorpus
import ReceiptResults
import SHA

/// Explains a refusal to a person, in one sentence.
///
/// A hint relies on unverified claims of the receipt. It is no verdict, and it never names an option that
/// would make the command accept the refused receipt: a forged receipt must not be able to ask for its own
/// trust.
enum Hint {
    /// Returns a hint, or nil if there is nothing to add to the error.
    ///
    /// - Parameter arguments: the arguments of a command that has ``ValidationOptions``.
    static func of(_ fault: Fault, _ judgement: Judgement, _ arguments: Arguments) -> String? {
        if let mismatch = judgement.mismatch { return mismatchHint(fault, mismatch) }
        let outline = Outline(judgement.container)
        let receipt = outline.receipt
        switch (fault.step, fault.code) {
        case (.input, .notBase64): return quotationHint(judgement.input)
        case (.container, _):
            let isCertificate = (try? TrustAnchor(certificate: judgement.container)) != nil
            return isCertificate ? "this is a certificate, not a receipt" : nil
        case (.root, _), (.certificatePath, .pathTooShort), (.certificatePath, .pathTooLong),
            (.certificatePath, .extendedKeyUsageNotPermitted):
            return trustHint(fault, outline, receipt, arguments)
        case (.certificatePath, .expired), (.certificatePath, .notYetValid):
            guard let at = arguments.last(ValidationOptions.at), at.text != "creation" else { return nil }
            return
                "the certificates were judged at \(at.text); Apple judges them at the receipt's creation date"
        case (.leafMarker, _), (.intermediateMarker, _):
            return
                "Apple marks the certificates that may sign receipts; certificates of developers lack the mark"
        case (.deviceHash, .deviceHashMismatch):
            guard let receipt, isFetchedFromServer(receipt) else { return nil }
            return "the receipt was fetched from Apple's server: its device is 16 zero bytes, not a real one"
        case (.expirationDate, _):
            guard let date = receipt?.expirationDate, let now = arguments.last(ValidationOptions.now) else {
                return nil
            }
            return "the receipt expired at \(date), before \(now.text)"
        default: return nil
        }
    }

    private static func mismatchHint(_ fault: Fault, _ mismatch: Mismatch) -> String {
        let name = fault.step.rawValue.map { $0 == "-" ? " " : $0 }
        let found = mismatch.found.map { "the receipt's \(String(name)) is \($0)" }
        let expected = mismatch.expected.joined(separator: " or ")
        return "\(found ?? "the receipt has no \(String(name))"), and the command expects \(expected)"
    }

    /// Returns a hint for a receipt in quotes or in a JSON object, or nil for any other input.
    private static func quotationHint(_ input: [UInt8]) -> String? {
        let text = input.drop { $0 <= 0x20 }
        if text.first == UInt8(ascii: "{"), text.contains("\"receipt-data\"".utf8) {
            return "this is JSON; take the receipt out of it with jq -r '.\"receipt-data\"' FILE"
        }
        // The base64 of a SEQUENCE begins with M.
        let isQuoted = text.starts(with: "\"M".utf8) || text.starts(with: "'M".utf8)
        return isQuoted ? "remove the quotes around the receipt" : nil
    }

    /// Whether the device hash is made with 16 zero bytes, as in receipts that Apple's server hands out.
    private static func isFetchedFromServer(_ receipt: UnverifiedReceipt) -> Bool {
        guard let opaqueValue = receipt.opaqueValue, let expected = receipt.sha1Hash,
            let bundleIdentifier = receipt.attributes(ofType: 2).first?.value
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
        if isXcode, !arguments.has(ValidationOptions.xcodeTesting) {
            return
                "this is a receipt of StoreKit testing in Xcode; anybody can make one, so it proves no purchase"
        }
        if !isXcode, receipt != nil, arguments.has(ValidationOptions.xcodeTesting) {
            return "this is no receipt of StoreKit testing in Xcode, the only kind that the command trusts"
        }
        // The refusal points into the root that the path ends at.
        guard fault.code == .untrustedRoot, let offset = fault.offset,
            let root = outline.certificates.first(where: { $0.range.contains(offset) })
        else { return nil }
        let trusted = ValidationOptions.roots(arguments)
        return
            "the path ends at the root with the SHA-256 \(root.fingerprint); the command trusts only \(trusted)"
    }
}
