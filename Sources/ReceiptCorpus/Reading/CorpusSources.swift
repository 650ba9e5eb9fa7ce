import AppReceipt
import Bytes
import DER
import SHA
import SystemCalls

/// Reads the records of all sources, one source after the other.
package struct CorpusSources {
    package struct Options: Sendable {
        /// Nil to guess the format; every file found in a directory is one receipt then.
        package var format: CorpusFormat?
        /// The byte between columns; nil for the format's usual one.
        package var delimiter: UInt8?
        package var fields = RecordFields()
        package var hasHeader = true
        /// The name of the source in results; nil for its own name.
        package var name: FileName?
        package var firstRecord = 1
        package var firstOffset = 0
        /// The number of records after which reading stops; nil for no limit.
        package var limit: Int?
        /// Whether the walk of a directory follows symbolic links, which may lead out of the directory.
        package var followsLinks = false
        /// The files that are written, and their directories. None of them is read.
        var outputs: Set<System.FileIdentity> = []
        /// Whether ``CorpusSources/position()`` is needed.
        var isTracked = false

        package init() {}
    }

    /// A name that is still to be read.
    struct Path {
        let name: FileName
        /// Whether the name was found in a directory, and not passed by the caller.
        let isFound: Bool
    }

    /// The source that is being read.
    struct Current {
        let name: FileName
        let descriptor: Int32
        let child: System.Child?
        /// The file's size in bytes when it was opened; nil if it is unknown.
        let size: Int?
        /// Whether a read may wait for another process.
        let mayWait: Bool
        var reader: RecordReader
    }

    let options: Options
    /// The names that are still to be read. The last one is read next.
    var paths: [Path]
    var current: Current?
    /// The directories that were walked below the current name.
    var visited: Set<System.FileIdentity> = []
    /// The position after the sources that were processed.
    var passed = SourcePosition()
    package private(set) var isAtEnd = false
    /// Whether a source, or part of one, could not be read.
    package var hasFailed: Bool { passed.hasFailed }
    /// Messages for the person. The caller removes each message that it has shown.
    var messages: [String] = []
    /// Messages about guessed formats, which a quiet run does not show.
    var guesses: [String] = []
    /// A sentence about the first source's shape, for the case that no record can be read; nil if the shape
    /// is not suspicious.
    var suspicion: String?
    /// The names of the first source's fields, for a message in case that no record can be read.
    var fieldNames: [String] = []
    /// Whether no source was described yet.
    var isFirstSource = true
    /// The number of symbolic links that were not followed.
    var ignoredLinks = 0
    private var remaining: Int

    package init(_ names: [FileName], _ options: Options) {
        paths = names.reversed().map { Path(name: $0, isFound: false) }
        remaining = options.limit ?? .max
        isAtEnd = remaining == 0
        self.options = options
    }

    /// The number of bytes read so far, after decompression.
    package var byteCount: Int { passed.closedByteCount + (current?.reader.byteCount ?? 0) }

    /// Whether the caller should call ``read(into:)`` now. Waits up to a time until a read would return at
    /// once.
    ///
    /// If the next step is to open a source that another process feeds, the opening itself may wait. The
    /// result is then true if `milliseconds` is above zero, and false otherwise.
    ///
    /// - Parameter milliseconds: the maximum time to wait.
    func isReady(milliseconds: Int32) -> Bool {
        guard !nextMayWait else { return milliseconds > 0 }
        guard let current, current.mayWait else { return true }
        return current.reader.isReady(milliseconds: milliseconds)
    }

    /// Whether the next source is fed by another process. Only a source that the caller named can be.
    private var nextMayWait: Bool {
        guard current == nil, let path = paths.last, !path.isFound else { return false }
        guard !path.name.isStandardInput else { return true }
        let kind = (try? System.status(path: path.name.bytes))?.kind
        return kind != nil && kind != .regular && kind != .directory
    }

    /// Appends records until the batch is full, the sources end, or the limit on records is reached.
    ///
    /// Returns early in three cases: after a read from a source that may wait for another process and has not
    /// ended; before it opens such a source, unless that is the first step; and after an interrupt.
    package mutating func read(into batch: inout RecordBatch) {
        guard remaining > 0 else { return isAtEnd = true }
        let count = batch.count
        defer { remaining -= batch.count - count }
        // The caller has asked `isReady` about the first source only.
        var isFirst = true
        while !batch.isFull {
            defer { isFirst = false }
            // The loop may be long: a directory may hold many names that give no record, and a file a line
            // without an end.
            guard !System.isInterrupted else { return }
            guard var open = current else {
                guard isFirst || !nextMayWait else { return }
                guard let path = paths.popLast() else { return end() }
                self.open(path, &batch)
                if stopAtLimit(&batch, count) { return }
                continue
            }
            // Moved out of the property, so that the window has one owner and is not copied.
            current = nil
            do throws(System.Failure) {
                try open.reader.read(into: &batch)
            } catch {
                fail("cannot read \(open.name.printable): \(error.message)")
                close(open)
                continue
            }
            if stopAtLimit(&batch, count) { return close(open) }
            if open.reader.isAtEnd {
                finish(&open)
                close(open)
            } else {
                current = open
                if open.mayWait { return }
            }
        }
    }

    private mutating func stopAtLimit(_ batch: inout RecordBatch, _ count: Int) -> Bool {
        guard batch.count - count >= remaining else { return false }
        batch.truncate(to: count + remaining)
        isAtEnd = true
        return true
    }

    private mutating func end() {
        isAtEnd = true
        if ignoredLinks > 1 {
            messages.append("\(ignoredLinks) symbolic links were not followed: see --follow-links")
        }
    }

    /// Closes the open source.
    mutating func close() {
        if let current { close(current) }
        current = nil
    }

    // MARK: Resuming

    /// The position after the records that were read, or nil if a later run cannot begin there.
    mutating func position() -> SourcePosition? {
        guard options.isTracked else { return nil }
        var position = passed
        guard current != nil else { return position }
        position.place = current?.reader.place()
        return position.place == nil ? nil : position
    }

    /// Moves to the position of an earlier run.
    ///
    /// Throws `CorpusFailure` of usage if the sources have changed.
    mutating func skip(to position: SourcePosition) throws(CorpusFailure) {
        while passed.passed < position.passed - (position.place == nil ? 0 : 1) {
            guard !System.isInterrupted else { return }
            guard let path = paths.popLast() else { throw Self.hasChanged }
            _ = step(path)
        }
        if let place = position.place {
            var batch = RecordBatch()
            let count = messages.count
            guard let path = paths.popLast() else { throw Self.hasChanged }
            open(path, &batch)
            guard !System.isInterrupted else { return }
            if current == nil, messages.count > count { throw .usage("--resume: \(messages[count])") }
            guard passed.chain == position.chain, current != nil else { throw Self.hasChanged }
            try skip(to: place, path.name)
        }
        guard passed.chain == position.chain else { throw Self.hasChanged }
        (passed, messages, guesses) = (position, [], [])
        passed.place = nil
    }

    private mutating func skip(
        to place: SourcePosition.Place,
        _ name: FileName
    ) throws(CorpusFailure) {
        let isSeekable = current.map { !$0.mayWait } ?? false
        do throws(System.Failure) {
            guard try current?.reader.skip(to: place, isSeekable: isSeekable) != true else { return }
        } catch {
            throw .cannotRead(name, error)
        }
        guard System.isInterrupted else {
            throw .usage("--resume: \(name.printable) does not begin as it did, or is shorter")
        }
    }

    private static var hasChanged: CorpusFailure {
        .usage("--resume: the directories have changed since they were read")
    }

    // MARK: Closing

    /// Checks whether the source consists of whole records.
    private mutating func finish(_ open: inout Current) {
        do throws(System.Failure) {
            let problem = try open.reader.problemAtEnd()
            let isShorter = open.size.map { open.reader.isWhollyRead && open.reader.byteCount < $0 } ?? false
            if let problem {
                fail("\(open.name.printable) \(problem)")
            } else if isShorter {
                fail("\(open.name.printable) became shorter while it was read")
            }
        } catch {
            fail("cannot read \(open.name.printable): \(error.message)")
        }
    }

    mutating func close(_ open: Current) {
        passed.closedByteCount += open.reader.byteCount
        if open.descriptor != System.standardInput { try? System.closeDescriptor(open.descriptor) }
        guard let child = open.child else { return }
        // It may wait for a source that another process feeds, and does not get this process's signals.
        if System.isInterrupted || !open.reader.isWhollyRead { System.end(child) }
        let hasSucceeded = System.wait(for: child)
        // A decompressor may complain if its output was not read to the end.
        if !hasSucceeded, open.reader.isWhollyRead, !System.isInterrupted {
            fail("\(open.name.printable) could not be decompressed to its end")
        }
    }

    /// Notes that a source, or part of one, could not be read.
    mutating func fail(_ message: String) {
        // An interrupt may have ended the source early. A later run reads it again.
        guard !System.isInterrupted else { return }
        passed.hasFailed = true
        messages.append(message)
    }
}
