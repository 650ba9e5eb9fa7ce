import Basics
import Testing
import TransactionReceipt

@Suite("The codes of transaction receipts")
struct TransactionReceiptCodesTests {
    static let codes = Refusal.Code.allOfTransactionReceipts

    @Test("have the numbers from 600 on without a gap, and names of their own")
    func unique() {
        #expect(Self.codes.map(\.number) == Array(600..<600 + UInt16(Self.codes.count)))
        #expect(Self.codes.count <= 100)
        let all = Refusal.Code.all + Self.codes
        #expect(Set(all.map(\.number)).count == all.count)
        #expect(Set(all.map { "\($0.name)" }).count == all.count)
        #expect(Set(all.map { "\($0.meaning)" }).count == all.count)
    }

    @Test("each has a name of two parts and a sentence that ends with a full stop", arguments: codes)
    func form(_ code: Refusal.Code) throws {
        #expect("\(code.name)".wholeMatch(of: /(plist|transaction)\.[a-z0-9]+(-[a-z0-9]+)*/) != nil)
        let meaning = "\(code.meaning)"
        #expect(meaning.hasSuffix(".") && !meaning.hasSuffix("..") && meaning.count > 10)
        #expect(try #require(meaning.first).isUppercase)
        #expect(!meaning.contains("  ") && !meaning.contains("\n"))
    }
}
