import Basics
import DER
import TestSupport
import Testing

/// The tables of `shared/vectors/asn1`, read in two ways. The strict way is the reader alone. The tolerant
/// way is the normaliser, which converts indefinite and padded lengths and OCTET STRINGs in segments, then
/// the reader.
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
            // These rows consist of a header. The contents are not read.
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
        case "octetstring", "OCTETSTRING": _ = try reader.read(.octetString, "OCTET STRING")
        case "boolean", "BOOLEAN": _ = try reader.readBoolean("BOOLEAN")
        case "null", "NULL": try reader.readNull("NULL")
        case "oid", "OID":
            let contents = try reader.readObjectIdentifier("OBJECT IDENTIFIER")
            value = ObjectIdentifier.dotted(input.span, in: contents) ?? ""
        case "gentime": value = try digits(of: reader.readGeneralizedTime("GeneralizedTime"))
        case "utctime": value = try digits(of: reader.readUTCTime("UTCTime"))
        case "utf8":
            let contents = try reader.read(.utf8String, "UTF8String")
            if let offset = reader.bytes.firstIllFormedUTF8(in: contents) {
                throw Refusal(.invalidUTF8, at: offset, reading: "UTF8String")
            }
        case "printable": _ = try reader.read(.printableString, "PrintableString")
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

    /// The refusal of a value, or the value if it differs from the value in the table.
    private static func refusal(
        _ kind: String,
        _ input: [UInt8],
        expecting value: String = "",
        isTolerant: Bool
    ) -> (any Error)? {
        do throws(Refusal) {
            let encoding = isTolerant ? try normalised(input) : input
            let decoded = try decode(kind, encoding)
            let isRight = kind == "ber-to-der" ? encoding == hex(value) : decoded == value
            return value.isEmpty || isRight ? nil : OtherValue(value: decoded)
        } catch { return error }
    }

    private struct OtherValue: Error {
        let value: String
    }

    @Test("primitives.tsv: accepts DER and refuses everything else")
    func primitivesStrict() throws {
        let suite = try VectorSuite("primitives-der")
        let judgements = try suite.rows().map { row in
            let demanded: VectorSuite.Demand
            switch row["DER_strict"] {
            case "accept": demanded = .accept
            // The strict way must refuse. No part of the package reads the characters of a PrintableString.
            case "reject", "reject-or-policy": demanded = row["kind"] == "printable" ? .either : .reject
            default:
                #expect(["policy", "accept-as-opaque-or-reject"].contains(row["DER_strict"]))
                demanded = .either
            }
            let (kind, input) = (row["kind"], Self.input(row["input_hex_or_RLE"]))
            let value = demanded == .accept ? row["value_or_canonical_DER"] : ""
            let refusal = Self.refusal(kind, input, expecting: value, isTolerant: false)
            return VectorSuite.Judgement(row["id"], demanded: demanded, refusal: refusal)
        }
        suite.judge(judgements)
    }

    @Test("primitives.tsv: converts the BER that the normaliser supports")
    func primitivesTolerant() throws {
        let suite = try VectorSuite("primitives-ber")
        let judgements = try suite.rows().map { row in
            let (kind, input) = (row["kind"], Self.input(row["input_hex_or_RLE"]))
            let demanded = VectorSuite.Demand(rawValue: row["BER_tolerant"]) ?? .either
            let value = demanded == .accept ? row["value_or_canonical_DER"] : ""
            let refusal = Self.refusal(kind, input, expecting: value, isTolerant: true)
            return VectorSuite.Judgement(row["id"], demanded: demanded, refusal: refusal)
        }
        suite.judge(judgements)
    }

    @Test("accepts an identifier with an arc of 2^64, which has no dotted form")
    func longArc() throws {
        let input = hex("06152a864886f712040184b70982808080808080808000")
        var reader = Reader(input.span)
        let element = try reader.readElement("element")
        let dotted = ObjectIdentifier.dotted(input.span, in: element.contents)
        #expect(dotted == nil)
    }

    @Test(
        "strozhevsky-48.tsv: refuses and reads what the table lists",
        arguments: [
            ("strozhevsky-48-der", "our_structural_DER"), ("strozhevsky-48-ber", "our_structural_BER"),
        ]
    )
    func strozhevsky(_ name: String, _ structure: String) throws {
        let suite = try VectorSuite(name)
        let isTolerant = name.hasSuffix("ber")
        let judgements = try suite.rows().map { row in
            let kind = row["type"]
            let isSound = row[structure] == "True"
            let demanded: VectorSuite.Demand
            switch row["suite_expectation(reject/warn/info/accept)"] {
            // No function decodes REAL, so only its structure is read.
            case _ where kind == "REAL": demanded = isSound ? .accept : .reject
            case "reject", "warn": demanded = .reject
            case "accept": demanded = isTolerant || isSound ? .accept : .reject
            default: demanded = .either
            }
            let refusal = Self.refusal(kind, hex(row["input_hex"]), isTolerant: isTolerant)
            return VectorSuite.Judgement(row["case"], demanded: demanded, refusal: refusal)
        }
        suite.judge(judgements)
    }
}
