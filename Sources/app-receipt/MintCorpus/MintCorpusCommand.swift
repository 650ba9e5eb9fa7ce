import AppReceiptMint
import ReceiptCorpus
import SystemCalls

extension Command {
    /// `mint-corpus`: makes many receipts, and a file with the truth about each.
    static var mintCorpus: Command {
        Command(
            name: "mint-corpus",
            summary: "make many receipts, good and bad, for tests",
            examples: [
                Example(
                    line: "app-receipt mint-corpus --count 1000 --out corpus.txt --root-out root.der",
                    says: "a thousand receipts, one line of base64 for each, and the root to trust"
                ),
                Example(
                    line:
                        "app-receipt mint-corpus --count 1000000 --bad 0.09 --truth truth.tsv --format ndjson",
                    says:
                        "a million receipts with 1 % of each of the nine bad kinds, and the truth about each"
                ),
                Example(
                    line:
                        "app-receipt mint-corpus --count 500 --bad 0.01 --bad truncated=0.2 --out corpus.txt",
                    says: "500 receipts; a fifth of them is cut short"
                ),
            ],
            operands: .none,
            options: MintCorpusOptions.all,
            notes: [
                "The same options make the same bytes, for any number of jobs, and the same receipts in every format.",
                "Good receipts are for the environment Production and for com.example.app1, com.example.app2 and so on.",
                "",
                "The number of purchases in a receipt, and the share of receipts:",
                "  \(PurchaseCount.stated)",
                "This is fitted to 16 receipts that Apple signed, with 0 to 187 purchases in 4.7 to 79 KB. Long receipts",
                "are made rarer than among the 16, so that the mean is 7 KB. The receipts of a shop may differ.",
                "",
                "Bad kinds: \(MintedKind.bad.prefix(5).map(\.rawValue).joined(separator: ", ")),",
                "\(MintedKind.bad.dropFirst(5).map(\.rawValue).joined(separator: ", ")).",
                "The truth file has a line for each record: its number from 1, its kind, the status and step that",
                "app-receipt verify reports with this root, --environment Production and the line's bundle identifier,",
                "that bundle identifier, and the SHA-256 of the receipt's bytes (of the kind not-base64, of its text).",
                "The binary formats and hex hold the text of a receipt of the kind not-base64.",
                "",
                "Exit status: 0, 2 the command line is wrong, 3 a file could not be written, 141 the reader of the",
                "output has gone.",
            ],
            run: mintCorpus
        )
    }

    private static func mintCorpus(
        _ arguments: Arguments,
        _ console: inout Console
    ) async throws(Failure) -> ExitStatus {
        let plan = try MintCorpusOptions.plan(arguments)
        let format = try MintCorpusOptions.format(arguments)
        let jobs = try MintCorpusOptions.number(
            arguments,
            MintCorpusOptions.jobs,
            1...1024,
            default: System.processorCount
        )
        try MintCorpusOptions.checkNames(arguments, format)
        let writer = try CorpusWriter(
            arguments.last(MintCorpusOptions.out),
            truth: arguments.last(MintCorpusOptions.truth),
            as: format,
            &console
        )
        let chains = CorpusChains(seed: plan.seed, count: plan.chains)
        if let name = arguments.last(MintCorpusOptions.rootOut) {
            try OutputFile.write(chains.root, to: name)
        }
        try await plan.forEachBatch(chains, as: format, jobs: jobs) { batch throws(Failure) in
            try writer.write(batch, &console)
        }
        try writer.finish()
        return .valid
    }
}

