import Foundation
import Testing

/// A public suite of vectors: the rows of one or more tables of `../shared/vectors`, each of which demands a
/// verdict, and those that are decided otherwise, which stand in `Tests/Exceptions`.
public struct VectorSuite: Sendable {
    /// What is decided about a row.
    public enum Verdict: String, Sendable {
        case accept, reject
    }

    /// What a row demands; `either` leaves it to who decides, so long as it is written down.
    public enum Demand: String, Sendable {
        case accept, reject, either
    }

    /// A row, by a name that no other row of the suite has, and what became of it.
    public struct Judgement: Sendable {
        let row: String
        let demanded: Demand
        let decided: Verdict
        let why: String

        /// - Parameter why: what was decided, for whoever has to look into it.
        public init(_ row: String, demanded: Demand, decided: Verdict, why: some CustomStringConvertible) {
            self.row = row
            self.demanded = demanded
            self.decided = decided
            self.why = why.description
        }

        /// Of something that is accepted unless there is an error.
        public init(_ row: String, demanded: Demand, refusal: (any Error)?) {
            self.init(
                row,
                demanded: demanded,
                decided: refusal == nil ? .accept : .reject,
                why: refusal.map { "\($0)" } ?? "accepted"
            )
        }
    }

    public let name: String
    /// The tables in `../shared/vectors` whose rows are those of the suite, and how many rows that are.
    public let tables: [String]
    public let rowCount: Int
    let exceptions: [Row]

    /// The suite of this name in `tables.tsv`, with the exceptions in the file of its name.
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

    /// All tables of `../shared/vectors`, and who judges their rows.
    public static func allTables() throws -> [Row] { try Row.table(file("tables.tsv")) }

    /// Where the exceptions stand.
    public static let directory = SharedData.packageRoot.appending(path: "Tests/Exceptions")

    private static func file(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: directory.appending(path: name)))
    }

    /// The rows of its tables, where these are tables of that form.
    public func rows() throws -> [Row] { try tables.flatMap { try SharedData.table("vectors/\($0)") } }

    /// Expects that each row of the suite is judged once, and as it demands or its exception says.
    public func judge(_ judgements: [Judgement], sourceLocation: SourceLocation = #_sourceLocation) {
        for complaint in complaints(about: judgements) {
            Issue.record("\(name): \(complaint)", sourceLocation: sourceLocation)
        }
    }

    /// Everything that is wrong: rows missing or doubled, rows that disagree without an exception, and
    /// exceptions that say nothing, name no row, or are not needed.
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
                    "\(row): \(judgement.demanded) is demanded, and the exception says otherwise"
                )
            }
            if decided == judgement.demanded.rawValue && exception != nil {
                complaints.append("\(row): an exception that is none")
            }
            if judgement.demanded == .either && exception == nil {
                complaints.append("\(row): \(judgement.decided), and nothing says so")
            } else if judgement.decided.rawValue != decided {
                complaints.append("\(row): \(judgement.decided), not \(decided): \(judgement.why)")
            }
        }
        return complaints + unused.keys.sorted().map { "\($0): an exception for no row" }
    }
}
