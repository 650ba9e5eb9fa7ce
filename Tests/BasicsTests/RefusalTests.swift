import Basics
import DER
import Testing

@Suite("Refusals as values")
struct RefusalTests {
    @Test("refusals are equal if code, offset and field are equal")
    func equality() {
        let refusal = Refusal(.truncated, at: 7, reading: "INTEGER")
        #expect(refusal == Refusal(.truncated, at: 7, reading: "INTEGER"))
        #expect(refusal != Refusal(.trailingBytes, at: 7, reading: "INTEGER"))
        #expect(refusal != Refusal(.truncated, at: 8, reading: "INTEGER"))
        #expect(refusal != Refusal(.truncated, at: 7, reading: "INTEGER."))
    }

    @Test("a code is described by its published name")
    func description() {
        #expect("\(Refusal.Code.truncated)" == "der.truncated")
        for code in Refusal.Code.der { #expect(code.description == "\(code.name)") }
    }

    @Test("fields are compared byte for byte in every form that the compiler stores")
    func fields() {
        // One scalar, and a letter with a combining accent. Unicode considers the two texts equivalent.
        let (composed, decomposed) = (
            Refusal(.truncated, at: 0, reading: "\u{E9}"), Refusal(.truncated, at: 0, reading: "e\u{301}")
        )
        #expect(composed != decomposed)
        #expect(composed == Refusal(.truncated, at: 0, reading: "é"))
    }

    @Test("equal refusals have equal hashes, and a set distinguishes different ones")
    func hashing() {
        let refusals = [
            Refusal(.truncated, at: 7, reading: "INTEGER"), Refusal(.truncated, at: 7, reading: "INTEGER"),
            Refusal(.truncated, at: 7, reading: "SEQUENCE"), Refusal(.truncated, at: 8, reading: "INTEGER"),
            Refusal(.tooDeep, at: 7, reading: "INTEGER"),
        ]
        #expect(Set(refusals).count == 4)
        #expect(refusals[0].hashValue == refusals[1].hashValue)
    }
}
