import AppReceipt
import DER
import PKIX

/// How far a run got, and all that must be the same for another to go on from there.
struct Checkpoint {
    /// What makes the results what they are.
    struct Subject {
        let version: String
        /// Each with its value, and a file's digest where that counts.
        let options: [String]
        /// In their order.
        let sources: [SourceIdentity]
        /// When the first of the runs began: what "now" means for all of them.
        let start: Timestamp
    }

    let subject: Subject
    var position = SourcePosition()
    /// How long the results are, in bytes; what is behind that is written again.
    var length = 0
    /// SHA-256 of the end of the results, up to that length.
    var tail = ""
    var tally = CorpusTally()
    /// How long the runs took.
    var nanoseconds: UInt64 = 0
    /// Of the sources, after decompression.
    var byteCount = 0
    /// Whether there is nothing left to do.
    var isComplete = false

    /// Of this form of checkpoints; another one is not understood.
    private static let form = 1

    init(_ subject: Subject) { self.subject = subject }

    /// What to say to whoever goes on.
    var greeting: String {
        let results = "\(tally.read) records were read, and \(length) bytes of results written"
        let failure = position.hasFailed ? "; a source could not be read then" : ""
        return (isComplete ? "this run is complete: " : "going on where ") + results + failure
    }

    var bytes: [UInt8] {
        let json = JSON.object { json in
            json.member("checkpoint", Int64(Self.form))
            json.member("version", subject.version)
            json.member("start", subject.start.millisecondsSince1970)
            json.member("complete", isComplete)
            json.member("length", Int64(length))
            json.member("tail_sha256", tail)
            json.member("bytes", Int64(byteCount))
            json.member("nanoseconds", Int64(clamping: nanoseconds))
            json.member("position") { position.write(&$0) }
            json.member("tally") { tally.write(&$0) }
            json.member("options", array: subject.options) { $0.element($1) }
            json.member("sources", array: subject.sources) { array, source in
                array.element { source.write(&$0) }
            }
        }
        return json.bytes + [UInt8(ascii: "\n")]
    }

    init?(_ bytes: [UInt8]) {
        guard let fields = JSONFields(bytes), fields.count("checkpoint") == Self.form,
            let version = fields.string("version"), let start = fields.count("start"),
            let isComplete = fields.flag("complete"), let length = fields.count("length"),
            let tail = fields.string("tail_sha256"), let byteCount = fields.count("bytes"),
            let nanoseconds = fields.count("nanoseconds"),
            let position = fields.object("position").flatMap(SourcePosition.init),
            let tally = fields.object("tally").flatMap(CorpusTally.init),
            let options = fields.strings("options"), let objects = fields.objects("sources")
        else { return nil }
        let sources = objects.compactMap { SourceIdentity($0) }
        guard sources.count == objects.count else { return nil }
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
    /// Of this run, if it is the first.
    init(_ arguments: Arguments, _ anchors: [TrustAnchor], start: Timestamp) {
        version = AppReceiptCommand.versionLine
        let given = CorpusOptions.decisive.flatMap { option -> [String] in
            guard arguments.has(option) else { return [] }
            guard option.value != nil else { return [option.name] }
            return arguments.all(option).map { "\(option.name) \($0.exactText)" }
        }
        // What the files said, whichever way they came.
        options = given + anchors.map { "\(ValidationOptions.root.name) of SHA-256 \($0.fingerprint)" }
        sources = arguments.operands.map { SourceIdentity(of: $0, head: SourceIdentity.namedHead) }
        self.start = start
    }

    /// Why what was begun as this cannot be gone on with as another; nil if it can.
    func difference(to other: Self) -> String? {
        guard version == other.version else {
            return "it was begun by \(version), and this is \(other.version)"
        }
        guard options.elementsEqual(other.options, by: { $0.utf8.elementsEqual($1.utf8) }) else {
            let before = options.filter { !other.options.contains($0) }
            let after = other.options.filter { !options.contains($0) }
            func list(_ options: [String]) -> String {
                options.isEmpty ? "no such option" : options.joined(separator: " ").printable
            }
            return before.isEmpty && after.isEmpty
                ? "it was begun with the same options in another order"
                : "it was begun with \(list(before)), and now there is \(list(after))"
        }
        guard sources.map(\.name) == other.sources.map(\.name) else {
            return "it was begun with other sources, or in another order"
        }
        return zip(sources, other.sources).first { $0 != $1 }.map { source, _ in
            "\(source.name.printable) is not as it was: its size, its time or how it begins is another"
        }
    }
}
