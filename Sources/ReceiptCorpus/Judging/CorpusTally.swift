import AppReceipt
import Basics
import DER
import JSONText
import ReceiptResults
import SHA
import TransactionReceipt

/// The counts of a run: records by status and by error, and valid receipts or tokens by environment, digest,
/// root and signer.
package struct CorpusTally: Sendable {
    /// One of the records that took longest to judge.
    package struct Slow: Sendable {
        package let nanoseconds: UInt64
        package let source: String
        package let record: Int
    }

    package private(set) var read = 0
    /// The number of records with at least one line in the results.
    package internal(set) var written = 0
    /// The number of records without a line: valid ones left out, ones without purchases, and blank lines
    /// that directly follow a blank line.
    package internal(set) var filtered = 0
    private var settledStatuses = Counts()
    /// The number of refused records by step and code of the fault, such as `input record.not-json`.
    private(set) var errors = Counts()
    private(set) var environments = Counts()
    private(set) var digests = Counts()
    /// The number of valid receipts or tokens by the trusted root's SHA-256 fingerprint. Receipts and tokens
    /// that are in ``groups`` are not counted here yet.
    private(set) var roots = Counts()
    /// The number of valid receipts or tokens by the SHA-256 fingerprint of the signer's certificate.
    /// Receipts and tokens that are in ``groups`` are not counted here yet.
    private(set) var signers = Counts()
    /// The valid receipts or tokens that are not yet counted in the tables, counted by signer, root, digest
    /// and environment.
    private var groups: ContiguousArray<Group> = []
    /// The records that took longest to judge, at most 10, the slowest first.
    package private(set) var slowest: [Slow] = []
    /// The number of judged records before the first one that is neither unreadable nor cut off.
    private(set) var leadingUnreadable = 0
    /// Whether every judged record so far is unreadable or cut off. True before the first record.
    private(set) var isAllUnreadable = true

    private static let slowestCount = 10
    /// The maximum number of elements of ``groups``. Before one more, all are counted in the tables.
    private static let maximumGroups = 256

    /// A run is suspicious if this many judged records at its beginning are all unreadable or cut off. A
    /// shorter run is suspicious if all its judged records are: see ``isSuspicious``.
    package static let suspiciousCount = 1000

    /// Valid receipts or tokens with the same signer, root, digest and environment. The names of these four
    /// in the tables are made once for the whole group.
    private struct Group {
        /// The signer's certificate, or the text of a token's header, which holds that certificate.
        var signer: ArraySlice<UInt8>
        let root: Digest
        let digest: HashAlgorithm
        let environment: String
        var isToken = false
        var count = 1

        /// The SHA-256 fingerprint of the signer's certificate.
        var signerFingerprint: Digest {
            let token = isToken ? signer + [UInt8(ascii: ".")] : []
            let certificate = Outline.certificates(ofToken: Array(token)).first?.bytes[...] ?? signer
            return HashAlgorithm.sha256.digest(of: certificate.borrowedSpan)
        }
    }

    package init() {}

    /// Whether the number of records read is the sum of the written and the filtered ones.
    package var isReconciled: Bool { read == written + filtered }
    /// The numbers of records by status, such as `valid`. Each call settles a copy, so ask seldom.
    package var statuses: Counts { settled.settledStatuses }
    package func count(ofStatus status: String) -> Int { statuses[status] }

    /// Whether the first ``suspiciousCount`` judged records, or all if there are fewer, are unreadable or cut
    /// off. False if no record was judged.
    package var isSuspicious: Bool {
        leadingUnreadable >= Self.suspiciousCount || leadingUnreadable > 0 && isAllUnreadable
    }

    /// Counts a record with a valid receipt.
    mutating func count(_ receipt: ValidReceipt) {
        read += 1
        isAllUnreadable = false
        switch receipt {
        case .app(let receipt):
            add(
                Group(
                    signer: receipt.signingCertificate,
                    root: receipt.rootFingerprint,
                    digest: receipt.digestAlgorithm,
                    environment: receipt.environmentName ?? "none"
                )
            )
        case .transaction(let info):
            add(
                Group(
                    signer: info.signingCertificate,
                    root: info.rootFingerprint,
                    digest: info.signatureVersion.digestAlgorithm,
                    environment: info.claimedEnvironmentName ?? "none"
                )
            )
        }
    }

    /// Counts a record with a valid token.
    mutating func count(_ payload: ValidPayload, _ token: [UInt8]) {
        read += 1
        isAllUnreadable = false
        let end = token.borrowedSpan.firstIndex(of: UInt8(ascii: "."), in: token.indices) ?? token.endIndex
        add(
            Group(
                signer: token[..<end],
                root: payload.rootFingerprint,
                digest: .sha256,
                environment: payload.values.environmentName ?? "none",
                isToken: true
            )
        )
    }

    private mutating func add(_ group: Group) {
        if let index = index(of: group) { return groups[index].count += group.count }
        if groups.count == Self.maximumGroups { settle() }
        groups.append(group)
        // A slice would keep the whole receipt in memory.
        groups[groups.count - 1].signer = Array(group.signer)[...]
    }

    /// The index of a group that is equal except for its count; nil if there is none. Copies no group.
    private func index(of group: Group) -> Int? {
        let groups = groups.span
        let signer = group.signer.borrowedSpan
        for index in groups.indices
        where groups[index].root == group.root && groups[index].digest == group.digest
            && signer.holds(
                signer.indices,
                sameAs: groups[index].signer.borrowedSpan,
                0..<groups[index].signer.count
            )
            && groups[index].environment.hasSameBytes(as: group.environment)
        {
            return index
        }
        return nil
    }

    /// A copy of this tally in which the valid receipts or tokens of ``groups`` are counted in the tables.
    package var settled: CorpusTally {
        var tally = self
        tally.settle()
        return tally
    }

    private mutating func settle() {
        for group in groups {
            settledStatuses.add(group.count, to: "valid")
            environments.add(group.count, to: group.environment)
            digests.add(group.count, to: "\(group.digest)")
            roots.add(group.count, to: "\(group.root)")
            signers.add(group.count, to: "\(group.signerFingerprint)")
        }
        groups.removeAll(keepingCapacity: true)
    }

    /// Counts `count` records that were refused with the same fault.
    mutating func count(_ fault: Fault, _ count: Int = 1) {
        read += count
        settledStatuses.add(count, to: fault.status)
        errors.add(count, to: Self.name(fault.stepName, fault.code))
        if fault.code.kind != .unreadable, fault.step != Self.cutOff.step || fault.code != Self.cutOff.code {
            isAllUnreadable = false
        }
        if isAllUnreadable { leadingUnreadable += count }
    }

    /// The step and the code of a container that ends too early. A column may be too short for it, or lines
    /// of one receipt may have been read as records.
    private static let cutOff = (step: ReceiptError.Step.container, code: Refusal.Code.truncated)

    /// The number of records whose container ends too early.
    var cutOffCount: Int { errors[Self.name(Self.cutOff.step.rawValue, Self.cutOff.code)] }

    /// The key of a fault in ``errors``: the names of its step and code, with a space between.
    private static func name(_ step: String, _ code: Refusal.Code) -> String {
        "\(step) \(code.name)"
    }

    /// Adds a record to ``slowest`` if it took longer to judge than one there, or there are fewer than 10.
    mutating func note(_ slow: Slow) {
        guard slowest.count < Self.slowestCount || slow.nanoseconds > slowest[slowest.count - 1].nanoseconds
        else { return }
        slowest.insert(slow, at: slowest.firstIndex { $0.nanoseconds < slow.nanoseconds } ?? slowest.count)
        slowest = Array(slowest.prefix(Self.slowestCount))
    }

    /// Adds the counts of the records that follow the counted ones.
    mutating func add(_ other: CorpusTally) {
        read += other.read
        written += other.written
        filtered += other.filtered
        for table in Self.tables { self[keyPath: table.counts].add(other[keyPath: table.counts]) }
        for group in other.groups { add(group) }
        for slow in other.slowest { note(slow) }
        if isAllUnreadable { leadingUnreadable += other.leadingUnreadable }
        isAllUnreadable = isAllUnreadable && other.isAllUnreadable
    }
}

