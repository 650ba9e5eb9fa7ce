import AppReceipt
import SystemCalls

/// Receives the progress and the messages of a run.
package protocol CorpusObserver: Sendable {
    /// Called after each judged batch. `tally` has the counts of the batches that the output has taken so
    /// far, in order, and `bytes` is the number of bytes consumed from the sources, counted after
    /// decompression. Both include the earlier runs that this run continues.
    mutating func update(_ tally: CorpusTally, bytes: Int)
    /// Shows one message to the person who runs the program.
    mutating func report(_ message: String)
    /// Called at most once: after the run has ended and its last message was reported. A run that has read a
    /// record calls this function.
    mutating func finish()
}

/// Reads the records of all sources, judges them, and writes the results in the order of the records.
///
/// There are as many tasks as jobs. Each task reads a batch, judges it, and writes the results that are next
/// in order, whichever task finishes first. One task at a time reads or writes. A task judges the batch that
/// it has read itself.
///
/// The batches that are read and not yet written are bounded in number and in bytes, and so are their lines.
/// Reading therefore stops when nothing can be written.
actor CorpusRun {
    private let judge: CorpusJudge
    private let options: CorpusVerification.Options
    private var output: CorpusOutput
    private var sources: CorpusSources
    private var observer: any CorpusObserver
    private var tally: CorpusTally
    /// The tally of the batches whose lines are all written to the file or to standard output.
    private var writtenTally: CorpusTally
    /// When the run began on the monotonic clock, minus the duration of earlier runs, in nanoseconds.
    private let start: UInt64

    /// The results of judged batches that wait for an earlier batch, by the index of their batch.
    private var judged: [Int: CorpusJudge.Judgement] = [:]
    /// The batches that the output has not taken yet, by index: the bytes that each holds, in its records
    /// or, once it is judged, in its lines; and the position in the sources after it, nil if no run can
    /// begin there.
    private var underWay: [Int: (byteCount: Int, position: SourcePosition?)] = [:]
    /// The tasks with many lines that wait until the output has taken all earlier batches, by the index of
    /// their batch.
    private var turns: [Int: CheckedContinuation<Void, Never>] = [:]
    private var readCount = 0
    private var writtenCount = 0
    /// The tasks without a batch that wait until another task has read a batch, or ends.
    private var idle: [CheckedContinuation<Void, Never>] = []
    /// Whether ``warn(isAtEnd:)`` has found that ``CorpusTally/isSuspicious`` holds. That function does
    /// nothing after that.
    private var hasWarned = false
    /// The reason why no more results can be written; nil while they can.
    private var failure: CorpusFailure?
    /// Whether a signal ended the run before the end of its sources.
    private var isInterrupted = false

    /// Reading pauses while the batches of ``underWay`` have this many bytes or more.
    private var maximumBytesUnderWay: Int { max(32 << 20, 2 * options.jobs * RecordBatch.maximumByteCount) }

    /// Creates a run, which reads nothing until ``run()`` is called.
    ///
    /// - Parameter last: the checkpoint of the earlier run that this one continues; nil for the first run.
    init(
        _ sources: CorpusSources,
        _ judge: CorpusJudge,
        _ options: CorpusVerification.Options,
        _ output: CorpusOutput,
        after last: Checkpoint?,
        observer: any CorpusObserver
    ) {
        self.sources = sources
        self.judge = judge
        self.options = options
        self.output = output
        if options.sources.firstRecord == 1 { self.output.begin(judge.form.header) }
        tally = last?.tally ?? CorpusTally()
        writtenTally = tally
        start = System.monotonicNanoseconds &- (last?.nanoseconds ?? 0)
        self.observer = observer
    }

    /// The duration of this run so far and of the runs that it continues, in nanoseconds.
    private var nanoseconds: UInt64 { System.monotonicNanoseconds &- start }

    /// Runs to the end of the sources, a failure or an interrupt. After a failure, the tally of the result
    /// counts only the batches whose lines are all written.
    func run() async -> CorpusVerification.Ending {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<options.jobs { group.addTask { await self.work() } }
        }
        attempt { run throws(CorpusFailure) in try run.keep(isComplete: !run.isInterrupted) }
        sources.close()
        if failure == nil, !isInterrupted { warn(isAtEnd: true) }
        tell()
        observer.finish()
        return CorpusVerification.Ending(
            tally: failure == nil ? tally : writtenTally,
            nanoseconds: nanoseconds,
            byteCount: sources.byteCount,
            failure: failure,
            isInterrupted: isInterrupted,
            hasFailedSource: sources.hasFailed
        )
    }

    // MARK: One task

    /// A batch to judge, and its index among all batches of the run, from 0.
    private typealias Work = (index: Int, batch: RecordBatch)

    private nonisolated func work() async {
        let judge = judge.copy
        var memory = judge.emptyMemory
        var next = await read()
        while let work = next {
            let judgement = await judge.judge(work.batch, &memory) { lines in
                await write(lines, of: work.index)
            }
            next = await read(after: judgement, of: work.index)
        }
    }

    private func read(after judgement: CorpusJudge.Judgement, of index: Int) async -> Work? {
        judged[index] = judgement
        underWay[index]?.byteCount = judgement.lines.count
        attempt { run throws(CorpusFailure) in try run.writeJudged() }
        observer.update(tally, bytes: sources.byteCount)
        return await read()
    }

    /// Waits for room for a batch and for input, then reads the batch. Returns nil at the end of the sources,
    /// after a failure or an interrupt.
    private func read() async -> Work? {
        while mayGoOn() {
            guard hasRoom, isReady() else {
                // While other tasks are working, their results are more urgent than waiting for input.
                if !underWay.isEmpty { await withCheckedContinuation { idle.append($0) } }
                continue
            }
            guard let work = readBatch() else { continue }
            wake()
            return work
        }
        wake()
        return nil
    }

    /// Wakes one task of ``idle``, if there is any. That task wakes the next when it has read or ends.
    private func wake() {
        idle.popLast()?.resume()
    }

    private func mayGoOn() -> Bool {
        // An interrupt has no effect once all is read.
        guard failure == nil, !isInterrupted, !sources.isAtEnd else { return false }
        isInterrupted = System.isInterrupted
        return !isInterrupted
    }

    private var hasRoom: Bool {
        underWay.count < 4 * options.jobs
            && underWay.values.reduce(0) { $0 + $1.byteCount } < maximumBytesUnderWay
    }

    /// Whether to read now: see ``CorpusSources/isReady(milliseconds:)``. If a read might wait and no
    /// batch is under way, first writes all lines and waits up to 100 milliseconds for input. False if a
    /// read might still wait, unless the next step opens a source, or if these lines cannot be written.
    private func isReady() -> Bool {
        if sources.isReady(milliseconds: 0) { return true }
        guard underWay.isEmpty else { return false }
        // The process that feeds the source may wait for the results.
        attempt { run throws(CorpusFailure) in try run.flush() }
        return failure == nil && sources.isReady(milliseconds: Self.patience)
    }

    /// How long to wait for input between two checks for an interrupt, in milliseconds.
    private static let patience: Int32 = 100

    /// Reads a batch. Returns nil after an interrupt, and if the bytes that were read hold no record.
    private func readBatch() -> Work? {
        var batch = RecordBatch()
        sources.read(into: &batch)
        // One key press may have interrupted the process that feeds a source. Then the source's end is not
        // its real end.
        guard !System.isInterrupted else {
            isInterrupted = true
            return nil
        }
        tell()
        guard !batch.records.isEmpty else { return nil }
        let index = readCount
        readCount += 1
        underWay[index] = (batch.byteCount, sources.position())
        return (index, batch)
    }

    // MARK: The results

    /// Runs the body, unless a body has failed before. An error of the body becomes ``failure``, and no task
    /// waits for its turn any more: after a failure nothing is read or written.
    private func attempt(_ body: (isolated CorpusRun) throws(CorpusFailure) -> Void) {
        guard failure == nil else { return }
        do throws(CorpusFailure) {
            try body(self)
        } catch {
            failure = error
            for turn in turns.values { turn.resume() }
            turns.removeAll()
        }
    }

    /// Writes some lines of a batch, after all lines of the earlier batches. Writes nothing after a failure.
    private func write(_ lines: [UInt8], of index: Int) async {
        if index != writtenCount, failure == nil {
            await withCheckedContinuation { turns[index] = $0 }
        }
        attempt { run throws(CorpusFailure) in
            // A later run cannot begin inside of a batch.
            run.output.append(lines, nil)
            try run.flush()
        }
    }

    /// Counts the judged batches that are next in order. Writes their lines and a checkpoint if they are due.
    private func writeJudged() throws(CorpusFailure) {
        while let judgement = judged.removeValue(forKey: writtenCount) {
            let position = underWay.removeValue(forKey: writtenCount)?.position
            writtenCount += 1
            defer { turns.removeValue(forKey: writtenCount)?.resume() }
            tally.add(judgement.tally)
            output.append(judgement.lines, position)
            if output.isCheckpointDue { try keep(isComplete: false) }
            if output.isDue { try flush() }
            if tally.read >= CorpusTally.suspiciousCount { warn(isAtEnd: false) }
        }
    }

    private func flush() throws(CorpusFailure) {
        try output.flush()
        // The tally counts whole batches, and all lines of these batches are written now.
        writtenTally = tally
    }

    /// Writes all lines, and for a file a checkpoint with the counts if the run is complete or a later run
    /// can begin here. `isComplete`: nothing is left to read.
    private func keep(isComplete: Bool) throws(CorpusFailure) {
        try flush()
        let (tally, nanoseconds) = (tally, nanoseconds)
        let (byteCount, hasFailed) = (sources.byteCount, sources.hasFailed)
        try output.keep { checkpoint in
            (checkpoint.tally, checkpoint.byteCount) = (tally, byteCount)
            (checkpoint.nanoseconds, checkpoint.isComplete) = (nanoseconds, isComplete)
            if isComplete { checkpoint.position.hasFailed = hasFailed }
        }
    }

    // MARK: Messages

    private func tell() {
        let messages = sources.messages + (options.isQuiet ? [] : sources.guesses)
        (sources.messages, sources.guesses) = ([], [])
        for message in messages { observer.report(message) }
    }

    /// Warns the person if ``CorpusTally/isSuspicious`` holds: all judged records, or the first ones, are
    /// unreadable or cut off. The warning names a likely cause. Shows the waiting messages first.
    ///
    /// Warns at most once: when at least ``CorpusTally/suspiciousCount`` records are read, or if `isAtEnd` is
    /// true. Does not warn if the options allow unreadable records.
    private func warn(isAtEnd: Bool) {
        guard !hasWarned, tally.isSuspicious, isAtEnd || tally.read >= CorpusTally.suspiciousCount else {
            return
        }
        hasWarned = true
        guard !options.allowsUnreadable else { return }
        tell()
        observer.report(UnreadableAdvice.warning(tally, sources, isAtEnd: isAtEnd))
    }
}
