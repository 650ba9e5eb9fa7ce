import AppReceipt
import DER

/// What became of how many records.
struct CorpusTally: Sendable {
    struct Slow: Sendable {
        let nanoseconds: UInt64
        let source: String
        let record: Int
    }

    private(set) var read = 0
    var written = 0
    /// Read, and not written because nobody asked for it.
    var filtered = 0
    private(set) var statuses: [String: Int] = [:]
    /// By step and code, with a space between.
    private(set) var errors: [String: Int] = [:]
    private(set) var environments: [String: Int] = [:]
    private(set) var digests: [String: Int] = [:]
    /// By the fingerprint of the root that was trusted.
    private(set) var roots: [String: Int] = [:]
    /// The slowest first.
    private(set) var slowest: [Slow] = []

    private static let slowestCount = 10
    /// How many different environments are told apart: a signer may write what it likes.
    private static let maximumEnvironments = 32

    /// Whether every record that was read is accounted for.
    var isReconciled: Bool { read == written + filtered }
    func count(ofStatus status: String) -> Int { statuses[status] ?? 0 }

    mutating func passOver() {
        read += 1
        filtered += 1
    }

    mutating func count(_ receipt: Receipt) {
        read += 1
        statuses["valid", default: 0] += 1
        digests["\(receipt.digestAlgorithm)", default: 0] += 1
        roots["\(receipt.rootFingerprint)", default: 0] += 1
        add(1, toEnvironment: receipt.environmentName ?? "none")
    }

    mutating func count(_ fault: Fault) {
        read += 1
        statuses[fault.status, default: 0] += 1
        errors["\(fault.step.rawValue) \(fault.code.name)", default: 0] += 1
    }

    mutating func note(_ slow: Slow) {
        guard slowest.count < Self.slowestCount || slow.nanoseconds > slowest[slowest.count - 1].nanoseconds
        else { return }
        slowest.insert(slow, at: slowest.firstIndex { $0.nanoseconds < slow.nanoseconds } ?? slowest.count)
        slowest = Array(slowest.prefix(Self.slowestCount))
    }

    mutating func add(_ other: CorpusTally) {
        read += other.read
        written += other.written
        filtered += other.filtered
        statuses.merge(other.statuses) { $0 + $1 }
        errors.merge(other.errors) { $0 + $1 }
        digests.merge(other.digests) { $0 + $1 }
        roots.merge(other.roots) { $0 + $1 }
        for (name, count) in other.environments.sorted(by: { $0.key < $1.key }) {
            add(count, toEnvironment: name)
        }
        for slow in other.slowest { note(slow) }
    }

    private mutating func add(_ count: Int, toEnvironment name: String) {
        let isKnown = environments[name] != nil || environments.count < Self.maximumEnvironments
        environments[isKnown ? name : "others", default: 0] += count
    }
}
