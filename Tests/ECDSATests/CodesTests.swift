import AppReceipt
import Basics
import ECDSA
import Testing

@Suite("The codes of ECDSA")
struct CodesTests {
    @Test("they are numbered from 800 on, and share no number, name or meaning with other codes")
    func codes() {
        let codes = Refusal.Code.ecdsa
        #expect(codes.map(\.number) == (0..<10).map { 800 + $0 })
        let all = codes + Refusal.Code.all.filter { !codes.contains($0) }
        #expect(all.count == Refusal.Code.all.count + codes.count)
        #expect(Set(all.map { "\($0.name)" }).count == all.count)
        #expect(Set(all.map { "\($0.meaning)" }).count == all.count)
        for code in codes {
            #expect("\(code.name)".hasPrefix("ecdsa.") && "\(code.meaning)".hasSuffix("."))
        }
    }
}
