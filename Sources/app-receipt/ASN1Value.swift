import AppReceipt
import Basics
import DER
import ReceiptCorpus
import ReceiptResults

/// The contents of a primitive element as text for people.
struct ASN1Value {
    let text: String
    /// The error in the contents, or nil. If there is one, `text` shows the octets in hexadecimal.
    let fault: Refusal?

    /// Decodes the contents octets at the range `contents` of `bytes` as the tag requires.
    ///
    /// - Parameter limit: how many octets at most are shown, in hexadecimal or as characters.
    init(_ tag: Tag, _ bytes: [UInt8], _ contents: Range<Int>, limit: Int) {
        do throws(Refusal) {
            text = try Self.decode(tag, bytes, contents, limit)
            fault = nil
        } catch {
            text = Self.octets(bytes, contents, limit)
            fault = error
        }
    }

    /// An object identifier in dotted form, and its name if known. Hexadecimal if it is malformed or has a
    /// number of more than 64 bits.
    static func identifier(_ bytes: [UInt8], _ contents: Range<Int>) -> String {
        ASN1Value(.objectIdentifier, bytes, contents, limit: 40).text
    }

    private static func decode(
        _ tag: Tag,
        _ bytes: [UInt8],
        _ contents: Range<Int>,
        _ limit: Int
    ) throws(Refusal) -> String {
        let octets = octets(bytes, contents, limit)
        switch tag {
        case .boolean:
            guard contents.count == 1 else {
                throw Refusal(.invalidBoolean, at: contents.lowerBound, reading: "BOOLEAN")
            }
            return bytes[contents.lowerBound] == 0 ? "FALSE" : "TRUE"
        case .integer, .enumerated:
            guard let first = contents.first else {
                let type: StaticString = tag == .integer ? "INTEGER" : "ENUMERATED"
                throw Refusal(.emptyContents, at: contents.lowerBound, reading: type)
            }
            guard contents.count <= 8 else { return "0x" + octets }
            let sign = Int64(Int8(bitPattern: bytes[first]))
            return "\(contents.dropFirst().reduce(sign) { $0 << 8 | Int64(bytes[$1]) })"
        case .null:
            guard contents.isEmpty else {
                throw Refusal(.invalidNull, at: contents.lowerBound, reading: "NULL")
            }
            return ""
        case .objectIdentifier:
            guard let dotted = ObjectIdentifier.dotted(bytes.borrowedSpan, in: contents) else {
                throw Refusal(.invalidObjectIdentifier, at: contents.lowerBound, reading: "OBJECT IDENTIFIER")
            }
            return ObjectIdentifierName.of(dotted).map { "\(dotted) (\($0))" } ?? dotted
        case .bitString:
            guard let unused = contents.first.map({ bytes[$0] }), unused < 8 else {
                throw Refusal(.invalidBitString, at: contents.lowerBound, reading: "BIT STRING")
            }
            let text = Self.octets(bytes, contents.dropFirst(), limit)
            return unused == 0 ? text : "\(text), \(unused) bits unused"
        case .utf8String, .printableString, .ia5String, .utcTime, .generalizedTime, Tag(.universal, 18),
            Tag(.universal, 26):
            if let offset = bytes.borrowedSpan.firstIllFormedUTF8(in: contents) {
                throw Refusal(.invalidUTF8, at: offset, reading: "character string")
            }
            return characters(bytes, contents, limit)
        default:
            // Many elements of other classes are implicitly tagged strings.
            let isText = !contents.isEmpty && contents.allSatisfy { (0x20..<0x7F).contains(bytes[$0]) }
            return tag.tagClass != .universal && isText ? characters(bytes, contents, limit) : octets
        }
    }

    private static func octets(_ bytes: [UInt8], _ range: Range<Int>, _ limit: Int) -> String {
        Hexadecimal.digits(of: bytes[range.prefix(limit)].borrowedSpan) + (range.count > limit ? "…" : "")
    }

    private static func characters(_ bytes: [UInt8], _ range: Range<Int>, _ limit: Int) -> String {
        // Cut between two characters: half a character would be shown as U+FFFD.
        var end = range.prefix(limit).upperBound
        while end < range.upperBound, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        let text = String(decoding: bytes[range.lowerBound..<end], as: UTF8.self).printable
        return "\"\(text)\(end < range.upperBound ? "…" : "")\""
    }
}

extension Tag {
    /// The standard's name of a universal type that ``universalNames`` lists (X.680 §8.4). For other types
    /// the class and number; for context-specific ones the number alone, such as `[0]`.
    var name: String {
        switch tagClass {
        case .universal: Self.universalNames[number] ?? "[UNIVERSAL \(number)]"
        case .application: "[APPLICATION \(number)]"
        case .contextSpecific: "[\(number)]"
        case .private: "[PRIVATE \(number)]"
        }
    }

    private static let universalNames: [UInt32: String] = [
        1: "BOOLEAN", 2: "INTEGER", 3: "BIT STRING", 4: "OCTET STRING", 5: "NULL", 6: "OBJECT IDENTIFIER",
        10: "ENUMERATED", 12: "UTF8String", 16: "SEQUENCE", 17: "SET", 18: "NumericString",
        19: "PrintableString", 20: "TeletexString", 22: "IA5String", 23: "UTCTime", 24: "GeneralizedTime",
        26: "VisibleString", 28: "UniversalString", 30: "BMPString",
    ]
}
