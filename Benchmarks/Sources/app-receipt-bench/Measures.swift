import AppReceipt
import PKIX
import SHA

/// What there is to measure, by the names of the protocol that all measuring programs speak.
enum Measure {
    case receipts(WholeReceipts.Memory, WholeReceipts.Reading)
    /// A cache is kept, and no path comes again before it is forgotten.
    case neverHits
    case stage(Stage.Name)
    case digest(HashAlgorithm)
    case twoDigests
    case verification(modulusBits: Int)
    case eightVerifications

    static let all: [(name: String, measure: Self)] =
        [
            ("uncached", .receipts(.none, .nothing)),
            ("uncached-decoded", .receipts(.none, .everyField)),
            ("cached", .receipts(.kept, .nothing)),
            ("cached-walk", .receipts(.kept, .everyAttribute)),
            ("cached-decoded", .receipts(.kept, .everyField)),
            ("never-hits", .neverHits),
        ]
        + Stage.Name.allCases.map { ($0.rawValue, .stage($0)) }
        + HashAlgorithm.allCases.map { ("\($0)", .digest($0)) } + [("sha256-two", .twoDigests)]
        + [2048, 3072, 4096].map { ("rsa\($0)", .verification(modulusBits: $0)) }
        + [("rsa2048-eight", .eightVerifications)]

    init(_ name: String) throws {
        guard let known = Self.all.first(where: { $0.name == name }) else {
            throw Failure.usage("there is no measure \(name)")
        }
        self = known.measure
    }

    /// - Parameter root: the path of the root's certificate; asked for only where there are receipts.
    func workload(
        _ input: String,
        _ acceleration: Acceleration,
        root: () throws -> String
    ) throws -> any Workload {
        switch self {
        case .receipts(let memory, let reading):
            let trust = TrustPolicy.pinned([try anchor(root())])
            return WholeReceipts(try readReceipts(input), trust, memory, reading, acceleration)
        case .neverHits:
            let trust = TrustPolicy.pinned([try anchor(root())])
            let receipts = try WholeReceipts.neverRemembered(readReceipts(input))
            return WholeReceipts(receipts, trust, .kept, .nothing, acceleration)
        case .stage(let name):
            guard !input.hasSuffix(".lp") else {
                throw Failure.usage("a stage takes one receipt, not a corpus")
            }
            return try Stage(
                name,
                DissectedReceipt(readFile(input), [anchor(root())]),
                acceleration
            )
        case .digest(let algorithm): return try Digesting(algorithm, byteCount: input, acceleration)
        case .twoDigests: return try Digesting(.sha256, byteCount: input, acceleration, isOfTwo: true)
        case .verification(let bits):
            return try Verifying(modulusBits: bits, directory: input, acceleration)
        case .eightVerifications:
            return EightVerifying(try Verifying(modulusBits: 2048, directory: input, acceleration))
        }
    }
}

/// The root to trust.
func anchor(_ path: String) throws -> TrustAnchor { try TrustAnchor(certificate: readFile(path)) }
