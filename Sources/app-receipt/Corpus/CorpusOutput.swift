/// Where the results go: whole lines, and, where that is a file, how far they are good.
struct CorpusOutput {
    private let descriptor: Int32
    /// For a message.
    private let name: String
    private let checkpoints: CheckpointFile?
    /// Nanoseconds from one checkpoint to the next.
    private let interval: UInt64
    private var checkpoint: Checkpoint?
    private var lastCheckpoint = System.monotonicNanoseconds

    private var buffer: [UInt8] = []
    private var lastFlush = System.monotonicNanoseconds
    /// How many bytes were written, with those of earlier runs.
    private var length = 0
    /// Where the sources are read on, behind all that was written; nil where there is no such place.
    private var position: SourcePosition?
    private static let bufferCapacity = 1 << 18
    /// How long lines are kept while others come, in nanoseconds: whoever looks on does not notice.
    private static let patience: UInt64 = 100_000_000

    /// Standard output.
    init() {
        descriptor = System.standardOutput
        name = ""
        checkpoints = nil
        interval = 0
    }

    /// A file.
    ///
    /// - Parameter seconds: from one checkpoint to the next.
    init(_ file: ResultFile, _ subject: Checkpoint.Subject, seconds: Int) throws(Failure) {
        descriptor = file.descriptor
        name = " \(file.name.printable)"
        checkpoints = file.checkpoints
        interval = UInt64(seconds) &* 1_000_000_000
        length = file.last?.length ?? 0
        let first = file.last ?? Checkpoint(subject)
        checkpoint = first
        position = first.position
        do throws(System.Failure) {
            // What is behind the checkpoint was not known to be on the disk.
            try System.truncate(descriptor, to: length)
        } catch {
            throw failure(name, error)
        }
        // Before the first byte, so that what is there without a checkpoint is nobody's.
        if file.last == nil { try keep { _ in } }
    }

    /// Whether there is much to be written, or something that was kept for a while.
    var isDue: Bool {
        buffer.count >= Self.bufferCapacity
            || !buffer.isEmpty && System.monotonicNanoseconds &- lastFlush >= Self.patience
    }
    /// Whether nothing is written yet.
    var isEmpty: Bool { length == 0 && buffer.isEmpty }

    /// What stands above all results.
    mutating func begin(_ header: [UInt8]) {
        if isEmpty { buffer += header }
    }

    /// - Parameter position: behind the records of these lines; nil where reading cannot begin there.
    mutating func append(_ lines: [UInt8], _ position: SourcePosition?) {
        buffer += lines
        self.position = position
    }

    /// - Throws: `Failure` of an incomplete output. What was written before is there, and it is whole lines.
    mutating func flush() throws(Failure) {
        var count = 0
        do throws(System.Failure) {
            try System.write(buffer, to: descriptor, &count)
        } catch {
            System.takeBack(count, from: descriptor)
            throw failure(name, error)
        }
        length += count
        buffer.removeAll(keepingCapacity: true)
        lastFlush = System.monotonicNanoseconds
    }

    /// Whether the next checkpoint is due, and there is a place for it.
    var isCheckpointDue: Bool {
        checkpoints != nil && position != nil && System.monotonicNanoseconds &- lastCheckpoint >= interval
    }

    /// Writes what there is; in a file it is synced, and followed by a checkpoint, which is synced, too.
    ///
    /// - Parameter note: sets what the checkpoint says of the run.
    mutating func keep(_ note: (inout Checkpoint) -> Void) throws(Failure) {
        try flush()
        guard let checkpoints, var next = checkpoint else { return }
        next.position = position ?? next.position
        next.length = length
        note(&next)
        // Where reading cannot begin behind what was written, the last checkpoint stays the last.
        guard position != nil || next.isComplete else { return }
        do throws(System.Failure) {
            try System.sync(descriptor)
            next.tail = try CheckpointFile.tail(descriptor, upTo: length)
        } catch {
            throw failure(name, error)
        }
        do throws(System.Failure) {
            try checkpoints.write(next)
        } catch {
            throw failure(" \(checkpoints.name.printable)", error)
        }
        checkpoint = next
        lastCheckpoint = System.monotonicNanoseconds
    }

    private func failure(_ name: String, _ failure: System.Failure) -> Failure {
        let advice = checkpoints == nil ? "" : "; --resume goes on with it"
        return Failure(
            status: .outputIncomplete,
            message: "the output is incomplete: cannot write\(name): \(failure.message)\(advice)"
        )
    }
}
