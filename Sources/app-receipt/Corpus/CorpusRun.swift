import AppReceipt
import CorpusRecords

/// A run from the first record to the last: one task reads and writes, others judge.
///
/// As many batches are judged at once as there are jobs; some more wait, so that nobody waits for reading:
/// none for one job, which is work for one processor. No more are under way than a bound, in number and in
/// bytes, so that memory does not grow with the corpus; and what cannot be written is not read. The results
/// are written in the order of the records, whichever task is done first.
struct CorpusRun {
    private let judge: CorpusJudge
    private let jobs: Int
    private var output: CorpusOutput
    private var sources: CorpusSources
    private var progress: CorpusProgress
    private let isQuiet: Bool
    private(set) var tally: CorpusTally
    /// Of the records whose lines are certainly written.
    private var writtenTally: CorpusTally

    /// Each task owns one while it judges, and gives it back with the result.
    private var memories: [CorpusJudge.Memory] = []
    private var judged: [Int: CorpusJudge.Judgement] = [:]
    /// Batches that were read and that nobody judges yet: the next is the first.
    private var waiting: [(index: Int, batch: RecordBatch)] = []
    private var judgingCount = 0
    /// How many bytes each batch holds that was read and is not written yet.
    private var underWay: [Int: Int] = [:]
    /// Where the sources are behind each batch that is not written yet.
    private var positions: [Int: SourcePosition] = [:]
    private var readCount = 0
    private var writtenCount = 0
    /// Whether nothing more is read.
    private var isStopping = false
    /// Whether the record was written after which nothing is.
    private var hasMetLast = false

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
    /// Whether it ended before the sources did.
    private(set) var isInterrupted = false

    /// - Throws: `Failure` of an incomplete output. Then ``tally`` is of what was written.
    mutating func run() async throws(Failure) {
        let failure = await withTaskGroup(of: (Int, CorpusJudge.Judgement).self) { group in
            do throws(Failure) {
                try await run(&group)
                return nil as Failure?
            } catch {
                return error
            }
        }
        sources.close()
        tell()
        progress.clear()
        if let failure {
            tally = writtenTally
            throw failure
        }
    }

    private mutating func run(
        _ group: inout TaskGroup<(Int, CorpusJudge.Judgement)>
    ) async throws(Failure) {
        while true {
            while mayRead() {
                // Where others are at work, their results matter more than waiting for input.
                guard sources.isReady(milliseconds: underWay.isEmpty ? Self.patience : 0) else {
                    if underWay.isEmpty { continue } else { break }
                }
                readBatch()
                startWaiting(&group)
            }
            guard let (index, judgement) = await group.next() else { break }
            judgingCount -= 1
            judged[index] = judgement
            memories.append(judgement.memory)
            startWaiting(&group)
            try writeJudged()
            if underWay.isEmpty { try flush() }
            progress.update(tally, bytes: byteCount)
        }
        try keep(isComplete: !isInterrupted)
    }

    /// How long to wait for input before looking whether somebody interrupted, in milliseconds.
    private static let patience: Int32 = 100

    private mutating func mayRead() -> Bool {
        guard !isStopping, !sources.isAtEnd else { return false }
        if System.isInterrupted { interrupt() }
        guard !isStopping else { return false }
        return judgingCount + waiting.count < 2 * jobs - 1 && underWay.count < 4 * jobs
            && underWay.values.reduce(0, +) < Self.maximumBytesUnderWay
    }

    private mutating func interrupt() {
        isInterrupted = true
        isStopping = true
    }

    private mutating func readBatch() {
        var batch = RecordBatch()
        sources.read(into: &batch)
        // Whoever feeds a source may have been interrupted by the same key, and then its end is none.
        guard !System.isInterrupted else { return interrupt() }
        tell()
        guard !batch.records.isEmpty else { return }
        let index = readCount
        readCount += 1
        underWay[index] = batch.byteCount
        positions[index] = sources.position()
        waiting.append((index, batch))
    }

    /// Where there is a job for each processor, tasks may queue for one, which the executor has no more
    /// threads than: so none is idle while this task has something else to do.
    private var startedAtOnce: Int { jobs > 1 && jobs >= System.processorCount ? 2 * jobs : jobs }

    /// Gives those who are idle something to judge.
    private mutating func startWaiting(_ group: inout TaskGroup<(Int, CorpusJudge.Judgement)>) {
        while judgingCount < startedAtOnce, !waiting.isEmpty {
            let (index, batch) = waiting.removeFirst()
            let memory = memories.popLast() ?? judge.emptyMemory
            let judge = judge
            judgingCount += 1
            group.addTask { (index, judge.judge(batch, memory)) }
        }
    }

    /// Writes what is next in order.
    private mutating func writeJudged() throws(Failure) {
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
            if output.isFull { try flush() }
        }
    }

    private mutating func flush() throws(Failure) {
        try output.flush()
        writtenTally = tally
    }

    /// Writes what there is, and, to a file, a checkpoint.
    private mutating func keep(isComplete: Bool) throws(Failure) {
        try flush()
        let (tally, byteCount, hasFailedSource) = (tally, byteCount, hasFailedSource)
        let nanoseconds = progress.nanoseconds
        try output.keep { checkpoint in
            (checkpoint.tally, checkpoint.byteCount) = (tally, byteCount)
            (checkpoint.nanoseconds, checkpoint.isComplete) = (nanoseconds, isComplete)
            if isComplete { checkpoint.position.hasFailed = hasFailedSource }
        }
    }

    private mutating func tell() {
        let messages = sources.messages + (isQuiet ? [] : sources.guesses)
        guard !messages.isEmpty || !sources.guesses.isEmpty else { return }
        sources.messages = []
        sources.guesses = []
        for message in messages { progress.report(message) }
    }
}