/// The options of `mint-corpus`, and the plan that they describe.
private enum MintCorpusOptions {
    static let count = Option(
        "--count",
        value: "NUMBER",
        "The number of receipts: 1 to 999999999. Required."
    )
    static let seed = Option(
        "--seed",
        value: "NUMBER",
        "The number that keys and receipts are made from; 1 by default."
    )
    static let apps = Option(
        "--apps",
        value: "NUMBER",
        "The number of bundle identifiers, all equally frequent; 3 by default."
    )
    static let chains = Option(
        "--chains",
        value: "NUMBER",
        "The number of signing certificates under one root, all equally frequent; 4 by default, 100000 at most.",
        "They share up to 64 keys and up to 4 intermediates."
    )
    static let sha1 = Option(
        "--sha1",
        value: "SHARE",
        "The share of receipts signed over SHA-1, as Apple did until 2023; 0.25 by default. The other receipts",
        "and all certificates are signed over SHA-256."
    )
    static let bad = Option(
        "--bad",
        value: "SHARE|KIND=SHARE",
        isRepeatable: true,
        "The share of bad receipts, divided equally among the nine kinds; or the share of one kind, in place of",
        "its part. None by default."
    )
    static let format = Option(
        "--format",
        value: "NAME",
        "base64 (the default) or hex: one receipt on a line. ndjson, csv or tsv: id, bundle_id, and receipt in",
        "base64. pgcopy: the same fields, the receipt as a bytea. length-prefixed: each receipt follows its length",
        "in four octets, the most significant first. directory: a new directory with a file for each receipt."
    )
    static let jobs = Option(
        "--jobs",
        value: "NUMBER",
        "The number of batches made at a time; by default the number of processors."
    )
    static let out = Option(
        "--out",
        value: "FILE",
        "Where to write the receipts; standard output by default."
    )
    static let rootOut = Option("--root-out", value: "FILE", "Write the root's certificate here, in DER.")
    static let truth = Option(
        "--truth",
        value: "FILE",
        "Write the truth about each record here, in columns between tabs."
    )

    static let all = [count, seed, apps, chains, sha1, bad, format, jobs, out, rootOut, truth]

    static func plan(_ arguments: Arguments) throws(Failure) -> CorpusPlan {
        guard arguments.has(count) else { throw .usage("how many receipts? Add for example --count 1000") }
        var plan = CorpusPlan(count: try number(arguments, count, 1...999_999_999, default: 1))
        plan.seed = try MintOptions.number(arguments.last(seed), seed, default: plan.seed)
        plan.apps = try number(arguments, apps, 1...1_000_000, default: plan.apps)
        plan.chains = try number(arguments, chains, 1...100_000, default: plan.chains)
        if let word = arguments.last(sha1) {
            guard let share = Share(word.text) else { throw notAShare(sha1, word) }
            plan.sha1 = share
        }
        plan.bad = try badShares(arguments.all(bad))
        return plan
    }

    /// Returns the share of each bad kind: the kind's own share if one is given, or an equal part of the
    /// share of all kinds.
    private static func badShares(_ words: [Argument]) throws(Failure) -> [Share] {
        var all: Share?
        var named: [MintedKind: Share] = [:]
        for word in words {
            let parts = word.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let share = parts.last.flatMap({ Share(String($0)) }) else { throw notAShare(bad, word) }
            if parts.count == 1 {
                guard all == nil else {
                    throw .usage("--bad \(word.printable) is a second share of all kinds; leave one out")
                }
                all = share
                continue
            }
            guard let kind = MintedKind.bad.first(where: { $0.rawValue == parts[0] }) else {
                let kinds = MintedKind.bad.map(\.rawValue).joined(separator: ", ")
                throw .usage("--bad \(word.printable) names none of \(kinds)")
            }
            guard named.updateValue(share, forKey: kind) == nil else {
                throw .usage("--bad \(word.printable) is a second share of its kind; leave one out")
            }
        }
        let each = Share(millionths: (all ?? .none).millionths / MintedKind.bad.count)
        let shares = MintedKind.bad.map { named[$0] ?? each }
        guard shares.reduce(0, { $0 + $1.millionths }) <= Share.whole.millionths else {
            throw .usage("the shares of --bad add up to more than 1; make them smaller")
        }
        return shares
    }

    private static func notAShare(_ option: Option, _ word: Argument) -> Failure {
        .usage(
            "\(option.name) \(word.printable) is no share; write a number from 0 to 1 with at most six decimals, such as 0.05"
        )
    }

    static func format(_ arguments: Arguments) throws(Failure) -> MintedFormat {
        try MintOptions.choice(
            arguments.last(format),
            format,
            MintedFormat.allCases.map { ($0.rawValue, $0) }
        )
    }

    static func number(
        _ arguments: Arguments,
        _ option: Option,
        _ range: ClosedRange<Int>,
        default value: Int
    ) throws(Failure) -> Int {
        let word = arguments.last(option)
        let number = Int(clamping: try MintOptions.number(word, option, default: UInt64(value)))
        guard range.contains(number) else {
            throw .usage("\(option.name) \(number) is not from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Refuses two outputs with one name, and a directory without a name.
    static func checkNames(_ arguments: Arguments, _ format: MintedFormat) throws(Failure) {
        guard format != .directory || arguments.has(out) else {
            throw .usage("--format directory needs the name of a directory: add --out DIRECTORY")
        }
        try OutputFile.requireDistinct([out, rootOut, truth], arguments)
    }
}