extension CorpusTally {
    /// The tables of counts, for the summary and for checkpoints. Read them from ``settled``; in another
    /// tally they may lack valid receipts or tokens. Every table of counts must be in this list.
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

    /// Decodes a tally. Throws `Refusal` if a member is missing or out of range, or the counts do not add up.
    init(_ fields: JSONFields) throws(Refusal) {
        read = try fields.count("read")
        written = try fields.count("written")
        filtered = try fields.count("filtered")
        leadingUnreadable = try fields.count("leading_unreadable")
        for (name, counts) in Self.tables {
            guard let table = Counts(try fields.object(name).counts(), maximum: read) else {
                throw JSONFields.malformed
            }
            self[keyPath: counts] = table
        }
        isAllUnreadable = leadingUnreadable == settledStatuses.total
        let slowest = try fields.objects("slowest")
        guard isReconciled, leadingUnreadable <= settledStatuses["unreadable"] + cutOffCount,
            slowest.count <= Self.slowestCount
        else { throw JSONFields.malformed }
        for slow in slowest {
            let nanoseconds = UInt64(try slow.count("nanoseconds"))
            note(
                Slow(
                    nanoseconds: nanoseconds,
                    source: try slow.string("source"),
                    record: try slow.count("record")
                )
            )
        }
    }
}
