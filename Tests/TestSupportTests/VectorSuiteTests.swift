import Foundation
import Testing

@testable import TestSupport

@Suite("Suites of vectors, and their exceptions")
struct VectorSuiteTests {
    private static let heading = "#row\tdemanded\tdecided\tsection\treason\n"
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

    @Test("rows that are decided as demanded, or as their exceptions say, are no complaint")
    func agreement() throws {
        #expect(try Self.complaints() == [])
    }

    @Test("a row that disagrees without an exception is a complaint")
    func disagreement() throws {
        #expect(try Self.complaints(Self.good, Self.judgements(.reject)) == ["a: reject, not accept: "])
    }

    @Test("a row that is decided as demanded, and not as its exception says, is a complaint")
    func agreementInSpite() throws {
        #expect(
            try Self.complaints(Self.good, Self.judgements(.accept, .accept)) == ["b: accept, not reject: "]
        )
    }

    @Test("a choice that changes, and one that nothing says, are complaints")
    func choice() throws {
        #expect(
            try Self.complaints(Self.good, Self.judgements(.accept, .reject, .reject)) == [
                "c: reject, not accept: "
            ]
        )
        #expect(
            try Self.complaints(Self.heading + "b\taccept\treject\t§2\tso it is\n") == [
                "c: accept, and nothing says so"
            ]
        )
    }

    @Test(
        "an exception that is not needed, names no row, comes twice, or does not say why, is a complaint",
        arguments: [
            ("a\taccept\taccept\t§1\twhy\n", "a: an exception that is none"),
            ("d\taccept\treject\t§1\twhy\n", "d: an exception for no row"),
            ("b\taccept\treject\t§1\twhy\n", "b: two exceptions"),
        ]
    )
    func needless(_ line: String, _ complaint: String) throws {
        #expect(try Self.complaints(Self.good + line) == [complaint])
    }

    @Test("an exception without a section or a reason, or from another demand, is a complaint")
    func incomplete() throws {
        let cases = [
            ("RFC 1 §2", "", "b: an exception without a section"),
            ("so it is", "", "b: an exception without a reason"),
            (
                "b\taccept", "b\teither",
                "b: accept is demanded, and the exception says otherwise"
            ),
        ]
        for (part, other, complaint) in cases {
            let table = Self.good.replacingOccurrences(of: part, with: other)
            #expect(try Self.complaints(table) == [complaint])
        }
    }

    @Test("rows that are left out or judged twice are complaints")
    func count() throws {
        #expect(try Self.complaints(Self.good, Self.judgements().dropLast()).count == 2)
        let twice = Self.judgements() + Self.judgements().suffix(1)
        #expect(try Self.complaints(Self.good, twice).contains("c: judged twice"))
    }
}

@Suite("The inventory of vectors")
struct InventoryTests {
    @Test("each suite has a file of exceptions, and each file is a suite's")
    func files() throws {
        let suites = try Set(
            VectorSuite.allTables().flatMap { $0["suites"].split(separator: " ").map(String.init) }
        )
        let files = try FileManager.default.contentsOfDirectory(atPath: VectorSuite.directory.path)
        #expect(Set(files) == Set(suites.map { "\($0).tsv" } + ["tables.tsv", "README.md"]))
    }

    @Test(
        "every table there is is listed with its rows, and those that nobody judges are known",
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
                "ecdsa/nist-ecdsa-sigver-186-3.tsv", "ecdsa/wycheproof-ecdsa.tsv",
                "jws/json_web_signature_test.json", "x509/pkits-certs.tsv",
            ]
        )
        #expect(Self.sum(tables.filter { !$0["suites"].isEmpty }) == 13296)
        #expect(
            Self.sum(tables.filter { ["ecdsa", "jws"].contains($0["table"].split(separator: "/")[0]) })
                == 4888
        )
    }

    private static func sum(_ tables: [Row]) -> Int { tables.reduce(0) { $0 + (Int($1["rows"]) ?? 0) } }

    /// The paths of all files below `../shared/vectors`, but for those that describe.
    private static func present() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: SharedData.root.appending(path: "vectors").path)
            .filter { !$0.hasSuffix(".md") && $0.split(separator: "/").last?.contains(".") == true }
    }

    private static func count(_ table: String) throws -> Int {
        if table.hasSuffix(".txt") {
            return Equation.paragraphs(of: try SharedData.bytes("vectors/\(table)")).count
        }
        guard table.hasSuffix(".json") else { return try SharedData.table("vectors/\(table)").count }
        let json = try JSONValue.parse(SharedData.bytes("vectors/\(table)"))
        return json["testGroups"]?.elements.reduce(0) { $0 + ($1["tests"]?.elements.count ?? 0) } ?? 0
    }
}
