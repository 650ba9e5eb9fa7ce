import AppReceipt
import Basics
import JSONText
import ReceiptResults

/// The progress of a run, and everything that must be unchanged for a later run to go on from it.
package struct Checkpoint: Sendable {
    /// The version, the options, the sources and the start of a run, which determine its results.
    package struct Subject: Sendable {
        let version: String
        /// Each option that determines the results of the same sources, with its value. A certificate, an
        /// OCSP response or a CRL is represented by its SHA-256 digest.
        let options: [String]
        /// The sources that the caller named, in the order in which they are read.
        let sources: [SourceIdentity]
        /// The time when the first run began. Later runs that continue it use it as the present time.
        package let start: Timestamp
    }

    package let subject: Subject
    var position = SourcePosition()
    /// The length of the results in bytes. A later run discards the bytes after it and writes them again.
    var length = 0
    /// SHA-256 in hexadecimal of the last 65,536 bytes of the results before ``length``, or of all bytes
    /// before it if there are fewer. Empty in a checkpoint that is not written yet.
    var tail = ""
    package internal(set) var tally = CorpusTally()
    /// The duration of the run and of all runs that it continues, in nanoseconds.
    package internal(set) var nanoseconds: UInt64 = 0
    /// The number of bytes consumed from the sources by the run and all runs that it continues, after
    /// decompression.
    package internal(set) var byteCount = 0
    /// Whether the results of all records are written. A later run then has nothing to read.
    package internal(set) var isComplete = false

    /// The version of the checkpoint's layout. Another version is refused.
    private static let form = 3

    init(_ subject: Subject) { self.subject = subject }

    /// A message for the person who runs the program: the records read and the bytes written by the earlier
    /// runs, whether all records are done or this run continues, and whether a source could not be read.
    var greeting: String {
        let results = "\(tally.read) records were read, and \(length) bytes of results written"
        let failure = position.hasFailed ? "; a source could not be read then" : ""
        return (isComplete ? "this run is complete: " : "going on where ") + results + failure
    }

    var bytes: [UInt8] {
        let json = JSONWriter.object { json in
            json.member("checkpoint", Int64(Self.form))
            json.member("version", subject.version)
            json.member("start", subject.start.millisecondsSince1970)
            json.member("complete", isComplete)
            json.member("length", Int64(length))
            json.member("tail_sha256", tail)
            json.member("bytes", Int64(byteCount))
            json.member("nanoseconds", Int64(min(nanoseconds, UInt64(JSONFields.maximumCount))))
            json.member("position") { position.write(&$0) }
            json.member("tally") { tally.write(&$0) }
            json.member("options", array: subject.options) { $0.element($1) }
            json.member("sources", array: subject.sources) { $0.element(text: $1.bytes) }
        }
        return json.bytes + [UInt8(ascii: "\n")]
    }

    /// Decodes a checkpoint. Throws `Refusal` for another layout, and if a member is missing, malformed or
    /// out of range. Exceptions: see ``SourcePosition/init(_:)`` and ``SourceIdentity/init(_:)``.
    init(_ bytes: [UInt8]) throws(Refusal) {
        let fields = try JSONFields(bytes)
        subject = Subject(
            version: try fields.string("version"),
            options: try fields.strings("options"),
            sources: try fields.objects("sources").map { one throws(Refusal) in try SourceIdentity(one) },
            start: Timestamp(millisecondsSince1970: Int64(try fields.count("start")))
        )
        isComplete = try fields.flag("complete")
        length = try fields.count("length")
        tail = try fields.digest("tail_sha256")
        byteCount = try fields.count("bytes")
        nanoseconds = UInt64(try fields.count("nanoseconds"))
        position = try SourcePosition(fields.object("position"))
        tally = try CorpusTally(fields.object("tally"))
        guard try fields.count("checkpoint") == Self.form, position.closedByteCount <= byteCount else {
            throw JSONFields.malformed
        }
    }
}

extension Checkpoint.Subject {
    /// Why a later run with the other subject cannot continue an earlier run with this one; nil if it can.
    ///
    /// Compares the version, the options and the sources, each in order. Does not compare the start.
    func difference(to other: Self) -> String? {
        guard version.hasSameBytes(as: other.version) else {
            return "it was begun by \(version.printable), and this is \(other.version)"
        }
        guard options.elementsEqual(other.options, by: { $0.hasSameBytes(as: $1) }) else {
            func missing(_ options: [String], in others: [String]) -> [String] {
                options.filter { option in !others.contains { $0.hasSameBytes(as: option) } }
            }
            func list(_ options: [String]) -> String {
                options.isEmpty ? "no such option" : options.joined(separator: " ").printable
            }
            let before = missing(options, in: other.options)
            let after = missing(other.options, in: options)
            return before.isEmpty && after.isEmpty
                ? "it was begun with the same options in another order"
                : "it was begun with \(list(before)), and now there is \(list(after))"
        }
        guard sources.elementsEqual(other.sources, by: { $0.name.hasSameBytes(as: $1.name) }) else {
            return "it was begun with other sources, or in another order"
        }
        return zip(sources, other.sources).first { $0.bytes != $1.bytes }.map { source, _ in
            "\(source.name.printable) has changed: its size, its time or its beginning differs"
        }
    }
}

/// A position between two records that a later run can find again.
package struct SourcePosition: Sendable {
    /// A position between two records of the source that is being read.
    struct Place: Sendable {
        /// The number of the record that begins at this position.
        let record: Int
        /// The number of bytes of the source before this position, after decompression.
        let offset: Int
        /// SHA-256 of the beginning of a stream or of decompressed bytes: the first
        /// ``SourceIdentity/namedHead`` bytes, or fewer if fewer bytes come before this position. Nil for an
        /// uncompressed file, whose ``SourceIdentity`` is compared.
        let head: String?
    }

    /// The number of names that were opened or passed over, from the command line and from directories.
    /// The end of a directory that the caller named and that was listed counts as one more.
    var passed = 0
    /// A chain of SHA-256 digests over the identities of directories and of what was found in them so far.
    /// Empty before the first.
    var chain: [UInt8] = []
    /// The position in the source that is being read; nil between two sources.
    var place: Place?
    /// Whether this run, or one that it continues, could not read a source, or part of one. Some names in
    /// directories do not count, such as a file that would be one receipt and cannot be opened.
    var hasFailed = false
    /// The number of bytes consumed from all closed sources, after decompression.
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

    /// Decodes a position. Throws `Refusal` if a member is missing, malformed or out of range. Only `place`
    /// may be missing, and `head_sha256` in it. A malformed `head_sha256` counts as missing.
    init(_ fields: JSONFields) throws(Refusal) {
        passed = try fields.count("passed")
        chain = Hexadecimal.bytes(of: try fields.digest("chain").utf8) ?? []
        hasFailed = try fields.flag("has_failed")
        closedByteCount = try fields.count("closed_bytes")
        guard fields.has("place") else { return }
        let place = try fields.object("place")
        let (record, offset) = (try place.count("record"), try place.count("offset"))
        guard record > 0 else { throw JSONFields.malformed }
        self.place = Place(record: record, offset: offset, head: try? place.digest("head_sha256"))
    }
}
