import JSONText
import Testing

@Suite("Writing JSON")
struct JSONWriterTests {
    /// RFC 8259 §6: integers from -(2^53 - 1) to 2^53 - 1 are exact in every reader that uses binary64.
    @Test(
        "a number that a reader could round is a string with all its digits",
        arguments: [
            (0, "0"), (9_007_199_254_740_991, "9007199254740991"),
            (9_007_199_254_740_992, "\"9007199254740992\""),
            (-9_007_199_254_740_991, "-9007199254740991"),
            (-9_007_199_254_740_992, "\"-9007199254740992\""),
            (.max, "\"9223372036854775807\""), (.min, "\"-9223372036854775808\""),
        ] as [(Int64, String)]
    )
    func numbers(_ number: Int64, _ text: String) {
        let json = JSONWriter.object { $0.member("a", number) }
        #expect(String(decoding: json.bytes, as: UTF8.self) == "{\"a\":\(text)}")
    }

    @Test("JSON that is copied keeps its meaning, without characters that act on a terminal")
    func copies() {
        for (text, copy) in [
            (nil, "null"), ("[1,2]", "[1,2]"), ("[1,\t2]\n", "[1, 2] "),
            (#"{"é":"\#u{202E}"}"#, #"{"é":"\u202e"}"#),
            ("\"\u{7F}\"", #""\u007f""#),
        ] as [(String?, String)] {
            let json = JSONWriter.object { $0.member(.given("a"), text: text.map { [UInt8]($0.utf8)[...] }) }
            #expect(String(decoding: json.bytes, as: UTF8.self) == "{\"a\":\(copy)}")
        }
        #expect(MemberName.given("a").text == "a" && MemberName.fixed("b").text == "b")
    }
}
