import Basics
import DER
import TestSupport
import Testing

@Suite("Converting BER to DER (X.690 §8.1.3, §8.1.5, §8.7.3)")
struct NormaliserTests {
    static func normalise(
        _ input: [UInt8],
        limits: EncodingLimits = .standard,
        verbatim: Normaliser.Verbatim = { _, _, _ in false }
    ) throws(Refusal) -> Normalised? {
        try Normaliser.normalise(input.span, limits: limits, verbatim: verbatim)
    }

    @Test(
        "converts BER to the DER of the same value, which does not change again",
        arguments: [
            // Indefinite lengths, alone, nested, beside definite ones.
            ("30800000", "3000"),
            ("3080 020101 0000", "3003 020101"),
            ("3080 3080 0000 3080 0500 0000 0000", "3006 3000 3002 0500"),
            ("3006 3080 0500 0000", "3004 3002 0500"),
            ("3080 3003 020101 0000", "3005 3003 020101"),
            ("3004 30800000", "3002 3000"),
            ("7f1f80 010102 0000", "7f1f03 010102"),
            ("bf8f7f80 0500 0000", "bf8f7f02 0500"),
            // Zero octets that are contents, not end-of-contents.
            ("3080 04020000 0000", "3004 04020000"),
            ("3080 a0800400 0000 0000", "3004 a0020400"),
            // Lengths in more octets than they need.
            ("0281 01 05", "020105"),
            ("02820001 05", "020105"),
            ("0288 0000000000000001 05", "020105"),
            ("04fe" + String(repeating: "00", count: 125) + "01 41", "040141"),
            ("3081 03 020105", "3003 020105"),
            (
                "04820080" + String(repeating: "41", count: 128),
                "048180" + String(repeating: "41", count: 128)
            ),
            (
                "0484000000ff" + String(repeating: "41", count: 255),
                "0481ff" + String(repeating: "41", count: 255)
            ),
            ("1f1f8100", "1f1f00"),
            ("30840000000702820001 05 0400", "3005 020105 0400"),
            // OCTET STRINGs in segments.
            ("2400", "0400"),
            ("24800000", "0400"),
            ("2403 040141", "040141"),
            ("2480 040141 040142 0000", "0402 4142"),
            ("2480 0400 0400 0000", "0400"),
            ("2480 2403 040141 2480 040142 0000 0000", "0402 4142"),
            ("2480 048101 41 0000", "0401 41"),
            ("3080 a080 2480 040141 0000 0000 0000", "3005 a003 040141"),
            ("2404 2402 0400", "0400"),
            // Other differences from DER remain, and the reader refuses them.
            ("3080 010101 0000", "3003 010101"),
            ("2380 03020001 0000", "2304 03020001"),
            ("3180 020102 020101 0000", "3106 020102 020101"),
        ]
    )
    func pairs(_ ber: String, _ der: String) throws {
        let normalised = try #require(try Self.normalise(hex(ber)))
        #expect(normalised.bytes == hex(der))
        #expect(Reference.der(hex(ber)) == hex(der))
        #expect(try Self.normalise(normalised.bytes) == nil)
    }

    @Test(
        "returns nil if there is nothing to convert",
        arguments: [
            "3000", "020105", "0500", "0400", "3006 020101 020102", "a003 0101ff", "1f1f00", "bf8f7f02 0500",
            "2304 03020001", "010101", "02020001", "3106 020102 020101", "0c01ff", "0404 00000000",
        ]
    )
    func unchanged(_ digits: String) throws {
        #expect(try Self.normalise(hex(digits)) == nil)
    }

