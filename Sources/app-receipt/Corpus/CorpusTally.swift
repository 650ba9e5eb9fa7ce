import AppReceipt
import DER
import SHA

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
    /// By the fingerprint of the signer's certificate.
    private(set) var signers: [String: Int] = [:]
    /// Valid receipts that are not among the counts by name yet.
    private var groups: [Group] = []
    /// The slowest first.
    private(set) var slowest: [Slow] = []

    private static let slowestCount = 10
    /// How many groups are kept: the certificates that signed most of any corpus.
    private static let maximumGroups = 256
    /// How many different names are told apart: a signer may write what it likes.
    private static let maximumNames = 1024

    /// Receipts that are alike in all that is counted, so that the names are made once for all of them.
    private struct Group {
        let signer: [UInt8]
        let root: Digest
        let digest: HashAlgorithm
        let environment: String?
        var count: Int
    }

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
        let (certificate, environment) = (receipt.signingCertificate, receipt.environmentName)
        if let index = indexOfGroup(
            certificate.span,
            receipt.rootFingerprint,
            receipt.digestAlgorithm,
            environment
        ) {
            groups[index].count += 1
            return
        }
        append(
            Group(
                signer: Array(certificate),
                root: receipt.rootFingerprint,
                digest: receipt.digestAlgorithm,
                environment: environment,
                count: 1
            )
        )
    }

    /// They are asked where they lie: the array's own search takes a copy of each.
    private func indexOfGroup(
        _ signer: Span<UInt8>,
        _ root: Digest,
        _ digest: HashAlgorithm,
        _ environment: String?
    ) -> Int? {
        let groups = groups.span
        for index in groups.indices
        where groups[index].root == root && groups[index].digest == digest
            && signer.holds(signer.indices, sameAs: groups[index].signer.span, groups[index].signer.indices)
            && groups[index].environment == environment
        {
            return index
        }
        return nil
    }

    private mutating func append(_ group: Group) {
        if groups.count == Self.maximumGroups { settle() }
        groups.append(group)
    }

    /// The same with everything counted by name.
    var settled: CorpusTally {
        var tally = self
        tally.settle()
        return tally
    }

    private mutating func settle() {
        for group in groups {
            Self.add(group.count, to: group.environment ?? "none", in: &environments)
            Self.add(group.count, to: "\(group.digest)", in: &digests)
            Self.add(group.count, to: "\(group.root)", in: &roots)
            Self.add(group.count, to: "\(SHA256.digest(of: group.signer.span))", in: &signers)
        }
        groups.removeAll(keepingCapacity: true)
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

    /// Adds what another counted.
    mutating func add(_ other: CorpusTally) {
        read += other.read
        written += other.written
        filtered += other.filtered
        Self.add(other.statuses, to: &statuses)
        Self.add(other.errors, to: &errors)
        Self.add(other.environments, to: &environments)
        Self.add(other.digests, to: &digests)
        Self.add(other.roots, to: &roots)
        Self.add(other.signers, to: &signers)
        for group in other.groups {
            let index = indexOfGroup(group.signer.span, group.root, group.digest, group.environment)
            if let index { groups[index].count += group.count } else { append(group) }
        }
        for slow in other.slowest { note(slow) }
    }

    private static func add(_ others: [String: Int], to counts: inout [String: Int]) {
        // In the order of the names, so that it is always the same ones that are told apart.
        for (name, count) in others.sorted(by: { $0.key < $1.key }) { add(count, to: name, in: &counts) }
    }

    private static func add(_ count: Int, to name: String, in counts: inout [String: Int]) {
        let isKnown = counts[name] != nil || counts.count < maximumNames
        counts[isKnown ? name : "others", default: 0] += count
    }
}

extension CorpusTally {
    /// What is counted by name, once that is settled, for the summary and for checkpoints. Another count is
    /// added here.
    static var tables: [(name: String, counts: WritableKeyPath<CorpusTally, [String: Int]>)] {
        [
            ("statuses", \.statuses), ("errors", \.errors), ("environments", \.environments),
            ("digests", \.digests), ("roots", \.roots), ("signers", \.signers),
        ]
    }

    // MARK: In a checkpoint

    func write(_ json: inout JSON) {
        let settled = settled
        json.member("read", Int64(read))
        json.member("written", Int64(written))
        json.member("filtered", Int64(filtered))
        for (name, counts) in Self.tables {
            json.member(name) { json in
                for (name, count) in settled[keyPath: counts].sorted(by: { $0.key < $1.key }) {
                    json.member(name, Int64(count))
                }
            }
        }
        json.member("slowest", array: slowest) { array, slow in
            array.element { element in
                element.member("nanoseconds", Int64(clamping: slow.nanoseconds))
                element.member("source", slow.source)
                element.member("record", Int64(slow.record))
            }
        }
    }

    init?(_ fields: JSONFields) {
        guard let read = fields.count("read"), let written = fields.count("written"),
            let filtered = fields.count("filtered"), let slowest = fields.objects("slowest")
        else { return nil }
        (self.read, self.written, self.filtered) = (read, written, filtered)
        for (name, counts) in Self.tables {
            guard let table = fields.object(name)?.counts else { return nil }
            self[keyPath: counts] = table
        }
        for slow in slowest {
            guard let nanoseconds = slow.count("nanoseconds"), let source = slow.string("source"),
                let record = slow.count("record")
            else { return nil }
            note(Slow(nanoseconds: UInt64(nanoseconds), source: source, record: record))
        }
    }
}
