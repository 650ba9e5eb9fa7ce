import AppReceipt
import CorpusRecords
import DER
import PKIX

extension Command {
    /// `corpus verify`: which of these very many receipts are good?
    static var corpusVerify: Command {
        Command(
            name: "corpus verify",
            summary: "validate very many receipts, from files of records",
            examples: [
                Example(
                    line:
                        "app-receipt corpus verify --bundle-id com.example.app receipts.csv > results.ndjson",
                    says: "a table with a column receipt: a line of JSON for each record, and a summary"
                ),
                Example(
                    line: "app-receipt corpus verify --only-invalid receipts/",
                    says: "the files in a directory, and those below it"
                ),
                Example(
                    line:
                        "app-receipt corpus verify --format ndjson --field data.receipt --keep id,user dump.ndjson.gz",
                    says: "with fields of the records carried into the results"
                ),
                Example(
                    line:
                        "app-receipt corpus verify --rows purchases --csv --out purchases.csv receipts.csv",
                    says: "a table of what was bought"
                ),
                Example(
                    line:
                        "psql -c '\\copy receipts TO STDOUT' | app-receipt corpus verify --format pgcopy --field 2 -",
                    says: "out of a database"
                ),
            ],
            operands: .sources,
            options: CorpusOptions.all + ValidationOptions.all,
            notes: [
                "A source is a file, a directory, or - for standard input. A line of the results has the members",
                "source, record (from 1), offset (of the record's first byte), sha256 (of the receipt), status (valid,",
                "invalid, unsupported, unreadable), step, code, receipt and keep. A record that is broken is a line like",
                "any other. Lines are in the order of the records, whatever --jobs is. Files that end in .gz and .zst",
                "are read through gzip and zstd. Text may be base64 with %2B, hexadecimal after \\x, or a stored",
                "response of verifyReceipt, whose latest_receipt is judged.",
                "",
                "With --out, every run keeps a checkpoint beside its file. Killed at any moment, be it by a loss of",
                "power, and run again with --resume and the same sources and options, the file ends as if nothing",
                "had happened, from directories, compressed files, and standard input that is fed again from its",
                "beginning. The results are synced to disk (fsync), and after them their checkpoint, as often as",
                "--checkpoint-every says, on SIGINT, and at the end; what was written since is written again.",
                "Refused are another version, other options that matter to the results, a source of another path,",
                "size, time or first 64 KiB, a directory where names or files that were read already are others",
                "(path, size, time, first KiB), and results that were changed. A run that is complete says so once",
                "more, with the same status. The file is locked while it is written, and is refused where it is one",
                "of the sources, or in a directory that is read. On a full disk, what was written is whole lines.",
                "",
                "In TSV a line is a record, and quotes around a whole field are taken off. Of a table with a header, the",
                "receipt is in the column that --field names, or in receipt, receipt_data, receipt-data or",
                "latest_receipt; without one, in the first. A directory that several links lead to is walked once.",
                "",
                "Exit status: 0 every record was judged and written, whatever the verdicts; 1 only for --fail-on and",
                "--fail-fast; 2 usage; 3 a source could not be read; 4 the output is incomplete; 130 interrupted.",
            ],
            run: { arguments, console async throws(Failure) in try await verify(arguments, &console) }
        )
    }

