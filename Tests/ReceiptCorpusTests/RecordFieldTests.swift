import AppReceipt
import Basics
import ReceiptCorpus
import Testing

@Suite("Fields of a record")
struct RecordFieldTests {
    @Test(
        "the wanted columns equal the same columns of a full read",
        arguments: [
            (CorpusFormat.csv, "a,\"b,\"\"c\",,d"), (.tsv, "a\t\"b\"\t\td"), (.pgcopy, "\\N\t\\tb\t\td"),
            (.csv, ""), (.tsv, "\t\t\t"),
        ]
    )
    func columns(_ format: CorpusFormat, _ line: String) throws {
        let bytes = [UInt8](line.utf8)
        let layout = RecordLayout(format)
        let all = try RecordColumns.read(bytes[...], layout).map(\.value)
        for wanted in [[0], [1, 3], [0, 1, 2, 3], [], [7]] {
            let some = try RecordColumns.read(bytes[...], layout, wanted: wanted)
            #expect(some.map(\.index) == wanted.filter { all.indices.contains($0) })
            #expect(some.allSatisfy { $0.value == all[$0.index] })
        }
    }

    @Test(
        "the time does not grow with the product of the columns and the wanted ones",
        .timeLimit(.minutes(1))
    )
    func manyWantedColumns() throws {
        let wanted = Array(0..<20_000)
        for layout in [RecordLayout(.csv), RecordLayout(.pgcopy)] {
            let separator = layout.columnSeparator ?? 0
            let bytes = [UInt8](repeating: separator, count: 1 << 20)
            #expect(try RecordColumns.read(bytes[...], layout, wanted: wanted).count == wanted.count)
        }
    }

    /// The base64 of two containers.
    private static let (first, second) = ("MAECAw==", "MAQFBg==")

    @Test(
        "a JSON record has the receipt that the same object has as the input of one receipt",
        arguments: [
            ("{`receipt`:`{~`Payload~`:~`\(first)~`}`,`latest_receipt`:`\(second)`}", first),
            ("{`receipt`:` {~`Payload~`:~`\(first)~`}`,`latest_receipt`:`\(second)`}", first),
            ("{`receipt`:{`receipt`:{`receipt`:`\(first)`}},`latest_receipt`:`\(second)`}", second),
            ("{`receipt`:`{~`receipt~`:{~`receipt~`:~`\(first)~`}}`,`Payload`:`\(second)`}", second),
            ("{`receipt`:{`receipt`:`{~`receipt~`:~`\(first)~`}`},`Payload`:`\(second)`}", second),
            ("{`receipt`:{`receipt`:`\(first)`},`latest_receipt`:`\(second)`}", first),
            ("{`receipt`:`{~`Payload~`:~`\(first)~`}`}", first),
            ("{`receipt`:`~ud800`,`latest_receipt`:`\(second)`}", second),
            ("{`receipt`:`\(first)~ud800`,`latest_receipt`:`\(second)`}", second),
            ("{`receipt`:`{}`,`latest_receipt`:`\(second)`}", second),
            ("{`receipt`:`x`,`latest_receipt`:`\(second)`}", nil),
            ("{`receipt`:`{~`receipt~`:{~`receipt~`:~`\(first)~`}}`}", nil),
            ("{`receipt`:{`receipt`:{`receipt`:`\(first)`}}}", nil), ("{`receipt`:`~ud800`}", nil),
        ] as [(String, String?)]
    )
    func chosen(_ text: String, _ receipt: String?) throws {
        let bytes = [UInt8](text.replacing("`", with: "\"").replacing("~", with: "\\").utf8)
        let expected = try receipt.map { try ReceiptInput.decode([UInt8]($0.utf8)) }
        #expect((try? ReceiptInput.decode(bytes)) == expected)
        let (origin, decoder) = try Self.record(bytes)
        let policy = ReceiptPolicy(environments: .any, bundleIdentifier: .any)
        let contents = try? decoder.contents(in: bytes.indices, origin.fields, policy)
        #expect(contents?.container == expected)
    }

