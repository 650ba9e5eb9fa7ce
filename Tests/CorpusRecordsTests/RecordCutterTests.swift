import CorpusRecords
import DER
import Testing

@Suite("the records of a source")
struct RecordCutterTests {
    /// Text and offset of each record, and the code of what is wrong with it, as bytes come in pieces.
    static func cut(_ source: [UInt8], _ format: CorpusFormat, pieces size: Int, limit: Int = 1 << 24)
        -> [String]
    {
        let origin = RecordOrigin(source: "", format: format, fields: RecordFields())
        var cutter = RecordCutter(origin, limit: limit)
        var window = ByteWindow()
        var rest = source[...]
        var found: [String] = []
        while true {
            var batch = RecordBatch()
            cutter.cut(&window, into: &batch)
            for record in batch.records {
                let text = String(decoding: record.buffer[record.range], as: UTF8.self)
                found.append("\(record.offset) \(record.fault.map { "\($0.name)" } ?? text)")
            }
            if batch.isFull { continue }
            guard !cutter.isAtEnd else { return found }
            window.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
    }

    @Test("a batch counts each buffer that its records keep once, and keeps none for what is refused")
    func kept() {
        let origin = RecordOrigin(source: "", format: .base64, fields: RecordFields())
        var cutter = RecordCutter(origin, limit: 10)
        var window = ByteWindow()
        var batch = RecordBatch()
        window.append([UInt8]("one\ntwo\nthr".utf8))
        cutter.cut(&window, into: &batch)
        #expect(batch.records.count == 2 && batch.byteCount == 11)
        // A new buffer, with what was left of the last.
        window.append([UInt8]("ee\nfour\n".utf8))
        cutter.cut(&window, into: &batch)
        #expect(batch.records.count == 4 && batch.byteCount == 11 + 11)
        window.append([UInt8](String(repeating: "x", count: 100).utf8))
        cutter.cut(&window, into: &batch)
        #expect(batch.records.count == 5 && batch.byteCount == 22)
        #expect(batch.records[4].fault == .inputTooLarge && batch.records[4].buffer.isEmpty)
    }

    @Test(
        "a quote that is not closed ends with its own line, one that is closed with its record",
        arguments: [
            ("\"a\nb\n", ["0 record.unclosed-quote", "3 b"]),
            ("\"a\n\"b\"\nc\n", ["0 \"a\n\"b\"", "7 c"]),
            // What closes the first quote opens another one in the field behind it.
            ("x\ny,\"\ny\",\"\nb\n", ["0 x", "2 record.unclosed-quote", "6 record.unclosed-quote", "11 b"]),
            ("y,\"\ny\",\"\n\"\"\"\n\"\nb", ["0 y,\"\ny\",\"\n\"\"\"", "13 record.unclosed-quote", "15 b"]),
            // The second quote is closed, but so far away that the first is not looked for there.
            ("y,\"\ny\",\"\n1234567\"\nb\n", ["0 record.unclosed-quote", "4 y\",\"\n1234567\"", "18 b"]),
            (
                "y,\"\ny\",\"\n123456789\"\nb\n",
                ["0 record.unclosed-quote", "4 record.unclosed-quote", "9 123456789\"", "20 b"]
            ),
        ],
        [1, 2, 5, 100]
    )
    func unclosedQuotes(_ sample: (source: String, records: [String]), _ size: Int) {
        #expect(Self.cut(Array(sample.source.utf8), .csv, pieces: size, limit: 13) == sample.records)
    }

    @Test(
        "each line may open a quote that is not closed, and none is looked at more often",
        .timeLimit(.minutes(1))
    )
    func unclosedQuotesEverywhere() {
        let count = 200_000
        let source = Array(String(repeating: "y\",\"\n", count: count).utf8)
        let records = Self.cut(source, .csv, pieces: 1 << 18)
        #expect(records.count == count)
        #expect(records.allSatisfy { $0.hasSuffix(" record.unclosed-quote") })
    }
}
