import Basics
import Testing
import TransactionReceipt
import VerifyReceipt

@Suite("The codes of requests")
struct CodesTests {
    @Test("numbers are 700 and up without a gap, and no other module has a number or a name of them")
    func unique() {
        let codes = Refusal.Code.verifyReceipt
        #expect(codes.map(\.number) == Array(700..<700 + UInt16(codes.count)))
        let all = codes + Refusal.Code.all + Refusal.Code.allOfTransactionReceipts
        #expect(Set(all.map(\.number)).count == all.count)
        #expect(Set(all.map { "\($0.name)" }).count == all.count)
        for code in codes {
            #expect("\(code.name)".wholeMatch(of: /(request|answer)\.[a-z0-9]+(-[a-z0-9]+)*/) != nil)
            #expect("\(code.meaning)".hasSuffix(".") && !"\(code.meaning)".contains("  "))
        }
    }
}
