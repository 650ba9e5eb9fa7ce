import Basics
import DER
import Testing

@Suite("Published codes")
struct CodesTests {
    @Test("every number and name belongs to this module and is used once")
    func unique() {
        let codes = Refusal.Code.der
        #expect(Set(codes.map(\.number)).count == codes.count)
        #expect(Set(codes.map { "\($0.name)" }).count == codes.count)
        for code in codes {
            #expect((100..<200).contains(code.number))
            #expect("\(code.name)".hasPrefix("der.") || "\(code.name)".hasPrefix("ber."))
        }
    }

    @Test("the description of a refusal names code, offset, field and meaning")
    func description() {
        let refusal = Refusal(.truncated, at: 7, reading: "tbsCertificate.validity")
        #expect(
            refusal.description
                == "der.truncated at byte 7, reading tbsCertificate.validity: The bytes end before the element does."
        )
        #expect(Refusal.Code.truncated != .trailingBytes && Refusal.Code.truncated == .truncated)
    }

    @Test("codes are equal if their numbers are equal, in sets too")
    func sets() {
        let renamed = Refusal.Code(Refusal.Code.truncated.number, "der.other", "The same number.")
        #expect(Set([Refusal.Code.truncated, .trailingBytes, renamed]) == [.trailingBytes, .truncated])
        #expect(Set(Refusal.Code.der).count == Refusal.Code.der.count)
    }
}
