import JSONText

/// A place between two records that a later run can find again.
package struct SourcePosition: Sendable {
    /// A place in an open source.
    struct Place: Sendable {
        /// The number of the next record.
        let record: Int
        /// The offset of the next record's first byte in the source, after decompression.
        let offset: Int
        /// SHA-256 of the beginning of a stream: its first ``SourceIdentity/namedHead`` bytes, or fewer if
        /// this place is nearer. Nil for a file, which has a ``SourceIdentity``.
        let head: String?
    }

    /// The number of names that were processed, from the command line and from directories.
    var passed = 0
    /// A chain of SHA-256 digests over the identities of everything found in directories so far. Empty before
    /// the first.
    var chain: [UInt8] = []
    /// Nil between two sources.
    var place: Place?
    /// Whether a source, or part of one, could not be read.
    var hasFailed = false
    /// The number of bytes of all closed sources, after decompression.
    var closedByteCount = 0

    init() {}

    // MARK: In a checkpoint

    func write(_ json: inout JSONWriter) {
        json.member("passed", Int64(passed))
        json.member("chain", hex: chain[...])
        json.member("has_failed", hasFailed)
        json.member("closed_bytes", Int64(closedByteCount))
        guard let place else { return }
        json.member("place") { json in
            json.member("record", Int64(place.record))
            json.member("offset", Int64(place.offset))
            json.member("head_sha256", place.head)
        }
    }

    /// Nil if a member is missing or out of range.
    init?(_ fields: JSONFields) {
        guard let passed = fields.count("passed"), let chain = fields.string("chain"),
            chain.isEmpty || JSONFields.isDigest(chain),
            let link = try? ReceiptText.hexadecimal(Array(chain.utf8)[...]),
            let hasFailed = fields.flag("has_failed"), let closedByteCount = fields.count("closed_bytes")
        else { return nil }
        (self.passed, self.chain) = (passed, link)
        (self.hasFailed, self.closedByteCount) = (hasFailed, closedByteCount)
        guard fields.has("place") else { return }
        guard let place = fields.object("place"), let record = place.count("record"),
            let offset = place.count("offset"), record > 0
        else { return nil }
        self.place = Place(record: record, offset: offset, head: place.digest("head_sha256"))
    }
}
