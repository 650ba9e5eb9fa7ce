import SystemCalls

/// Writes the results, in whole lines, to standard output or to a file, which also gets a checkpoint.
struct CorpusOutput: Sendable {
    private var descriptor = System.standardOutput
    /// The file's name for messages, with a space before it; empty for standard output.
    private var name = ""
    /// The file for the results; nil for standard output.
    private var file: ResultFile?
    /// The time from one checkpoint of a file until the next is due, in nanoseconds; 0 for standard
    /// output.
    private var interval: UInt64 = 0
    private var checkpoint: Checkpoint?
    private var lastCheckpoint = System.monotonicNanoseconds

    private var buffer: [UInt8] = []
    private var lastFlush = System.monotonicNanoseconds
    /// The number of bytes of the results: those that this run has written, and those of earlier runs that
    /// it kept.
    private var length = 0
    /// The last bytes of the results file, at most ``ResultFile/tailByteCount``; empty for standard output.
    private var tail: [UInt8] = []
    /// The position in the sources after all records that ``append(_:_:)`` was called for, with lines or
    /// without; nil if a later run cannot begin there.
    private var position: SourcePosition?
    private static let bufferCapacity = 1 << 18
    /// The time after the last call of ``flush()``, in nanoseconds, when waiting lines are due to be
    /// written even if the buffer is not full.
    private static let patience: UInt64 = 100_000_000

    /// Makes an output that writes to standard output.
    init() {}

    /// Makes an output that writes to a file. Discards the file's bytes after the length that its checkpoint
    /// states, and writes the first checkpoint of a new file. Throws `CorpusFailure` of the kind
    /// `outputIncomplete`.
    /// - Parameter seconds: the time from one checkpoint until the next is due.
    init(_ file: ResultFile, _ subject: Checkpoint.Subject, seconds: Int) throws(CorpusFailure) {
        let (descriptor, length) = (file.descriptor, file.last?.length ?? 0)
        (self.file, self.descriptor, self.length) = (file, descriptor, length)
        name = " \(file.name.printable)"
        interval = UInt64(seconds) &* 1_000_000_000
        checkpoint = file.last ?? Checkpoint(subject)
        position = checkpoint?.position
        tail = try attempt { () throws(System.Failure) in
            // These bytes may not have reached the disk.
            try System.truncate(descriptor, to: length)
            return try ResultFile.tail(descriptor, upTo: length)
        }
        // The checkpoint is written before the first result. Results without a checkpoint are therefore not
        // this program's.
        if file.last == nil { try keep { _ in } }
    }

    /// Whether at least 256 KiB of lines are waiting, or at least one line is waiting and the last call of
    /// ``flush()`` was at least 100 milliseconds ago.
    var isDue: Bool {
        buffer.count >= Self.bufferCapacity
            || !buffer.isEmpty && System.monotonicNanoseconds &- lastFlush >= Self.patience
    }

    /// Appends the header of CSV to the waiting lines, if nothing is written yet and no line is waiting.
    mutating func begin(_ header: [UInt8]) {
        if length == 0, buffer.isEmpty { buffer += header }
    }

    /// Appends lines to the waiting lines, which ``flush()`` writes.
    ///
    /// - Parameter position: the position in the sources after the records of these lines; nil if a later run
    ///   cannot begin there, as between the lines of one batch.
    mutating func append(_ lines: [UInt8], _ position: SourcePosition?) {
        if buffer.isEmpty { buffer = lines } else { buffer += lines }
        self.position = position
    }

    /// Writes all waiting lines. Without any, does not look at the file. Throws `CorpusFailure` of the
    /// kind `outputIncomplete` if another process has changed the file, and writes nothing in this case.
    /// Throws it also if a write fails. After a failed write, the bytes that this call has written are
    /// removed from a regular file if possible, so that the file ends with a whole line.
    mutating func flush() throws(CorpusFailure) {
        lastFlush = System.monotonicNanoseconds
        guard !buffer.isEmpty else { return }
        if let file { try check(file) }
        var count = 0
        do throws(System.Failure) {
            try System.write(buffer, to: descriptor, &count)
        } catch {
            System.takeBack(count, from: descriptor)
            throw failure(name, error.message)
        }
        length += count
        let limit = ResultFile.tailByteCount
        if file != nil { tail = Array((tail + buffer.suffix(limit)).suffix(limit)) }
        buffer.removeAll(keepingCapacity: buffer.capacity <= 2 * Self.bufferCapacity)
    }

    /// Whether a checkpoint is due and a later run could begin here. False for standard output.
    var isCheckpointDue: Bool {
        file != nil && position != nil && System.monotonicNanoseconds &- lastCheckpoint >= interval
    }

    /// Writes all waiting lines. Syncs a file and writes its checkpoint if the run is complete or a later run
    /// can begin here. Throws `CorpusFailure` of the kind `outputIncomplete`.
    /// - Parameter note: sets the facts about the run in the checkpoint.
    mutating func keep(_ note: (inout Checkpoint) -> Void) throws(CorpusFailure) {
        try flush()
        guard let file, var next = checkpoint else { return }
        next.position = position ?? next.position
        next.length = length
        note(&next)
        // If a later run cannot begin after the last line, the last checkpoint stays.
        guard position != nil || next.isComplete else { return try check(file) }
        try attempt { () throws(System.Failure) in try System.sync(descriptor) }
        try check(file)
        next.tail = ResultFile.digest(ofTail: tail)
        try attempt(" \(file.checkpointName.printable)") { () throws(System.Failure) in try file.write(next) }
        checkpoint = next
        lastCheckpoint = System.monotonicNanoseconds
    }

    /// Throws `CorpusFailure` of the kind `outputIncomplete` if another process has removed, replaced or
    /// changed the file: its name leads elsewhere, or its length or its last bytes differ from the written
    /// ones.
    /// The check comes before each write, so that no line stands after a hole, and before each checkpoint,
    /// which covers the write before it.
    private func check(_ file: ResultFile) throws(CorpusFailure) {
        guard (try? System.status(path: file.name.bytes))?.identity == file.identity else {
            throw failure(
                name,
                "the file was removed or replaced while it was being written",
                isResumable: false
            )
        }
        let (size, end) = try attempt { () throws(System.Failure) in
            (try System.status(descriptor: descriptor).size, try ResultFile.tail(descriptor, upTo: length))
        }
        guard size == length, end == tail else {
            throw failure(name, "another process changed the file while it was being written")
        }
    }

    /// Calls the body. Turns its `System.Failure` into a failure to write `name`, by default the results.
    private func attempt<Result>(
        _ name: String? = nil,
        _ body: () throws(System.Failure) -> Result
    ) throws(CorpusFailure) -> Result {
        do throws(System.Failure) { return try body() } catch {
            throw failure(name ?? self.name, error.message)
        }
    }

    private func failure(_ name: String, _ reason: String, isResumable: Bool = true) -> CorpusFailure {
        let advice = file == nil || !isResumable ? "" : "; to continue, give the same command with --resume"
        return CorpusFailure(
            kind: .outputIncomplete,
            message: "the output is incomplete: cannot write\(name): \(reason)\(advice)"
        )
    }
}
