import AppReceipt
import Bytes
import ReceiptCorpus

/// The options that only `corpus verify` has. ``ValidationOptions`` has the options of every validation.
enum CorpusOptions {
    static let format = Option(
        "--format",
        value: "NAME",
        "The format of the sources. One of",
        "\(CorpusFormat.names).",
        "Without it, the format is guessed and reported; every file in a directory is one receipt."
    )
    static let field = Option(
        "--field",
        value: "NAME|INDEX",
        "The field with the receipt: a path in JSON, such as data.receipt; a column by its name in the header",
        "or by its number from 1. Without it, the first of receipt, receipt_data, receipt-data and",
        "latest_receipt that is there; without a header the first column."
    )
    static let noHeader = Option("--no-header", "The first line of csv or tsv is a record.")
    static let delimiter = Option(
        "--delimiter",
        value: "CHARACTER",
        "The character between the columns of csv, tsv and pgcopy, such as ; or |. The word tab is a tab."
    )
    static let environmentField = Option(
        "--environment-field",
        value: "NAME|INDEX",
        "The field with the record's expected environment, such as Production."
    )
    static let bundleIdentifierField = Option(
        "--bundle-id-field",
        value: "NAME|INDEX",
        "The field with the record's expected bundle identifier."
    )
    static let deviceIdentifierField = Option(
        "--device-id-field",
        value: "NAME|INDEX",
        "The field with the record's expected device."
    )
    static let keep = Option(
        "--keep",
        value: "NAME,…",
        isRepeatable: true,
        "Fields to copy to the results, under \"keep\". With --rows purchases, every row has them."
    )
    static let fields = Option(
        "--fields",
        value: "none|brief|all",
        "How much to write of each valid receipt; brief by default. all is what verify --json writes."
    )
    static let rows = Option(
        "--rows",
        value: "records|purchases",
        "One line for each record, which is the default; or one for each purchase, none for a valid receipt",
        "without any, and one for each record that is not valid."
    )
    static let csv = Option(
        "--csv",
        "Write CSV with a header, inner names after a dot, and arrays as JSON. There is no header if",
        "--first-record is above 1."
    )
    static let onlyInvalid = Option("--only-invalid", "Write no line for a valid receipt.")
    static let sample = Option(
        "--sample",
        value: "N",
        "Judge about one record in N, chosen by --seed, the source's name and the record's number."
    )
    static let seed = Option("--seed", value: "NUMBER", "The seed of the sample; 1 by default.")
    static let limit = Option("--limit", value: "N", "Stop after N records.")
    static let failOn = Option(
        "--fail-on",
        value: "invalid|unreadable",
        "Exit with status 1 if any record is not valid, or if any is unreadable."
    )
    static let failFast = Option(
        "--fail-fast",
        "Stop after the first record that --fail-on names, by default the first that is not valid."
    )
    static let allowUnreadable = Option(
        "--allow-unreadable",
        "Accept sources whose first \(CorpusTally.suspiciousCount) records, or all, are unreadable or cut off. Otherwise a warning",
        "is written and the exit status is 3."
    )
    static let filesFrom = Option(
        "--files-from",
        value: "FILE|-",
        "Read more names of sources from FILE, one in each line, or separated by zeros as by find -print0."
    )
    static let followLinks = Option(
        "--follow-links",
        "Follow symbolic links inside directories, also out of the directory. Otherwise they are skipped."
    )
    static let firstRecord = Option(
        "--first-record",
        value: "N",
        "The number of the source's first record; 1 by default. For one piece of a larger source."
    )
    static let firstOffset = Option(
        "--first-offset",
        value: "N",
        "The offset of the source's first byte; 0 by default."
    )
    static let source = Option("--source", value: "NAME", "The name of the one source in the results.")
    static let jobs = Option(
        "--jobs",
        value: "N",
        "How many batches to judge at once; by default one for each processor, and at most 256."
    )
    static let out = Option(
        "--out",
        value: "FILE",
        "The file for the results; standard output by default. An existing file needs --resume.",
        "FILE.checkpoint beside it says how much of FILE is good. Only you can read a new file."
    )
    static let resume = Option(
        "--resume",
        "Go on with the FILE of --out where a run that was stopped left it; make FILE if it is missing."
    )
    static let checkpointEvery = Option(
        "--checkpoint-every",
        value: "SECONDS",
        "How often FILE is synced to disk and its checkpoint is written: 5 by default; 0 for after every",
        "batch of records, which is at most 256."
    )
    static let summary = Option("--summary", value: "FILE", "Write the summary to FILE as JSON, too.")
    static let progress = Option(
        "--progress",
        value: "auto|json|none",
        "The progress on standard error: a line if that is a terminal (the default), or a JSON object",
        "every second."
    )
    static let quiet = Option("--quiet", "Write no summary to standard error, and no guesses.")

