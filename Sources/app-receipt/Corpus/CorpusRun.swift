import AppReceipt
import CorpusRecords

/// A run from the first record to the last.
///
/// There are as many tasks as jobs. Each reads a batch, judges it, and writes what is next: results are in
/// the order of the records, whichever task is done first. One at a time reads and writes. Since each reads
/// what it judges, the bytes are in its processor's cache then, and no batch waits for a thread to wake. No
/// more batches are under way than a bound, in number and in bytes, so that memory does not grow with the
/// corpus; and what cannot be written is not read.
actor CorpusRun {
    private let judge: CorpusJudge
    private let jobs: Int
    private var output: CorpusOutput
    private var sources: CorpusSources
    private var progress: CorpusProgress
    private let isQuiet: Bool
    private(set) var tally: CorpusTally
    /// Of the records whose lines are certainly written.
    private var writtenTally: CorpusTally

    /// What is judged, and not the next to be written.
    private var judged: [Int: CorpusJudge.Judgement] = [:]
    /// How many bytes each batch holds that was read and is not written yet.
    private var underWay: [Int: Int] = [:]
    /// Where the sources are behind each batch that is not written yet.
    private var positions: [Int: SourcePosition] = [:]
    private var readCount = 0
    private var writtenCount = 0
    /// Tasks that may not read before another has judged or has read.
    private var idle: [CheckedContinuation<Void, Never>] = []
    /// Whether nothing more is read.
    private var isStopping = false
    /// Whether the record was written after which nothing is.
    private var hasMetLast = false
    /// What keeps results from being written.
    private var failure: Failure?
    /// Whether it ended before the sources did.
    private(set) var isInterrupted = false

    /// Bytes of batches under way: small beside what a process takes, and room for the largest receipt.
    private static let maximumBytesUnderWay = 32 << 20

    /// - Parameter tally: of earlier runs.
    init(
        _ sources: CorpusSources,
        _ judge: CorpusJudge,
        header: [UInt8],
        jobs: Int,
        output: CorpusOutput,
        tally: CorpusTally,
        progress: CorpusProgress,
        isQuiet: Bool
    ) {
        self.sources = sources
        self.judge = judge
        self.jobs = jobs
        self.output = output
        self.output.begin(header)
        self.tally = tally
        writtenTally = tally
        self.progress = progress
        self.isQuiet = isQuiet
    }

    var byteCount: Int { sources.byteCount }
    var hasFailedSource: Bool { sources.hasFailed }

    /// - Throws: `Failure` of an incomplete output. Then ``tally`` is of what was written.
    func run() async throws(Failure) {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<jobs { group.addTask { await self.work() } }
        }
        attempt { run throws(Failure) in try run.keep(isComplete: !run.isInterrupted) }
        sources.close()
        tell()
        progress.clear()
        if let failure {
            tally = writtenTally
            throw failure
        }
    }

    // MARK: One task

    /// A batch, and which of all batches it is.
    private struct Work: Sendable {
        let index: Int
        let batch: RecordBatch
    }

    private nonisolated func work() async {
        var memory = judge.emptyMemory
        var next = await read()
        while let work = next {
            let judgement = judge.judge(work.batch, &memory)
            next = await read(after: judgement, of: work.index)
        }
    }

    private func read(after judgement: CorpusJudge.Judgement, of index: Int) async -> Work? {
        judged[index] = judgement
        attempt { run throws(Failure) in try run.writeJudged() }
        progress.update(tally, bytes: byteCount)
        return await read()
    }

    /// Reads a batch, when there is room and something to be read; nil when there is nothing more to read.
    private func read() async -> Work? {
        while mayGoOn() {
            guard hasRoom, isReady() else {
                // Where others are at work, their results matter more than waiting for input.
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

    /// Lets another task look whether it may read; that one sees to the next.
    private func wake() {
        idle.popLast()?.resume()
    }

    private func mayGoOn() -> Bool {
        // An interrupt after all was read changes nothing.
        guard !isStopping, !sources.isAtEnd else { return false }
        if System.isInterrupted { interrupt() }
        return !isStopping
    }

    private func interrupt() {
        isInterrupted = true
        isStopping = true
    }

    private var hasRoom: Bool {
        underWay.count < 4 * jobs && underWay.values.reduce(0, +) < Self.maximumBytesUnderWay
    }

    /// Whether reading would not wait. Waits for a while where nobody is at work.
    private func isReady() -> Bool {
        if sources.isReady(milliseconds: 0) { return true }
        guard underWay.isEmpty else { return false }
        // Whoever feeds the source may wait for the results.
        attempt { run throws(Failure) in try run.flush() }
        return !isStopping && sources.isReady(milliseconds: Self.patience)
    }

    /// How long to wait for input before looking whether somebody interrupted, in milliseconds.
    private static let patience: Int32 = 100

    /// Nil where what was read holds no record.
    private func readBatch() -> Work? {
        var batch = RecordBatch()
        sources.read(into: &batch)
        // Whoever feeds a source may have been interrupted by the same key, and then its end is none.
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

    /// Does what may fail, unless something has failed: then nothing more is read or written.
    private func attempt(_ body: (isolated CorpusRun) throws(Failure) -> Void) {
        guard failure == nil else { return }
        do throws(Failure) {
            try body(self)
        } catch {
            failure = error
            isStopping = true
        }
    }

    /// Writes what is next in order.
    private func writeJudged() throws(Failure) {
        while let judgement = judged.removeValue(forKey: writtenCount) {
            underWay[writtenCount] = nil
            let position = positions.removeValue(forKey: writtenCount)
            writtenCount += 1
            // After the one that was to be the last, nothing counts.
            guard !hasMetLast else { continue }
            hasMetLast = judgement.isLast
            isStopping = isStopping || hasMetLast
            tally.add(judgement.tally)
            output.append(judgement.lines, hasMetLast ? nil : position)
            if output.isCheckpointDue { try keep(isComplete: false) }
            if output.isDue { try flush() }
        }
    }

    private func flush() throws(Failure) {
        try output.flush()
        writtenTally = tally
    }

    /// Writes what there is, and, to a file, a checkpoint.
    private func keep(isComplete: Bool) throws(Failure) {
        try flush()
        let (tally, byteCount, hasFailedSource) = (tally, byteCount, hasFailedSource)
        let nanoseconds = progress.nanoseconds
        try output.keep { checkpoint in
            (checkpoint.tally, checkpoint.byteCount) = (tally, byteCount)
            (checkpoint.nanoseconds, checkpoint.isComplete) = (nanoseconds, isComplete)
            if isComplete { checkpoint.position.hasFailed = hasFailedSource }
        }
    }

    private func tell() {
        let messages = sources.messages + (isQuiet ? [] : sources.guesses)
        guard !messages.isEmpty || !sources.guesses.isEmpty else { return }
        sources.messages = []
        sources.guesses = []
        for message in messages { progress.report(message) }
    }
}
