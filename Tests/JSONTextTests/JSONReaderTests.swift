import Basics
import DER
import JSONText
import Testing

@Suite("JSON text is read as RFC 8259 defines it")
struct JSONReaderTests {
    /// The values of all members, or nil if the text is refused or no object.
    private func values(_ text: String) -> [String]? { values([UInt8](text.utf8)) }

    private func values(_ bytes: [UInt8]) -> [String]? {
        var reader = JSONReader(bytes, in: bytes.indices)
        guard let members = try? reader.members() else { return nil }
        return members.map { String(decoding: bytes[$0.value], as: UTF8.self) }
    }

    @Test("a path leads into objects, and to the name with dots first")
    func paths() throws {
        let bytes = [UInt8](#"{"a":{"b":1,"c":{"d":2}},"x.y":3,"x":{"y":4},"n":5}"#.utf8)
        var reader = JSONReader(bytes, in: bytes.indices)
        let members = try #require(try reader.members())
        for (path, value) in [
            ("n", "5"), ("a b", "1"), ("a c d", "2"), ("x y", "3"), ("a d", nil), ("n b", nil), ("b", nil),
            ("a b c", nil),
        ] as [(String, String?)] {
            let names = path.split(separator: " ").map { [UInt8]($0.utf8) }
            let range = JSONReader.value(at: names, of: members, bytes)
            #expect(range.map { String(decoding: bytes[$0], as: UTF8.self) } == value, "\(path)")
        }
    }

    @Test("a string's escapes are decoded, or the string has no value")
    func escapes() {
        for (escaped, expected) in [
            ("", ""), ("a", "a"), (#"\b\f\n\r\t\"\\\/"#, "\u{8}\u{C}\n\r\t\"\\/"), (#"\u0041b"#, "Ab"),
            (#"\ud83d\ude00"#, "😀"), (#"\uD83D\uDE00"#, "😀"), (#"a\"#, "a"),
            (#"\ud83d"#, nil), (#"\ude00"#, nil), (#"\ud83d\u0041"#, nil), (#"\ud83dA"#, nil),
            (#"\u"#, nil), (#"\u004"#, nil), (#"\u004g"#, nil), (#"\ud83d\ude0"#, nil), (#"\u 041"#, nil),
        ] as [(String, String?)] {
            let bytes = [UInt8](escaped.utf8)
            let found = JSONReader.unescaped(bytes.indices, bytes).map { String(decoding: $0, as: UTF8.self) }
            #expect(found == expected, "\(escaped)")
        }
    }

    @Test("only the last of several members with one name is kept")
    func members() throws {
        let repeated = String(repeating: "\"a\":1,", count: 10_000)
        let bytes = [UInt8]("{\(repeated)\"b\":2,\"\\u0061\":3,\"c\":4}".utf8)
        var text = JSONReader(bytes, in: bytes.indices)
        let members = try #require(
            try text.members(named: JSONNames(["a", "c", "d"].map { Array($0.utf8) }))
        )
        #expect(members.map { String(decoding: bytes[$0.value], as: UTF8.self) } == ["3", "4"])
        var broken = JSONReader(bytes, in: 0..<(bytes.count - 1))
        #expect(throws: Refusal.self) { try broken.members(named: JSONNames([])) }
    }

    @Test("many wanted names among very many members take no longer than a few", .timeLimit(.minutes(1)))
    func manyNames() throws {
        let names = (0..<20_000).map { [UInt8]("n\($0)".utf8) }
        let members = (0..<100_000).map { "\"n\($0)\":\($0)" }.joined(separator: ",")
        let long = String(repeating: "n", count: 1 << 20)
        let bytes = [UInt8]("{\(members),\"\(long)\":0,\"\\u006e7\":-7}".utf8)
        var text = JSONReader(bytes, in: bytes.indices)
        let found = try #require(try text.members(named: JSONNames(names + names)))
        #expect(found.count == 20_000)
        let seven = found.filter { JSONReader.isName($0.name, [UInt8]("n7".utf8), bytes) }
        #expect(seven.map { String(decoding: bytes[$0.value], as: UTF8.self) } == ["-7"])
    }

    @Test(
        "every kind of value is located",
        arguments: [
            "null", "true", "false", "0", "-0", "10", "-1.5e+7", "1E9", "\"\"", "\"\\u00e9\\n\"", "[]",
            "[1,[2]]", "{}",
            "{\"b\":[null]}", "\"\u{7F}é🧾\"",
        ]
    )
    func value(_ value: String) {
        #expect(values("{\"a\":\(value)}") == [value])
        #expect(values(" \t\r\n{ \"a\" : \(value) } ") == [value])
    }

    @Test(
        "a text that RFC 8259 does not allow is refused",
        arguments: [
            "", "{", "}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "{a:1}", "{'a':1}", "{\"a\":1}}",
            "{\"a\":1} x",
            "{\"a\":01}", "{\"a\":+1}", "{\"a\":.5}", "{\"a\":1.}", "{\"a\":1e}", "{\"a\":-}", "{\"a\":0x1}",
            "{\"a\":NaN}",
            "{\"a\":True}", "{\"a\":nul}", "{\"a\":\"\n\"}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12g4\"}",
            "{\"a\":\"\\u12\"}",
            "{\"a\":\"x}", "{\"a\":\"\\\"}", "{\"a\":[1,]}", "{\"a\":[1 2]}", "{\"a\":1 \"b\":2}",
            "\u{FEFF}{}", "{\"a\":1/**/}",
        ]
    )
    func refused(_ text: String) {
        #expect(values(text) == nil)
    }

    @Test(
        "only ASCII from the space on stands for itself at any place of a string, except \" and \\ (§7)",
        arguments: Array("x#] \u{7F}".utf8)
    )
    func unescaped(_ filler: UInt8) {
        for count in 1...45 {
            for place in 0..<count {
                var text = [UInt8](repeating: filler, count: count)
                for byte: UInt8 in 0x00...0x7F {
                    text[place] = byte
                    let isAllowed = byte >= 0x20 && byte != 0x22 && byte != 0x5C
                    let value = values(Array("{\"a\":\"".utf8) + text + Array("\"}".utf8))
                    guard (value != nil) != isAllowed else { continue }
                    Issue.record("\(byte) at \(place) of \(count)")
                }
            }
        }
    }

    @Test(
        "ill-formed UTF-8 is refused (§8.1)",
        arguments: [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xE2, 0x82]]
    )
    func encoding(_ bytes: [UInt8]) {
        #expect(values([UInt8]("{\"a\":\"".utf8) + bytes + [UInt8]("\"}".utf8)) == nil)
    }

    @Test("64 levels are read, and 65 are refused")
    func depth() {
        func nested(_ count: Int) -> String {
            "{\"a\":" + String(repeating: "[", count: count) + String(repeating: "]", count: count) + "}"
        }
        #expect(values(nested(63)) != nil)
        #expect(values(nested(64)) == nil)
        #expect(values(nested(100_000)) == nil)
    }

    @Test(
        "strings are decoded (§7)",
        arguments: [
            ("\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "a\"\\/\u{8}\u{C}\n\r\t"), ("\"\\u0041\\u00E9\"", "Aé"),
            ("\"\\ud83e\\uddfe\"", "🧾"), ("\"\\ufffd\u{FFFD}\"", "\u{FFFD}\u{FFFD}"),
            ("\"\\ud800\\udc00\\udbff\\udfff\"", "\u{10000}\u{10FFFF}"),
            ("\"\\ud7ff\\ue000\"", "\u{D7FF}\u{E000}"),
        ]
    )
    func string(_ text: String, _ expected: String) throws {
        let bytes = [UInt8](text.utf8)
        #expect(JSONReader.string(bytes.indices, bytes).map { Array($0) } == [UInt8](expected.utf8))
    }

    @Test(
        "half of a surrogate pair makes a string that equals no text, and a name that no search finds (§8.2)",
        arguments: [
            "\\ud83e", "\\uddfe", "\\uD800", "\\uDFFF", "\\uddfe\\ud83e", "\\ud83ex", "x\\ud83e",
            "\\ud83e\\u0041", "\\ud83e\\n", "\\ud83e\\ud83e\\uddfe", "\\ud83e\\uddfe\\uddfe",
        ]
    )
    func halfSurrogates(_ text: String) throws {
        let bytes = [UInt8]("\"\(text)\"".utf8)
        #expect(JSONReader.string(bytes.indices, bytes) == nil)
        let object = [UInt8]("{\"\(text)\":1,\"b\":\"\(text)\"}".utf8)
        #expect(values(object)?.count == 2)
        var reader = JSONReader(object, in: object.indices)
        let replaced = [UInt8](text.replacing(/\\u[dD][89a-fA-F]../, with: "\u{FFFD}").utf8)
        #expect(try reader.members(named: JSONNames([replaced, [UInt8]("\u{FFFD}".utf8)]))?.count == 0)
    }

    @Test("a line break in a string is refused with its place, and read on request")
    func lineBreaks() throws {
        for (text, place) in [("{\"a\":\"1\n2\r\n\"}", 7), ("{\"a\r\":1}", 3), ("{\"a\":\"\r", 6)] {
            let bytes = [UInt8](text.utf8)
            var strict = JSONReader(bytes, in: bytes.indices)
            #expect { try strict.members() } throws: { ($0 as? Refusal)?.offset == place }
            #expect(strict.lineBreak == place)
            var lenient = JSONReader(bytes, in: bytes.indices, allowsLineBreaks: true)
            #expect((try? lenient.members())??.count == (text.hasSuffix("}") ? 1 : nil))
            #expect(lenient.lineBreak == nil)
        }
        // A line break elsewhere, after a backslash, and another control character.
        for (text, isLineBreak) in [
            ("{\"a\":tr\nue}", false), ("{\"a\":\"\t\"}", false), ("{\"a\":\"\u{0}\"}", false),
            ("{\"a\":\"\\\n\"}", true), ("{\"a\":\"\\u12\n\"}", true),
        ] {
            let bytes = [UInt8](text.utf8)
            for allowsLineBreaks in [false, true] {
                var reader = JSONReader(bytes, in: bytes.indices, allowsLineBreaks: allowsLineBreaks)
                #expect(throws: Refusal.self) { try reader.members() }
                #expect((reader.lineBreak != nil) == isLineBreak)
            }
        }
    }

    @Test("an array is read whole", arguments: [("[]", 0), ("[1, \"a\", [2], {}]", 4)])
    func elements(_ text: String, _ count: Int) throws {
        let bytes = [UInt8](text.utf8)
        var reader = JSONReader(bytes, in: bytes.indices)
        #expect(try reader.elements()?.count == count)
        var cut = JSONReader(bytes, in: 0..<(bytes.count - 1))
        #expect(throws: Refusal.self) { try cut.elements() }
    }
}
