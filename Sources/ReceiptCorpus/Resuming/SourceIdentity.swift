import Basics
import JSONText
import SHA
import SystemCalls

/// The facts that a later run compares to recognise a source.
package struct SourceIdentity: Sendable {
    /// The ``FileName/exactText`` of the source's name. It differs for different names.
    let name: String
    /// The facts as JSON, with the name. Two sources count as the same if these bytes are equal.
    let bytes: [UInt8]

    /// The maximum number of bytes digested from the start of a file that the caller named.
    package static let namedHead = 1 << 16
    /// The maximum number of bytes digested of a file found in a directory. There may be very many such
    /// files.
    static let foundHead = 1 << 10

    /// Creates an identity from facts about a source.
    ///
    /// - Parameters:
    ///   - kind: `file`; `directory`, whose contents have identities of their own; `stream` for standard
    ///     input, a pipe or a device, which gives its bytes once; or `unreadable`, as is a link that the walk
    ///     of a directory does not follow.
    ///   - modified: the time of a file's last write: seconds since 1970, a dot, and nanoseconds.
    ///   - digested: the beginning of a file, or all names in a directory. Its SHA-256 is noted.
    init(
        _ name: FileName,
        kind: String,
        size: Int? = nil,
        modified: String? = nil,
        digested: [UInt8]? = nil
    ) {
        let text = name.exactText
        self.name = text
        bytes =
            JSONWriter.object { json in
                json.member("name", text)
                json.member("kind", kind)
                json.member("size", size.map { Int64($0) })
                json.member("modified", modified)
                json.member("sha256", digested.map { "\(HashAlgorithm.sha256.digest(of: $0.borrowedSpan))" })
            }.bytes
    }

    /// Looks up the facts about a name; the kind is `unreadable` if that fails. Digests at most the first
    /// `head` bytes, if it is a regular file.
    package init(of name: FileName, head: Int = namedHead) {
        guard !name.isStandardInput else {
            self.init(name, kind: "stream")
            return
        }
        do throws(System.Failure) {
            let status = try System.status(path: name.bytes)
            switch status.kind {
            case .directory: self.init(name, kind: "directory")
            case .other, .link: self.init(name, kind: "stream")
            case .regular:
                self.init(
                    name,
                    kind: "file",
                    size: status.size,
                    modified: "\(status.modified.seconds).\(status.modified.nanoseconds)",
                    digested: try System.read(path: name.bytes, limit: head)
                )
            }
        } catch {
            self.init(name, kind: "unreadable")
        }
    }

    init(ofDirectory name: FileName, names: [[UInt8]]) {
        // A name never contains a zero.
        self.init(name, kind: "directory", digested: Array(names.joined(separator: [0])))
    }

    /// Decodes an identity from a checkpoint. Throws `Refusal` if it has no name. The other facts are not
    /// checked.
    init(_ fields: JSONFields) throws(Refusal) {
        (name, bytes) = (try fields.string("name"), fields.text)
    }
}
