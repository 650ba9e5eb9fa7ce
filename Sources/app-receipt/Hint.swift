import AppReceipt
import PKIX

/// What a person might do about a refusal. It goes by what the receipt says of itself, so it is advice and
/// never a verdict.
enum Hint {
    /// - Parameters:
    ///   - container: empty where there is none.
    ///   - arguments: of a command with ``ValidationOptions``.
    static func of(_ fault: Fault, _ container: [UInt8], _ arguments: Arguments) -> String? {
        let outline = Outline(container)
        let receipt = outline.receipt
        switch (fault.step, fault.code) {
        case (.root, _), (.certificatePath, .pathTooShort), (.certificatePath, .pathTooLong),
            (.certificatePath, .extendedKeyUsageNotPermitted):
            return trustHint(outline, receipt, arguments)
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
            return receipt?.bundleIdentifier.map { "the receipt is for \($0)" }
        case (.appVersion, _):
            return receipt?.appVersion.map { "the receipt is for version \($0)" }
        case (.deviceHash, .deviceHashMismatch):
            let server = String(repeating: "0", count: 32)
            return "receipts that were fetched from a server are for --device-id \(server)"
        default: return nil
        }
    }

    private static func trustHint(
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
        guard let root = outline.certificates.last(where: { $0.isSelfIssued }) else { return nil }
        return "it carries the root \(root.fingerprint); if you trust that: --root \(root.fingerprint)"
    }
}
