import AppReceipt
import SystemCalls

/// Receives the progress and the messages of a run.
package protocol CorpusObserver: Sendable {
    /// Called often. `bytes` is the number of bytes read, after decompression.
    mutating func update(_ tally: CorpusTally, bytes: Int)
    /// Shows a message to the person.
    mutating func report(_ message: String)
    /// Called when the run has ended.
    mutating func finish()
}

/// A run over all records.
///
/// There are as many tasks as jobs. Each task reads a batch, judges it, and writes the results that are next
/// in order. The results are in the order of the records, whichever task finishes first. One task at a time
/// reads or writes. A task judges the batch that it has read itself, so the bytes are in its processor's
/// cache and no batch waits for a thread to wake.
///
/// The batches that are read and not yet written are bounded in number and in bytes, and so are their lines.
/// Memory therefore does not grow with the corpus, and reading stops when nothing can be written.
actor CorpusRun {
    private let judge: CorpusJudge
    private let jobs: Int
    private var output: CorpusOutput
    private var sources: CorpusSources
    private var observer: any CorpusObserver
    private let isQuiet: Bool
    private let allowsUnreadable: Bool
    private(set) var tally: CorpusTally
    /// The tally of the records whose lines are certainly written.
    private var writtenTally: CorpusTally
    /// When the run began, minus the duration of earlier runs.
    private let start: UInt64

    /// The judged batches that are not yet next in order.
    private var judged: [Int: CorpusJudge.Judgement] = [:]
    /// The number of bytes held by each batch that is not written yet: its records, or its lines once judged.
    private var underWay: [Int: Int] = [:]
    /// The position in the sources after each batch that is not written yet.
    private var positions: [Int: SourcePosition] = [:]
    /// The tasks that wait until their batch is next in order, because it has many lines.
    private var turns: [Int: CheckedContinuation<Void, Never>] = [:]
    private var readCount = 0
    private var writtenCount = 0
    /// The tasks that wait until another task has judged or read.
    private var idle: [CheckedContinuation<Void, Never>] = []
    /// Whether nothing more is read.
    private var isStopping = false
    /// Whether the last record that may be written is written.
    private var hasMetLast = false
    /// Whether the check for unreadable records is done, which warns the person at most once.
    private var hasWarned = false
    /// The reason why no more results can be written.
    private var failure: CorpusFailure?
    /// Whether a signal ended the run before the end of its sources.
    private(set) var isInterrupted = false

    /// The size of all batches that are read and not yet written, in bytes, from which on no more are read.
    /// It has room for the largest receipt and for two batches of each job.
    private var maximumBytesUnderWay: Int { max(32 << 20, 2 * jobs * RecordBatch.maximumByteCount) }

    /// - Parameters:
    ///   - tally: the tally of earlier runs.
    ///   - nanoseconds: the duration of earlier runs.
    init(
        _ sources: CorpusSources,
        _ judge: CorpusJudge,
        header: [UInt8],
        jobs: Int,
        output: CorpusOutput,
        after tally: CorpusTally,
        nanoseconds: UInt64,
        observer: any CorpusObserver,
        isQuiet: Bool,
        allowsUnreadable: Bool
    ) {
        self.sources = sources
        self.judge = judge
        self.jobs = jobs
        self.output = output
        self.output.begin(header)
        self.tally = tally
        writtenTally = tally
        start = System.monotonicNanoseconds &- nanoseconds
        self.observer = observer
        self.isQuiet = isQuiet
        self.allowsUnreadable = allowsUnreadable
    }

    var byteCount: Int { sources.byteCount }
    var hasFailedSource: Bool { sources.hasFailed }
    /// The duration of this run and of earlier runs.
    var nanoseconds: UInt64 { System.monotonicNanoseconds &- start }

    /// Runs to the end. Throws `CorpusFailure` of an incomplete output. Then ``tally`` counts only records
    /// whose lines are written.
    func run() async throws(CorpusFailure) {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<jobs { group.addTask { await self.work() } }
        }
        attempt { run throws(CorpusFailure) in try run.keep(isComplete: !run.isInterrupted) }
        sources.close()
        if failure == nil, !isInterrupted { warn(isAtEnd: true) }
        tell()
        observer.finish()
        if let failure {
            tally = writtenTally
            throw failure
        }
    }

    // MARK: One task

    /// A batch and its index among all batches.
    private struct Work: Sendable {
        let index: Int
        let batch: RecordBatch
    }

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
        underWay[index] = judgement.lines.count
        attempt { run throws(CorpusFailure) in try run.writeJudged() }
        observer.update(tally, bytes: byteCount)
        return await read()
    }

    /// Reads a batch when there is room and something to read. Returns nil when nothing more is read.
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

    /// Wakes one waiting task. That task wakes the next.
    private func wake() {
        idle.popLast()?.resume()
    }

    private func mayGoOn() -> Bool {
        // An interrupt has no effect once all is read.
        guard !isStopping, !sources.isAtEnd else { return false }
        if System.isInterrupted { interrupt() }
        return !isStopping
    }

    private func interrupt() {
        isInterrupted = true
        isStopping = true
    }

    private var hasRoom: Bool {
        underWay.count < 4 * jobs && underWay.values.reduce(0, +) < maximumBytesUnderWay
    }

    /// Whether a read would return at once. Waits for some time if no task is working.
    private func isReady() -> Bool {
        if sources.isReady(milliseconds: 0) { return true }
        guard underWay.isEmpty else { return false }
        // The process that feeds the source may wait for the results.
        attempt { run throws(CorpusFailure) in try run.flush() }
        return !isStopping && sources.isReady(milliseconds: Self.patience)
    }

    /// How long to wait for input between two checks for an interrupt, in milliseconds.
    private static let patience: Int32 = 100

    /// Reads a batch. Returns nil if the bytes that were read hold no record.
    private func readBatch() -> Work? {
        var batch = RecordBatch()
        sources.read(into: &batch)
        // One key press may have interrupted the process that feeds a source. Then the source's end is not
        // its real end.
        guard !System.isInterrupted else {
            interrupt()
            return nil
        }
        tell()
        guard !batch.records.isEmpty else { return nil }
        let index = readCount
        readCount += 1
        underWay[index] = batch.byteCount
        positions[index] = sources.position()
        return Work(index: index, batch: batch)
    }

    // MARK: The results

    /// Runs a body that may fail, unless a body has failed before. After a failure nothing is read or
    /// written.
    private func attempt(_ body: (isolated CorpusRun) throws(CorpusFailure) -> Void) {
        guard failure == nil else { return }
        do throws(CorpusFailure) {
            try body(self)
        } catch {
            failure = error
            isStopping = true
            releaseTurns()
        }
    }

    /// Writes some lines of a batch, as soon as the batch is next in order.
    private func write(_ lines: [UInt8], of index: Int) async {
        if index != writtenCount, !isDiscarding {
            await withCheckedContinuation { turns[index] = $0 }
        }
        guard !isDiscarding else { return }
        attempt { run throws(CorpusFailure) in
            // A later run cannot begin inside of a batch.
            run.output.append(lines, nil)
            try run.flush()
        }
    }

    /// Whether lines are discarded: after a failure, and after the last record that may be written.
    private var isDiscarding: Bool { failure != nil || hasMetLast }

    private func releaseTurns() {
        for turn in turns.values { turn.resume() }
        turns.removeAll()
    }

    /// Writes the judged batches that are next in order.
    private func writeJudged() throws(CorpusFailure) {
        while let judgement = judged.removeValue(forKey: writtenCount) {
            underWay[writtenCount] = nil
            let position = positions.removeValue(forKey: writtenCount)
            writtenCount += 1
            defer { turns.removeValue(forKey: writtenCount)?.resume() }
            // Nothing counts after the record that stops the run.
            guard !hasMetLast else { continue }
            hasMetLast = judgement.isLast
            isStopping = isStopping || hasMetLast
            if hasMetLast { releaseTurns() }
            tally.add(judgement.tally)
            output.append(judgement.lines, hasMetLast ? nil : position)
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

    /// Writes all lines, and the checkpoint of a file.
    private func keep(isComplete: Bool) throws(CorpusFailure) {
        try flush()
        let (tally, byteCount, hasFailedSource) = (tally, byteCount, hasFailedSource)
        let nanoseconds = nanoseconds
        try output.keep { checkpoint in
            (checkpoint.tally, checkpoint.byteCount) = (tally, byteCount)
            (checkpoint.nanoseconds, checkpoint.isComplete) = (nanoseconds, isComplete)
            if isComplete { checkpoint.position.hasFailed = hasFailedSource }
        }
    }

    // MARK: Messages

    private func tell() {
        let messages = sources.messages + (isQuiet ? [] : sources.guesses)
        guard !messages.isEmpty || !sources.guesses.isEmpty else { return }
        sources.messages = []
        sources.guesses = []
        for message in messages { observer.report(message) }
    }

    /// Warns the person if ``CorpusTally/isSuspicious`` holds, and says why that may be: the first judged
    /// records are unreadable, or all of them. Shows the waiting messages first.
    ///
    /// Warns at most once: when at least ``CorpusTally/suspiciousCount`` records are read, or at the end.
    /// Does not warn if the options allow unreadable records.
    private func warn(isAtEnd: Bool) {
        guard !hasWarned, tally.isSuspicious, isAtEnd || tally.read >= CorpusTally.suspiciousCount else {
            return
        }
        hasWarned = true
        guard !allowsUnreadable else { return }
        tell()
        observer.report(UnreadableAdvice.warning(tally, sources, isAtEnd: isAtEnd))
    }
}
