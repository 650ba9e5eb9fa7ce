import AppReceipt
import Bytes
import DER
import JSONText
import ReceiptResults
import SHA
import TransactionReceipt

/// The counts of a run: records by verdict, by error, and by facts of valid receipts.
package struct CorpusTally: Sendable {
    /// One of the records that took longest to judge.
    package struct Slow: Sendable {
        package let nanoseconds: UInt64
        package let source: String
        package let record: Int
    }

    package private(set) var read = 0
    /// Records with at least one line in the results.
    package internal(set) var written = 0
    /// Records that were read and have no line, because the options exclude them.
    package internal(set) var filtered = 0
    private var settledStatuses = Counts()
    /// By step and code, with a space between.
    private(set) var errors = Counts()
    private(set) var environments = Counts()
    private(set) var digests = Counts()
    /// By the fingerprint of the trusted root.
    private(set) var roots = Counts()
    /// By the fingerprint of the signer's certificate.
    private(set) var signers = Counts()
    /// The numbers of valid receipts that are not yet in any table.
    private var groups: ContiguousArray<Group> = []
    /// The slowest first.
    package private(set) var slowest: [Slow] = []
    /// The number of judged records before the first one that is neither unreadable nor cut off.
    private(set) var leadingUnreadable = 0
    /// Whether every judged record so far is unreadable or cut off.
    private(set) var isAllUnreadable = true

    private static let slowestCount = 10
    /// The number of groups kept. Most corpora have far fewer signers.
    private static let maximumGroups = 256

    /// A run is reported as a likely mistake if its first judged records, this many, are all unreadable or
    /// cut off. A shorter run is reported if all its judged records are: see ``isSuspicious``.
    package static let suspiciousCount = 1000

    /// Receipts that agree in everything that is counted by name, so that the names are made only once.
    private struct Group {
        let signer: [UInt8]
        let root: Digest
        let digest: HashAlgorithm
        let environment: String?
        var count: Int
    }

    package init() {}

    /// Whether every record that was read is accounted for.
    package var isReconciled: Bool { read == written + filtered }
    /// The numbers of records by status. Each call counts, so ask seldom.
    package var statuses: Counts { settled.settledStatuses }
    package func count(ofStatus status: String) -> Int { statuses[status] }

    /// Whether the first ``suspiciousCount`` judged records, or all if there are fewer, are unreadable or cut
    /// off.
    package var isSuspicious: Bool {
        leadingUnreadable >= Self.suspiciousCount || leadingUnreadable > 0 && isAllUnreadable
    }

    /// Counts records that are not judged.
    mutating func passOver(_ count: Int = 1) {
        read += count
        filtered += count
    }

    /// Counts a valid receipt.
    mutating func count(_ receipt: ValidReceipt) {
        read += 1
        isAllUnreadable = false
        switch receipt {
        case .app(let receipt):
            count(
                receipt.signingCertificate,
                receipt.rootFingerprint,
                receipt.digestAlgorithm,
                receipt.environmentName
            )
        case .transaction(let info):
            count(info.signingCertificate, info.rootFingerprint, .sha1, info.claimedEnvironmentName)
        }
    }

    private mutating func count(
        _ signer: ArraySlice<UInt8>,
        _ root: Digest,
        _ digest: HashAlgorithm,
        _ environment: String?
    ) {
        if let index = indexOfGroup(signer.borrowedSpan, root, digest, environment) {
            groups[index].count += 1
        } else {
            append(
                Group(signer: Array(signer), root: root, digest: digest, environment: environment, count: 1)
            )
        }
    }

    /// Finds a group. The loop borrows each group, whereas `firstIndex(where:)` would copy it.
    private func indexOfGroup(
        _ signer: Span<UInt8>,
        _ root: Digest,
        _ digest: HashAlgorithm,
        _ environment: String?
    ) -> Int? {
        let groups = groups.span
        for index in groups.indices
        where groups[index].root == root && groups[index].digest == digest
            && signer.holds(
                signer.indices,
                sameAs: groups[index].signer.borrowedSpan,
                groups[index].signer.indices
            )
            && Self.areSame(groups[index].environment, environment)
        {
            return index
        }
        return nil
    }

    private static func areSame(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return one.hasSameBytes(as: other)
    }

    private mutating func append(_ group: Group) {
        if groups.count == Self.maximumGroups { settle() }
        groups.append(group)
    }

    /// This tally, with every receipt of ``groups`` counted by name.
    package var settled: CorpusTally {
        var tally = self
        tally.settle()
        return tally
    }

    private mutating func settle() {
        for group in groups {
            settledStatuses.add(group.count, to: "valid")
            environments.add(group.count, to: group.environment ?? "none")
            digests.add(group.count, to: "\(group.digest)")
            roots.add(group.count, to: "\(group.root)")
            signers.add(group.count, to: "\(SHA256.digest(of: group.signer.borrowedSpan))")
        }
        groups.removeAll(keepingCapacity: true)
    }

    /// Counts records with one fault.
    mutating func count(_ fault: Fault, _ count: Int = 1) {
        read += count
        settledStatuses.add(count, to: fault.status)
        errors.add(count, to: Self.name(fault.step, fault.code))
        if fault.code.kind != .unreadable, fault.step != Self.cutOff.step || fault.code != Self.cutOff.code {
            isAllUnreadable = false
        }
        if isAllUnreadable { leadingUnreadable += count }
    }

    /// The fault of a container that ends too early. A column may be too short for it, or lines of one
    /// receipt may have been read as records.
    private static let cutOff = (step: ReceiptError.Step.container, code: Refusal.Code.truncated)

    /// The number of containers that end too early.
    var cutOffCount: Int { errors[Self.name(Self.cutOff.step, Self.cutOff.code)] }

    /// The name of a step and a code in ``errors``.
    private static func name(_ step: ReceiptError.Step, _ code: Refusal.Code) -> String {
        "\(step.rawValue) \(code.name)"
    }

    /// Whether a duration belongs to the longest.
    func isAmongSlowest(_ nanoseconds: UInt64) -> Bool {
        slowest.count < Self.slowestCount || nanoseconds > slowest[slowest.count - 1].nanoseconds
    }

    /// Notes how long it took to judge a record, if it belongs to the slowest.
    mutating func note(nanoseconds: UInt64, _ record: RecordBatch.Record) {
        note(Slow(nanoseconds: nanoseconds, source: record.origin.source, record: record.number))
    }

    private mutating func note(_ slow: Slow) {
        guard isAmongSlowest(slow.nanoseconds) else { return }
        slowest.insert(slow, at: slowest.firstIndex { $0.nanoseconds < slow.nanoseconds } ?? slowest.count)
        slowest = Array(slowest.prefix(Self.slowestCount))
    }

    /// Adds the tally of the records that follow the counted ones.
    mutating func add(_ other: CorpusTally) {
        read += other.read
        written += other.written
        filtered += other.filtered
        for table in Self.tables { self[keyPath: table.counts].add(other[keyPath: table.counts]) }
        for group in other.groups {
            let index = indexOfGroup(group.signer.borrowedSpan, group.root, group.digest, group.environment)
            if let index { groups[index].count += group.count } else { append(group) }
        }
        for slow in other.slowest { note(slow) }
        if isAllUnreadable { leadingUnreadable += other.leadingUnreadable }
        isAllUnreadable = isAllUnreadable && other.isAllUnreadable
    }
}

