import Basics
import SHA
import SystemCalls

/// The file for the results, locked, and the checkpoint beside it, whose name has `.checkpoint` added.
package struct ResultFile: Sendable {
    let name: FileName
    let checkpointName: FileName
    /// Owns the descriptor. Closes the file and so unlocks it when the last copy of this value is gone.
    private let handle: Handle
    package let identity: System.FileIdentity
    /// The earlier run's checkpoint; nil if no earlier run has written results or a checkpoint.
    package let last: Checkpoint?

    private final class Handle: Sendable {
        let descriptor: Int32

        init(_ descriptor: Int32) { self.descriptor = descriptor }

        deinit { try? System.closeDescriptor(descriptor) }
    }

    var descriptor: Int32 { handle.descriptor }

    /// Opens or creates the file, locks it, and reads the checkpoint of an earlier run. Throws
    /// `CorpusFailure` of the kind `locked` if another process writes the file or has just replaced it, and
    /// of the kind `usage` if the file cannot be opened or continued, exists although `isResuming` is false,
    /// or is missing although its checkpoint exists.
    package init(_ name: FileName, isResuming: Bool) throws(CorpusFailure) {
        let words = "--out \(name.printable)"
        let exists = (try? System.status(path: name.bytes)) != nil
        let checkpointName = Self.checkpointName(of: name)
        // A process that holds the lock may write the checkpoint meanwhile. A link counts as well.
        func hasCheckpoint() -> Bool {
            (try? System.status(path: checkpointName.bytes, followsLinks: false)) != nil
        }
        guard exists || !hasCheckpoint() else {
            throw .usage(
                "\(words): there is \(checkpointName.printable), of results that are gone; remove it to begin anew"
            )
        }
        let advice = exists && !isResuming ? "; --resume goes on with what a run has left" : ""
        let (handle, isLocked, status, named) = try CorpusFailure.usage(words, advice) {
            () throws(System.Failure) in
            let descriptor = try System.openForResults(path: name.bytes, isNew: !isResuming || !exists)
            let handle = Handle(descriptor)
            let isLocked = try Self.lock(descriptor)
            let status = try System.status(descriptor: descriptor)
            return (handle, isLocked, status, try System.status(path: name.bytes))
        }
        // The process that held the lock may have replaced the file.
        guard isLocked, status.identity == named.identity else {
            throw CorpusFailure(kind: .locked, message: "\(words) is being written by another process")
        }
        guard status.kind == .regular else {
            throw .usage("\(words) is not a regular file, which a later run could continue")
        }
        (self.name, self.handle, self.checkpointName) = (name, handle, checkpointName)
        identity = status.identity
        // A run that was killed before its first checkpoint has written no result.
        guard exists, status.size > 0 || hasCheckpoint() else {
            last = nil
            return
        }
        guard hasCheckpoint() else {
            throw .usage("\(words) cannot be continued: there is no \(checkpointName.printable)")
        }
        let (last, tail) = try CorpusFailure.usage(words) { () throws(System.Failure) in
            let last = try Self.readCheckpoint(checkpointName)
            let length = min(last?.length ?? 0, status.size)
            return (last, try Self.tail(handle.descriptor, upTo: length))
        }
        guard let last else {
            throw .usage("--resume: \(checkpointName.printable) is not a checkpoint that this version reads")
        }
        guard Self.digest(ofTail: tail).hasSameBytes(as: last.tail), last.length <= status.size,
            !last.isComplete || last.length == status.size
        else {
            throw .usage("--resume: \(name.printable) was changed since its last checkpoint")
        }
        self.last = last
    }

    static func checkpointName(of results: FileName) -> FileName {
        FileName(bytes: results.bytes + Array(".checkpoint".utf8))
    }

    /// Locks the file. Waits up to five seconds for a lock that another process holds: a process that was
    /// just killed ends only when the bytes that it was syncing are on the disk.
    ///
    /// - Returns: true if the file is locked now; false if another process still holds the lock.
    private static func lock(_ descriptor: Int32) throws(System.Failure) -> Bool {
        for _ in 0..<50 {
            if try System.lock(descriptor) { return true }
            System.pause(milliseconds: 100)
        }
        return false
    }
}

// MARK: The checkpoint

extension ResultFile {
    /// The maximum number of bytes at the end of the results that a checkpoint's digest covers.
    static let tailByteCount = 1 << 16
    /// The maximum number of bytes read of a checkpoint: 1 GiB. A longer one counts as malformed.
    private static let checkpointLimit = 1 << 30

    /// Reads the checkpoint. Returns nil if it is malformed, has another layout, or is not a regular file.
    /// Does not wait for a pipe. Throws the system's failure if the checkpoint is missing, is a symbolic
    /// link, or cannot be read.
    private static func readCheckpoint(_ name: FileName) throws(System.Failure) -> Checkpoint? {
        let descriptor = try System.openFile(path: name.bytes, waits: false, followsLinks: false)
        defer { try? System.closeDescriptor(descriptor) }
        guard try System.status(descriptor: descriptor).kind == .regular else { return nil }
        let bytes = try System.read(descriptor: descriptor, limit: checkpointLimit)
        return try? Checkpoint(bytes)
    }

    /// Writes the checkpoint to the disk. It replaces the old one in one atomic step: a killed process leaves
    /// the old one or the new one. The new checkpoint is first written to a new file with a random name. That
    /// file may be left behind when the process is killed. Throws the system's failure.
    func write(_ checkpoint: Checkpoint) throws(System.Failure) {
        let number = String(UInt64.random(in: .min ... .max), radix: 16)
        let digits = String(repeating: "0", count: 16 - number.utf8.count) + number
        let draft = checkpointName.bytes + Array(".\(digits).new".utf8)
        let descriptor = try System.openForResults(path: draft, isNew: true)
        do throws(System.Failure) {
            defer { try? System.closeDescriptor(descriptor) }
            try System.write(checkpoint.bytes, to: descriptor)
            try System.sync(descriptor)
            try System.rename(draft, to: checkpointName.bytes)
        } catch {
            try? System.remove(path: draft)
            throw error
        }
        let slash = name.bytes.lastIndex(of: UInt8(ascii: "/"))
        try System.syncDirectory(slash.map { Array(name.bytes[...$0]) } ?? Array(".".utf8))
    }

    /// Reads the last ``tailByteCount`` bytes before the offset `length` of a file, or all before it if there
    /// are fewer. Leaves the file's position at `length`.
    static func tail(_ descriptor: Int32, upTo length: Int) throws(System.Failure) -> [UInt8] {
        let start = max(0, length - tailByteCount)
        try System.seek(descriptor, to: start)
        let bytes = try System.read(descriptor: descriptor, limit: length - start)
        try System.seek(descriptor, to: length)
        return bytes
    }

    /// The SHA-256 of `tail`, the last bytes before a length of a file, in hexadecimal digits of lower case.
    static func digest(ofTail tail: [UInt8]) -> String {
        "\(HashAlgorithm.sha256.digest(of: tail.borrowedSpan))"
    }
}

extension CorpusFailure {
    /// Returns the body's result. Turns its failure into a usage error: `words`, the failure, then `advice`.
    fileprivate static func usage<Result>(
        _ words: String,
        _ advice: String = "",
        _ body: () throws(System.Failure) -> Result
    ) throws(CorpusFailure) -> Result {
        do throws(System.Failure) {
            return try body()
        } catch {
            throw .usage("\(words): \(error.message)\(advice)")
        }
    }
}
