import SHA

/// What tells whether a source is still the one it was.
struct SourceIdentity: Equatable {
    enum Kind: String {
        case file
        /// What is found in it counts, each for itself.
        case directory
        /// What gives its bytes once: standard input, a pipe, a device.
        case stream
        case unreadable
    }

    /// What is no UTF-8 in it is in hexadecimal.
    let name: String
    let kind: Kind
    /// In bytes, of a file.
    private(set) var size: Int?
    /// When a file was last written to: seconds since 1970, and nanoseconds.
    private(set) var modified: String?
    /// SHA-256 of how a file begins, or of all the names in a directory.
    private(set) var digest: String?

    /// How much of a file that is named is digested, and of one that is found, of which there may be many.
    static let namedHead = 1 << 16
    static let foundHead = 1 << 10

    private init(_ name: Argument, _ kind: Kind) {
        self.name = name.exactText
        self.kind = kind
    }

    /// - Parameter head: how many of its bytes are digested.
    init(of name: Argument, head: Int) {
        guard !name.isStandardInput else {
            self.init(name, .stream)
            return
        }
        do throws(System.Failure) {
            let status = try System.status(path: name.bytes)
            switch status.kind {
            case .directory: self.init(name, .directory)
            case .other: self.init(name, .stream)
            case .regular:
                let bytes = try System.read(path: name.bytes, limit: head)
                self.init(name, .file)
                size = status.size
                modified = "\(status.modified.seconds).\(status.modified.nanoseconds)"
                digest = "\(SHA256.digest(of: bytes.span))"
            }
        } catch {
            self.init(name, .unreadable)
        }
    }

    init(ofDirectory name: Argument, names: [[UInt8]]) {
        self.init(name, .directory)
        // No name holds a zero.
        digest = "\(SHA256.digest(of: Array(names.joined(separator: [0])).span))"
    }

    // MARK: In a checkpoint

    func write(_ json: inout JSON) {
        json.member("name", name)
        json.member("kind", kind.rawValue)
        json.member("size", size.map { Int64($0) })
        json.member("modified", modified)
        json.member("sha256", digest)
    }

    var bytes: [UInt8] { JSON.object { write(&$0) }.bytes }

    init?(_ fields: JSONFields) {
        guard let name = fields.string("name"), let kind = fields.string("kind").flatMap(Kind.init(rawValue:))
        else { return nil }
        self.name = name
        self.kind = kind
        size = fields.count("size")
        modified = fields.string("modified")
        digest = fields.string("sha256")
    }
}

extension Argument {
    /// As text from which the bytes could be told.
    var exactText: String {
        text.utf8.elementsEqual(bytes) ? text : "not UTF-8: " + bytes[...].hexadecimal
    }
}
