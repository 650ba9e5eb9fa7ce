import AppReceipt
import Basics
import SystemCalls

/// One run of `corpus verify`: its sources, its judge and its destination.
///
/// The value checks its files when it is made and reads no record before ``run(_:observer:)``.
package struct CorpusVerification {
    package struct Options: Sendable {
        package var sources = CorpusSources.Options()
        /// The number of tasks, at least 1.
        package var jobs = 1
        /// The file for the results; nil for standard output.
        package var out: FileName?
        /// Whether to continue the results of an earlier run.
        package var isResuming = false
        /// Seconds between two checkpoints.
        package var checkpointInterval = 5
        /// The file for the summary, which the caller writes. It must not be one of the sources.
        package var summary: FileName?
        /// Files that the caller has read. Results and summary must not overwrite them.
        package var inputs: [FileName] = []
        /// Whether guesses and greetings are not reported.
        package var isQuiet = false
        /// Whether a run whose first records are all unreadable is accepted without a warning.
        package var allowsUnreadable = false

        package init() {}
    }

    /// How a run ended.
    package struct Ending: Sendable {
        package let tally: CorpusTally
        /// The duration of this run and of the runs that it continues.
        package let nanoseconds: UInt64
        /// The number of bytes read, after decompression.
        package let byteCount: Int
        /// The reason why not all results are written; nil if all are.
        package let failure: CorpusFailure?
        package let isInterrupted: Bool
        /// Whether a source, or part of one, could not be read.
        package let hasFailedSource: Bool
    }

    private let names: [FileName]
    private let options: Options
    private let outputs: OutputGuard
    private let file: ResultFile?
    private let subject: Checkpoint.Subject

    /// Checks the files, and opens and locks the file for the results.
    ///
    /// Throws `CorpusFailure` if a source would be overwritten, another process is writing the results, or an
    /// earlier run cannot be continued.
    ///
    /// - Parameters:
    ///   - version: the version of the program.
    ///   - settings: every option that determines the results, with its value.
    ///   - present: the present time.
    package init(
        _ names: [FileName],
        _ options: Options,
        version: String,
        settings: [String],
        present: Timestamp
    ) throws(CorpusFailure) {
        outputs = try OutputGuard(names + options.inputs, out: options.out, summary: options.summary)
        var file: ResultFile?
        if let out = options.out { file = try ResultFile(out, isResuming: options.isResuming) }
        subject = Checkpoint.Subject(
            version: version,
            options: settings,
            sources: names.map { SourceIdentity(of: $0) },
            start: file?.last?.subject.start ?? present
        )
        if let difference = file?.last?.subject.difference(to: subject) {
            throw .usage("--resume: \(difference)")
        }
        (self.names, self.options, self.file) = (names, options, file)
    }

    /// The time when the first run began, which counts as the present time for the run.
    package var start: Timestamp { subject.start }

    /// The duration of the runs that this run continues, in nanoseconds.
    package var earlierNanoseconds: UInt64 { file?.last?.nanoseconds ?? 0 }

    /// The size of all sources in bytes; nil if it cannot be known beforehand.
    package var totalByteCount: Int? {
        var total = 0
        for name in names {
            guard !name.isStandardInput, CorpusSources.decompressor(name) == nil,
                let status = try? System.status(path: name.bytes), status.kind == .regular,
                case (let sum, false) = total.addingReportingOverflow(status.size)
            else { return nil }
            total = sum
        }
        return total
    }

    /// Judges all records and writes the results.
    ///
    /// - Parameter judge: the judge. Its present time must be ``start``.
    package func run(
        _ judge: CorpusJudge,
        observer: any CorpusObserver
    ) async throws(CorpusFailure) -> Ending {
        var observer = observer
        var sourceOptions = options.sources
        sourceOptions.isTracked = file != nil
        sourceOptions.outputs = outputs.files.union(file.map { [$0.identity] } ?? [])
        var sources = CorpusSources(names, sourceOptions)
        if let last = file?.last {
            if !options.isQuiet { observer.report(last.greeting) }
            if !last.isComplete { try sources.skip(to: last.position) }
            // After an interrupt the position may not be reached. Results and checkpoint stay as they are.
            guard !last.isComplete, !System.isInterrupted else {
                sources.close()
                return Ending(
                    tally: last.tally,
                    nanoseconds: last.nanoseconds,
                    byteCount: last.byteCount,
                    failure: nil,
                    isInterrupted: !last.isComplete,
                    hasFailedSource: last.position.hasFailed
                )
            }
        }
        let output =
            try file.map { file throws(CorpusFailure) in
                try CorpusOutput(file, subject, seconds: options.checkpointInterval)
            } ?? CorpusOutput()
        return await CorpusRun(sources, judge, options, output, after: file?.last, observer: observer).run()
    }
}
