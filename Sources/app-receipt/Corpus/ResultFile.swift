/// The file that `--out` names, locked, and what an earlier run left of it.
struct ResultFile {
    let name: Argument
    let descriptor: Int32
    let identity: System.FileIdentity
    let checkpoints: CheckpointFile
    /// Where the earlier run got to; nil where this one is the first.
    let last: Checkpoint?

    /// - Parameter isResuming: whether the file may be there; otherwise it must not.
    init(_ name: Argument, isResuming: Bool) throws(Failure) {
        let words = "--out \(name.printable)"
        let isThere = (try? System.status(path: name.bytes)) != nil
        let checkpoints = CheckpointFile(beside: name)
        guard isThere || !checkpoints.isThere else {
            throw .usage("\(words): there is \(checkpoints.name.printable), of results that are gone")
        }
        let advice = isThere && !isResuming ? "; --resume goes on with what a run has left" : ""
        let descriptor = try Failure.usage(words, advice) { () throws(System.Failure) in
            try System.openForResults(path: name.bytes, isNew: !isResuming || !isThere)
        }
        let isLocked = try Failure.usage(words) { () throws(System.Failure) in
            try Self.lock(descriptor)
        }
        // Whoever had it before may have put another file in its place since.
        let (status, named) = try Failure.usage(words) { () throws(System.Failure) in
            (try System.status(descriptor: descriptor), try System.status(path: name.bytes))
        }
        guard isLocked, status.identity == named.identity else {
            throw .usage("\(words) is being written by another process")
        }
        guard status.kind == .regular else { throw .usage("\(words) is no file that could be gone on with") }
        (self.name, self.descriptor, self.checkpoints) = (name, descriptor, checkpoints)
        identity = status.identity
        // A run that was killed before its first checkpoint has written nothing.
        guard isThere, status.size > 0 || checkpoints.isThere else {
            last = nil
            return
        }
        guard checkpoints.isThere else {
            throw .usage("\(words) cannot be gone on with: there is no \(checkpoints.name.printable)")
        }
        let last = try Failure.usage(words) { () throws(System.Failure) in try checkpoints.read() }
        guard let last else {
            throw .usage("--resume: \(checkpoints.name.printable) is no checkpoint that is understood")
        }
        let tail = try Failure.usage(words) { () throws(System.Failure) in
            try CheckpointFile.tail(descriptor, upTo: min(last.length, status.size))
        }
        guard tail == last.tail, last.length <= status.size, !last.isComplete || last.length == status.size
        else {
            throw .usage("--resume: \(name.printable) was changed since its last checkpoint")
        }
        self.last = last
    }

    /// Waits for some seconds: a process that was just killed may be on its way out, which takes as long as
    /// what it was syncing.
    ///
    /// - Returns: whether no other process holds the lock.
    private static func lock(_ descriptor: Int32) throws(System.Failure) -> Bool {
        for _ in 0..<50 {
            if try System.lock(descriptor) { return true }
            System.pause(milliseconds: 100)
        }
        return false
    }
}

extension Failure {
    /// What the system refuses to do with a name on the command line.
    fileprivate static func usage<Result>(
        _ words: String,
        _ advice: String = "",
        _ body: () throws(System.Failure) -> Result
    ) throws(Failure) -> Result {
        do throws(System.Failure) {
            return try body()
        } catch {
            throw .usage("\(words): \(error.message)\(advice)")
        }
    }
}
