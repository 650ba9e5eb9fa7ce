import Basics
import DER
import ReceiptCorpus
import Testing

@Suite("Cutting a source into records")
struct RecordCutterTests {
    /// Cuts a source that arrives in pieces.
    ///
    /// - Returns: the offset of each record, and its text, its fault, or the number of its blank lines.
    static func cut(_ source: [UInt8], _ format: CorpusFormat, pieces size: Int, limit: Int = 1 << 24)
        -> [String]
    {
        let origin = RecordOrigin(source: "", layout: RecordLayout(format), fields: RecordFields())
        var cutter = RecordCutter(origin, limit: limit)
        var window = ByteWindow()
        var rest = source[...]
        var found: [String] = []
        while true {
            var batch = RecordBatch()
            cutter.cut(&window, into: &batch)
            for record in batch.records {
                let text = String(decoding: record.buffer[record.range], as: UTF8.self)
                if record.isContinuation, record.count > 0, !found.isEmpty {
                    let words = found.removeLast().split(separator: " ")
                    found.append("\(words[0]) blank \((Int(words[2]) ?? 0) + record.count)")
                } else if record.count > 1 || text.isEmpty && record.fault == nil {
                    found.append("\(record.offset) blank \(record.count)")
                } else {
                    found.append("\(record.offset) \(record.fault.map { "\($0.name)" } ?? text)")
                }
            }
            if batch.isFull { continue }
            guard !cutter.isAtEnd else { return found }
            window.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
    }

    @Test("a batch counts the bytes up to its last record, and keeps no buffer for one that is too large")
    func kept() {
        let origin = RecordOrigin(source: "", layout: RecordLayout(.base64), fields: RecordFields())
        var cutter = RecordCutter(origin, limit: 10)
        var window = ByteWindow()
        var batch = RecordBatch()
        window.append([UInt8]("one\ntwo\nthr".utf8))
        cutter.cut(&window, into: &batch)
        #expect(batch.records.count == 2 && batch.byteCount == 7)
        // A new buffer begins with the rest of the last.
        window.append([UInt8]("ee\nfour\n".utf8))
        cutter.cut(&window, into: &batch)
        #expect(batch.records.count == 4 && batch.byteCount == 18)
        window.append([UInt8](String(repeating: "x", count: 100).utf8))
        cutter.cut(&window, into: &batch)
        #expect(batch.records.count == 5 && batch.byteCount == 19)
        #expect(batch.records[4].fault == .inputTooLarge && batch.records[4].buffer.isEmpty)
    }

    @Test(
        "an unclosed quote ends with its line, and a closed quote may span lines",
        arguments: [
            ("\"a\nb\n", ["0 record.unclosed-quote", "3 b"]),
            ("\"a\n\",b\nc\n", ["0 \"a\n\",b", "7 c"]),
            ("\"a\n\"\" b\" \r\nc\n", ["0 \"a\n\"\" b\" \r", "11 c"]),
            // The byte after a quote that closes a field shows that the first quote is a stray one.
            ("\"a\n\"b\"\nc\n", ["0 record.unclosed-quote", "3 \"b\"", "7 c"]),
            ("1,\"a\n2,b\n3,\"c\"\nd\n", ["0 record.unclosed-quote", "5 2,b", "9 3,\"c\"", "15 d"]),
            ("1,\"a\nb\n\n3,\"c\"", ["0 record.unclosed-quote", "5 b", "7 blank 1", "8 3,\"c\""]),
            // In one line, a quote in the middle of a field changes nothing.
            ("\"a\"b,\"\nc\",d\n", ["0 \"a\"b,\"\nc\",d"]),
            // The quote that closes the first one opens another one in the next field.
            ("x\ny,\"\ny\",\"\nb\n", ["0 x", "2 record.unclosed-quote", "6 record.unclosed-quote", "11 b"]),
            ("y,\"\ny\",\"\n\"\"\"\n\"\nb", ["0 y,\"\ny\",\"\n\"\"\"", "13 record.unclosed-quote", "15 b"]),
            // The second quote is closed, but too far away for the first to reach.
            ("y,\"\ny\",\"\n1234567\"\nb\n", ["0 record.unclosed-quote", "4 y\",\"\n1234567\"", "18 b"]),
            (
                "y,\"\ny\",\"\n123456789\"\nb\n",
                ["0 record.unclosed-quote", "4 record.unclosed-quote", "9 123456789\"", "20 b"]
            ),
            // A search that skips what an earlier one saw knows that the last quote is in one line.
            (
                "y,\"\ny\",\"\ny\",\"1\"2\nb\n",
                ["0 record.unclosed-quote", "4 y\",\"\ny\",\"1\"2", "17 b"]
            ),
            // The next line feed ends a record that is too large, whatever quotes follow.
            ("123456789abcdef,\"\nb\",c\nd\n", ["0 der.input-too-large", "18 b\",c", "23 d"]),
            ("123456789abcdef,\"\nb\"x\n\nd\n", ["0 der.input-too-large", "18 b\"x", "22 blank 1", "23 d"]),
        ],
        [1, 2, 5, 100]
    )
    func unclosedQuotes(_ sample: (source: String, records: [String]), _ size: Int) {
        #expect(Self.cut(Array(sample.source.utf8), .csv, pieces: size, limit: 13) == sample.records)
    }

    @Test(
        "a source whose every line opens a quote is cut in linear time",
        .timeLimit(.minutes(1)),
        arguments: [("y\",\"\n", ""), ("a\",\"c\n", "a\"x\n")]
    )
    func unclosedQuotesEverywhere(_ line: String, _ last: String) {
        let count = 200_000
        let source = Array((String(repeating: line, count: count) + last).utf8)
        let records = Self.cut(source, .csv, pieces: 1 << 18)
        #expect(records.count == count + (last.isEmpty ? 0 : 1))
        #expect(records.prefix(count).allSatisfy { $0.hasSuffix(" record.unclosed-quote") })
        #expect(last.isEmpty || records.last?.hasSuffix(last.dropLast()) ?? false)
    }

    @Test(
        "lines before a quote that ends wrongly share its fate, and lines after it do not",
        arguments: [
            ("a,\"b\nc,\"d\"e\n\"f\ng\"\n", ["unclosed", "c,\"d\"e", "\"f\ng\""]),
            ("\"a\n\"b\n\"c\"\n", ["unclosed", "unclosed", "\"c\""]),
            ("\"a\nb\n\"c\n\"d\ne\"\n", ["unclosed", "b", "unclosed", "\"d\ne\""]),
        ],
        [1, 3, 100]
    )
    func wronglyEndedQuotes(_ sample: (source: String, records: [String]), _ size: Int) {
        let records = Self.cut([UInt8](sample.source.utf8), .csv, pieces: size)
        #expect(
            records.map { String($0.drop { $0 != " " }.dropFirst()) }
                == sample.records.map {
                    $0 == "unclosed" ? "record.unclosed-quote" : $0
                }
        )
    }

