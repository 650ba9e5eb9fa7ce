import AppReceipt
import Basics
import JSONText
import ReceiptCorpus
import SHA
import SystemCalls

extension Command {
    /// `corpus verify`: validates the receipts or tokens of very many records.
    static var corpusVerify: Command {
        Command(
            help: """
                app-receipt corpus verify: validate very many receipts or tokens, from files of records

                  app-receipt corpus verify --bundle-id com.example.app --environment Production receipts.csv > results
                      a table with a column receipt: one line of JSON for each record, and a summary
                  app-receipt corpus verify --bundle-id any --environment any --only-invalid receipts/
                      the files in a directory and its subdirectories
                  app-receipt corpus verify --bundle-id any --environment any --csv /Applications
                      the apps that are installed on a Mac: a table with one row for each
                  app-receipt corpus verify --bundle-id-field app --environment any --field data.receipt --keep id,user dump.ndjson.gz
                      each record names its app; fields of the records are copied to the results
                  app-receipt corpus verify --bundle-id any --environment any --rows purchases --csv --out purchases.csv receipts.csv
                      a table of all purchases
                  psql -c '\\copy r TO STDOUT' | app-receipt corpus verify --bundle-id any --environment any --format pgcopy --field 2 -
                      from a database
                  find . -type f -print0 | app-receipt corpus verify --bundle-id any --environment any --files-from - --delimiter ';'
                      many tables with another character between the columns
                  app-receipt corpus verify --kind notification --bundle-id com.example.app --environment Production log.ndjson
                      notifications as Apple posts them, one in each line

                usage: app-receipt corpus verify [OPTION…] SOURCE…

                  --format NAME
                      The format of the sources. One of
                      \(CorpusFormat.names).
                      Without it, the format is guessed and reported; every file in a directory is one receipt.
                  --field NAME|INDEX
                      The field with the receipt: a path in JSON, such as data.receipt; a column by its name in the header
                      or by its number from 1. Without it, the first of receipt, receipt_data, receipt-data and
                      latest_receipt that is there; without a header the first column. With --kind, the first of Apple's
                      member for the kind, token, jws and jwsRepresentation.
                  --no-header
                      The first line of csv or tsv is a record.
                  --delimiter CHARACTER
                      The character between the columns of csv, tsv and pgcopy, such as ; or |. The word tab is a tab.
                  --environment-field NAME|INDEX
                      The field with the record's expected environment, such as Production.
                  --bundle-id-field NAME|INDEX
                      The field with the record's expected bundle identifier.
                  --device-id-field NAME|INDEX
                      The field with the record's expected device.
                  --keep NAME,…  (repeatable)
                      Up to 256 fields to copy to the results, under "keep". With --rows purchases, every row has them.
                  --fields none|brief|all
                      How much to write of each valid receipt or token; brief by default. all is what verify --json
                      writes.
                  --rows records|purchases
                      One line for each record, which is the default; or one for each purchase, none for a valid receipt
                      without any, and one for each record that is not valid.
                  --csv
                      Write CSV with a header, inner names after a dot, and arrays as JSON. There is no header if
                      --first-record is above 1.
                  --only-invalid
                      Write no line for a valid receipt.
                  --fail-on invalid|unreadable
                      Exit with status 1 if any record is not valid, or if any is unreadable.
                  --files-from FILE|-
                      Read more names of sources from FILE, one in each line, or separated by zeros as by find -print0.
                  --first-record N
                      The number of the source's first record; 1 by default. For one piece of a larger source.
                  --first-offset N
                      The offset of the source's first byte; 0 by default.
                  --source NAME
                      The name of the one source in the results.
                  --jobs N
                      How many batches to judge at once; by default one for each processor, and at most 256.
                  --out FILE
                      The file for the results; standard output by default. An existing file needs --resume.
                      FILE.checkpoint beside it says how much of FILE is good. Only you can read a new file.
                  --resume
                      Go on with the FILE of --out where a run that was stopped left it; make FILE if it is missing.
                  --checkpoint-every SECONDS
                      How often FILE is synced to disk and its checkpoint is written: 5 by default; 0 for after every
                      batch of records, which is at most 256.
                  --summary FILE
                      Write the summary to FILE as JSON, too.
                  --progress auto|json|none
                      The progress on standard error: a line if that is a terminal (the default), or a JSON object
                      every second.
                  --quiet
                      Write no summary to standard error, and no guesses.
                  --allow-unreadable
                      Accept sources whose first \(CorpusTally.suspiciousCount) records, or all, are unreadable or cut off. Otherwise a warning
                      is written and the exit status is 3.
                \(validationOptions)
                \(tokenOptions)
                \(commonOptions)

                --environment and --bundle-id, or the options for their fields, are required. A source is a file, a
                directory, or - for standard input. Every record and every source has at least one line in the results,
                in the order of the records, whatever --jobs is. Its members are key (unique, also over runs on parts of
                a corpus, unless a source is named twice), source, record (from 1), offset (of the record's first byte),
                sha256 (of the receipt), status (valid, invalid, unsupported, unreadable), step, code, not_checked, error,
                receipt and keep. Vectors/schema describes them, and the escapes in CSV.

                With --kind, each record is a token of StoreKit 2, or the JSON object in which Apple sends it, such as
                {"signedPayload":"…"}. A line of the format base64 then holds either, without more base64 around it. Results
                have kind, and payload in place of receipt. Tokens have no --app-version, --device-id and --rows purchases.

                Files that end in .gz and .zst are read through gzip and zstd. Text may be base64 with %2B, hexadecimal
                after \\x or 0x, or a stored response of verifyReceipt, whose latest_receipt is judged. In TSV a line is a
                record, and quotes around a whole field are removed. In CSV a field in quotes may span lines; a quote that
                is not closed, or after which the field goes on, spoils its own line only. A run of blank lines has one
                line in the results, and the summary counts the others as filtered. A source without a record has the code
                input.empty, and one that cannot be read input.cannot-read or source.not-read. A name that is not UTF-8,
                or begins with "not UTF-8: ", is written as "not UTF-8: " and its bytes in hexadecimal.

                A directory whose name ends in .app is an installed Mac app, also inside of another directory. It has one
                line, about its Contents/_MASReceipt/receipt alone; app.no-receipt means that the app is from outside the
                App Store. NAME.app/. is read as a plain directory. Symbolic links inside a directory are skipped; find -L
                and --files-from read what is behind them.

                With --out, every run keeps a checkpoint beside its file. After any end of the process, even by a loss of
                power, the same command with --resume completes the file as if the run had never stopped. Standard input
                must be fed again from its beginning. Results and checkpoint are synced to disk as often as
                --checkpoint-every says, on an interrupt, and at the end. --resume refuses another version, other options
                that influence the results, a source of another path, size, time or first 64 KiB, a directory whose names
                or files read so far have changed, and results whose last 64 KiB were changed. The file is locked, must not
                be a source or in a directory that is read, and is compared before each write: if another process has
                changed it, the run ends with status 4. A killed run may leave FILE.checkpoint.DIGITS.new; remove it.

                A record has at most 16 MiB; a longer one is skipped and reported. Each job needs up to 160 MiB for the
                largest record. What is not yet written takes at most 32 MiB (3 MiB for each job if that is more), one
                record, and 1 MiB and one line for each job. With --keep, a line has up to 6 times the kept bytes, and with
                --rows purchases every purchase repeats them: 187 purchases and a field of 4 MiB give 748 MiB of results.

                SIGINT, SIGTERM and SIGHUP end the run after the batches that are being judged, with whole lines, a
                checkpoint and a summary. A second signal ends the process at once.

                Exit status: 0 every record was judged and written, whatever the verdicts; 1 only for --fail-on; 2 usage;
                3 a source could not be read, or the first 1,000 records (or all) are unreadable or cut off, without
                --allow-unreadable; 4 the output is incomplete; 5 another process is writing the file of --out; 130
                interrupted.
                """,
            run: corpusVerify
        )
    }

