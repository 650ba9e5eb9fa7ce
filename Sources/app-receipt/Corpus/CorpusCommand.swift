import AppReceipt
import Bytes
import DER
import JSONText
import PKIX
import ReceiptCorpus
import SHA
import SystemCalls
import TransactionReceipt

extension Command {
    /// `corpus verify`: validates the receipts of very many records.
    static var corpusVerify: Command {
        Command(
            name: "corpus verify",
            summary: "validate very many receipts, from files of records",
            examples: corpusExamples,
            operands: .sources,
            options: CorpusOptions.all + ValidationOptions.all,
            notes: corpusNotes,
            run: { arguments, console async throws(Failure) in
                let run = try CorpusVerifyRun(arguments)
                return try await run.status(&console)
            }
        )
    }

    private static var corpusExamples: [Example] {
        [
            Example(
                line:
                    "app-receipt corpus verify --bundle-id com.example.app --environment Production receipts.csv > results",
                says: "a table with a column receipt: one line of JSON for each record, and a summary"
            ),
            Example(
                line: "app-receipt corpus verify --bundle-id any --environment any --only-invalid receipts/",
                says: "the files in a directory and its subdirectories"
            ),
            Example(
                line:
                    "app-receipt corpus verify --bundle-id-field app --environment any --field data.receipt "
                    + "--keep id,user dump.ndjson.gz",
                says: "each record names its app; fields of the records are copied to the results"
            ),
            Example(
                line:
                    "app-receipt corpus verify --bundle-id any --environment any --rows purchases --csv "
                    + "--out purchases.csv receipts.csv",
                says: "a table of all purchases"
            ),
            Example(
                line:
                    "psql -c '\\copy r TO STDOUT' | app-receipt corpus verify --bundle-id any "
                    + "--environment any --format pgcopy --field 2 -",
                says: "from a database"
            ),
            Example(
                line:
                    "find . -type f -print0 | app-receipt corpus verify --bundle-id any "
                    + "--environment any --files-from - --delimiter ';'",
                says: "many tables with another character between the columns"
            ),
        ]
    }

    private static var corpusNotes: [String] {
        [
            "--environment and --bundle-id, or the options for their fields, are required. A source is a file, a",
            "directory, or - for standard input. A line of the results has the members key (unique, also over runs on",
            "parts of a corpus, unless a source is named twice), source, record (from 1), offset (of the record's",
            "first byte), sha256 (of the receipt), status (valid, invalid, unsupported, unreadable), step, code,",
            "not_checked, error, receipt and keep. Vectors/schema describes them, and the escapes in CSV. A broken",
            "record has a line like any other. The lines are in the order of the records, whatever --jobs is. Files",
            "that end in .gz and .zst are read through gzip and zstd. Text may be base64 with %2B, hexadecimal after",
            "\\x or 0x, or a stored response of verifyReceipt, whose latest_receipt is judged.",
            "",
            "A run of blank lines has one line in the results, with the number of its first line. The summary counts",
            "every blank line: the others as filtered.",
            "",
            "A name that is not UTF-8, or begins with \"not UTF-8: \", is written as \"not UTF-8: \" and its bytes in",
            "hexadecimal.",
            "",
            "With --out, every run keeps a checkpoint beside its file. After any end of the process, even by a loss of",
            "power, the same command with --resume completes the file as if the run had never stopped, also from",
            "directories, compressed files, and standard input that is fed again from its beginning. The results are",
            "synced to disk (fsync), and then their checkpoint, as often as --checkpoint-every says, on an interrupt,",
            "and at the end. Results written since then are written again. --resume refuses another version, other",
            "options that influence the results, a source of another path, size, time or first 64 KiB, a directory",
            "whose names or whose files read so far have changed (path, size, time, first KiB), and results whose last",
            "64 KiB were changed. A run that is complete reports its status once more. The file is locked while it is",
            "written. It must not be one of the sources, or in a directory that is read. On a full disk, the file ends",
            "with a whole line. A killed run may leave FILE.checkpoint.DIGITS.new, which can be removed.",
            "",
            "In TSV a line is a record, and quotes around a whole field are removed. In CSV a field in quotes may span",
            "lines. A quote that is not closed, or after which such a field goes on, spoils its own line only. In a",
            "table with a header, the receipt is in the column that --field names, or in receipt, receipt_data,",
            "receipt-data or latest_receipt; without a header, in the first column. Symbolic links inside a directory",
            "are skipped without --follow-links; with it, a directory that several links lead to is read once.",
            "",
            "The cost of a hostile record: a record has at most 16 MiB. A longer one is skipped and reported. Each job",
            "needs up to 10 times the record's size in memory, 160 MiB. Records and results that are not yet written",
            "take at most 32 MiB together (3 MiB for each job if that is more), one record of 16 MiB, and 1 MiB and",
            "one line for each job. A record of any length gives at least one line of about 200 bytes and the source's",
            "name. With --keep, a line has up to 6 times the kept bytes. With --rows purchases, a valid receipt",
            "repeats them for every purchase: 187 purchases and a field of 4 MiB give 748 MiB of results, but need no",
            "more memory.",
            "",
            "SIGINT, SIGTERM and SIGHUP end the run after the batches that are being judged, with whole lines, a",
            "checkpoint and a summary. A second signal ends the process at once.",
            "",
            "Exit status: 0 every record was judged and written, whatever the verdicts; 1 only for --fail-on and",
            "--fail-fast; 2 usage; 3 a source could not be read, or the first 1,000 records (or all) are unreadable or",
            "cut off, without --allow-unreadable; 4 the output is incomplete; 5 another process is writing the file of",
            "--out; 130 interrupted.",
        ]
    }
}

