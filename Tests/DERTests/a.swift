import DER
import Testing

@Test func a() throws {
    let b: [UInt8] = [2, 1, 5]; var r = Reader(b.span); #expect(try r.read(.integer, "x") == 2..<3)
}