    @Test(
        "writes a definite length of one to four octets in place of an indefinite length",
        arguments: [
            (127, "307f"), (128, "308180"), (255, "3081ff"), (256, "30820100"), (65_536, "3083010000"),
        ]
    )
    func growth(_ count: Int, _ header: String) throws {
        // Each NULL has two octets. An INTEGER of three octets makes the count odd.
        let nulls = hex(String(repeating: "0500", count: (count - count % 2 * 3) / 2))
        let contents = nulls + (count % 2 == 1 ? hex("020105") : [])
        let normalised = try #require(try Self.normalise([0x30, 0x80] + contents + [0, 0]))
        #expect(normalised.bytes == hex(header) + contents)
        var last = 0
        for offset in 0...normalised.bytes.count {
            let input = normalised.inputOffset(of: offset)
            if input < last || input > contents.count + 4 { Issue.record("offset \(offset) gives \(input)") }
            last = input
        }
    }

    @Test(
        "refuses malformed BER at its place in the input",
        arguments: [
            ("", Refusal.Code.truncated, 0),
            ("30", .truncated, 1),
            ("3081", .truncated, 2),
            ("308201", .truncated, 3),
            ("3003 0201", .truncated, 4),
            ("3003 020205", .truncated, 5),
            ("0284ffffffff", .truncated, 6),
            ("02850100000000", .lengthTooLarge, 1),
            ("0288ffffffffffffffff", .lengthTooLarge, 1),
            ("02ff" + String(repeating: "00", count: 126) + "0141", .lengthTooLarge, 1),
            ("0280 05 0000", .indefiniteLength, 1),
            ("3080 0480 0000 0000", .indefiniteLength, 3),
            ("1f1e00", .nonMinimalTag, 0),
            ("3080 1f801f00 0000", .nonMinimalTag, 2),
            ("1f9080808000", .tagNumberTooLarge, 0),
            // End-of-contents octets: missing, cut short, too many, too long, at the wrong level.
            ("3080", .invalidEndOfContents, 2),
            ("3080 00", .invalidEndOfContents, 2),
            ("3080 0500", .invalidEndOfContents, 4),
            ("3080 3080 0000", .invalidEndOfContents, 6),
            ("3080 000100 0000", .invalidEndOfContents, 2),
            ("3080 008100 0000", .invalidEndOfContents, 2),
            ("3080 0080 0000", .invalidEndOfContents, 2),
            ("3080 2000 0000", .invalidEndOfContents, 2),
            ("3002 0000", .invalidEndOfContents, 2),
            ("3004 0500 0000", .invalidEndOfContents, 4),
            ("0000", .invalidEndOfContents, 0),
            ("3080 0000 0000", .trailingBytes, 4),
            ("020105 00", .trailingBytes, 3),
            ("020105 020105", .trailingBytes, 3),
            // The end-of-contents octets of an inner element lie outside the outer one.
            ("3004 3080 0500 0000", .invalidEndOfContents, 6),
            ("3003 3080 00 00", .invalidEndOfContents, 4),
            // Segments that are not OCTET STRINGs.
            ("2403 020105", .invalidSegment, 2),
            ("2480 040141 0101ff 0000", .invalidSegment, 5),
            ("2480 2303 03010 0 0000", .invalidSegment, 2),
            ("2480 840141 0000", .invalidSegment, 2),
            ("2480 a080 0000 0000", .invalidSegment, 2),
            ("2402 0000", .invalidEndOfContents, 2),
            ("2480 040141", .invalidEndOfContents, 5),
            ("2480 2480 040141 0000", .invalidEndOfContents, 9),
            ("2403 040241", .truncated, 5),
            ("2480 0480 0000 0000", .indefiniteLength, 3),
        ]
    )
    func refused(_ digits: String, _ code: Refusal.Code, _ offset: Int) {
        refuses(code, at: offset) { () throws(Refusal) in try Self.normalise(hex(digits)) }
    }