    @Test(
        "a JSON record is left without the string of its receipt if that is a member's value",
        arguments: [
            ("{`receipt`:`\(first)`,`x`:1}", "{`receipt`:,`x`:1}"),
            ("{`receipt`:null,`receipt_data`:`\(first)`}", "{`receipt`:null,`receipt_data`:}"),
            ("{`receipt`:`{}`,`Payload`:`\(first)`}", "{`receipt`:`{}`,`Payload`:}"),
            ("{`receipt`:{`receipt`:`\(first)`}}", "{`receipt`:{`receipt`:`\(first)`}}"),
            ("{`receipt`:{},`Payload`:`\(first)`}", "{`receipt`:{},`Payload`:`\(first)`}"),
        ]
    )
    func rest(_ text: String, _ rest: String) throws {
        let bytes = [UInt8](text.replacing("`", with: "\"").utf8)
        let (origin, decoder) = try Self.record(bytes)
        let policy = ReceiptPolicy(environments: .any, bundleIdentifier: .any)
        let contents = try decoder.contents(in: bytes.indices, origin.fields, policy)
        let found = contents.rest.flatMap { bytes[$0] }
        #expect(String(decoding: found, as: UTF8.self) == rest.replacing("`", with: "\""))
    }

    private static func record(_ bytes: [UInt8]) throws -> (RecordOrigin, RecordDecoder) {
        let origin = RecordOrigin(source: "", layout: RecordLayout(.ndjson), fields: RecordFields())
        return (origin, try RecordDecoder(bytes, in: bytes.indices, origin))
    }

    @Test("the names of kept fields are resolved to columns in ascending order, each once")
    func ascending() {
        var fields = RecordFields()
        fields.kept = ["d", "b", "2", "a"].map { FieldName($0) }
        let header = ["a", "b", "receipt", "d"].map { [UInt8]($0.utf8) }
        #expect(fields.resolve(in: header) == nil && fields.columns == [0, 1, 2, 3])
    }

    @Test("unwanted columns are checked, and cost nothing")
    func manyColumns() throws {
        let bytes = [UInt8](repeating: UInt8(ascii: ","), count: 1 << 20) + [UInt8]("last".utf8)
        let columns = try RecordColumns.read(bytes[...], RecordLayout(.csv), wanted: [1 << 20])
        #expect(columns.count == 1 && columns[0].value == [UInt8]("last".utf8))
        #expect(throws: Refusal.self) {
            try RecordColumns.read([UInt8]("a,\"b".utf8)[...], RecordLayout(.csv), wanted: [0])
        }
    }

    @Test(
        "a separator after a backslash belongs to the value in COPY's format, and in no other",
        arguments: [
            (CorpusFormat.pgcopy, "a\\;b;c\\\\;\\\\\\;d;\\", ["a;b", "c\\", "\\;d", "\\"]),
            (.pgcopy, ";\\;;\\", ["", ";", "\\"]), (.csv, "a\\;b", ["a\\", "b"]),
            (.tsv, "a\\;b", ["a\\", "b"]),
        ]
    )
    func escapedSeparators(_ format: CorpusFormat, _ line: String, _ columns: [String]) throws {
        for (separator, text) in [(";", line), ("\t", line.replacing(";", with: "\t"))] {
            let layout = RecordLayout(format, delimiter: separator.utf8.first)
            let found = try RecordColumns.read([UInt8](text.utf8)[...], layout).map(\.value)
            let expected = columns.map { [UInt8]($0.replacing(";", with: separator).utf8) }
            #expect(found == expected)
        }
    }

    @Test("the delimiter separates columns, and the usual one does not")
    func delimiter() throws {
        let bytes = [UInt8]("a;\"b;c\";d,e".utf8)
        let columns = try RecordColumns.read(bytes[...], RecordLayout(.csv, delimiter: UInt8(ascii: ";")))
        #expect(columns.map(\.value) == ["a", "b;c", "d,e"].map { [UInt8]($0.utf8) })
    }
}
