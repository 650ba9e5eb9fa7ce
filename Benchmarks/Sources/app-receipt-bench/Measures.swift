import AppReceipt
import ECDSA
import PKIX
import SHA

/// Something to measure. All measuring programs use the names in `all`.
enum Measure {
    case receipts(WholeReceipts.Memory, WholeReceipts.Reading)
    /// Judges receipts in batches and reads every attribute. The bench command does not measure it.
    case batches
    /// Validates with a cache in which no path occurs again before the cache has dropped it.
    case neverHits
    /// Answers requests as Apple's endpoint does.
    case answers(WholeReceipts.Memory)
    /// Validates tokens and decodes every member.
    case tokens(WholeReceipts.Memory)
    /// Validates 64 tokens at a time with a kept cache, and decodes every member.
    case tokenBatches
    case stage(Stage.Name)
    case digest(HashAlgorithm)
    case digests(HashAlgorithm, count: Int)
    case verification(modulusBits: Int)
    case eightVerifications
    case curveVerification(Curve)
    /// Asks the processor for its instruction sets. The bench command measures it only for `.ci/run start`.
    case detection

    static let all: [(name: String, measure: Self)] =
        [
            ("uncached", .receipts(.none, .nothing)),
            ("uncached-decoded", .receipts(.none, .everyField)),
            ("cached", .receipts(.kept, .nothing)),
            ("cached-walk", .receipts(.kept, .everyAttribute)),
            ("batch-walk", .batches),
            ("cached-decoded", .receipts(.kept, .everyField)),
            ("never-hits", .neverHits),
            ("answer", .answers(.none)),
            ("cached-answer", .answers(.kept)),
            ("token-uncached", .tokens(.none)),
            ("token-cached", .tokens(.kept)),
            ("token-batch", .tokenBatches),
        ]
        + Stage.Name.allCases.map { ($0.rawValue, .stage($0)) }
        + HashAlgorithm.allCases.map { ("\($0)", .digest($0)) }
        + [("sha256-two", .digests(.sha256, count: 2)), ("sha256-sixteen", .digests(.sha256, count: 16))]
        + [2048, 3072, 4096].map { ("rsa\($0)", .verification(modulusBits: $0)) }
        + Curve.allCases.map { ("\($0)", .curveVerification($0)) }
        + [("rsa2048-eight", .eightVerifications), ("detection", .detection)]

    init(_ name: String) throws {
        guard let known = Self.all.first(where: { $0.name == name }) else {
            throw Failure.usage("unknown measure \(name)")
        }
        self = known.measure
    }

    /// Returns the workload for this measure on an input.
    ///
    /// - Parameter root: returns the path of the root certificate. Called only if the measure validates
    ///   receipts or tokens.
    func workload(
        _ input: String,
        _ acceleration: Acceleration,
        root: () throws -> String
    ) throws -> any Workload {
        switch self {
        case .receipts(let memory, let reading):
            let trust = TrustPolicy.pinned([try anchor(root())])
            return WholeReceipts(try readReceipts(input), trust, memory, reading, acceleration)
        case .batches:
            let trust = TrustPolicy.pinned([try anchor(root())])
            return ReceiptBatches(try readReceipts(input), trust, acceleration)
        case .neverHits:
            let trust = TrustPolicy.pinned([try anchor(root())])
            let receipts = try WholeReceipts.neverRemembered(readReceipts(input))
            return WholeReceipts(receipts, trust, .kept, .nothing, acceleration)
        case .answers(let memory):
            let trust = TrustPolicy.pinned([try anchor(root())])
            return try Answers(readReceipts(input), trust, memory, acceleration)
        case .tokens(let memory):
            return try WholeTokens(readReceipts(input), root: root(), memory, acceleration)
        case .tokenBatches:
            return try TokenBatches(readReceipts(input), root: root(), acceleration)
        case .stage(let name):
            guard !input.hasSuffix(".lp") else {
                throw Failure.usage("a stage is measured on one receipt, not on a corpus")
            }
            return try Stage(
                name,
                DissectedReceipt(readFile(input), [anchor(root())]),
                acceleration
            )
        case .digest(let algorithm): return try DigestComputation(algorithm, byteCount: input, acceleration)
        case .digests(let algorithm, let count):
            return DigestsAtOnce(
                try DigestComputation(algorithm, byteCount: input, acceleration),
                count: count
            )
        case .verification(let bits):
            return try SignatureVerification(modulusBits: bits, directory: input, acceleration)
        case .eightVerifications:
            return BatchVerification(
                try SignatureVerification(modulusBits: 2048, directory: input, acceleration)
            )
        case .curveVerification(let curve): return try CurveVerification(curve, directory: input)
        case .detection: return Detection()
        }
    }
}

/// Reads the trusted root certificate from a file.
func anchor(_ path: String) throws -> TrustAnchor { try TrustAnchor(certificate: readFile(path)) }
