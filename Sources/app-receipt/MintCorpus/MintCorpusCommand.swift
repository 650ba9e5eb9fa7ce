import AppReceiptMint
import ReceiptCorpus
import ReceiptResults

extension Command {
    /// `mint-corpus`: makes many receipts or tokens: valid ones, and bad ones if `--bad` asks for them.
    /// With the format `ndjson`, each has the verdict that is expected for it.
    static var mintCorpus: Command {
        Command(
            help: """
                app-receipt mint-corpus: make many receipts or tokens, good and bad, for tests

                  app-receipt mint-corpus --count 1000 --out corpus.txt --root-out root.der
                      a thousand receipts, a line of base64 for each, and the root to trust
                  app-receipt mint-corpus --count 1000000 --bad 0.09 --format ndjson --out corpus.ndjson
                      a million receipts with 1 % of each of the nine bad kinds, and the truth about each
                  app-receipt mint-corpus --count 500 --bad 0.2 --kinds truncated,not-base64
                      500 receipts; a tenth of them is cut short, and a tenth is not base64
                  app-receipt mint-corpus --count 100000 --bad 0.1 --kind notification --format ndjson --out corpus.ndjson
                      notifications for corpus verify --kind notification

                usage: app-receipt mint-corpus --count NUMBER [OPTION…]

                  --count NUMBER
                      The number of receipts or tokens: 1 to 999999999.
                  --kind \(SignedPayloadKind.allCases.map(\.rawValue).joined(separator: "|"))
                      Make tokens with payloads of this kind instead of receipts.
                  --seed NUMBER
                      The number that keys and receipts are made from; 1 by default.
                  --chains NUMBER
                      The number of signing certificates under one root, all equally frequent; 4 by default, 100000
                      at most. They share up to 64 keys and up to 4 intermediates.
                  --bad SHARE
                      The share of bad receipts or tokens, from 0 to 1; none by default.
                  --kinds KIND,…
                      The kinds of the bad receipts, all equally frequent; by default all nine:
                      \(MintedKind.bad.prefix(5).map(\.rawValue).joined(separator: ", ")),
                      \(MintedKind.bad.dropFirst(5).map(\.rawValue).joined(separator: ", ")).
                      With --kind, the flaws that mint-token --help lists; by default all that the kind can have.
                  --format base64|ndjson
                      Lines of base64 (the default) or of tokens, or of JSON with the truth about each.
                  --out FILE
                      Where to write the receipts; standard output by default.
                  --root-out FILE
                      Write the root's certificate here, in DER.
                \(commonOptions)

                An object of ndjson has id (from 1), bundle_id (com.example.app1 to com.example.app3), kind, receipt
                in base64, and what app-receipt finds with this root, the environment Production and this bundle_id:
                the status, the step ("" for a valid receipt), and the sha256 of the receipt ("" if it is not base64).
                A quarter of the receipts is signed over SHA-1. The same options make the same bytes.
                A receipt has 0 to 187 purchases in 4.7 to 79 KB, and 7 KB in the mean, as Apple's have.
                For tokens the object has token in place of receipt, and the code. The app's Apple ID is 1234567890, which
                refuses tokens of the kind wrong-app only if --app-apple-id expects it.
                """,
            run: mintCorpus
        )
    }

    private static func mintCorpus(
        _ arguments: Arguments,
        _ console: inout Console
    ) async throws(Failure) -> ExitStatus {
        try OutputFile.requireDistinct(["--out", "--root-out"], arguments)
        guard let count = try arguments.number("--count", 1...999_999_999) else {
            throw .usage("how many receipts? Add for example --count 1000")
        }
        let seed = try arguments.number("--seed", 0...UInt64.max) ?? 1
        let chainCount = try arguments.number("--chains", 1...100_000) ?? 4
        let bad = try shareOfBad(arguments)
        let format = try arguments.choice("--format") { MintedFormat(rawValue: $0) } ?? .base64
        let kind = try arguments.choice("--kind", SignedPayloadKind.init(rawValue:))
        let template = kind.map { TokenTemplate($0.minted) }
        let flaws = try template.map { template throws(Failure) in
            try kinds(arguments, TokenFlaw.allCases.filter { $0.applies(to: template) })
        }
        let receiptKinds = template == nil ? try kinds(arguments, MintedKind.bad) : []
        let out = try arguments.last("--out").map { name throws(Failure) in
            try OutputFile(creating: name)
        }
        let root: [UInt8]
        let line: @Sendable (Int) -> [UInt8]
        if let template, let flaws {
            let corpus = TokenCorpus(
                template,
                seed: seed,
                chains: chainCount,
                bad: bad,
                flaws: flaws,
                format: format
            )
            root = corpus.root
            line = { corpus.line($0) }
        } else {
            let plan = CorpusPlan(
                seed: seed,
                chains: chainCount,
                bad: bad,
                kinds: receiptKinds,
                format: format
            )
            let chains = CorpusChains(seed: seed, count: chainCount)
            root = chains.root
            line = { MintedRecord($0, of: plan, chains).line(as: format) }
        }
        try OutputFile.write(root, to: arguments.last("--root-out"))
        var next = 1
        while next <= count {
            for lines in await CorpusPlan.lines(from: &next, of: count, line) {
                if let out {
                    try out.append(lines)
                } else {
                    console.output.write(bytes: lines)
                    console.output.flush()
                }
            }
        }
        try out?.finish()
        return .valid
    }

    /// The share of bad receipts or tokens, in millionths; 0 without `--bad`. The option gives the share
    /// as a number from 0 to 1.
    private static func shareOfBad(_ arguments: Arguments) throws(Failure) -> Int {
        guard let word = arguments.last("--bad") else { return 0 }
        guard let share = Double(word.text), (0...1).contains(share) else {
            throw .usage("--bad \(word.printable) is not a number from 0 to 1")
        }
        return Int((share * 1_000_000).rounded())
    }

    /// The bad kinds that `--kinds` names. Without the option, all bad kinds that the corpus can have.
    private static func kinds<Kind: RawRepresentable<String>>(
        _ arguments: Arguments,
        _ all: [Kind]
    ) throws(Failure) -> [Kind] {
        guard let word = arguments.last("--kinds") else { return all }
        let names = word.text.split(separator: ",", omittingEmptySubsequences: false)
        return try names.map { name throws(Failure) in
            guard let kind = all.first(where: { $0.rawValue == name }) else {
                throw .usage("--kinds \(word.printable) names no kind of bad receipt or token")
            }
            return kind
        }
    }
}