    private static func verify(
        _ arguments: Arguments,
        _ console: inout Console
    ) async throws(Failure) -> ExitStatus {
        let names = arguments.operands
        guard !names.isEmpty else { throw .usage("which source? Name one, or - for standard input") }
        // Whatever is wrong with the options is said before a file is made.
        let present = System.now
        let anchors = try ValidationOptions.anchors(arguments)
        _ = try judge(arguments, anchors, at: present)
        var options = try sourceOptions(arguments, names)
        let jobs = min(
            try CorpusOptions.number(arguments, CorpusOptions.jobs, from: 1, default: System.processorCount),
            256
        )
        let failOn: FailureCondition? =
            arguments.has(CorpusOptions.failOn) || arguments.has(CorpusOptions.failFast)
            ? try CorpusOptions.choice(arguments, CorpusOptions.failOn, default: .invalid) : nil
        let kind = try CorpusOptions.choice(arguments, CorpusOptions.progress, default: ProgressKind.auto)
        let isQuiet = arguments.has(CorpusOptions.quiet)
        let seconds = try CorpusOptions.number(arguments, CorpusOptions.checkpointEvery, from: 0, default: 5)
        let outputs = try OutputGuard(names, arguments)
        let file = try resultFile(arguments)
        let subject = Checkpoint.Subject(arguments, anchors, start: file?.last?.subject.start ?? present)
        if let difference = file?.last?.subject.difference(to: subject) {
            throw .usage("--resume: \(difference)")
        }
        options.isTracked = file != nil
        options.outputs = outputs.files.union(outputs.directories).union(file.map { [$0.identity] } ?? [])
        System.noticeInterrupts()
        System.keepFreedMemory()
        var sources = CorpusSources(names, options)
        var progress = CorpusProgress(
            kind,
            totalByteCount: totalByteCount(names),
            after: file?.last?.nanoseconds ?? 0
        )
        if let last = file?.last {
            if !isQuiet { progress.report(last.greeting) }
            guard !last.isComplete else { return try conclude(.of(last), arguments, jobs, failOn) }
            try sources.skip(to: last.position)
        }
        let judge = try judge(arguments, anchors, at: subject.start)
        let run = CorpusRun(
            sources,
            judge,
            header: options.firstRecord == 1 ? judge.form.header : [],
            jobs: jobs,
            output: try file.map { file throws(Failure) in try CorpusOutput(file, subject, seconds: seconds) }
                ?? CorpusOutput(),
            tally: file?.last?.tally ?? CorpusTally(),
            progress: progress,
            isQuiet: isQuiet
        )
        var isComplete = true
        do throws(Failure) {
            try await run.run()
        } catch {
            console.report(error.message)
            isComplete = false
        }
        let tally = await run.tally
        let ending = Ending(
            tally: tally,
            nanoseconds: progress.nanoseconds,
            byteCount: await run.byteCount,
            isComplete: isComplete && tally.isReconciled,
            isInterrupted: await run.isInterrupted,
            hasFailedSource: await run.hasFailedSource
        )
        return try conclude(ending, arguments, jobs, failOn)
    }

    /// How a run ended, be it this one or one before.
    private struct Ending {
        let tally: CorpusTally
        let nanoseconds: UInt64
        let byteCount: Int
        /// Whether all was written that was to be.
        let isComplete: Bool
        let isInterrupted: Bool
        let hasFailedSource: Bool

        static func of(_ checkpoint: Checkpoint) -> Ending {
            Ending(
                tally: checkpoint.tally,
                nanoseconds: checkpoint.nanoseconds,
                byteCount: checkpoint.byteCount,
                isComplete: true,
                isInterrupted: false,
                hasFailedSource: checkpoint.position.hasFailed
            )
        }

        /// The gravest of what there is to say.
        func status(_ failOn: FailureCondition?) -> ExitStatus {
            guard isComplete else { return .outputIncomplete }
            if isInterrupted { return .interrupted }
            if hasFailedSource { return .unreadable }
            guard let failOn else { return .valid }
            let statuses = ["invalid", "unsupported", "unreadable"].filter { failOn.isMet(by: $0) }
            return statuses.contains { tally.count(ofStatus: $0) > 0 } ? .notValid : .valid
        }
    }

    private static func conclude(
        _ ending: Ending,
        _ arguments: Arguments,
        _ jobs: Int,
        _ failOn: FailureCondition?
    ) throws(Failure) -> ExitStatus {
        let summary = CorpusSummary(
            tally: ending.tally.settled,
            nanoseconds: ending.nanoseconds,
            byteCount: ending.byteCount,
            jobs: jobs,
            status: ending.status(failOn)
        )
        if !arguments.has(CorpusOptions.quiet) {
            var errors = Output(System.standardError)
            summary.show(&errors)
        }
        if let file = arguments.last(CorpusOptions.summary) { try write(summary, to: file) }
        return summary.status
    }

