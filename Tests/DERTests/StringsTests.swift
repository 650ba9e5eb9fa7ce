import Basics
import DER
import TestSupport
import Testing

@Suite("Character strings (X.690 §8.23, X.680 §41, Unicode table 3-7)")
struct StringsTests {
    private enum Kind: UInt8, CaseIterable {
        case utf8 = 0x0C
        case ia5 = 0x16
    }

    private static func string(_ kind: Kind, _ octets: [UInt8]) throws(Refusal) -> Range<Int> {
        let input = [kind.rawValue, UInt8(octets.count)] + octets
        var reader = Reader(input.span)
        switch kind {
        case .utf8:
            let contents = try reader.read(.utf8String, "UTF8String")
            guard let offset = reader.bytes.firstIllFormedUTF8(in: contents) else { return contents }
            throw Refusal(.invalidUTF8, at: offset, reading: "UTF8String")
        case .ia5: return try reader.readIA5String("IA5String")
        }
    }

    /// Table 3-7 of the Unicode standard, "Well-Formed UTF-8 Byte Sequences": one line for each row.
    private static let wellFormed: [[ClosedRange<UInt8>]] = [
        [0x00...0x7F],
        [0xC2...0xDF, 0x80...0xBF],
        [0xE0...0xE0, 0xA0...0xBF, 0x80...0xBF],
        [0xE1...0xEC, 0x80...0xBF, 0x80...0xBF],
        [0xED...0xED, 0x80...0x9F, 0x80...0xBF],
        [0xEE...0xEF, 0x80...0xBF, 0x80...0xBF],
        [0xF0...0xF0, 0x90...0xBF, 0x80...0xBF, 0x80...0xBF],
        [0xF1...0xF3, 0x80...0xBF, 0x80...0xBF, 0x80...0xBF],
        [0xF4...0xF4, 0x80...0x8F, 0x80...0xBF, 0x80...0xBF],
    ]

    @Test("accepts the first and last sequence of every row of table 3-7", arguments: wellFormed)
    func corners(_ row: [ClosedRange<UInt8>]) throws {
        for choice in 0..<(1 << row.count) {
            let sequence = row.indices.map { choice >> $0 & 1 == 0 ? row[$0].lowerBound : row[$0].upperBound }
            let text = [0x61] + sequence + [0x62]
            #expect(try Self.string(.utf8, text) == 2..<(2 + text.count))
        }
    }

    @Test(
        "refuses a sequence just outside of a row of table 3-7, at its first byte",
        arguments: wellFormed.dropFirst()
    )
    func beyond(_ row: [ClosedRange<UInt8>]) {
        for position in 1..<row.count {
            for wrong in [row[position].lowerBound - 1, row[position].upperBound + 1, 0x00, 0x7F, 0xC0, 0xFF]
            {
                for useUpper in [false, true] {
                    var sequence = row.map { useUpper ? $0.upperBound : $0.lowerBound }
                    sequence[position] = wrong
                    refuses(.invalidUTF8, at: 4) { () throws(Refusal) in
                        try Self.string(.utf8, [0x61, 0x62] + sequence)
                    }
                }
            }
        }
    }

    @Test(
        "refuses a sequence that is cut short, at the end and before another sequence",
        arguments: wellFormed.dropFirst()
    )
    func cutShort(_ row: [ClosedRange<UInt8>]) {
        for count in 1..<row.count {
            let sequence = row.prefix(count).map(\.upperBound)
            refuses(.invalidUTF8, at: 2) { () throws(Refusal) in try Self.string(.utf8, sequence) }
            refuses(.invalidUTF8, at: 2) { () throws(Refusal) in try Self.string(.utf8, sequence + [0x61]) }
            refuses(.invalidUTF8, at: 2) { () throws(Refusal) in
                try Self.string(.utf8, sequence + [0xC3, 0xA9])
            }
        }
    }

    @Test("refuses a byte that begins no row, with any byte after it")
    func leads() {
        for lead in UInt8.min...UInt8.max where !Self.wellFormed.contains(where: { $0[0].contains(lead) }) {
            for tail: [UInt8] in [[], [0x80], [0x80, 0x80], [0x80, 0x80, 0x80], [0xBF, 0xBF, 0xBF]] {
                refuses(.invalidUTF8, at: 3) { () throws(Refusal) in
                    try Self.string(.utf8, [0x61, lead] + tail)
                }
            }
        }
    }

    @Test("judges only the bytes of the range")
    func range() {
        let bytes: [UInt8] = [0xFF, 0x61, 0xE2, 0x82, 0xAC, 0xFF]
        for (range, expected) in [(1..<5, nil), (1..<4, 2), (0..<5, 0), (3..<5, 3), (6..<6, nil)]
            as [(Range, Int?)]
        {
            let offset = bytes.span.firstIllFormedUTF8(in: range)
            #expect(offset == expected)
        }
    }

    @Test("IA5String has 128 characters; the refusal is at the first other one")
    func repertoire() throws {
        for octet in UInt8.min...UInt8.max {
            if octet < 0x80 {
                #expect(try Self.string(.ia5, [0x41, octet]) == 2..<4)
            } else {
                refuses(.invalidCharacter, at: 3) { () throws(Refusal) in
                    try Self.string(.ia5, [0x41, octet])
                }
            }
        }
    }

    @Test("accepts an empty string, and refuses another string type")
    func kinds() throws {
        for kind in Kind.allCases { #expect(try Self.string(kind, []) == 2..<2) }
        let input = hex("0c0141")
        refuses(.unexpectedTag, at: 0) { () throws(Refusal) in
            var reader = Reader(input.span)
            _ = try reader.readIA5String("IA5String")
        }
        refuses(.unexpectedTag, at: 0) { () throws(Refusal) in
            let segments = hex("3603160141")
            var reader = Reader(segments.span)
            _ = try reader.readIA5String("IA5String")
        }
    }

    @Test("finds a byte that is not ASCII at any place of a text of any length", arguments: 0..<80)
    func everyPlace(_ count: Int) {
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: count + 2)
        #expect(text.span.firstIllFormedUTF8(in: 1..<(1 + count)) == nil)
        for place in 0..<count {
            var changed = text
            changed[1 + place] = 0x80
            (changed[0], changed[count + 1]) = (0xFF, 0xFF)
            #expect(changed.span.firstIllFormedUTF8(in: 1..<(1 + count)) == 1 + place)
        }
    }

    @Test("finds a byte that is not ASCII, or accepts a character, at any place of a long text")
    func everyPlaceOfALongText() {
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: 600)
        for place in 0..<599 {
            var changed = text
            changed[place] = 0xC3
            #expect(changed.span.firstIllFormedUTF8(in: 0..<600) == place)
            // U+00E9, which two bytes encode.
            changed[place + 1] = 0xA9
            #expect(changed.span.firstIllFormedUTF8(in: 0..<600) == nil)
            #expect(changed.span.firstIllFormedUTF8(in: 0..<(place + 1)) == place)
        }
    }
}
