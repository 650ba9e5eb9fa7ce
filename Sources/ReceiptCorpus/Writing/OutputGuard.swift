import SystemCalls

/// Checks that no file that is read is also written, and that no file is written twice.
package struct OutputGuard {
    private var inputs: Set<System.FileIdentity> = []
    private var walked: Set<System.FileIdentity> = []
    /// The identities of standard output and standard error, if they are regular files.
    private var streams: Set<System.FileIdentity> = []
    /// The identities of the existing regular files that the results, the checkpoint and the summary go to.
    package private(set) var files: Set<System.FileIdentity> = []
    private var places: Set<Place> = []

    /// The directory and the name of a file that will be written. The file need not exist.
    private struct Place: Hashable {
        let directory: System.FileIdentity
        let name: [UInt8]
    }

    /// Throws `CorpusFailure` of the kind `usage` if a file to write is a regular file that is read, lies
    /// in a directory that is read, is written twice, is `-`, or is a link to a missing file. The file of
    /// standard output may lie in a directory that is read. Standard error may go to any file but `out` and
    /// its checkpoint; standard output may go to `summary` if `out` is not nil.
    /// `sources` are the files and directories that are read; missing ones are ignored. The results go to
    /// `out`, with a checkpoint beside it, or to standard output if `out` is nil; the summary goes to
    /// `summary`, if that is not nil.
    package init(_ sources: [FileName], out: FileName?, summary: FileName?) throws(CorpusFailure) {
        for source in sources {
            let status =
                source.isStandardInput
                ? try? System.status(descriptor: System.standardInput)
                : try? System.status(path: source.bytes)
            guard let status else { continue }
            // Reading a terminal or a pipe does not read the bytes that are written to it.
            if status.kind == .regular { inputs.insert(status.identity) }
            if status.kind == .directory { walked.insert(status.identity) }
        }
        let streams = [System.standardOutput, System.standardError].map { descriptor in
            let status = try? System.status(descriptor: descriptor)
            return status?.kind == .regular ? status?.identity : nil
        }
        self.streams = Set(streams.compactMap { $0 })
        if let out {
            try take(out, "--out")
            try take(ResultFile.checkpointName(of: out), "--out")
        } else if let output = streams[0] {
            guard !inputs.contains(output) else {
                throw .usage("standard output is a file that is one of the sources")
            }
            files.insert(output)
        }
        if let summary { try take(summary, "--summary") }
    }

    /// Adds a file to write. Throws `CorpusFailure` of the kind `usage` if it is a regular file that is
    /// read, lies in a directory that is read, is written twice, is `-`, or is a link to a missing file; and,
    /// unless `option` is `--summary`, if standard output or standard error goes to it. The message names
    /// `option`.
    private mutating func take(_ name: FileName, _ option: String) throws(CorpusFailure) {
        guard !name.isStandardInput else {
            throw .usage("\(option) - is no file: without --out, results go to standard output")
        }
        let words = "\(option) \(name.printable)"
        // The path without links, or the name if the file is missing.
        let path = System.realPath(name.bytes) ?? name.bytes
        let status = try? System.status(path: path)
        if let status, status.kind == .regular {
            guard !inputs.contains(status.identity) else { throw .usage("\(words) is one of the sources") }
            guard option == "--summary" || !streams.contains(status.identity) else {
                throw .usage("\(words) is where standard output or standard error goes")
            }
            guard files.insert(status.identity).inserted else {
                throw .usage("\(words) is a file that is written already")
            }
        } else if status == nil, System.isLink(path: name.bytes) {
            throw .usage("\(words) is a link to a file that is missing")
        }
        let directories = Self.directories(above: path)
        guard walked.isDisjoint(with: directories) else {
            throw .usage("\(words) is inside of a directory that is read")
        }
        let slash = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        guard let directory = directories.first else { return }
        guard places.insert(Place(directory: directory, name: Array(path[slash...]))).inserted else {
            throw .usage("\(words) is a file that is written already")
        }
    }

    /// The identity of the directory of the file at `path`, that of its parent, and so on up to the root;
    /// empty if the directory is missing.
    private static func directories(above path: [UInt8]) -> [System.FileIdentity] {
        let slash = UInt8(ascii: "/")
        var directory = path.lastIndex(of: slash).map { Array(path[...$0]) } ?? Array("./".utf8)
        var identities: [System.FileIdentity] = []
        while let identity = try? System.status(path: directory).identity, identity != identities.last {
            identities.append(identity)
            directory += Array("../".utf8)
        }
        return identities
    }
}
