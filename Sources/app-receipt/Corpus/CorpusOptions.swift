import AppReceipt
import CorpusRecords

/// What `corpus verify` may be asked besides what every validation may.
enum CorpusOptions {
    static let format = Option(
        "--format",
        value: "NAME",
        "How records lie in the sources. One of",
        "\(CorpusFormat.names).",
        "Without it, what a file looks like is taken, and said; in a directory, every file is a receipt."
    )
    static let field = Option(
        "--field",
        value: "NAME|INDEX",
        "Where the receipt is: a path in JSON, such as data.receipt; a column by its name in the header",
        "or by its number from 1. Without it, the first of receipt, receipt_data, receipt-data and",
        "latest_receipt that is there; without a header the first column."
    )
    static let noHeader = Option("--no-header", "The first line of csv or tsv is a record already.")
    static let bundleIdentifierField = Option(
        "--bundle-id-field",
        value: "NAME|INDEX",
        "Where each record says which bundle identifier is expected."
    )
    static let deviceIdentifierField = Option(
        "--device-id-field",
        value: "NAME|INDEX",
        "Where each record says which device is expected."
    )
    static let keep = Option(
        "--keep",
        value: "NAME,…",
        isRepeatable: true,
        "Fields to write to the results as they are, under \"keep\"."
    )
    static let fields = Option(
        "--fields",
        value: "none|brief|all",
        "How much to write of each valid receipt; brief by default. all is what verify --json writes."
    )
    static let rows = Option(
        "--rows",
        value: "records|purchases",
        "A line for each record, which is the default; or one for each purchase, none for a valid receipt",
        "without any, and one for each record that is not valid."
    )
    static let csv = Option(
        "--csv",
        "Write CSV with a header, names of inner values after a dot, and arrays as JSON. What begins with a",
        "later record than the first has no header."
    )
    static let onlyInvalid = Option("--only-invalid", "Write no line for a valid receipt.")
    static let sample = Option(
        "--sample",
        value: "N",
        "Judge about one record in N, chosen by --seed, the source's name and the record's number."
    )
    static let seed = Option("--seed", value: "NUMBER", "Of the sample; 1 by default.")
    static let failOn = Option(
        "--fail-on",
        value: "invalid|unreadable",
        "Exit with status 1 if any record is not valid, or if any is unreadable."
    )
    static let failFast = Option(
        "--fail-fast",
        "Stop after the first record that --fail-on names, by default the first that is not valid."
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
    static let source = Option("--source", value: "NAME", "What to call the one source in the results.")
    static let jobs = Option(
        "--jobs",
        value: "N",
        "How many batches to judge at once; by default one for each processor."
    )
    static let out = Option(
        "--out",
        value: "FILE",
        "Where to write; standard output by default. A file that is there is refused without --resume.",
        "Beside it, FILE.checkpoint says how far it is good."
    )
    static let resume = Option(
        "--resume",
        "Go on with the FILE of --out where a run that was killed left it; begin it where there is none."
    )
    static let checkpointEvery = Option(
        "--checkpoint-every",
        value: "SECONDS",
        "How often FILE is synced to disk and its checkpoint is written: 5 by default; 0 for after every",
        "batch of records, which is at most 256."
    )
    static let summary = Option("--summary", value: "FILE", "Write the summary here as JSON, too.")
    static let progress = Option(
        "--progress",
        value: "auto|json|none",
        "On standard error while it runs: a line where that is a terminal (the default), or a JSON object",
        "every second."
    )
    static let quiet = Option("--quiet", "No summary on standard error, and no guesses.")

    /// What has no part in what the results are.
    private static let incidental = [jobs, out, resume, checkpointEvery, summary, progress, quiet]

    static let all =
        [
            format, field, noHeader, bundleIdentifierField, deviceIdentifierField, keep, fields, rows, csv,
            onlyInvalid,
            sample, seed, failOn, failFast, firstRecord, firstOffset, source,
        ] + incidental

    /// What a run that goes on must be asked for as the first one was.
    static let decisive = (all + ValidationOptions.all).filter { option in
        !(incidental + [ValidationOptions.portable]).contains { $0.name == option.name }
    }

    static func recordFields(_ arguments: Arguments) -> RecordFields {
        func name(_ option: Option) -> FieldName? { arguments.last(option).map { FieldName($0.text) } }
        var fields = RecordFields()
        fields.receipt = name(field)
        fields.bundleIdentifier = name(bundleIdentifierField)
        fields.deviceIdentifier = name(deviceIdentifierField)
        fields.kept = arguments.all(keep).flatMap { $0.text.split(separator: ",") }
            .map { FieldName(String($0)) }
        return fields
    }

    /// A number that is at least so large.
    static func number(
        _ arguments: Arguments,
        _ option: Option,
        from minimum: Int,
        default value: Int
    ) throws(Failure) -> Int {
        guard let word = arguments.last(option) else { return value }
        // Far from where counting on would overflow.
        guard let number = Int(word.text), (minimum...(1 << 60)).contains(number) else {
            throw .usage("\(option.name) \(word.printable) is not a number from \(minimum)")
        }
        return number
    }

    /// One of the values that an option names.
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
}

/// How much to write of a valid receipt.
enum ReceiptDetail: String {
    case none
    case brief
    case all
}

/// Which records make the run fail.
enum FailureCondition: String {
    case invalid
    case unreadable

    func isMet(by status: String) -> Bool {
        switch self {
        case .invalid: status != "valid"
        case .unreadable: status == "unreadable"
        }
    }
}

enum ProgressKind: String {
    case auto
    case json
    case none
}
