import DER
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
        let all = try RecordColumns.read(bytes[...], layout)
        for wanted in [[0], [3, 1], [], [7]] {
            let some = try RecordColumns.read(bytes[...], layout, wanted: wanted)
            #expect(some.map(\.index) == wanted.sorted().filter { all.indices.contains($0) })
            #expect(some.allSatisfy { $0.value == all[$0.index] })
        }
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
            let found = try RecordColumns.read([UInt8](text.utf8)[...], layout)
            let expected = columns.map { [UInt8]($0.replacing(";", with: separator).utf8) }
            #expect(found == expected)
        }
    }

    @Test("the delimiter separates columns, and the usual one does not")
    func delimiter() throws {
        let bytes = [UInt8]("a;\"b;c\";d,e".utf8)
        let columns = try RecordColumns.read(bytes[...], RecordLayout(.csv, delimiter: UInt8(ascii: ";")))
        #expect(columns == ["a", "b;c", "d,e"].map { [UInt8]($0.utf8) })
    }
}
