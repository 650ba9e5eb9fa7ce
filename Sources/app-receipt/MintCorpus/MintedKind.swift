/// The kinds of receipts in a corpus: good ones, and nine bad kinds.
enum MintedKind: String, CaseIterable {
    /// A valid receipt.
    case good
    /// A receipt to whose payload a purchase was added after signing.
    case tamperedPayload = "tampered-payload"
    /// A receipt in which one bit of the signature is inverted.
    case wrongSignature = "wrong-signature"
    /// A receipt whose path ends at a root with the right name and another key.
    case foreignRoot = "foreign-root"
    /// A receipt whose leaf or intermediate lacks Apple's marker extension.
    case missingMarker = "missing-marker"
    /// A receipt whose leaf certificate had expired when the receipt was created.
    case expiredPath = "expired-path"
    /// A receipt whose end is missing: from one byte up to three quarters of the bytes, rounded up.
    case truncated
    /// A receipt whose base64 has one character `!`, which is not of the alphabet.
    case notBase64 = "not-base64"
    /// A receipt for another app's bundle identifier.
    case wrongBundle = "wrong-bundle"
    /// A receipt from the sandbox, with the environment `ProductionSandbox`.
    case wrongEnvironment = "wrong-environment"

    static var bad: [MintedKind] { allCases.filter { $0 != .good } }

    /// The status, such as `valid`, that a validator finds if it trusts the corpus's root and expects the
    /// record's bundle identifier and the environment Production.
    var status: String {
        switch self {
        case .good: "valid"
        case .notBase64: "unreadable"
        default: "invalid"
        }
    }

    /// The step at which a validator of the corpus refuses the receipt; empty for a valid one.
    ///
    /// - Parameter lacksLeafMarker: for the kind `missingMarker`, true if the leaf's marker is missing, and
    ///   false if the intermediate's is.
    func step(lacksLeafMarker: Bool) -> String {
        switch self {
        case .good: ""
        case .tamperedPayload, .wrongSignature: "signature"
        case .foreignRoot: "root"
        case .missingMarker: lacksLeafMarker ? "leaf-marker" : "intermediate-marker"
        case .expiredPath: "certificate-path"
        case .truncated: "container"
        case .notBase64: "input"
        case .wrongBundle: "bundle-identifier"
        case .wrongEnvironment: "environment"
        }
    }
}