/// One run of `corpus verify`: parses the options, calls the engine and reports the result.
private struct CorpusVerifyRun {
    private let arguments: Arguments
    private let anchors: [TrustAnchor]
    private let issuers: [IssuerCertificate]
    private let failOn: FailureCondition?
    private let progress: ProgressKind
    private let options: CorpusVerification.Options
    private let verification: CorpusVerification

    /// Throws `Failure` of usage before any file is made if an option makes no sense.
    init(_ arguments: Arguments) throws(Failure) {
        self.arguments = arguments
        let names = try Self.sources(arguments)
        let present = System.now
        anchors = try ValidationOptions.anchors(arguments)
        issuers = try ValidationOptions.issuers(arguments)
        _ = try Self.judge(arguments, anchors, issuers, at: present)
        try ValidationOptions.requireExpectations(
            arguments,
            orFields: (CorpusOptions.environmentField, CorpusOptions.bundleIdentifierField)
        )
        let isFailing = arguments.has(CorpusOptions.failOn) || arguments.has(CorpusOptions.failFast)
        failOn =
            isFailing ? try CorpusOptions.choice(arguments, CorpusOptions.failOn, default: .invalid) : nil
        progress = try CorpusOptions.choice(arguments, CorpusOptions.progress, default: .auto)
        options = try Self.options(arguments, names)
        let given = CorpusOptions.decisive.flatMap { option -> [String] in
            guard arguments.has(option) else { return [] }
            guard option.value != nil else { return [option.name] }
            return arguments.all(option).map { "\(option.name) \($0.fileName.exactText)" }
        }
        // A certificate is compared by its content, not by its file's name.
        let roots = anchors.map { "\(ValidationOptions.root.name) of SHA-256 \($0.fingerprint)" }
        let between = issuers.map { issuer in
            "\(ValidationOptions.issuer.name) of SHA-256 \(SHA256.digest(of: issuer.bytes.borrowedSpan))"
        }
        do throws(CorpusFailure) {
            verification = try CorpusVerification(
                names,
                options,
                version: AppReceiptCommand.versionLine,
                settings: given + roots + between,
                present: present
            )
        } catch {
            throw Failure(error)
        }
    }

    func status(_ console: inout Console) async throws(Failure) -> ExitStatus {
        let judge = try Self.judge(arguments, anchors, issuers, at: verification.start)
        // A summary that cannot be written should be known before a run of hours.
        let summaryFile = try arguments.last(CorpusOptions.summary).map(Self.summaryFile)
        System.noticeInterrupts()
        System.keepFreedMemory()
        let observer = CorpusProgress(
            progress,
            totalByteCount: verification.totalByteCount,
            after: verification.earlierNanoseconds
        )
        let ending: CorpusVerification.Ending
        do throws(CorpusFailure) {
            ending = try await verification.run(judge, observer: observer)
        } catch {
            throw Failure(error)
        }
        if let failure = ending.failure { console.report(failure.message) }
        let summary = CorpusSummary(
            tally: ending.tally.settled,
            nanoseconds: ending.nanoseconds,
            byteCount: ending.byteCount,
            jobs: options.jobs,
            status: status(ending)
        )
        if !options.isQuiet {
            var errors = Output(System.standardError)
            summary.show(&errors)
        }
        if let summaryFile { try write(summary, to: summaryFile) }
        return summary.status
    }