extension CorpusTally {
    /// The tables of counts, for the summary and for checkpoints. Read them from ``settled``; in another
    /// tally they may lack valid receipts. A new table is added here.
    package static var tables: [(name: String, counts: WritableKeyPath<CorpusTally, Counts>)] {
        [
            ("statuses", \.settledStatuses), ("errors", \.errors), ("environments", \.environments),
            ("digests", \.digests), ("roots", \.roots), ("signers", \.signers),
        ]
    }

    // MARK: In a checkpoint

    func write(_ json: inout JSONWriter) {
        let settled = settled
        json.member("read", Int64(read))
        json.member("written", Int64(written))
        json.member("filtered", Int64(filtered))
        json.member("leading_unreadable", Int64(leadingUnreadable))
        for (name, counts) in Self.tables {
            json.member(.given(name)) { json in
                for (name, count) in settled[keyPath: counts].byName {
                    json.member(.given(name), Int64(count))
                }
            }
        }
        json.member("slowest", array: slowest) { array, slow in
            array.element { element in
                element.member("nanoseconds", Int64(min(slow.nanoseconds, UInt64(JSONFields.maximumCount))))
                element.member("source", slow.source)
                element.member("record", Int64(slow.record))
            }
        }
    }

    /// Decodes a tally. Returns nil if a member is missing or out of range, or the counts do not add up.
    init?(_ fields: JSONFields) {
        guard let read = fields.count("read"), let written = fields.count("written"),
            let filtered = fields.count("filtered"), let slowest = fields.objects("slowest"),
            let leadingUnreadable = fields.count("leading_unreadable"), slowest.count <= Self.slowestCount
        else { return nil }
        (self.read, self.written, self.filtered) = (read, written, filtered)
        self.leadingUnreadable = leadingUnreadable
        for (name, counts) in Self.tables {
            guard let names = fields.object(name)?.counts, let table = Counts(names, maximum: read) else {
                return nil
            }
            self[keyPath: counts] = table
        }
        isAllUnreadable = leadingUnreadable == settledStatuses.total
        guard isReconciled, leadingUnreadable <= settledStatuses["unreadable"] + cutOffCount else {
            return nil
        }
        for slow in slowest {
            guard let nanoseconds = slow.count("nanoseconds"), let source = slow.string("source"),
                let record = slow.count("record")
            else { return nil }
            note(Slow(nanoseconds: UInt64(nanoseconds), source: source, record: record))
        }
    }
}