    /// Parses the options, validates the records, and returns the exit status. Without `--quiet`, also
    /// writes a summary to standard error.
    private static func corpusVerify(
        _ arguments: Arguments,
        _ console: inout Console
    ) async throws(Failure) -> ExitStatus {
        // Options that make no sense are refused before any file is made.
        let names = try arguments.sources()
        let present = System.now
        let certificates = try Arguments.Certificates(arguments)
        _ = try arguments.corpusJudge(certificates, at: present)
        try arguments.requireExpectations()
        let failOn = try arguments.choice("--fail-on", FailureCondition.init(rawValue:))
        let progress = try arguments.choice("--progress", ProgressKind.init(rawValue:)) ?? .auto
        let options = try arguments.corpusOptions(names)
        let verification: CorpusVerification
        do throws(CorpusFailure) {
            verification = try CorpusVerification(
                names,
                options,
                version: AppReceiptCommand.versionLine,
                settings: arguments.settings(certificates),
                present: present
            )
        } catch {
            throw Failure(error)
        }
        let judge = try arguments.corpusJudge(certificates, at: verification.start)
        // A summary that cannot be written should be known before a run of hours. It names sources, as the
        // results do.
        let summaryFile = try options.summary.map { name throws(Failure) in
            try OutputFile(creating: name, isPrivate: true, or: .outputIncomplete)
        }
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
            status: status(ending, failOn, options)
        )
        if !options.isQuiet {
            var errors = Output(System.standardError)
            summary.show(&errors)
        }
        try summaryFile?.finish(summary.json.bytes + [UInt8(ascii: "\n")])
        return summary.status
    }

    /// The exit status: the first that applies of 4, 130, 3 and 1 (only for `--fail-on`), and 0 otherwise.
    private static func status(
        _ ending: CorpusVerification.Ending,
        _ failOn: FailureCondition?,
        _ options: CorpusVerification.Options
    ) -> ExitStatus {
        guard ending.failure == nil, ending.tally.isReconciled else { return .outputIncomplete }
        if ending.isInterrupted { return .interrupted }
        if ending.hasFailedSource { return .unreadable }
        if ending.tally.isSuspicious, !options.allowsUnreadable { return .unreadable }
        guard let failOn else { return .valid }
        let statuses = ["invalid", "unsupported", "unreadable"].filter { failOn.isMet(by: $0) }
        return statuses.contains { ending.tally.count(ofStatus: $0) > 0 } ? .notValid : .valid
    }
}

extension Failure {
    /// A failure of the run as a failure of the command: the exit status for its kind, and its message.
    fileprivate init(_ failure: CorpusFailure) {
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