    @Test("an open quote does not split the lines after it into batches of one record", arguments: [1, 2, 8])
    func batchesAfterOpenQuote(_ megabytes: Int) {
        let origin = RecordOrigin(source: "", layout: RecordLayout(.csv), fields: RecordFields())
        var (cutter, window) = (RecordCutter(origin), ByteWindow())
        // The quote is searched for its end in all lines, which are then in one buffer.
        let lines =
            [UInt8]("\"x\n".utf8) + [UInt8](String(repeating: "1234567\n", count: megabytes << 17).utf8)
        window.append(lines)
        window.append([])
        for _ in 0..<100 {
            var batch = RecordBatch()
            cutter.cut(&window, into: &batch)
            #expect(batch.records.count == 256 && batch.byteCount < 4096)
        }
    }

    @Test("a batch is full of the bytes between its records, too")
    func gaps() {
        let origin = RecordOrigin(source: "", layout: RecordLayout(.base64), fields: RecordFields())
        var (cutter, window, batch) = (RecordCutter(origin), ByteWindow(), RecordBatch())
        window.append([UInt8]("a\n".utf8) + [UInt8](repeating: 10, count: 2 << 20) + [UInt8]("b\nc\n".utf8))
        cutter.cut(&window, into: &batch)
        #expect(batch.records.count == 3 && batch.isFull)
    }

