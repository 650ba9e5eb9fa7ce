import AppReceipt

/// The warning that all records of a run, or the first ones, are unreadable or cut off.
enum UnreadableAdvice {
    /// The text of the warning: how many records at the beginning are unreadable or cut off, the most
    /// frequent errors of all records so far, and the likely cause.
    ///
    /// - Parameter isAtEnd: whether all records are judged.
    static func warning(_ tally: CorpusTally, _ sources: CorpusSources, isAtEnd: Bool) -> String {
        let errors = tally.errors.bySize
        let codes = errors.prefix(3).map { "\($0.name): \($0.count)" }.joined(separator: ", ")
        let extent = isAtEnd && tally.isAllUnreadable ? "all" : "the first"
        let state = tally.cutOffCount == 0 ? "unreadable" : "unreadable or cut off"
        let code = errors.first.map { $0.name.split(separator: " ").last.map(String.init) ?? "" } ?? ""
        let cause = sources.firstSource?.suspicion ?? cause(code, sources)
        return
            "WARNING: \(extent) \(tally.leadingUnreadable) records are \(state) (\(codes)). Likely cause: \(cause). "
            + "--allow-unreadable accepts such sources"
    }

    private static func cause(_ code: String, _ sources: CorpusSources) -> String {
        switch code {
        case "record.missing-field":
            let names = (sources.firstSource?.fieldNames ?? []).map(\.printable).joined(separator: ", ")
            let fields = names.isEmpty ? "" : "; the fields of the first record are \(names)"
            return "the wrong field, which --field names\(fields)"
        case "der.truncated":
            return "a column that is too short for receipts, or one receipt over several lines, "
                + "which --format file reads"
        case "jws.segments":
            return
                "the records hold no tokens, or their column is too short for tokens: see --field and --format"
        case "record.not-json": return "the source is not NDJSON, and --format names another format"
        case "record.not-hexadecimal": return "the text is not hexadecimal: see --format and --field"
        case "record.carriage-return": return "lines end in carriage returns: tr '\\r' '\\n' mends that"
        case "record.unclosed-quote": return "the quotes are not those of CSV: see --format and --delimiter"
        case "record.no-expectation":
            return "the wrong field, which --environment-field, --bundle-id-field or --device-id-field names"
        case "app.no-receipt": return "apps from outside the App Store, which have no receipt"
        case "input.empty": return "an empty source, or the wrong field, which is empty: see --field"
        case "source.not-read": return "a form that cannot be read: see the message about the source"
        case "input.cannot-read": return "the files cannot be opened: see their permissions"
        default: return "the wrong field or the wrong format: see --field and --format"
        }
    }
}
