import Bytes
import SHA
import SystemCalls

/// The file with the checkpoint. It lies beside the results and has their name with `.checkpoint` added.
package struct CheckpointFile: Sendable {
    let name: FileName
    private let directory: [UInt8]

    /// The number of bytes digested at the end of the results.
    private static let tail = 1 << 16
    /// The maximum number of bytes read of a checkpoint: more than a checkpoint of a million sources has.
    private static let limit = 1 << 30

    /// - Parameter results: the name of the file with the results.
    init(beside results: FileName) {
        name = FileName(bytes: results.bytes + Array(".checkpoint".utf8))
        let slash = results.bytes.lastIndex(of: UInt8(ascii: "/"))
        directory = slash.map { Array(results.bytes[...$0]) } ?? Array(".".utf8)
    }

    /// Whether there is a file of this name, or a link.
    var exists: Bool { (try? System.status(path: name.bytes, followsLinks: false)) != nil }

    /// Reads the checkpoint. Returns nil if it is malformed, or not a regular file.
    ///
    /// The call follows no link and does not wait for a pipe.
    func read() throws(System.Failure) -> Checkpoint? {
        let descriptor = try System.openFile(path: name.bytes, waits: false, followsLinks: false)
        defer { try? System.closeDescriptor(descriptor) }
        guard try System.status(descriptor: descriptor).kind == .regular else { return nil }
        return Checkpoint(try System.read(descriptor: descriptor, limit: Self.limit))
    }

    /// Replaces the checkpoint in one atomic step. A killed process leaves the old one or the new one.
    ///
    /// The new checkpoint is first written to a new file with a random name. That file may be left behind
    /// when the process is killed.
    func write(_ checkpoint: Checkpoint) throws(System.Failure) {
        let draft = draftName
        let descriptor = try System.openForResults(path: draft, isNew: true)
        do throws(System.Failure) {
            defer { try? System.closeDescriptor(descriptor) }
            try System.write(checkpoint.bytes, to: descriptor)
            try System.sync(descriptor)
            try System.rename(draft, to: name.bytes)
        } catch {
            try? System.remove(path: draft)
            throw error
        }
        try System.syncDirectory(directory)
    }

    private var draftName: [UInt8] {
        let number = String(UInt64.random(in: .min ... .max), radix: 16)
        let digits = String(repeating: "0", count: 16 - number.utf8.count) + number
        return name.bytes + Array(".\(digits).new".utf8)
    }

    /// SHA-256 of the last bytes of a file before a length. Leaves the file's position at that length.
    static func tail(_ descriptor: Int32, upTo length: Int) throws(System.Failure) -> String {
        let start = max(0, length - tail)
        try System.seek(descriptor, to: start)
        let bytes = try System.read(descriptor: descriptor, limit: length - start)
        try System.seek(descriptor, to: length)
        return "\(SHA256.digest(of: bytes.borrowedSpan))"
    }
}