    /// The exit status: the gravest of everything that happened.
    private func status(_ ending: CorpusVerification.Ending) -> ExitStatus {
        guard ending.failure == nil, ending.tally.isReconciled else { return .outputIncomplete }
        if ending.isInterrupted { return .interrupted }
        if ending.hasFailedSource { return .unreadable }
        if ending.tally.isSuspicious, !options.allowsUnreadable { return .unreadable }
        guard let failOn else { return .valid }
        let statuses = ["invalid", "unsupported", "unreadable"].filter { failOn.isMet(by: $0) }
        return statuses.contains { ending.tally.count(ofStatus: $0) > 0 } ? .notValid : .valid
    }

    private static func summaryFile(_ name: Argument) throws(Failure) -> OutputFile {
        do throws(Failure) {
            return try OutputFile(creating: name)
        } catch {
            throw Failure(status: .outputIncomplete, message: error.message)
        }
    }

    private func write(_ summary: CorpusSummary, to file: OutputFile) throws(Failure) {
        do throws(Failure) {
            try file.write(summary.json.bytes + [UInt8(ascii: "\n")])
            try file.finish()
        } catch {
            throw Failure(status: .outputIncomplete, message: error.message)
        }
    }

    // MARK: Options

    /// The names of all sources, from the command line and from `--files-from`.
    private static func sources(_ arguments: Arguments) throws(Failure) -> [FileName] {
        var names = arguments.operands.map(\.fileName)
        if let list = arguments.last(CorpusOptions.filesFrom) {
            let bytes: [UInt8]
            do throws(System.Failure) {
                bytes =
                    list.isStandardInput
                    ? try System.read(descriptor: System.standardInput, limit: maximumListSize)
                    : try System.read(path: list.bytes, limit: maximumListSize)
            } catch {
                throw .cannotRead(list, error)
            }
            guard bytes.count < maximumListSize else {
                throw .usage("\(CorpusOptions.filesFrom.name) \(list.printable) is larger than 1 GiB")
            }
            let separator: UInt8 = bytes.contains(0) ? 0 : UInt8(ascii: "\n")
            names += bytes.split(separator: separator).map { FileName(bytes: Array($0)) }
            guard !list.isStandardInput || !names.contains(where: \.isStandardInput) else {
                throw .usage("standard input is the list of \(CorpusOptions.filesFrom.name), and no source")
            }
            guard !names.isEmpty else {
                throw .usage("\(CorpusOptions.filesFrom.name) \(list.printable) names no source")
            }
        }
        guard !names.isEmpty else { throw .usage("which source? Name one, or - for standard input") }
        return names
    }

    /// The maximum size of the list of `--files-from`, in bytes: more than the names of ten million files
    /// take.
    private static let maximumListSize = 1 << 30

    private static func judge(
        _ arguments: Arguments,
        _ anchors: [TrustAnchor],
        _ issuers: [IssuerCertificate],
        at present: Timestamp
    ) throws(Failure) -> CorpusJudge {
        for (option, field) in [
            (ValidationOptions.environment, CorpusOptions.environmentField),
            (ValidationOptions.bundleIdentifier, CorpusOptions.bundleIdentifierField),
            (ValidationOptions.deviceIdentifier, CorpusOptions.deviceIdentifierField),
        ] where arguments.has(option) && arguments.has(field) {
            throw .usage("\(option.name) and \(field.name) exclude each other")
        }
        if arguments.has(ValidationOptions.xcodeTesting), arguments.has(CorpusOptions.environmentField) {
            throw .usage("--xcode-testing accepts the environment Xcode alone; leave out --environment-field")
        }
        return CorpusJudge(
            validator: try ValidationOptions.validator(arguments, anchors: anchors, at: present),
            issuers: issuers,
            form: ResultForm(
                detail: try CorpusOptions.choice(arguments, CorpusOptions.fields, default: .brief),
                rows: try CorpusOptions.choice(arguments, CorpusOptions.rows, default: .records),
                isCSV: arguments.has(CorpusOptions.csv),
                kept: try CorpusOptions.recordFields(arguments).kept
            ),
            isOnlyInvalid: arguments.has(CorpusOptions.onlyInvalid),
            sample: try CorpusOptions.number(arguments, CorpusOptions.sample, from: 1, default: 1),
            seed: try MintOptions.number(arguments.last(CorpusOptions.seed), CorpusOptions.seed, default: 1),
            stopsOn: arguments.has(CorpusOptions.failFast)
                ? try CorpusOptions.choice(arguments, CorpusOptions.failOn, default: .invalid) : nil
        )
    }

