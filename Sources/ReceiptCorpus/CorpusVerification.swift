import AppReceipt
import Basics
import SystemCalls

/// One run of `corpus verify`: its sources, its options and the file for its results.
///
/// The initializer checks and opens files. ``run(_:observer:)`` takes the judge and reads the records.
package struct CorpusVerification {
    package struct Options: Sendable {
        package var sources = CorpusSources.Options()
        /// The number of tasks that judge records at the same time, at least 1.
        package var jobs = 1
        /// The file for the results; nil for standard output.
        package var out: FileName?
        /// Whether to continue an earlier run's results in `out`. If false, an existing `out` is an error.
        /// A missing `out` is created in both cases, unless its checkpoint exists, which is an error.
        package var isResuming = false
        /// The minimum time between two checkpoints of the results file, in seconds. The end of a run does
        /// not wait for this time.
        package var checkpointInterval = 5
        /// The file for the summary, which the caller writes; nil for none. It must not be a source, and not
        /// lie in a directory that is a source.
        package var summary: FileName?
        /// The files that the caller has read, other than the sources. Neither the results nor the summary
        /// may overwrite these files.
        package var inputs: [FileName] = []
        /// Whether to leave out the messages about guessed formats and about the run that is continued.
        package var isQuiet = false
        /// Whether to accept without a warning a run that is suspicious: see ``CorpusTally/isSuspicious``.
        package var allowsUnreadable = false

        package init() {}
    }

    /// The counts, the duration and the outcome of a run that has ended.
    package struct Ending: Sendable {
        package let tally: CorpusTally
        /// The duration of this run and of the earlier runs that it continues, in nanoseconds. An earlier run
        /// counts up to its last checkpoint. The time in which this run finds its position in the sources
        /// does not count.
        package let nanoseconds: UInt64
        /// The number of bytes consumed by this run and the runs that it continues, after decompression.
        package let byteCount: Int
        /// The reason why results or a checkpoint could not be written; nil if there was no such failure.
        package let failure: CorpusFailure?
        package let isInterrupted: Bool
        /// Whether this run or one that it continues could not read a source, or part of one. Some names
        /// in directories do not count, such as a file that would be one receipt and cannot be opened.
        package let hasFailedSource: Bool
    }

    private let names: [FileName]
    private let options: Options
    private let outputs: OutputGuard
    private let file: ResultFile?
    private let subject: Checkpoint.Subject

    /// Opens and locks the results file, if `options.out` names one, and compares the sources with the
    /// earlier run's. Reads no record.
    ///
    /// Throws `CorpusFailure` if ``OutputGuard`` refuses an output, for example one that is a source; if the
    /// results file cannot be opened or is locked; if it exists and `isResuming` is false; or if an earlier
    /// run cannot be continued.
    ///
    /// - Parameters:
    ///   - names: the sources.
    ///   - version: the version of the program. A run by another version cannot be continued.
    ///   - settings: every option that determines the results, with its value.
    ///   - present: the present time, which becomes ``start`` unless an earlier run is continued.
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

    /// The start of this run, or of the first run that it continues: the present time for the judge.
    package var start: Timestamp { subject.start }

    /// The duration of the runs that this run continues, in nanoseconds, each up to its last checkpoint; 0 if
    /// there are none.
    package var earlierNanoseconds: UInt64 { file?.last?.nanoseconds ?? 0 }

    /// The size of all sources in bytes; nil on overflow, or if one is standard input, is no regular file, or
    /// will be decompressed.
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

    /// Judges the records after the earlier run's last checkpoint, or all if there is no earlier run, and
    /// writes their results. Returns the earlier run's figures if it is complete, or if an interrupt comes
    /// before a record is read. Throws `CorpusFailure` if the earlier run cannot be continued, or if the
    /// results file or its first checkpoint cannot be written. Later failures to write are in
    /// ``Ending/failure``.
    /// - Parameter judge: the judge. The present time of its policy must be ``start``.
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
