import AppReceipt
import Basics
import DER
import Foundation
import PKIX

/// Makes inputs, lets both judge them, and compares.
struct Run {
    private static let batchCount: UInt64 = 256

    private let options: Options
    private let inputs: Inputs
    private let peer: Peer
    private var tally = Tally()
    private var failures = 0
    /// The disagreements of the batch without a class.
    private var unclear: [(Input, Judgement, Peer.Verdict)] = []
    private var octets = 0

    init(_ options: Options) throws {
        self.options = options
        inputs = try Inputs(try Bases(vectors: options.vectors, shared: options.shared), seed: options.seed)
        peer = try Peer(options.peer, roots: inputs.roots)
    }

    /// Runs the comparison. Returns whether every disagreement has a class.
    ///
    /// While the peer judges a batch, this function makes and judges the next one.
    consuming func run() throws -> Bool {
        say("\(peer.version), seed \(options.seed), inputs from \(options.first)")
        let start = Date()
        var sent: [(Input, Judgement)] = []
        var next = options.first
        let end = options.first + options.count
        var batches = 0
        while true {
            var made: [(Input, Judgement)] = []
            if -start.timeIntervalSinceNow < options.seconds {
                for index in next..<min(end, next + Self.batchCount) {
                    let input = inputs.input(index)
                    made.append((input, input.judgement()))
                }
            }
            next += UInt64(made.count)
            for (input, judgement) in sent { compare(input, judgement, try peer.answer()) }
            try clear()
            if made.isEmpty { break }
            try peer.send(made.map { (UInt32($0.root), $1.time, $0.octets) })
            sent = made
            batches += 1
            if batches % 400 == 0 { report(since: start) }
        }
        try peer.finish()
        report(since: start)
        return failures == 0
    }

    private func report(since start: Date) {
        let seconds = -start.timeIntervalSinceNow
        let rate = Int(Double(tally.total) / max(seconds, 0.001))
        say(
            "\(tally.total) inputs, \(octets >> 20) MiB, \(failures) failures, \(Int(seconds)) s, \(rate) per second"
        )
        guard let url = options.tally else { return }
        let header = """
            # \(peer.version)\tseed \(options.seed)\tfirst \(options.first)\tinputs \(tally.total)\tseconds \(Int(seconds))

            """
        do {
            try Data((header + tally.text).utf8).write(to: url)
        } catch {
            say("\(url.path) cannot be written: \(error)")
        }
    }

    private func say(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }

    // MARK: Comparison

    /// Compares two verdicts and counts the result. A disagreement without a class is kept for the
    /// reductions.
    private mutating func compare(_ input: Input, _ ours: Judgement, _ theirs: Peer.Verdict) {
        octets += input.octets.count
        let outcome = Self.outcome(ours, theirs)
        let isAgreed = outcome == .bothAccept || outcome == .bothRefuse
        if isAgreed && (input.kind != .good || outcome == .bothAccept) {
            count(input, outcome, "", ours, theirs)
        } else if input.kind != .good, let found = classOf(outcome, input, ours, theirs) {
            count(input, outcome, found, ours, theirs)
        } else {
            unclear.append((input, ours, theirs))
        }
    }

    /// Judges the reductions of each disagreement.
    private mutating func clear() throws {
        for (input, ours, theirs) in unclear {
            let outcome = Self.outcome(ours, theirs)
            var found: String?
            if outcome != .contentDiffers {
                found = try classOf(outcome, input, ours, theirs) ?? reducedClass(input)
            }
            // A good receipt may differ only by a form that the peer does not support.
            if input.kind == .good, found != "BER", found != "key identifier" { found = nil }
            if found == nil {
                failures += 1
                keep(input)
                if failures <= 100 { say(description(input, outcome, ours, theirs)) }
            }
            count(input, outcome, found ?? "none", ours, theirs)
        }
        unclear = []
    }

    private func reducedClass(_ input: Input) throws -> String? {
        for reduction in Reduction.all(of: input.octets) {
            let reduced = input.with(reduction.octets)
            let ours = reduced.judgement()
            try peer.send([(UInt32(reduced.root), ours.time, reduced.octets)])
            let theirs = try peer.answer()
            let outcome = Self.outcome(ours, theirs)
            if outcome == .bothAccept || classOf(outcome, reduced, ours, theirs) != nil {
                return reduction.disagreement
            }
        }
        return nil
    }

    private mutating func count(
        _ input: Input,
        _ outcome: Outcome,
        _ disagreement: String,
        _ ours: Judgement,
        _ theirs: Peer.Verdict
    ) {
        if options.isVerbose {
            say("\(disagreement): \(description(input, outcome, ours, theirs))")
            keep(input)
        }
        tally.count(
            Tally.Key(
                kind: input.kind,
                outcome: outcome,
                disagreement: disagreement,
                ours: outcome == .onlyTheyAccept ? ours.refusal : "",
                theirs: outcome == .onlyWeAccept ? theirs.reasons : ""
            )
        )
    }

    private func description(
        _ input: Input,
        _ outcome: Outcome,
        _ ours: Judgement,
        _ theirs: Peer.Verdict
    ) -> String {
        "\(outcome.rawValue): \(input.kind.rawValue) of \(input.origin), index \(input.index): "
            + "\(ours.refusal) | \(theirs.reasons)"
    }

    private func classOf(
        _ outcome: Outcome,
        _ input: Input,
        _ ours: Judgement,
        _ theirs: Peer.Verdict
    ) -> String? {
        switch (outcome, ours.verdict) {
        case (.onlyTheyAccept, _) where ours.isPayloadBroken: "payload"
        case (.onlyTheyAccept, .refused(_, let code, _, _))
        where "\(code.name)" == "pkix.path-length-constraint" && peer.version.hasPrefix("AWS-LC")
            && hasPathLength(inputs.roots[input.root]):
            "path length of a root"
        case (.onlyTheyAccept, .refused(let step, let code, let reading, let offset)):
            classOfRefusal(
                input.octets,
                root: inputs.roots[input.root],
                step: step,
                code,
                reading: reading,
                at: offset
            )
        case (.onlyWeAccept, _):
            classOfAcceptance(input.octets, at: ours.time, root: inputs.roots[input.root], theirs.reasons)
        default: nil
        }
    }

    private static func outcome(_ ours: Judgement, _ theirs: Peer.Verdict) -> Outcome {
        switch (ours.verdict, theirs) {
        case (.refused, .refused): .bothRefuse
        case (.refused, .accepted): .onlyTheyAccept
        case (.accepted, .refused): .onlyWeAccept
        case (.accepted(let our), .accepted(let their)):
            our == their && says(ours.receipt, their) ? .bothAccept : .contentDiffers
        }
    }

    /// Whether a receipt has the attributes of a content, octet by octet.
    private static func says(_ receipt: Receipt?, _ content: [UInt8]) -> Bool {
        guard let receipt else { return true }
        guard let decoded = try? UnverifiedReceipt(unverifiedPayload: content) else { return false }
        return receipt.attributes.elementsEqual(decoded.attributes) {
            $0.type == $1.type && $0.version == $1.version && $0.value == $1.value
        } && receipt.creationDate == decoded.creationDate
    }

    private func keep(_ input: Input) {
        let name = "\(options.seed)-\(input.index)-\(input.kind.rawValue).der"
        do {
            try FileManager.default.createDirectory(at: options.failing, withIntermediateDirectories: true)
            try Data(input.octets).write(to: options.failing.appendingPathComponent(name))
        } catch {
            say("\(name) cannot be written: \(error)")
        }
    }
}
