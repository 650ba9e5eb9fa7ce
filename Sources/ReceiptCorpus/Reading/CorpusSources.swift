import AppReceipt
import SHA
import SystemCalls

/// Reads the records of all sources, one source after the other.
package struct CorpusSources {
    package struct Options: Sendable {
        /// The format of all sources except the receipt of an app, which always has the format `file`. Nil
        /// to guess the format; a file found in a directory then has the format `file`, too.
        package var format: CorpusFormat?
        /// The byte between columns; nil for the usual one of the format.
        package var delimiter: UInt8?
        package var fields = RecordFields()
        package var hasHeader = true
        /// The name of the source in results; nil for its own name.
        package var name: FileName?
        package var firstRecord = 1
        package var firstOffset = 0
        /// The identities of the files that are written. None of these files is read.
        var outputs: Set<System.FileIdentity> = []
        /// Whether to keep what ``CorpusSources/position()`` needs, which otherwise returns nil.
        var isTracked = false

        package init() {}
    }

    /// The name of a file or a directory that is still to be read.
    struct Path {
        let name: FileName
        /// Whether the name was found in a directory, and not passed by the caller.
        let isFound: Bool
        /// The app whose receipt is the file with this name; nil for every other file.
        var app: AppBundle?
        /// Whether this path stands for the end of a directory that the caller named, after everything found
        /// in it.
        var isEnd = false
    }

    let options: Options
    /// The names that are still to be read. The last one is read next.
    var paths: [Path]
    /// The source that is being read; nil between two sources.
    var current: OpenSource?
    /// The number of names that gave a record since the directory that the caller named was entered.
    var fileCount = 0
    /// The position after the names that were opened or passed over, the name of ``current`` included. Its
    /// `place` is nil, and its `closedByteCount` lacks the bytes of ``current``.
    var passed = SourcePosition()
    package private(set) var isAtEnd = false
    /// Whether a source, or part of one, could not be read, now or by a run that this one continues. Some
    /// names in directories do not count, such as a file that would be one receipt and cannot be opened.
    package var hasFailed: Bool { passed.hasFailed }
    /// Messages for the person who runs the program. The caller removes each message that it has shown.
    var messages: [String] = []
    /// Messages about guessed formats, which a quiet run does not show.
    var guesses: [String] = []
    /// A sentence about the first source that was described, if it looks like another format, and up to 12
    /// member names of its first JSON record, for the warning about unreadable records. Nil before that.
    var firstSource: (suspicion: String?, fieldNames: [String])?
    /// The number of symbolic links that were not followed.
    var ignoredLinks = 0

    package init(_ names: [FileName], _ options: Options) {
        paths = names.reversed().map { Path(name: $0, isFound: false) }
        self.options = options
    }

    /// The number of bytes consumed by this run and the runs that it continues, after decompression.
    package var byteCount: Int { passed.closedByteCount + (current?.window.offset ?? 0) }

    /// Whether the caller should call ``read(into:)`` now. Waits up to a time until a read would not wait for
    /// bytes.
    ///
    /// If the next step is to open a source that another process feeds, the opening itself may wait. The
    /// result is then true if `milliseconds` is above zero, and false otherwise.
    ///
    /// - Parameter milliseconds: the maximum time to wait.
    func isReady(milliseconds: Int32) -> Bool {
        guard !nextMayWait else { return milliseconds > 0 }
        return current?.isReady(milliseconds: milliseconds) ?? true
    }

    /// Whether the next step opens standard input, a pipe or a device, which only the caller can have named.
    private var nextMayWait: Bool {
        guard current == nil, let path = paths.last, !path.isFound else { return false }
        guard !path.name.isStandardInput else { return true }
        let kind = (try? System.status(path: path.name.bytes))?.kind
        return kind != nil && kind != .regular && kind != .directory
    }

    /// Appends records until the batch is full or the sources end.
    ///
    /// Returns early in three cases: after a read from a source that may wait for another process and has
    /// not ended; before it opens standard input, a pipe or a device, unless that is the first step; and
    /// after an interrupt.
    package mutating func read(into batch: inout RecordBatch) {
        // The caller has asked `isReady` about the first source only.
        var isFirst = true
        while !batch.isFull {
            defer { isFirst = false }
            // The loop may be long: a directory may hold many names that give no record, and a file a line
            // without an end.
            guard !System.isInterrupted else { return }
            guard var open = current else {
                guard isFirst || !nextMayWait else { return }
                guard let path = paths.popLast() else {
                    isAtEnd = true
                    if ignoredLinks > 1 {
                        messages.append("\(ignoredLinks) symbolic links were not followed")
                    }
                    return
                }
                self.open(path, &batch)
                continue
            }
            // Moved out of the property, so that the window has one owner and is not copied.
            current = nil
            do throws(CorpusFailure) {
                try open.read(into: &batch)
            } catch {
                fail(error.message)
                _ = close(open)
                if !open.cutter.hasRecords { append(open.name, .cannotRead, &batch) }
                continue
            }
            if open.cutter.isAtEnd {
                finish(open, &batch)
            } else {
                current = open
                if open.mayWait { return }
            }
        }
    }

    mutating func close() {
        if let current { _ = close(current) }
        current = nil
    }

    // MARK: Resuming

    /// The position after the records that were read; nil if no run can begin there, or it is not tracked.
    mutating func position() -> SourcePosition? {
        guard options.isTracked else { return nil }
        var position = passed
        guard current != nil else { return position }
        position.place = current?.place()
        return position.place == nil ? nil : position
    }

    /// Moves to the position of an earlier run, or stops before it after an interrupt.
    ///
    /// Throws `CorpusFailure` of the kind `usage` if the sources have changed, or if the source that holds
    /// the position cannot be opened or its beginning cannot be read. Throws it of the kind `unreadable` if
    /// a later read of the bytes before the position fails.
    mutating func skip(to position: SourcePosition) throws(CorpusFailure) {
        while passed.passed < position.passed {
            guard !System.isInterrupted else { return }
            guard let path = paths.popLast() else { throw Self.hasChanged }
            let isLast = passed.passed == position.passed - 1
            var batch = RecordBatch()
            messages = []
            open(path, &batch, isPassed: position.place == nil || !isLast)
        }
        if let place = position.place {
            guard !System.isInterrupted else { return }
            if current == nil, let message = messages.first { throw .usage("--resume: \(message)") }
            guard passed.chain == position.chain, let name = current?.name else { throw Self.hasChanged }
            guard try current?.skip(to: place) ?? false || System.isInterrupted else {
                throw .usage("--resume: \(name.printable) does not begin as it did, or is shorter")
            }
        }
        guard passed.chain == position.chain else { throw Self.hasChanged }
        (passed, messages, guesses) = (position, [], [])
        passed.place = nil
    }

    private static var hasChanged: CorpusFailure {
        .usage("--resume: the directories have changed since they were read")
    }

    // MARK: Closing

    /// Closes a source at its end. Notes a failure if the source does not end as it must or its decompressor
    /// failed, and appends a record with a fault if the source has no records.
    private mutating func finish(_ open: consuming OpenSource, _ batch: inout RecordBatch) {
        var isWhole = true
        do throws(CorpusFailure) {
            try open.checkEnd()
        } catch {
            fail(error.message)
            isWhole = false
        }
        isWhole = close(open) && isWhole
        guard !open.cutter.hasRecords else { return }
        append(open.name, isWhole ? .emptyInput : .cannotRead, &batch)
    }

    /// Closes a source. Returns false if its decompressor failed, and notes that. A failure does not count
    /// after an interrupt, or if the decompressor's output was not read to its end.
    mutating func close(_ open: OpenSource) -> Bool {
        passed.closedByteCount += open.window.offset
        if open.descriptor != System.standardInput { try? System.closeDescriptor(open.descriptor) }
        guard let child = open.child else { return true }
        // It may wait for a source that another process feeds, and does not get this process's signals.
        if System.isInterrupted || !open.window.isAtEnd { System.end(child) }
        let hasSucceeded = System.wait(for: child)
        // A decompressor may complain if its output was not read to the end.
        guard !hasSucceeded, open.window.isAtEnd, !System.isInterrupted else { return true }
        fail("\(open.name.printable) could not be decompressed to its end")
        return false
    }

    /// Notes that a source, or part of one, could not be read, with a message. Ignored after an interrupt.
    mutating func fail(_ message: String) {
        // An interrupt may have ended the source early. A later run reads it again.
        guard !System.isInterrupted else { return }
        passed.hasFailed = true
        messages.append(message)
    }
}