    /// The options that do not influence the results.
    private static let incidental = [
        jobs, out, resume, checkpointEvery, summary, progress, quiet, allowUnreadable,
    ]

    static let all =
        [
            format, field, noHeader, delimiter, environmentField, bundleIdentifierField,
            deviceIdentifierField, keep, fields, rows, csv, onlyInvalid, sample, seed, limit, failOn,
            failFast, filesFrom, followLinks, firstRecord, firstOffset, source,
        ] + incidental

    /// The options that must be unchanged when a run is continued.
    ///
    /// `--files-from` is not among them: the sources are compared, and not the list that names them. Nor are
    /// the options of certificates, which are compared by their content.
    static let decisive = (all + ValidationOptions.all).filter { option in
        let others = [
            filesFrom, ValidationOptions.portable, ValidationOptions.without, ValidationOptions.root,
            ValidationOptions.issuer,
        ]
        return !(incidental + others).contains { $0.name == option.name }
    }

    /// Throws `Failure` of usage if `--keep` names a field twice, or none.
    static func recordFields(_ arguments: Arguments) throws(Failure) -> RecordFields {
        func name(_ option: Option) -> FieldName? { arguments.last(option).map { FieldName($0.text) } }
        var fields = RecordFields()
        fields.receipt = name(field)
        fields.environment = name(environmentField)
        fields.bundleIdentifier = name(bundleIdentifierField)
        fields.deviceIdentifier = name(deviceIdentifierField)
        for word in arguments.all(keep) {
            for name in word.text.split(separator: ",", omittingEmptySubsequences: false) {
                guard !name.isEmpty else {
                    throw .usage("\(keep.name) \(word.printable) names a field without characters")
                }
                guard !fields.kept.contains(where: { $0.text.hasSameBytes(as: String(name)) }) else {
                    throw .usage("\(keep.name) names \(String(name).printable) twice")
                }
                fields.kept.append(FieldName(String(name)))
            }
        }
        return fields
    }

    /// The value of an option as a number.
    ///
    /// - Parameter minimum: the smallest number allowed. The largest is 2^52: checkpoints hold numbers up to
    ///   2^53, and more records may follow.
    static func number(
        _ arguments: Arguments,
        _ option: Option,
        from minimum: Int,
        default value: Int
    ) throws(Failure) -> Int {
        guard let word = arguments.last(option) else { return value }
        guard let number = Int(word.text), (minimum...(1 << 52)).contains(number) else {
            throw .usage("\(option.name) \(word.printable) is not a number from \(minimum)")
        }
        return number
    }

    /// The value of an option as one of its choices.
    static func choice<Choice: RawRepresentable<String>>(
        _ arguments: Arguments,
        _ option: Option,
        default value: Choice
    ) throws(Failure) -> Choice {
        guard let word = arguments.last(option) else { return value }
        guard let choice = Choice(rawValue: word.text) else {
            throw .usage("\(option.name) \(word.printable) is none of \(option.value ?? "")")
        }
        return choice
    }

    /// The byte that `--delimiter` names, or nil without that option.
    ///
    /// Accepts `tab`, `\t`, and one character of ASCII that has no other meaning in the formats. Refuses
    /// anything else.
    static func delimiterByte(_ arguments: Arguments) throws(Failure) -> UInt8? {
        guard let word = arguments.last(delimiter) else { return nil }
        if word.text == "tab" || word.text == "\\t" { return UInt8(ascii: "\t") }
        // A quote, a backslash, a line end and a letter or digit have another meaning in these formats.
        guard word.bytes.count == 1, let byte = word.bytes.first, byte == 9 || (0x20..<0x7F).contains(byte),
            Hexadecimal.value(of: byte) == nil, !"\"\\".utf8.contains(byte),
            !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        else {
            throw .usage("\(delimiter.name) \(word.printable) is not one punctuation character, nor tab")
        }
        return byte
    }
}

/// The kinds of progress reports.
enum ProgressKind: String {
    case auto
    case json
    case none
}