    private static func options(
        _ arguments: Arguments,
        _ names: [FileName]
    ) throws(Failure) -> CorpusVerification.Options {
        var options = CorpusVerification.Options()
        options.sources = try sourceOptions(arguments, names)
        options.jobs = min(
            try CorpusOptions.number(arguments, CorpusOptions.jobs, from: 1, default: System.processorCount),
            256
        )
        options.checkpointInterval = try CorpusOptions.number(
            arguments,
            CorpusOptions.checkpointEvery,
            from: 0,
            default: 5
        )
        options.out = arguments.last(CorpusOptions.out)?.fileName
        for option in [CorpusOptions.resume, CorpusOptions.checkpointEvery]
        where arguments.has(option) && options.out == nil {
            throw .usage("\(option.name) is for a run with --out")
        }
        options.isResuming = arguments.has(CorpusOptions.resume)
        options.summary = arguments.last(CorpusOptions.summary)?.fileName
        options.inputs = arguments.all(CorpusOptions.filesFrom).map(\.fileName)
        options.isQuiet = arguments.has(CorpusOptions.quiet)
        options.allowsUnreadable = arguments.has(CorpusOptions.allowUnreadable)
        return options
    }

    private static func sourceOptions(
        _ arguments: Arguments,
        _ names: [FileName]
    ) throws(Failure) -> CorpusSources.Options {
        var options = CorpusSources.Options()
        if let word = arguments.last(CorpusOptions.format) {
            guard let format = CorpusFormat(rawValue: word.text) else {
                throw .usage("--format is none of \(CorpusFormat.names)")
            }
            options.format = format
        }
        options.delimiter = try CorpusOptions.delimiterByte(arguments)
        if let format = options.format, options.delimiter != nil, !format.hasColumns {
            throw .usage("--delimiter is for csv, tsv and pgcopy, and not for \(format.rawValue)")
        }
        options.fields = try CorpusOptions.recordFields(arguments)
        options.hasHeader = !arguments.has(CorpusOptions.noHeader)
        options.name = arguments.last(CorpusOptions.source)?.fileName
        options.followsLinks = arguments.has(CorpusOptions.followLinks)
        if arguments.has(CorpusOptions.limit) {
            options.limit = try CorpusOptions.number(arguments, CorpusOptions.limit, from: 1, default: 1)
        }
        options.firstRecord = try CorpusOptions.number(
            arguments,
            CorpusOptions.firstRecord,
            from: 1,
            default: 1
        )
        options.firstOffset = try CorpusOptions.number(
            arguments,
            CorpusOptions.firstOffset,
            from: 0,
            default: 0
        )
        let isOneFile = names.count == 1 && !isDirectory(names[0])
        for option in [CorpusOptions.source, CorpusOptions.firstRecord, CorpusOptions.firstOffset]
        where arguments.has(option) && !isOneFile {
            throw .usage("\(option.name) is for one source that is no directory")
        }
        return options
    }

    private static func isDirectory(_ name: FileName) -> Bool {
        !name.isStandardInput && (try? System.status(path: name.bytes))?.kind == .directory
    }
}

extension Failure {
    /// A failure of the engine as a failure of the command.
    init(_ failure: CorpusFailure) {
        let status: ExitStatus =
            switch failure.kind {
            case .usage: .usage
            case .unreadable: .unreadable
            case .outputIncomplete: .outputIncomplete
            case .locked: .locked
            }
        self.init(status: status, message: failure.message)
    }
}