    @Test("maps offsets of the output to the input, exactly for tags and contents")
    func offsets() throws {
        // Offsets:     0    2    4        8  9    11     14     17   19   21     24 25
        let ber = hex("3080 a080 02820001 05 2480 040141 040142 0000 0000 0481 01 43 0000")
        let normalised = try #require(try Self.normalise(ber))
        #expect(normalised.bytes == hex("300c a007 020105 04024142 040143"))
        let expected: [Int: Int] = [
            0: 0, 2: 2, 4: 4, 6: 8, 7: 9, 9: 13, 10: 16, 11: 21, 13: 24,
        ]
        for (output, input) in expected { #expect(normalised.inputOffset(of: output) == input) }
        for (output, input) in expected { #expect(normalised.bytes[output] & 0xDF == ber[input] & 0xDF) }
    }

    @Test("copies the elements that the caller chooses byte for byte, with their lengths")
    func verbatim() throws {
        let ber = hex("3080 a004 02810105 a104 02810106 a204 02810107 0000")
        var asked: [(Int, DER.Tag, DER.Tag)] = []
        let normalised = try #require(
            try Self.normalise(ber) { depth, parent, tag in
                asked.append((depth, parent, tag))
                return depth == 1 && parent == .sequence && tag == .constructed(1)
            }
        )
        #expect(normalised.bytes == hex("3010 a003 020105 a104 02810106 a203 020107"))
        #expect(normalised.inputOffset(of: 7) == 8 && normalised.inputOffset(of: 12) == 13)
        let end = normalised.inputOffset(of: normalised.bytes.count)
        #expect(normalised.inputOffset(of: .max) == end && normalised.inputOffset(of: .min) == 0)
        let isAskedInside = asked.contains { $0.1 == .constructed(1) }
        #expect(!isAskedInside)
        let first = try #require(asked.first)
        #expect(first.0 == 0 && first.1 == DER.Tag(.universal, 0) && first.2 == .sequence)
    }

    @Test("a verbatim element may hold any bytes, and must have a definite length")
    func verbatimAlone() throws {
        #expect(try Self.normalise(hex("30820002 ffff")) { _, _, _ in true } == nil)
        #expect(try Self.normalise(hex("3004 a0810100")) { depth, _, _ in depth == 1 } == nil)
        refuses(.indefiniteLength, at: 2) { () throws(Refusal) in
            try Self.normalise(hex("3080 a080 0000 0000")) { depth, _, _ in depth == 1 }
        }
        refuses(.trailingBytes, at: 2) { () throws(Refusal) in
            try Self.normalise(hex("3000 3000")) { _, _, _ in true }
        }
        refuses(.invalidEndOfContents, at: 2) { () throws(Refusal) in
            try Self.normalise(hex("3004 0000 0500")) { depth, _, _ in depth == 1 }
        }
    }

    @Test("accepts input up to the limits on bytes, depth and elements, and refuses one more")
    func limits() throws {
        var limits = EncodingLimits.standard
        limits.inputBytes = 4
        #expect(try Self.normalise(hex("30800000"), limits: limits) != nil)
        refuses(.inputTooLarge, at: 0) { () throws(Refusal) in
            try Self.normalise(hex("3080050000"), limits: limits)
        }
        limits = .standard
        limits.depth = 2
        #expect(try Self.normalise(hex("3080 3080 0500 0000 0000"), limits: limits) != nil)
        #expect(try Self.normalise(hex("3080 2480 0400 0000 0000"), limits: limits) != nil)
        refuses(.tooDeep, at: 4) { () throws(Refusal) in
            try Self.normalise(hex("3080 3080 3080 0000 0000 0000"), limits: limits)
        }
        refuses(.tooDeep, at: 4) { () throws(Refusal) in
            try Self.normalise(hex("3080 2480 2480 0000 0000 0000"), limits: limits)
        }
        refuses(.tooDeep, at: 4) { () throws(Refusal) in
            try Self.normalise(hex("3004 3002 3000"), limits: limits)
        }
        limits = .standard
        limits.elements = 3
        #expect(try Self.normalise(hex("3080 0500 0500 0000"), limits: limits) != nil)
        #expect(try Self.normalise(hex("2480 0400 0400 0000"), limits: limits) != nil)
        refuses(.tooManyElements, at: 6) { () throws(Refusal) in
            try Self.normalise(hex("3080 0500 0500 0500 0000"), limits: limits)
        }
        refuses(.tooManyElements, at: 6) { () throws(Refusal) in
            try Self.normalise(hex("2480 0400 0400 0400 0000"), limits: limits)
        }
        limits.inputBytes = .max
        limits.elements = 0
        refuses(.tooManyElements, at: 0) { () throws(Refusal) in
            try Self.normalise(hex("0500"), limits: limits)
        }
    }

    @Test("refuses a hundred thousand nested levels at the limit on depth")
    func deep() {
        for opening in ["3080", "2480", "a080"] {
            refuses(.tooDeep, at: 64) { () throws(Refusal) in
                try Self.normalise(hex(String(repeating: opening, count: 100_000)))
            }
        }
    }

    @Test("converts 100 nested levels if the caller allows them, on any thread")
    func deeper() throws {
        var limits = EncodingLimits.standard
        limits.depth = 100
        for opening in ["3080", "2480"] {
            let ber = String(repeating: opening, count: 100) + String(repeating: "0000", count: 100)
            let normalised = try #require(try Self.normalise(hex(ber), limits: limits))
            #expect(normalised.bytes == Reference.der(hex(ber)))
        }
    }

    @Test("takes linear time for a hundred thousand elements", .timeLimit(.minutes(1)))
    func linear() throws {
        let segments = String(repeating: "040141", count: 100_000)
        let normalised = try #require(try Self.normalise(hex("2480" + segments + "0000")))
        #expect(normalised.bytes == hex("04830186a0") + [UInt8](repeating: 0x41, count: 100_000))
        #expect(normalised.inputOffset(of: 5) == 4 && normalised.inputOffset(of: 100_004) == 300_001)
    }

    /// The length and the FNV-1a hash of the output on which asn1crypto 1.5.1, `openssl cms -cmsout` and a
    /// third converter agree.
    @Test(
        "converts Xcode's receipts to the bytes that other implementations produce",
        .enabled(if: SharedData.isExpected, "../shared is not beside this checkout"),
        arguments: [
            ("apple-assl-xcode-app-receipt-empty-xcode", 1583, 0x90D6_13E8_B0A9_DF0F),
            ("tpinappreceipt-receipt-no-orig-purchase-date-xcode", 1736, 0xC8AF_1959_0FEE_3177),
            ("tpinappreceipt-receipt-xcode-with-purchases-xcode", 1735, 0x9CF0_C274_5011_B07C),
            ("tpinappreceipt-receipt-xcode-xcode", 1744, 0xD5D1_08C0_7D46_D955),
        ] as [(String, Int, UInt64)]
    )
    func xcode(_ name: String, _ count: Int, _ digest: UInt64) throws {
        let input = try SharedData.bytes("receipts/\(name).der")
        let normalised = try #require(try Self.normalise(input))
        #expect(normalised.bytes.count == count)
        let fnv = normalised.bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
        #expect(fnv == digest)
        // The certificates and all later elements are unchanged, so their offsets map exactly.
        let certificate = try #require(Self.position(of: hex("3082"), in: input, from: 300))
        let moved = try #require(Self.position(of: hex("3082"), in: normalised.bytes, from: 300))
        #expect(normalised.inputOffset(of: moved) == certificate)
        #expect(try Self.normalise(normalised.bytes) == nil)
    }

    @Test(
        "has nothing to convert in genuine receipts of the sandbox",
        .enabled(if: SharedData.isExpected, "../shared is not beside this checkout")
    )
    func genuine() throws {
        let names = try SharedData.files(in: "receipts", suffix: "-sandbox.der")
        #expect(names.count >= 14)
        for name in names {
            #expect(try Self.normalise(SharedData.bytes("receipts/\(name)")) == nil, "\(name)")
        }
    }

    private static func position(of pattern: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        (start..<(bytes.count - pattern.count)).first { bytes[$0...].starts(with: pattern) }
    }
}
