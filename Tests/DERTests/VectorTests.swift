import DER
import TestSupport
import Testing

/// The tables of `shared/vectors/asn1`: the reader alone is the strict road; the normaliser, then the reader,
/// the tolerant one. That one undoes indefinite and padded lengths and OCTET STRINGs in segments, nothing
/// else.
@Suite(
    "ASN.1 vectors from BoringSSL, Go and Strozhevsky",
    .enabled(if: SharedData.isExpected, "../shared is not beside this checkout")
)
struct VectorTests {
    /// The value, in the table's notation, or an empty string.
    private static func decode(_ kind: String, _ input: [UInt8]) throws(Refusal) -> String {
        var reader = Reader(input.span)
        var value = ""
        switch kind {
        case "header", "tag", "common":
            // Rows of a header alone: what follows is not looked at.
            _ = try reader.readElement("element")
            return ""
        case "tlv", "ber-to-der", "REAL": try walk(&reader)
        case "integer", "INTEGER":
            let start = reader.offset
            let contents = try reader.readIntegerContents("INTEGER")
            var again = Reader(input.span, in: start..<input.count)
            value = contents.count <= 8 ? "\(try again.readInteger("INTEGER"))" : magnitude(input, contents)
        case "uint64":
            let contents = try reader.readUnsignedInteger("INTEGER")
            guard contents.count <= 8 else {
                throw Refusal(.integerOutOfRange, at: contents.lowerBound, reading: "INTEGER")
            }
        case "bitstring", "BITSTRING": _ = try reader.readBitString("BIT STRING")
        case "octetstring", "OCTETSTRING": _ = try reader.readOctetString("OCTET STRING")
        case "boolean", "BOOLEAN": _ = try reader.readBoolean("BOOLEAN")
        case "null", "NULL": try reader.readNull("NULL")
        case "oid", "OID":
            let contents = try reader.readObjectIdentifier("OBJECT IDENTIFIER")
            value = ObjectIdentifier.dotted(input.span, in: contents) ?? ""
        case "gentime": value = try digits(of: reader.readGeneralizedTime("GeneralizedTime"))
        case "utctime": value = try digits(of: reader.readUTCTime("UTCTime"))
        case "utf8": _ = try reader.readUTF8String("UTF8String")
        case "printable": _ = try reader.readPrintableString("PrintableString")
        case "ia5": _ = try reader.readIA5String("IA5String")
        case "setof":
            var set = try reader.nested(.set, "SET OF")
            var last: Range<Int>?
            while !set.isAtEnd {
                let element = try set.readElement("element").range
                if let last, !input.span.isAscending(last, element) {
                    throw Refusal(.unsortedSet, at: element.lowerBound, reading: "SET OF")
                }
                last = element
            }
        default: Issue.record("unknown kind \(kind)")
        }
        try reader.finish("input")
        return value
    }

    private static func walk(_ reader: inout Reader) throws(Refusal) {
        let element = try reader.readElement("element")
        guard element.tag.isConstructed else { return }
        var inner = Reader(reader.bytes, in: element.contents)
        while !inner.isAtEnd { try walk(&inner) }
    }

    private static func magnitude(_ input: [UInt8], _ contents: Range<Int>) -> String {
        "\(input[contents].reduce(0 as UInt64) { $0 << 8 | UInt64($1) })"
    }

    private static func digits(of time: Timestamp) -> String {
        time.description.filter { $0.isNumber || $0 == "Z" }
    }

    private static func normalised(_ input: [UInt8]) throws(Refusal) -> [UInt8] {
        try NormaliserTests.normalise(input)?.bytes ?? input
    }

    private static func input(_ field: String) -> [UInt8] {
        guard field.hasPrefix("RLE:") else { return hex(field) }
        return field.dropFirst(4).split(separator: "+").flatMap { run in
            let parts = run.split(separator: "*")
            return [[UInt8]](repeating: hex(parts[0]), count: Int(parts[1]) ?? 0).flatMap { $0 }
        }
    }

    private static func isAccepted(_ body: () throws(Refusal) -> Void) -> Bool {
        do throws(Refusal) {
            try body()
            return true
        } catch { return false }
    }

    private static let contentsUnread = "a header alone; the normaliser reads the contents, which are missing"
    private static let constructedBits =
        "BIT STRINGs in segments are not undone: keys and signatures come whole"
    private static let notUndone = "BER in the contents, not in a length: left for the reader to refuse"

