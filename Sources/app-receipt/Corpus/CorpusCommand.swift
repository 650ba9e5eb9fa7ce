import AppReceipt

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
        let judge = try judge(arguments)
        let jobs = try CorpusOptions.number(
            arguments,
            CorpusOptions.jobs,
            from: 1,
            default: System.processorCount
        )
        let failOn: FailureCondition? =
            arguments.has(CorpusOptions.failOn)
            ? try CorpusOptions.choice(arguments, CorpusOptions.failOn, default: .invalid)
            : judge.stopsOn
        let sources = CorpusSources(names, try sourceOptions(arguments, names))
        let progress = CorpusProgress(
            try CorpusOptions.choice(arguments, CorpusOptions.progress, default: .auto),
            totalByteCount: totalByteCount(names)
        )
        let out = arguments.last(CorpusOptions.out)
        let descriptor =
            try out.map { word throws(Failure) in try create(word, names) } ?? System.standardOutput
        System.noticeInterrupts()
        let isQuiet = arguments.has(CorpusOptions.quiet)
        let isFirstPiece = arguments.last(CorpusOptions.firstRecord).map { $0.text == "1" } ?? true
        var run = CorpusRun(
            sources,
            judge,
            header: isFirstPiece ? judge.form.header : [],
            jobs: min(jobs, 256),
            output: descriptor,
            progress: progress,
            isQuiet: isQuiet
        )
        var outputFailure: System.Failure?
        do throws(System.Failure) {
            try await run.run()
            if out != nil { try System.closeDescriptor(descriptor) }
        } catch {
            outputFailure = error
        }
        if let outputFailure {
            console.report("the output is incomplete: cannot write: \(outputFailure.message)")
        }
        let summary = CorpusSummary(
            tally: run.tally,
            nanoseconds: progress.nanoseconds,
            byteCount: run.byteCount,
            jobs: min(jobs, 256),
            status: status(run, isComplete: outputFailure == nil, failOn)
        )
        if !isQuiet {
            var errors = Output(System.standardError)
            summary.show(&errors)
        }
        if let file = arguments.last(CorpusOptions.summary) { try write(summary, to: file) }
        return summary.status
    }

    /// The gravest of what there is to say.
    private static func status(_ run: CorpusRun, isComplete: Bool, _ failOn: FailureCondition?) -> ExitStatus
    {
        guard isComplete, run.tally.isReconciled else { return .outputIncomplete }
        if run.isInterrupted { return .interrupted }
        if run.hasFailedSource { return .unreadable }
        guard let failOn else { return .valid }
        let statuses = ["invalid", "unsupported", "unreadable"].filter { failOn.isMet(by: $0) }
        return statuses.contains { run.tally.count(ofStatus: $0) > 0 } ? .notValid : .valid
    }

    // MARK: What was asked for

    private static func judge(_ arguments: Arguments) throws(Failure) -> CorpusJudge {
        for (option, field) in [
            (ValidationOptions.bundleIdentifier, CorpusOptions.bundleIdentifierField),
            (ValidationOptions.deviceIdentifier, CorpusOptions.deviceIdentifierField),
        ] where arguments.has(option) && arguments.has(field) {
            throw .usage("\(option.name) and \(field.name) exclude each other")
        }
        return CorpusJudge(
            validator: try ValidationOptions.validator(arguments),
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
        options.name = arguments.last(CorpusOptions.source)?.text
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

    /// Makes the file of the results, which must not be there, nor in a directory that is walked.
    private static func create(_ name: Argument, _ sources: [Argument]) throws(Failure) -> Int32 {
        let walked = sources.filter(isDirectory).compactMap { try? System.status(path: $0.bytes).identity }
        let slash = UInt8(ascii: "/")
        var directory = name.bytes.lastIndex(of: slash).map { Array(name.bytes[...$0]) } ?? Array("./".utf8)
        var last: System.FileIdentity?
        // Upwards, until the root, which is its own parent.
        while let identity = try? System.status(path: directory).identity, identity != last {
            guard !walked.contains(identity) else {
                throw .usage("--out \(name.printable) is inside of a directory that is read")
            }
            last = identity
            directory += Array("../".utf8)
        }
        do throws(System.Failure) {
            return try System.create(path: name.bytes)
        } catch {
            throw .usage("--out \(name.printable): \(error.message)")
        }
    }

    private static func write(_ summary: CorpusSummary, to file: Argument) throws(Failure) {
        do throws(Failure) {
            try OutputFile.write(summary.json.bytes + [UInt8(ascii: "\n")], to: file)
        } catch {
            throw Failure(status: .outputIncomplete, message: error.message)
        }
    }
}
