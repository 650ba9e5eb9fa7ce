import Foundation
import Testing

/// A public suite of test vectors: the rows of one or more tables, whose paths begin in `../shared/vectors`.
///
/// Each row demands a verdict. `Tests/Exceptions` lists the rows that this project decides in another way.
public struct VectorSuite: Sendable {
    /// The decision about a row.
    public enum Verdict: String, Sendable {
        case accept, reject
    }

    /// The verdict that a row demands. `either` allows both verdicts, but an exception must record the
    /// choice.
    public enum Demand: String, Sendable {
        case accept, reject, either

        /// The demand of a table's word: `accept`, `reject` or `refuse`, or `either`; nil for another word.
        public init?(expected: String) { self.init(rawValue: expected == "refuse" ? "reject" : expected) }
    }

    /// The decision about one row.
    public struct Judgement: Sendable {
        /// The name of the row, unique in the suite.
        let row: String
        let demanded: Demand
        let decided: Verdict
        let why: String

        /// Records a decision.
        ///
        /// - Parameter why: the reason, for the reader of a failure.
        public init(_ row: String, demanded: Demand, decided: Verdict, why: some CustomStringConvertible) {
            self.row = row
            self.demanded = demanded
            self.decided = decided
            self.why = why.description
        }

        /// Records a decision that is `accept` unless there is an error.
        public init(_ row: String, demanded: Demand, refusal: (any Error)?) {
            self.init(
                row,
                demanded: demanded,
                decided: refusal == nil ? .accept : .reject,
                why: refusal.map { "\($0)" } ?? "accepted"
            )
        }
    }

    /// The name of the suite.
    public let name: String
    /// The tables that have the suite's rows.
    public let tables: [String]
    /// The number of rows in the tables.
    public let rowCount: Int
    let exceptions: [Row]

    /// Loads the suite of a name: its tables from `tables.tsv`, and its exceptions from the file of its name.
    public init(_ name: String) throws {
        let tables = try Self.allTables().filter {
            $0["suites"].split(separator: " ").contains { $0 == name }
        }
        self.init(
            name,
            tables: tables.map { $0["table"] },
            rowCount: tables.reduce(0) { $0 + (Int($1["rows"]) ?? 0) },
            exceptions: try Row.table(Self.file("\(name).tsv"))
        )
    }

    init(_ name: String, tables: [String] = [], rowCount: Int, exceptions: [Row]) {
        self.name = name
        self.tables = tables
        self.rowCount = rowCount
        self.exceptions = exceptions
    }

    /// The rows of `tables.tsv`: each table of vectors, and the suites that judge its rows.
    public static func allTables() throws -> [Row] { try Row.table(file("tables.tsv")) }

    /// The directory of the exceptions.
    public static let directory = SharedData.packageRoot.appending(path: "Tests/Exceptions")

    private static func file(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: directory.appending(path: name)))
    }

    /// The rows of the suite's tables. The tables must be tab-separated.
    public func rows() throws -> [Row] { try tables.flatMap { try SharedData.table("vectors/\($0)") } }

    /// Expects that each row of the suite is judged once, and as the row demands or its exception says.
    public func judge(_ judgements: [Judgement], sourceLocation: SourceLocation = #_sourceLocation) {
        for complaint in complaints(about: judgements) {
            Issue.record("\(name): \(complaint)", sourceLocation: sourceLocation)
        }
    }

    /// Returns everything that is wrong with the judgements or the exceptions.
    ///
    /// These are a number of judgements other than ``rowCount``, rows judged twice, rows decided otherwise
    /// than they demand or their exception says, rows that demand `either` and have no exception, and
    /// exceptions that occur twice, lack a section or a reason, state another demand, name no judged row, or
    /// are not needed.
    public func complaints(about judgements: [Judgement]) -> [String] {
        var complaints: [String] = []
        if judgements.count != rowCount {
            complaints.append("\(judgements.count) rows of \(rowCount) judged")
        }
        var unused: [String: Row] = [:]
        for exception in exceptions {
            let row = exception["row"]
            if unused.updateValue(exception, forKey: row) != nil {
                complaints.append("\(row): two exceptions")
            }
            for column in ["section", "reason"] where exception[column].isEmpty {
                complaints.append("\(row): an exception without a \(column)")
            }
        }
        var judged: Set<String> = []
        for judgement in judgements {
            let row = judgement.row
            if !judged.insert(row).inserted { complaints.append("\(row): judged twice") }
            let exception = unused.removeValue(forKey: row)
            let decided = exception?["decided"] ?? judgement.demanded.rawValue
            if let exception, exception["demanded"] != judgement.demanded.rawValue {
                complaints.append(
                    "\(row): \(judgement.demanded) is demanded, but the exception says otherwise"
                )
            }
            if decided == judgement.demanded.rawValue && exception != nil {
                complaints.append("\(row): an unnecessary exception")
            }
            if judgement.demanded == .either && exception == nil {
                complaints.append("\(row): \(judgement.decided), but no exception says so")
            } else if judgement.decided.rawValue != decided {
                complaints.append("\(row): \(judgement.decided), not \(decided): \(judgement.why)")
            }
        }
        return complaints + unused.keys.sorted().map { "\($0): an exception for no row" }
    }
}
