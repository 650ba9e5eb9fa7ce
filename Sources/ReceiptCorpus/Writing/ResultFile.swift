import Bytes
import SystemCalls

/// The file for the results, locked, and the checkpoint that an earlier run left beside it.
package struct ResultFile: Sendable {
    let name: FileName
    /// Closes the file, and releases its lock, when nothing refers to the results any more.
    private let handle: Handle
    package let identity: System.FileIdentity
    let checkpoints: CheckpointFile
    /// The earlier run's checkpoint; nil if this run is the first.
    package let last: Checkpoint?

    private final class Handle: Sendable {
        let descriptor: Int32

        init(_ descriptor: Int32) { self.descriptor = descriptor }

        deinit { try? System.closeDescriptor(descriptor) }
    }

    var descriptor: Int32 { handle.descriptor }

    /// Opens or makes the file and locks it.
    ///
    /// - Parameter isResuming: whether the file may exist. Otherwise an existing file is an error.
    package init(_ name: FileName, isResuming: Bool) throws(CorpusFailure) {
        let words = "--out \(name.printable)"
        let exists = (try? System.status(path: name.bytes)) != nil
        let checkpoints = CheckpointFile(beside: name)
        guard exists || !checkpoints.exists else {
            throw .usage(
                "\(words): there is \(checkpoints.name.printable), of results that are gone; remove it to begin anew"
            )
        }
        let advice = exists && !isResuming ? "; --resume goes on with what a run has left" : ""
        let descriptor = try CorpusFailure.usage(words, advice) { () throws(System.Failure) in
            try System.openForResults(path: name.bytes, isNew: !isResuming || !exists)
        }
        let handle = Handle(descriptor)
        let isLocked = try CorpusFailure.usage(words) { () throws(System.Failure) in
            try Self.lock(descriptor)
        }
        // The process that held the lock may have replaced the file.
        let (status, named) = try CorpusFailure.usage(words) { () throws(System.Failure) in
            (try System.status(descriptor: descriptor), try System.status(path: name.bytes))
        }
        guard isLocked, status.identity == named.identity else {
            throw CorpusFailure(kind: .locked, message: "\(words) is being written by another process")
        }
        guard status.kind == .regular else {
            throw .usage("\(words) is not a regular file, which a later run could continue")
        }
        (self.name, self.handle, self.checkpoints) = (name, handle, checkpoints)
        identity = status.identity
        // A run that was killed before its first checkpoint has written no result.
        guard exists, status.size > 0 || checkpoints.exists else {
            last = nil
            return
        }
        last = try Self.readCheckpoint(checkpoints, of: name, descriptor, size: status.size)
    }

    /// Reads the checkpoint and checks that the results still end as it says.
    private static func readCheckpoint(
        _ checkpoints: CheckpointFile,
        of name: FileName,
        _ descriptor: Int32,
        size: Int
    ) throws(CorpusFailure) -> Checkpoint {
        let words = "--out \(name.printable)"
        guard checkpoints.exists else {
            throw .usage("\(words) cannot be continued: there is no \(checkpoints.name.printable)")
        }
        let last = try CorpusFailure.usage(words) { () throws(System.Failure) in try checkpoints.read() }
        guard let last else {
            throw .usage(
                "--resume: \(checkpoints.name.printable) is not a checkpoint that this version reads"
            )
        }
        let tail = try CorpusFailure.usage(words) { () throws(System.Failure) in
            try CheckpointFile.tail(descriptor, upTo: min(last.length, size))
        }
        guard tail.hasSameBytes(as: last.tail), last.length <= size, !last.isComplete || last.length == size
        else {
            throw .usage("--resume: \(name.printable) was changed since its last checkpoint")
        }
        return last
    }

    /// Locks the file, and waits some seconds for the lock: a process that was just killed ends only when the
    /// bytes that it was syncing are on the disk.
    ///
    /// - Returns: false if another process holds the lock.
    private static func lock(_ descriptor: Int32) throws(System.Failure) -> Bool {
        for _ in 0..<50 {
            if try System.lock(descriptor) { return true }
            System.pause(milliseconds: 100)
        }
        return false
    }
}

extension CorpusFailure {
    /// Turns a system call's failure with a named file into a usage error.
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
