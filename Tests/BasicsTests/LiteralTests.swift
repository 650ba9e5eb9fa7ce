import Basics
import Testing

@Suite("A literal in one word")
struct LiteralTests {
    @Test("gives back the literal: its address, its length, and whether it is ASCII")
    func text() {
        for literal in ["", "a-b", "der.truncated", "X.690 §8.1.2.4", "😀😀"] as [StaticString] {
            let text = Literal(literal).text
            #expect(text.hasPointerRepresentation)
            #expect(unsafe text.utf8Start == literal.utf8Start)
            #expect(text.utf8CodeUnitCount == literal.utf8CodeUnitCount)
            #expect(text.isASCII == literal.isASCII)
            #expect("\(text)" == "\(literal)")
        }
    }

    @Test("equals a literal of the same bytes, and no literal that begins like it or has other bytes")
    func equality() {
        let (one, same) = (Literal("serialNumber"), Literal("serialNumber"))
        let (longer, other) = (Literal("serialNumbers"), Literal("serialNumbes"))
        #expect(one == same && one.hashValue == same.hashValue)
        #expect(one != longer && longer != one && one != other && longer != other && one != Literal(""))
        #expect(Literal("") == Literal(""))
        #expect(Set([one, same, longer, other]).count == 3)
    }

    @Test("keeps a refusal small: five words")
    func size() {
        #expect(MemoryLayout<Refusal>.size == 5 * MemoryLayout<Int>.size)
    }
}
