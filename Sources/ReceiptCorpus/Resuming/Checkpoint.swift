import AppReceipt
import Bytes
import DER
import JSONText
import ReceiptResults

/// The progress of a run, and everything that must be unchanged for a later run to go on from it.
package struct Checkpoint: Sendable {
    /// Everything that determines the results.
    package struct Subject: Sendable {
        let version: String
        /// Each option with its value. A certificate file is represented by the certificate's digest.
        let options: [String]
        /// In the order in which they are read.
        let sources: [SourceIdentity]
        /// The time when the first run began. Later runs that continue it use it as the present time.
        package let start: Timestamp

        package init(version: String, options: [String], sources: [SourceIdentity], start: Timestamp) {
            (self.version, self.options) = (version, options)
            (self.sources, self.start) = (sources, start)
        }
    }

    package let subject: Subject
    var position = SourcePosition()
    /// The length of the results in bytes. A later run discards the bytes after it and writes them again.
    var length = 0
    /// SHA-256 in hexadecimal of the last 65,536 bytes of the results before ``length``, or of all bytes
    /// before it if there are fewer. Empty in a checkpoint that is not written yet.
    var tail = ""
    package internal(set) var tally = CorpusTally()
    /// The duration of all runs.
    package internal(set) var nanoseconds: UInt64 = 0
    /// The bytes read from the sources, after decompression.
    package internal(set) var byteCount = 0
    /// Whether the run has reached its end.
    package internal(set) var isComplete = false

    /// The version of the checkpoint's layout. Another version is refused.
    private static let form = 2

    init(_ subject: Subject) { self.subject = subject }

    /// Whether a source, or part of one, could not be read.
    package var hasFailedSource: Bool { position.hasFailed }

    /// A sentence that tells a person what is already done.
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
            json.member("sources", array: subject.sources) { array, source in
                array.element { source.write(&$0) }
            }
        }
        return json.bytes + [UInt8(ascii: "\n")]
    }

    /// Decodes a checkpoint. Returns nil if any member is missing, malformed or out of range.
    init?(_ bytes: [UInt8]) {
        guard let fields = JSONFields(bytes), fields.count("checkpoint") == Self.form,
            let version = fields.string("version"), let start = fields.count("start"),
            let isComplete = fields.flag("complete"), let length = fields.count("length"),
            let tail = fields.string("tail_sha256"), tail.isEmpty || JSONFields.isDigest(tail),
            let byteCount = fields.count("bytes"), let nanoseconds = fields.count("nanoseconds"),
            let position = fields.object("position").flatMap(SourcePosition.init),
            let tally = fields.object("tally").flatMap(CorpusTally.init),
            let options = fields.strings("options"), let objects = fields.objects("sources")
        else { return nil }
        let sources = objects.compactMap { SourceIdentity($0) }
        guard sources.count == objects.count, position.closedByteCount <= byteCount else { return nil }
        subject = Subject(
            version: version,
            options: options,
            sources: sources,
            start: Timestamp(millisecondsSince1970: Int64(start))
        )
        (self.isComplete, self.length, self.tail) = (isComplete, length, tail)
        (self.byteCount, self.nanoseconds) = (byteCount, UInt64(nanoseconds))
        (self.position, self.tally) = (position, tally)
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
        return zip(sources, other.sources).first { $0 != $1 }.map { source, _ in
            "\(source.name.printable) has changed: its size, its time or its beginning differs"
        }
    }
}
