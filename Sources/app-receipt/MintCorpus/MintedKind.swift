import AppReceipt
import ReceiptCorpus

/// The kinds of receipts in a corpus: good ones, and nine bad kinds.
enum MintedKind: String, CaseIterable {
    /// The receipt is good.
    case good
    /// A purchase was added after the signature.
    case tamperedPayload = "tampered-payload"
    /// One bit of the signature is inverted.
    case wrongSignature = "wrong-signature"
    /// The path ends at a root with the same name and another key.
    case foreignRoot = "foreign-root"
    /// The leaf or the intermediate lacks Apple's marker.
    case missingMarker = "missing-marker"
    /// The leaf had expired when the receipt was created.
    case expiredPath = "expired-path"
    /// The end of the receipt is missing.
    case truncated
    /// One character of the base64 is `!`, which base64 lacks.
    case notBase64 = "not-base64"
    /// The receipt is for another app.
    case wrongBundle = "wrong-bundle"
    /// The receipt is from the sandbox.
    case wrongEnvironment = "wrong-environment"

    static var bad: [MintedKind] { allCases.filter { $0 != .good } }
}

/// The verdict of a validator that trusts the corpus's root and expects the receipt's app and the environment
/// Production.
enum MintedVerdict: Equatable {
    case valid
    case invalid(ReceiptError.Step)
    case unreadable(ReceiptError.Step)

    /// The status that `verify --json` writes.
    var status: String {
        switch self {
        case .valid: "valid"
        case .invalid: "invalid"
        case .unreadable: "unreadable"
        }
    }

    /// The step that fails, or an empty string for a valid receipt.
    var step: String {
        switch self {
        case .valid: ""
        case .invalid(let step), .unreadable(let step): step.rawValue
        }
    }
}
