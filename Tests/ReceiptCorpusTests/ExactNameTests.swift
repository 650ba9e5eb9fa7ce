import ReceiptCorpus
import Testing

@Suite("Names that are compared byte for byte")
struct ExactNameTests {
    @Test("two different file names have different texts")
    func exactText() {
        let name = FileName(bytes: [0xFF])
        #expect(name.exactText == "not UTF-8: ff")
        let forged = FileName(bytes: [UInt8]("not UTF-8: ff".utf8))
        #expect(forged.exactText != name.exactText && forged.exactText.hasPrefix("not UTF-8: 6e6f74"))
        #expect(FileName(bytes: [UInt8]("é not UTF-8: ff".utf8)).exactText == "é not UTF-8: ff")
    }

    @Test("names that are equivalent in Unicode are counted apart")
    func counts() {
        var counts = Counts()
        counts.add(1, to: "caf\u{E9}")
        counts.add(2, to: "cafe\u{301}")
        #expect(counts.count == 2 && counts["caf\u{E9}"] == 1 && counts["cafe\u{301}"] == 2)
        #expect(counts.bySize.map(\.count) == [2, 1])
        for number in 0..<2000 { counts.add(1, to: "\(number)") }
        #expect(counts.count == 1025 && counts["others"] == 2000 - 1022)
    }
}
