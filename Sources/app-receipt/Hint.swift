import AppReceipt
import PKIX
import SHA

/// What a person might do about a refusal. It goes by what the receipt says of itself, so it is advice and
/// never a verdict.
enum Hint {
    /// - Parameters:
    ///   - input: the bytes as they were read.
    ///   - container: what they stand for; empty where they stand for none.
    ///   - arguments: of a command with ``ValidationOptions``.
    static func of(
        _ fault: Fault,
        _ input: [UInt8],
        _ container: [UInt8],
        _ arguments: Arguments
    ) -> String? {
        let outline = Outline(container)
        let receipt = outline.receipt
        switch (fault.step, fault.code) {
        case (.input, .notBase64): return quotationHint(input)
        case (.container, _):
            let isCertificate = (try? TrustAnchor(certificate: container)) != nil
            return isCertificate ? "this is a certificate, not a receipt" : nil
        case (.root, _), (.certificatePath, .pathTooShort), (.certificatePath, .pathTooLong),
            (.certificatePath, .extendedKeyUsageNotPermitted):
            return trustHint(fault, outline, receipt, arguments)
        case (.certificatePath, .expired), (.certificatePath, .notYetValid):
            guard let at = arguments.last(ValidationOptions.at), at.text != "creation" else { return nil }
            return
                "judged at \(at.text); leave out --at to judge at the receipt's creation date, as Apple does"
        case (.leafMarker, _), (.intermediateMarker, _):
            guard arguments.has(ValidationOptions.root) else { return nil }
            return "a private PKI without Apple's markers? --no-markers does without them"
        case (.environment, _):
            return receipt?.environmentName.map {
                "the receipt says \($0): --environment \($0) would accept it"
            }
        case (.bundleIdentifier, _):
            return receipt?.bundleIdentifier.map {
                "the receipt is for \($0), \(asked(ValidationOptions.bundleIdentifier, arguments))"
            }
        case (.appVersion, _):
            return receipt?.appVersion.map {
                "the receipt is for version \($0), \(asked(ValidationOptions.appVersion, arguments))"
            }
        case (.deviceHash, .deviceHashMismatch):
            guard let receipt, isOfServer(receipt) else { return nil }
            let zeros = String(repeating: "0", count: 32)
            return "the receipt was fetched from a server, for which --device-id is \(zeros)"
        case (.expirationDate, _):
            guard let date = receipt?.expirationDate, let now = arguments.last(ValidationOptions.now) else {
                return nil
            }
            return "the receipt expired at \(date), before --now \(now.text)"
        default: return nil
        }
    }

    private static func asked(_ option: Option, _ arguments: Arguments) -> String {
        "and \(option.name) asks for \(arguments.all(option).map(\.text).joined(separator: " or "))"
    }

    /// What programs put around a receipt.
    private static func quotationHint(_ input: [UInt8]) -> String? {
        let text = input.drop { $0 <= 0x20 }
        if text.first == UInt8(ascii: "{"), text.contains("\"receipt-data\"".utf8) {
            return "this is JSON: jq -r '.\"receipt-data\"' FILE | app-receipt verify -"
        }
        // Base64 of a SEQUENCE begins with an M.
        let isQuoted = text.starts(with: "\"M".utf8) || text.starts(with: "'M".utf8)
        return isQuoted ? "remove the quotes around it" : nil
    }

    /// Whether the device hash is that of a receipt fetched from Apple's server.
    private static func isOfServer(_ receipt: UnverifiedReceipt) -> Bool {
        guard let opaqueValue = receipt.opaqueValue, let expected = receipt.sha1Hash,
            let bundleIdentifier = receipt.attributes(ofType: 2).first?.value
        else { return false }
        let message = DeviceIdentifier.server.bytes + opaqueValue + bundleIdentifier
        return HashAlgorithm.sha1.digest(of: message.span).equals(expected.span)
    }

    private static func trustHint(
        _ fault: Fault,
        _ outline: Outline,
        _ receipt: UnverifiedReceipt?,
        _ arguments: Arguments
    ) -> String? {
        let isXcode = receipt?.environment == .xcode
        if isXcode, !arguments.has(ValidationOptions.xcode) {
            let isPinned = arguments.has(ValidationOptions.root)
            return "this is an Xcode receipt: try --xcode\(isPinned ? " together with --root" : "")"
        }
        if !isXcode, receipt != nil, arguments.has(ValidationOptions.xcode) {
            return "this is no Xcode receipt: try without --xcode"
        }
        // The refusal points into the certificate that the path ends at, which is none of those trusted.
        guard fault.code == .untrustedRoot, let offset = fault.offset,
            let root = outline.certificates.first(where: { $0.range.contains(offset) })
        else { return nil }
        return "it carries the root \(root.fingerprint); if you trust that: --root \(root.fingerprint)"
    }
}
