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

    /// The status that a validator finds if it trusts the corpus's root and expects the receipt's app and the
    /// environment Production.
    var status: String {
        switch self {
        case .good: "valid"
        case .notBase64: "unreadable"
        default: "invalid"
        }
    }

    /// The step at which that validator refuses the receipt; empty for a valid one.
    ///
    /// - Parameter lacksLeafMarker: for the kind `missingMarker`, whether the leaf's marker is missing or the
    ///   intermediate's.
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
