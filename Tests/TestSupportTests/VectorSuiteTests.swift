import Foundation
import Testing

@testable import TestSupport

@Suite("Vector suites and their exceptions")
struct VectorSuiteTests {
    private static let heading = "#row\tdemanded\tdecided\tsection\treason\n"
    /// Two exceptions that a suite of three rows needs.
    private static let good =
        heading + "b\taccept\treject\tRFC 1 §2\tso it is\nc\teither\taccept\t§3\tas well\n"

    private static func judgements(
        _ a: VectorSuite.Verdict = .accept,
        _ b: VectorSuite.Verdict = .reject,
        _ c: VectorSuite.Verdict = .accept
    ) -> [VectorSuite.Judgement] {
        [
            VectorSuite.Judgement("a", demanded: .accept, decided: a, why: ""),
            VectorSuite.Judgement("b", demanded: .accept, decided: b, why: ""),
            VectorSuite.Judgement("c", demanded: .either, decided: c, why: ""),
        ]
    }

    private static func complaints(
        _ table: String = good,
        _ judgements: [VectorSuite.Judgement] = judgements()
    ) throws -> [String] {
        let exceptions = try Row.table([UInt8](table.utf8))
        return VectorSuite("suite", rowCount: 3, exceptions: exceptions).complaints(about: judgements)
    }

    @Test("a row with the demanded verdict, or with its exception's, gives no complaint")
    func agreement() throws {
        #expect(try Self.complaints() == [])
    }

    @Test("a row that disagrees without an exception is a complaint")
    func disagreement() throws {
        #expect(try Self.complaints(Self.good, Self.judgements(.reject)) == ["a: reject, not accept: "])
    }

    @Test("a row decided as demanded, but against its exception, is a complaint")
    func agreementInSpite() throws {
        #expect(
            try Self.complaints(Self.good, Self.judgements(.accept, .accept)) == ["b: accept, not reject: "]
        )
    }

    @Test("a choice that changes, or that no exception records, is a complaint")
    func choice() throws {
        #expect(
            try Self.complaints(Self.good, Self.judgements(.accept, .reject, .reject)) == [
                "c: reject, not accept: "
            ]
        )
        #expect(
            try Self.complaints(Self.heading + "b\taccept\treject\t§2\tso it is\n") == [
                "c: accept, but no exception says so"
            ]
        )
    }

    @Test(
        "an exception that is unnecessary, names no row or comes twice is a complaint",
        arguments: [
            ("a\taccept\taccept\t§1\twhy\n", "a: an unnecessary exception"),
            ("d\taccept\treject\t§1\twhy\n", "d: an exception for no row"),
            ("b\taccept\treject\t§1\twhy\n", "b: two exceptions"),
        ]
    )
    func needless(_ line: String, _ complaint: String) throws {
        #expect(try Self.complaints(Self.good + line) == [complaint])
    }

    @Test("an exception without a section or a reason, or with another demand, is a complaint")
    func incomplete() throws {
        let cases = [
            ("RFC 1 §2", "", "b: an exception without a section"),
            ("so it is", "", "b: an exception without a reason"),
            (
                "b\taccept", "b\teither",
                "b: accept is demanded, but the exception says otherwise"
            ),
        ]
        for (part, other, complaint) in cases {
            let table = Self.good.replacingOccurrences(of: part, with: other)
            #expect(try Self.complaints(table) == [complaint])
        }
    }

    @Test("a missing row, or a row judged twice, is a complaint")
    func count() throws {
        #expect(try Self.complaints(Self.good, Self.judgements().dropLast()).count == 2)
        let twice = Self.judgements() + Self.judgements().suffix(1)
        #expect(try Self.complaints(Self.good, twice).contains("c: judged twice"))
    }
}

@Suite("Inventory of vectors")
struct InventoryTests {
    @Test("each suite has a file of exceptions, and each file belongs to a suite")
    func files() throws {
        let suites = try Set(
            VectorSuite.allTables().flatMap { $0["suites"].split(separator: " ").map(String.init) }
        )
        let files = try FileManager.default.contentsOfDirectory(atPath: VectorSuite.directory.path)
        #expect(Set(files) == Set(suites.map { "\($0).tsv" } + ["tables.tsv", "README.md"]))
    }

    @Test(
        "the inventory lists every table with its number of rows, and names the tables without a suite",
        .enabled(if: SharedData.isExpected, "../shared is not beside this checkout")
    )
    func tables() throws {
        let tables = try VectorSuite.allTables()
        #expect(Set(tables.map { $0["table"] }) == Set(try Self.present()))
        for table in tables {
            let count = try Self.count(table["table"])
            #expect(count == Int(table["rows"]), "\(table)")
            #expect(!table["where"].isEmpty, "\(table)")
        }
        let left = tables.filter { $0["suites"].isEmpty }.map { $0["table"] }
        #expect(
            left.filter { !$0.contains(".keys.") } == [
                "bignum/gcd_tests.txt", "bignum/miller_rabin_tests.txt", "bignum/mod_sqrt_tests.txt",
                "jws/json_web_signature_test.json", "x509/pkits-certs.tsv",
            ]
        )
        #expect(Self.sum(tables.filter { !$0["suites"].isEmpty }) == 17291)
        #expect(Self.sum(tables.filter { $0["table"].hasPrefix("jws/") }) == 401)
    }

    private static func sum(_ tables: [Row]) -> Int { tables.reduce(0) { $0 + (Int($1["rows"]) ?? 0) } }

    /// The paths of all files below `../shared/vectors` except descriptions, and of the tables of
    /// `../shared/one-flaw`, which lies beside it.
    private static func present() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: SharedData.root.appending(path: "vectors").path)
            .filter { !$0.hasSuffix(".md") && $0.split(separator: "/").last?.contains(".") == true }
            + FileManager.default.subpathsOfDirectory(
                atPath: SharedData.root.appending(path: "one-flaw").path
            )
            .filter { $0.hasSuffix(".tsv") }.map { "../one-flaw/\($0)" }
    }

    /// The number of rows in a table, equations in a text file, or tests in a JSON file.
    private static func count(_ table: String) throws -> Int {
        if table.hasSuffix(".txt") {
            return Equation.paragraphs(of: try SharedData.bytes("vectors/\(table)")).count
        }
        guard table.hasSuffix(".json") else { return try SharedData.table("vectors/\(table)").count }
        let json = try JSONValue.parse(SharedData.bytes("vectors/\(table)"))
        return json["testGroups"]?.elements.reduce(0) { $0 + ($1["tests"]?.elements.count ?? 0) } ?? 0
    }
}
