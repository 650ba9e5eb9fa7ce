import Basics
import Testing

@Suite("Repairing UTF-8 (Unicode Standard §3.9)")
struct UTF8Tests {
    @Test(
        "an ill-formed sequence becomes one U+FFFD for each maximal subpart",
        arguments: [
            // Tables 3-8 to 3-11 of the standard: forms that are too long, surrogates, others, cut short.
            ([0xC0, 0xAF, 0xE0, 0x80, 0xBF, 0xF0, 0x81, 0x82, 0x41], "????????A"),
            ([0xED, 0xA0, 0x80, 0xED, 0xBF, 0xBF, 0xED, 0xAF, 0x41], "????????A"),
            ([0xF4, 0x91, 0x92, 0x93, 0xFF, 0x41, 0x80, 0xBF, 0x42], "?????A??B"),
            ([0xE1, 0x80, 0xE2, 0xF0, 0x91, 0x92, 0xF1, 0xBF, 0x41], "????A"),
            // The end of the text cuts a sequence short.
            ([0x41, 0xC3], "A?"), ([0xF0, 0x9F, 0x98], "?"), ([0xE2, 0x82, 0xE2, 0x82, 0xAC], "?€"),
            ([], ""), ([0xF4, 0x8F, 0xBF, 0xBF], "\u{10FFFF}"), ([0xF4, 0x90, 0x80, 0x80], "????"),
            ([0x7F, 0xC2, 0x80, 0xDF, 0xBF, 0xE0, 0xA0, 0x80], "\u{7F}\u{80}\u{7FF}\u{800}"),
        ] as [([UInt8], String)]
    )
    func tables(bytes: [UInt8], text: String) {
        let expected = text.map { $0 == "?" ? "\u{FFFD}" : String($0) }.joined()
        #expect(bytes.span.repairedUTF8() == Array(expected.utf8))
    }

    @Test("agrees with the standard library on any bytes")
    func anyBytes() {
        // Bytes at the ends of the ranges of Table 3-7, chosen by a generator of linear congruences.
        let choices: [UInt8] = [
            0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC,
            0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        var state: UInt64 = 1
        func next(below count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        for _ in 0..<100_000 {
            let bytes = (0..<next(below: 12)).map { _ in choices[next(below: choices.count)] }
            let repaired = bytes.span.repairedUTF8()
            if repaired != Array(String(decoding: bytes, as: UTF8.self).utf8) {
                Issue.record("\(bytes) becomes \(repaired)")
            }
        }
    }
}
