import Testing

/// The rows of a public suite that are decided otherwise than it says, each for a reason.
///
/// A row that disagrees and is not listed fails; so does one that is listed and agrees.
public struct Exceptions: Sendable {
    private let reasons: [String: String]

    /// - Parameter groups: a reason, with the section that allows it, and the rows it is the reason for.
    public init(_ groups: [(reason: String, rows: [String])]) {
        reasons = Dictionary(
            groups.flatMap { group in group.rows.map { ($0, group.reason) } },
            uniquingKeysWith: { "\($0); \($1)" }
        )
    }

    /// Judges a suite: each row with what it expects, and what was decided.
    public func judge(
        _ verdicts: [(row: String, expected: Verdict, verdict: Verdict, why: String)],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var unused = Set(reasons.keys)
        for (row, expected, verdict, why) in verdicts {
            if unused.remove(row) != nil {
                #expect(verdict != expected, "\(row): no exception any more", sourceLocation: sourceLocation)
            } else {
                #expect(verdict == expected, "\(row): \(why)", sourceLocation: sourceLocation)
            }
        }
        #expect(unused.isEmpty, "no such rows", sourceLocation: sourceLocation)
    }
}

public enum Verdict: String, Sendable {
    case accept
    case reject
}
