import Basics
import CMS
import Testing

@Suite("Published codes")
struct CodesTests {
    @Test("numbers and names are this module's, and each is used once")
    func unique() {
        let codes = Refusal.Code.cms
        #expect(Set(codes.map(\.number)).count == codes.count)
        #expect(Set(codes.map { "\($0.name)" }).count == codes.count)
        for code in codes {
            #expect((400..<500).contains(code.number))
            #expect("\(code.name)".hasPrefix("cms."))
        }
    }
}