    /// Rows of `primitives.tsv` that the tolerant road decides otherwise, and why.
    private static let tolerantExceptions: [Int: String] = [
        9: contentsUnread, 10: contentsUnread, 38: constructedBits,
        113: contentsUnread, 116: contentsUnread, 117: "the contents are end-of-contents octets",
        77: notUndone, 81: notUndone, 82: notUndone, 236: notUndone, 253: notUndone,
        124: notUndone, 125: notUndone, 147: notUndone, 148: notUndone, 149: notUndone, 150: notUndone,
        151: notUndone,
    ]

    @Test("primitives.tsv: what DER is, and what becomes DER")
    func primitives() throws {
        let rows = try SharedData.table("vectors/asn1/primitives.tsv")
        #expect(rows.count == 269)
        for row in rows {
            let (kind, input) = (row["kind"], Self.input(row["input_hex_or_RLE"]))
            let number = try #require(row["id"].split(separator: "/").last.flatMap { Int($0) })
            let isStrict = Self.isAccepted { () throws(Refusal) in _ = try Self.decode(kind, input) }
            switch row["DER_strict"] {
            case "accept":
                #expect(isStrict, "\(row)")
                let value = row["value_or_canonical_DER"]
                if isStrict, !value.isEmpty, kind != "ber-to-der" {
                    let decoded = try Self.decode(kind, input)
                    #expect(decoded == value, "\(row)")
                }
            case "reject", "reject-or-policy": #expect(!isStrict, "\(row)")
            default: #expect(["policy", "accept-as-opaque-or-reject"].contains(row["DER_strict"]), "\(row)")
            }
            let isTolerant = Self.isAccepted { () throws(Refusal) in
                _ = try Self.decode(kind, Self.normalised(input))
            }
            let expected = row["BER_tolerant"]
            guard expected == "accept" || expected == "reject" else { continue }
            let isException = Self.tolerantExceptions[number] != nil
            #expect(isTolerant == ((expected == "accept") != isException), "\(row)")
            if kind == "ber-to-der", isTolerant {
                let output = try Self.normalised(input)
                #expect(output == hex(row["value_or_canonical_DER"]), "\(row)")
            }
        }
    }

    @Test("an arc of 2^64 is an identifier without a dotted form")
    func longArc() throws {
        let input = hex("06152a864886f712040184b70982808080808080808000")
        var reader = Reader(input.span)
        let element = try reader.readElement("element")
        let dotted = ObjectIdentifier.dotted(input.span, in: element.contents)
        #expect(dotted == nil)
    }

    /// Cases of `strozhevsky-48.tsv` decided otherwise, and why.
    private static let strozhevskyExceptions: [Int: String] = [
        37: constructedBits, 38: constructedBits, 39: constructedBits,
        40: "the octet that counts the unused bits is always there (X.690 §8.6.2.2)",
    ]

    @Test("strozhevsky-48.tsv: what is refused, and what is read")
    func strozhevsky() throws {
        let rows = try SharedData.table("vectors/asn1/strozhevsky-48.tsv")
        #expect(rows.count == 48)
        for row in rows {
            let (kind, input) = (row["type"], hex(row["input_hex"]))
            let number = try #require(Int(row["case"]))
            let isStrict = Self.isAccepted { () throws(Refusal) in _ = try Self.decode(kind, input) }
            let isTolerant = Self.isAccepted { () throws(Refusal) in
                _ = try Self.decode(kind, Self.normalised(input))
            }
            let isException = Self.strozhevskyExceptions[number] != nil
            // Nothing here decodes REAL; its structure is what it is.
            if kind == "REAL" {
                #expect(isStrict == (row["our_structural_DER"] == "True"), "\(row)")
                continue
            }
            switch row["suite_expectation(reject/warn/info/accept)"] {
            case "reject", "warn": #expect(!isStrict && !isTolerant, "\(row)")
            case "accept":
                #expect(isTolerant != isException, "\(row)")
                if row["our_structural_DER"] == "True" { #expect(isStrict != isException, "\(row)") }
            default:
                // Long tags, long INTEGERs and long identifiers: 32 bits for a tag, any length for the
                // others.
                #expect(isStrict == (kind != "common"), "\(row)")
            }
        }
    }
}
