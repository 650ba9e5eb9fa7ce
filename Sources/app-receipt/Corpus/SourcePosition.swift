import CorpusRecords

/// A place between two records of all the sources, which a later run can find again.
struct SourcePosition: Sendable {
    /// In a source that is open.
    struct Place: Sendable {
        /// The number of the next record.
        let record: Int
        /// Of the next record's first byte in the source, after decompression.
        let offset: Int
        /// SHA-256 of how a stream begins, as far as ``SourceIdentity/namedHead`` or this place; nil for a
        /// file, which has an identity.
        let head: String?
    }

    /// How many names were taken up on the way, from the command line and out of directories.
    var passed = 0
    /// SHA-256, link by link, over the identities of what was found in directories so far.
    var chain: [UInt8] = []
    /// Nil between two sources.
    var place: Place?
    /// Whether a source, or part of one, could not be read.
    var hasFailed = false
    /// Of the sources that are closed.
    var closedByteCount = 0

    init() {}

    // MARK: In a checkpoint

    func write(_ json: inout JSON) {
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

    init?(_ fields: JSONFields) {
        guard let passed = fields.count("passed"),
            let chain = fields.string("chain").flatMap({ try? ReceiptText.hexadecimal(Array($0.utf8)[...]) }),
            let hasFailed = fields.flag("has_failed"), let closedByteCount = fields.count("closed_bytes")
        else { return nil }
        (self.passed, self.chain) = (passed, chain)
        (self.hasFailed, self.closedByteCount) = (hasFailed, closedByteCount)
        guard let place = fields.object("place") else { return }
        guard let record = place.count("record"), let offset = place.count("offset") else { return nil }
        self.place = Place(record: record, offset: offset, head: place.string("head_sha256"))
    }
}
