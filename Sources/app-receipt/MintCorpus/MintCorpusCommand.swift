import AppReceiptMint

extension Command {
    /// `mint-corpus`: receipts by the million, and what is true of each.
    static var mintCorpus: Command {
        Command(
            name: "mint-corpus",
            summary: "make as many receipts as wanted, good and bad, for tests",
            examples: [
                Example(
                    line: "app-receipt mint-corpus --count 1000 --out corpus.txt --root-out root.der",
                    says: "a thousand receipts, one on a line in base64, and the root to trust"
                ),
                Example(
                    line:
                        "app-receipt mint-corpus --count 1000000 --bad 0.09 --truth truth.tsv --format ndjson",
                    says: "a million, 1 % of each of the nine bad kinds, and which are which"
                ),
                Example(
                    line:
                        "app-receipt mint-corpus --count 500 --bad 0.01 --bad truncated=0.2 --out corpus.txt",
                    says: "a fifth of them cut short"
                ),
            ],
            operands: .none,
            options: MintCorpusOptions.all,
            notes: [
                "The same options make the same bytes, whatever the number of jobs, and in every format the same",
                "receipts: production's, of com.example.app1, com.example.app2 and so on.",
                "",
                "How many purchases a receipt has:",
                "  \(PurchaseCount.stated)",
                "This is fitted to the 16 receipts signed by Apple that were at hand, which have 0 to 187 purchases in",
                "4.7 to 79 KB; the long ones are made rarer than among those, so that the mean is 7 KB. It says nothing",
                "of any shop's receipts.",
                "",
                "Bad kinds: \(MintedKind.bad.prefix(5).map(\.rawValue).joined(separator: ", ")),",
                "\(MintedKind.bad.dropFirst(5).map(\.rawValue).joined(separator: ", ")).",
                "The truth file has a line for each record: its number from 1 on, its kind, the status and step that",
                "app-receipt verify reports with this root, --environment Production and the line's bundle identifier,",
                "and the SHA-256 of the receipt's bytes (of the text, where it is not base64).",
                "In the binary formats, and in hex, the text stands in the place of a receipt that is not base64.",
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

/// What a corpus is to be: the options, and the plan they make.
private enum MintCorpusOptions {
    static let count = Option("--count", value: "NUMBER", "Of receipts: 1 to a thousand million.")
    static let seed = Option("--seed", value: "NUMBER", "Of keys and receipts; 1 by default.")
    static let apps = Option(
        "--apps",
        value: "NUMBER",
        "Of bundle identifiers, all as frequent; 3 by default."
    )
    static let chains = Option(
        "--chains",
        value: "NUMBER",
        "Of signing certificates under one root, all as frequent; 4 by default, 100000 at most.",
        "Up to 64 have keys of their own, and more share these; up to 4 have an intermediate of their own."
    )
    static let sha1 = Option(
        "--sha1",
        value: "SHARE",
        "Of receipts signed over SHA-1, as Apple did until 2023; 0.25 by default. The others, and all",
        "certificates, are signed over SHA-256."
    )
    static let bad = Option(
        "--bad",
        value: "SHARE|KIND=SHARE",
        isRepeatable: true,
        "Of bad receipts: of all nine kinds together, and alike; or of one kind, in place of its part of that.",
        "None by default."
    )
    static let format = Option(
        "--format",
        value: "NAME",
        "base64 or hex (one on a line; base64 by default), ndjson, csv or tsv (id, bundle_id, and receipt in",
        "base64), pgcopy (the same with a bytea), length-prefixed (four octets, the most significant first),",
        "directory (one that is made for them, a file for each)."
    )
    static let jobs = Option(
        "--jobs",
        value: "NUMBER",
        "How many to work at a time; as many as there are processors by default."
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
        "Write here what is true of each record, between tabs."
    )

    static let all = [count, seed, apps, chains, sha1, bad, format, jobs, out, rootOut, truth]

    static func plan(_ arguments: Arguments) throws(Failure) -> CorpusPlan {
        guard arguments.has(count) else { throw .usage("how many receipts? --count NUMBER") }
        var plan = CorpusPlan(count: try number(arguments, count, 1...1_000_000_000, default: 1))
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

    /// The whole that was given is divided among all kinds; then those that were named get theirs.
    private static func badShares(_ words: [Argument]) throws(Failure) -> [Share] {
        var all: Share?
        var named: [MintedKind: Share] = [:]
        for word in words {
            let parts = word.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let share = parts.last.flatMap({ Share(String($0)) }) else { throw notAShare(bad, word) }
            if parts.count == 1 {
                guard all == nil else {
                    throw .usage("--bad \(word.printable) is a second share of all kinds")
                }
                all = share
                continue
            }
            guard let kind = MintedKind.bad.first(where: { $0.rawValue == parts[0] }) else {
                let kinds = MintedKind.bad.map(\.rawValue).joined(separator: ", ")
                throw .usage("--bad \(word.printable) names none of \(kinds)")
            }
            guard named.updateValue(share, forKey: kind) == nil else {
                throw .usage("--bad \(word.printable) is a second share of its kind")
            }
        }
        let each = Share(millionths: (all ?? .none).millionths / MintedKind.bad.count)
        let shares = MintedKind.bad.map { named[$0] ?? each }
        guard shares.reduce(0, { $0 + $1.millionths }) <= Share.whole.millionths else {
            throw .usage("the shares of --bad are more than 1 together")
        }
        return shares
    }

    private static func notAShare(_ option: Option, _ word: Argument) -> Failure {
        .usage(
            "\(option.name) \(word.printable) is no share from 0 to 1, such as 0.05, of six decimals at most"
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

    /// One file cannot be two, nor a directory standard output.
    static func checkNames(_ arguments: Arguments, _ format: MintedFormat) throws(Failure) {
        guard format != .directory || arguments.has(out) else {
            throw .usage("--format directory needs its name: --out DIRECTORY")
        }
        var names: [[UInt8]] = []
        for name in [out, rootOut, truth].compactMap({ arguments.last($0) }) {
            guard !names.contains(name.bytes) else { throw .usage("\(name.printable) is named twice") }
            names.append(name.bytes)
        }
    }
}
