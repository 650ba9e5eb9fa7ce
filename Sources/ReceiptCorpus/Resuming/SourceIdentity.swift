import Bytes
import JSONText
import SHA
import SystemCalls

/// The facts that a later run compares to recognise a source.
package struct SourceIdentity: Sendable {
    enum Kind: String {
        case file
        /// Everything found in the directory has an identity of its own.
        case directory
        /// Standard input, a pipe or a device, which gives its bytes once.
        case stream
        case unreadable
    }

    /// The name as ``FileName/exactText``.
    let name: String
    let kind: Kind
    /// The size of a file in bytes.
    private(set) var size: Int?
    /// The time of a file's last write: seconds since 1970, a dot, and nanoseconds.
    private(set) var modified: String?
    /// SHA-256 of the beginning of a file, or of all names in a directory.
    private(set) var digest: String?

    /// The number of bytes digested of a file that was named.
    package static let namedHead = 1 << 16
    /// The number of bytes digested of a file that was found in a directory, which may hold very many.
    static let foundHead = 1 << 10

    private init(_ name: FileName, _ kind: Kind) {
        self.name = name.exactText
        self.kind = kind
    }

    /// - Parameter head: the number of bytes to digest.
    package init(of name: FileName, head: Int = namedHead) {
        guard !name.isStandardInput else {
            self.init(name, .stream)
            return
        }
        do throws(System.Failure) {
            let status = try System.status(path: name.bytes)
            switch status.kind {
            case .directory: self.init(name, .directory)
            case .other, .link: self.init(name, .stream)
            case .regular:
                let bytes = try System.read(path: name.bytes, limit: head)
                self.init(name, .file)
                size = status.size
                modified = "\(status.modified.seconds).\(status.modified.nanoseconds)"
                digest = "\(SHA256.digest(of: bytes.borrowedSpan))"
            }
        } catch {
            self.init(name, .unreadable)
        }
    }

    /// The identity of a link that the walk of a directory does not follow.
    init(ofLink name: FileName) { self.init(name, .unreadable) }

    init(ofDirectory name: FileName, names: [[UInt8]]) {
        self.init(name, .directory)
        // A name never contains a zero.
        digest = "\(SHA256.digest(of: Array(names.joined(separator: [0])).borrowedSpan))"
    }

    // MARK: In a checkpoint

    func write(_ json: inout JSONWriter) {
        json.member("name", name)
        json.member("kind", kind.rawValue)
        json.member("size", size.map { Int64($0) })
        json.member("modified", modified)
        json.member("sha256", digest)
    }

    /// The identity as JSON. Two sources are the same if these bytes are equal.
    var bytes: [UInt8] { JSONWriter.object { write(&$0) }.bytes }

    init?(_ fields: JSONFields) {
        guard let name = fields.string("name"), let kind = fields.string("kind").flatMap(Kind.init(rawValue:))
        else { return nil }
        self.name = name
        self.kind = kind
        size = fields.count("size")
        modified = fields.string("modified")
        digest = fields.digest("sha256")
    }
}

extension SourceIdentity: Equatable {
    /// Compares bytes. Strings of Swift compare by Unicode equivalence, which treats some different file
    /// names as equal.
    package static func == (one: Self, other: Self) -> Bool { one.bytes == other.bytes }
}
