import SystemCalls

/// The destination of the results: whole lines, and for a file a checkpoint.
package struct CorpusOutput: Sendable {
    private let descriptor: Int32
    /// The file's name for a message, after a space; empty for standard output.
    private let name: String
    /// Nil for standard output.
    private let file: ResultFile?
    /// Nanoseconds between two checkpoints.
    private let interval: UInt64
    private var checkpoint: Checkpoint?
    private var lastCheckpoint = System.monotonicNanoseconds

    private var buffer: [UInt8] = []
    private var lastFlush = System.monotonicNanoseconds
    /// The number of bytes written by this run and by the earlier runs that it continues.
    private var length = 0
    /// The position in the sources after the records of all lines; nil if a later run cannot begin there.
    private var position: SourcePosition?
    private static let bufferCapacity = 1 << 18
    /// The time after the last write, in nanoseconds, when waiting lines are due to be written even if the
    /// buffer is not full. A person does not notice the delay.
    private static let patience: UInt64 = 100_000_000

    /// Standard output, or another descriptor that gets no checkpoint.
    package init(_ descriptor: Int32 = System.standardOutput) {
        self.descriptor = descriptor
        name = ""
        file = nil
        interval = 0
    }

    /// Writes to a file. Discards the bytes after its checkpoint, and writes the first checkpoint of a new
    /// file.
    ///
    /// - Parameter seconds: the time between two checkpoints.
    init(_ file: ResultFile, _ subject: Checkpoint.Subject, seconds: Int) throws(CorpusFailure) {
        descriptor = file.descriptor
        name = " \(file.name.printable)"
        self.file = file
        interval = UInt64(seconds) &* 1_000_000_000
        length = file.last?.length ?? 0
        let first = file.last ?? Checkpoint(subject)
        checkpoint = first
        position = first.position
        do throws(System.Failure) {
            // These bytes may not have reached the disk.
            try System.truncate(descriptor, to: length)
        } catch {
            throw failure(name, error.message)
        }
        // The checkpoint is written before the first result. Results without a checkpoint are therefore not
        // this program's.
        if file.last == nil { try keep { _ in } }
    }

    /// Whether many lines are waiting, or lines have waited for some time.
    var isDue: Bool {
        buffer.count >= Self.bufferCapacity
            || !buffer.isEmpty && System.monotonicNanoseconds &- lastFlush >= Self.patience
    }
    /// Whether nothing is written yet.
    var isEmpty: Bool { length == 0 && buffer.isEmpty }

    /// Appends the header, if nothing is written yet.
    mutating func begin(_ header: [UInt8]) {
        if isEmpty { buffer += header }
    }

    /// Appends lines.
    ///
    /// - Parameter position: the position in the sources after the records of these lines; nil if a later run
    ///   cannot begin there, and inside of a batch.
    mutating func append(_ lines: [UInt8], _ position: SourcePosition?) {
        if buffer.isEmpty { buffer = lines } else { buffer += lines }
        self.position = position
    }

    /// Writes all lines.
    ///
    /// Throws `CorpusFailure` of an incomplete output. The lines of earlier calls stay, and they are whole.
    mutating func flush() throws(CorpusFailure) {
        var count = 0
        do throws(System.Failure) {
            try System.write(buffer, to: descriptor, &count)
        } catch {
            System.takeBack(count, from: descriptor)
            throw failure(name, error.message)
        }
        length += count
        buffer.removeAll(keepingCapacity: buffer.capacity <= 2 * Self.bufferCapacity)
        lastFlush = System.monotonicNanoseconds
    }

    /// Whether the next checkpoint is due and a later run could begin after the last line.
    var isCheckpointDue: Bool {
        file != nil && position != nil && System.monotonicNanoseconds &- lastCheckpoint >= interval
    }

    /// Writes all lines. Then syncs a file and writes its checkpoint.
    ///
    /// - Parameter note: sets the facts about the run in the checkpoint.
    mutating func keep(_ note: (inout Checkpoint) -> Void) throws(CorpusFailure) {
        try flush()
        guard let file, var next = checkpoint else { return }
        next.position = position ?? next.position
        next.length = length
        note(&next)
        // If a later run cannot begin after the last line, the last checkpoint stays.
        guard position != nil || next.isComplete else { return try checkFile(file) }
        do throws(System.Failure) {
            try System.sync(descriptor)
            next.tail = try CheckpointFile.tail(descriptor, upTo: length)
        } catch {
            throw failure(name, error.message)
        }
        try checkFile(file)
        do throws(System.Failure) {
            try file.checkpoints.write(next)
        } catch {
            throw failure(" \(file.checkpoints.name.printable)", error.message)
        }
        checkpoint = next
        lastCheckpoint = System.monotonicNanoseconds
    }

    /// Throws if the file was removed or replaced: its name no longer leads to the results.
    private func checkFile(_ file: ResultFile) throws(CorpusFailure) {
        guard (try? System.status(path: file.name.bytes))?.identity != file.identity else { return }
        throw failure(name, "the file was removed or replaced while it was being written", isResumable: false)
    }

    private func failure(_ name: String, _ reason: String, isResumable: Bool = true) -> CorpusFailure {
        let advice = file == nil || !isResumable ? "" : "; to continue, give the same command with --resume"
        return CorpusFailure(
            kind: .outputIncomplete,
            message: "the output is incomplete: cannot write\(name): \(reason)\(advice)"
        )
    }
}