    // MARK: What was asked for

    private static func judge(
        _ arguments: Arguments,
        _ anchors: [TrustAnchor],
        at present: Timestamp
    ) throws(Failure) -> CorpusJudge {
        for (option, field) in [
            (ValidationOptions.bundleIdentifier, CorpusOptions.bundleIdentifierField),
            (ValidationOptions.deviceIdentifier, CorpusOptions.deviceIdentifierField),
        ] where arguments.has(option) && arguments.has(field) {
            throw .usage("\(option.name) and \(field.name) exclude each other")
        }
        return CorpusJudge(
            validator: try ValidationOptions.validator(arguments, anchors: anchors, at: present),
            form: ResultForm(
                detail: try CorpusOptions.choice(arguments, CorpusOptions.fields, default: .brief),
                rows: try CorpusOptions.choice(arguments, CorpusOptions.rows, default: .records),
                isCSV: arguments.has(CorpusOptions.csv),
                kept: CorpusOptions.recordFields(arguments).kept
            ),
            isOnlyInvalid: arguments.has(CorpusOptions.onlyInvalid),
            sample: try CorpusOptions.number(arguments, CorpusOptions.sample, from: 1, default: 1),
            seed: try MintOptions.number(arguments.last(CorpusOptions.seed), CorpusOptions.seed, default: 1),
            stopsOn: arguments.has(CorpusOptions.failFast)
                ? try CorpusOptions.choice(arguments, CorpusOptions.failOn, default: .invalid) : nil
        )
    }

    private static func sourceOptions(
        _ arguments: Arguments,
        _ names: [Argument]
    ) throws(Failure) -> CorpusSources.Options {
        var options = CorpusSources.Options()
        if arguments.has(CorpusOptions.format) {
            options.format = try format(arguments)
        }
        options.fields = CorpusOptions.recordFields(arguments)
        options.hasHeader = !arguments.has(CorpusOptions.noHeader)
        options.name = arguments.last(CorpusOptions.source)
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

    private static func format(_ arguments: Arguments) throws(Failure) -> CorpusFormat {
        guard let word = arguments.last(CorpusOptions.format), let format = CorpusFormat(rawValue: word.text)
        else {
            throw .usage("--format is none of \(CorpusFormat.names)")
        }
        return format
    }

    private static func isDirectory(_ name: Argument) -> Bool {
        !name.isStandardInput && (try? System.status(path: name.bytes))?.kind == .directory
    }

    /// Nil where it cannot be known beforehand.
    private static func totalByteCount(_ names: [Argument]) -> Int? {
        var total = 0
        for name in names {
            let isCompressed = [".gz", ".zst"].contains {
                name.bytes.suffix($0.utf8.count).elementsEqual($0.utf8)
            }
            guard !name.isStandardInput, !isCompressed, let status = try? System.status(path: name.bytes),
                status.kind == .regular
            else { return nil }
            total += status.size
        }
        return total
    }

    // MARK: Files

    private static func resultFile(_ arguments: Arguments) throws(Failure) -> ResultFile? {
        guard let name = arguments.last(CorpusOptions.out) else {
            for option in [CorpusOptions.resume, CorpusOptions.checkpointEvery] where arguments.has(option) {
                throw .usage("\(option.name) is for a run with --out")
            }
            return nil
        }
        return try ResultFile(name, isResuming: arguments.has(CorpusOptions.resume))
    }

    private static func write(_ summary: CorpusSummary, to file: Argument) throws(Failure) {
        do throws(Failure) {
            try OutputFile.write(summary.json.bytes + [UInt8(ascii: "\n")], to: file)
        } catch {
            throw Failure(status: .outputIncomplete, message: error.message)
        }
    }
}
