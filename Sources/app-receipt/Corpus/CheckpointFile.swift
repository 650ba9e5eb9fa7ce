import SHA

/// The file beside the results that says how far they are good.
struct CheckpointFile {
    let name: Argument
    /// Where the next one is written, before it takes the place of the last.
    private let nextName: Argument
    private let directory: [UInt8]

    /// How much of the end of the results is digested.
    private static let tail = 1 << 16
    /// More than a million sources take.
    private static let limit = 1 << 30

    /// - Parameter results: the name of their file.
    init(beside results: Argument) {
        name = Argument(bytes: results.bytes + Array(".checkpoint".utf8))
        nextName = Argument(bytes: name.bytes + Array(".new".utf8))
        let slash = results.bytes.lastIndex(of: UInt8(ascii: "/"))
        directory = slash.map { Array(results.bytes[...$0]) } ?? Array(".".utf8)
    }

    /// All that is written.
    var names: [Argument] { [name, nextName] }

    var isThere: Bool { (try? System.status(path: name.bytes)) != nil }

    /// Nil if it cannot be understood.
    func read() throws(System.Failure) -> Checkpoint? {
        Checkpoint(try System.read(path: name.bytes, limit: Self.limit))
    }

    /// Replaces the last one, in one step, so that whenever the process is killed one of the two is there.
    func write(_ checkpoint: Checkpoint) throws(System.Failure) {
        do throws(System.Failure) {
            let descriptor = try System.openForWriting(path: nextName.bytes)
            defer { try? System.closeDescriptor(descriptor) }
            try System.write(checkpoint.bytes, to: descriptor)
            try System.sync(descriptor)
        } catch {
            try? System.remove(path: nextName.bytes)
            throw error
        }
        try System.rename(nextName.bytes, to: name.bytes)
        try System.syncDirectory(directory)
    }

    /// SHA-256 of the end of what a file holds up to a length. Leaves the file there.
    static func tail(_ descriptor: Int32, upTo length: Int) throws(System.Failure) -> String {
        let start = max(0, length - tail)
        try System.seek(descriptor, to: start)
        let bytes = try System.read(descriptor: descriptor, limit: length - start)
        try System.seek(descriptor, to: length)
        return "\(SHA256.digest(of: bytes.span))"
    }
}
