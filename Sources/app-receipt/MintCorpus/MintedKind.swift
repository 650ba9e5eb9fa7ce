import AppReceipt

/// What is wrong with a receipt of a corpus, if anything.
enum MintedKind: String, CaseIterable {
    /// Nothing.
    case good
    /// A purchase that nobody made was added after the signature.
    case tamperedPayload = "tampered-payload"
    /// A bit of the signature is another one.
    case wrongSignature = "wrong-signature"
    /// The path leads to a root that looks the same and has another key.
    case foreignRoot = "foreign-root"
    /// The leaf or the intermediate lacks Apple's marker.
    case missingMarker = "missing-marker"
    /// The leaf had expired when the receipt was created.
    case expiredPath = "expired-path"
    /// The end is missing.
    case truncated
    /// The base64 has a character that is none of its own.
    case notBase64 = "not-base64"
    /// The receipt is another app's.
    case wrongBundle = "wrong-bundle"
    /// The receipt is from the sandbox.
    case wrongEnvironment = "wrong-environment"

    static var bad: [MintedKind] { allCases.filter { $0 != .good } }
}

/// What a validator says of a receipt that expects its app, production, and the corpus's root.
enum MintedVerdict: Equatable {
    case valid
    case invalid(ReceiptError.Step)
    case unreadable(ReceiptError.Step)

    /// As `verify --json` calls it.
    var status: String {
        switch self {
        case .valid: "valid"
        case .invalid: "invalid"
        case .unreadable: "unreadable"
        }
    }

    /// Empty where nothing is wrong.
    var step: String {
        switch self {
        case .valid: ""
        case .invalid(let step), .unreadable(let step): step.rawValue
        }
    }
}