    @Test("a batch counts the bytes after a blank line and after a record that is too large")
    func buffersAfterFaults() {
        let origin = RecordOrigin(source: "", layout: RecordLayout(.base64), fields: RecordFields())
        for (source, count) in [("\nok\n", 2), ("too large a record\nok\n", 2)] {
            var cutter = RecordCutter(origin, limit: 10)
            var window = ByteWindow()
            var batch = RecordBatch()
            window.append([UInt8](source.utf8))
            cutter.cut(&window, into: &batch)
            #expect(batch.records.count == count && batch.byteCount == source.utf8.count - 1, "\(source)")
        }
    }

    @Test(
        "a run of blank lines is one record with its number of lines, however the bytes arrive",
        arguments: [
            ("a\n\n\n\nb\n", ["0 a", "2 blank 3", "5 b"]), ("\n", ["0 blank 1"]),
            ("\r\n\n\r\na\n\n", ["0 blank 3", "5 a", "7 blank 1"]),
            // White space alone is blank, also in a last line without a line feed.
            ("a\n \n\n", ["0 a", "2 blank 2"]), ("\n\r\r\n\n", ["0 blank 3"]), (" \t", ["0 blank 1"]),
            ("a\n \u{B}\t\r\n\u{C}", ["0 a", "2 blank 2"]), ("\n ", ["0 blank 2"]), ("\r", ["0 blank 1"]),
            (" a\n \n b\n\u{1}\n", ["0  a", "3 blank 1", "5  b", "8 \u{1}"]),
        ],
        [1, 2, 3, 100]
    )
    func blankLines(_ sample: (source: String, records: [String]), _ size: Int) {
        for format in [CorpusFormat.base64, .ndjson, .tsv, .pgcopy, .csv] {
            #expect(Self.cut(Array(sample.source.utf8), format, pieces: size) == sample.records, "\(format)")
        }
    }

    @Test(
        "a line of white space is too large like any other, however the bytes arrive",
        arguments: [(13, "0 blank 1"), (14, "0 der.input-too-large"), (200, "0 der.input-too-large")],
        [1, 5, 100]
    )
    func longBlankLine(_ sample: (count: Int, record: String), _ size: Int) {
        let line = [UInt8](repeating: 0x20, count: sample.count)
        let source = line + [UInt8]("\na\n".utf8)
        #expect(
            Self.cut(source, .base64, pieces: size, limit: 13) == [sample.record, "\(sample.count + 1) a"]
        )
        #expect(Self.cut(line, .base64, pieces: size, limit: 13) == [sample.record])
    }

    @Test("white space without a line end is read in linear time", .timeLimit(.minutes(1)))
    func whiteSpace() {
        let source = [UInt8](repeating: 0x20, count: 8 << 20)
        #expect(Self.cut(source, .base64, pieces: 1 << 12) == ["0 blank 1"])
    }

    @Test("a run of blank lines counts every line, and a later run cannot begin inside the run")
    func blankLineNumbers() {
        let origin = RecordOrigin(source: "", layout: RecordLayout(.base64), fields: RecordFields())
        var cutter = RecordCutter(origin)
        var window = ByteWindow()
        var batch = RecordBatch()
        window.append([UInt8]("a\n\n\n".utf8))
        cutter.cut(&window, into: &batch)
        #expect(batch.records.count == 2 && batch.count == 3 && cutter.number == 4)
        #expect(!cutter.isBetweenRecords)
        window.append([UInt8]("\nb\n".utf8))
        cutter.cut(&window, into: &batch)
        #expect(batch.records.map(\.count) == [1, 3, 1] && batch.records.last?.number == 5)
        #expect(cutter.isBetweenRecords)
    }

    @Test(
        "the end marker of COPY ends the records, with a line feed or without",
        arguments: ["\n", "\r\n", ""]
    )
    func endMarker(_ end: String) {
        for size in [1, 2, 100] {
            #expect(Self.cut([UInt8]("a\n\\.\(end)".utf8), .pgcopy, pieces: size) == ["0 a"])
        }
        let origin = RecordOrigin(source: "", layout: RecordLayout(.pgcopy), fields: RecordFields())
        var cutter = RecordCutter(origin)
        var window = ByteWindow()
        var batch = RecordBatch()
        window.append([UInt8]("a\n\\.\(end)".utf8))
        window.append([])
        cutter.cut(&window, into: &batch)
        #expect(cutter.isAtEnd && cutter.hasMetEndMarker)
    }
}
