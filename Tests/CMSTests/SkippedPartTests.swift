import AppReceiptMint
import Basics
import CMS
import DER
import PKIX
import TestSupport
import Testing

private typealias Builder = CertificateBuilder
private typealias Signer = SignerBuilder

/// A value of a signed type: `SEQUENCE { toBeSigned, algorithm, signature }`.
private func signed(_ tag: UInt8, _ toBeSigned: [UInt8] = [0x30, 0x00], after: [UInt8] = []) -> [UInt8] {
    let contents = toBeSigned + [0x30, 0x03, 0x06, 0x01, 0x2A] + [0x03, 0x01, 0x00] + after
    return [tag, UInt8(contents.count)] + contents
}

private func set(_ tag: UInt8, _ members: [UInt8]...) -> [UInt8] {
    let contents = members.flatMap { $0 }
    return CertificateBuilder.encode { $0.write(.constructed(UInt32(tag)), contents) }
}

/// An unsigned attribute of an unknown type.
private func unknown(_ values: [UInt8]...) -> [UInt8] {
    Signer.attribute(ObjectIdentifier(1, 3, 6, 1, 4, 1, 55738, 3), values.flatMap { $0 })
}

@Suite("Parts of a message that are skipped")
struct SkippedPartTests {
    /// A part and its position in a message.
    struct Part: Sendable, CustomTestStringConvertible {
        enum Place: Sendable { case crls, certificates, unsignedAttributes }
        let testDescription: String
        let place: Place
        let encoding: [UInt8]
        /// The refusal, and its distance from the part's beginning in octets; nil if the part is accepted.
        let refusal: (code: Refusal.Code, distance: Int)?

        init(
            _ description: String,
            _ place: Place,
            _ encoding: [UInt8],
            _ code: Refusal.Code? = nil,
            at distance: Int = 0
        ) {
            testDescription = "\(place): \(description)"
            self.place = place
            self.encoding = encoding
            refusal = code.map { ($0, distance) }
        }

        var message: [UInt8] {
            MessageBuilder().with {
                switch place {
                case .crls: $0.crls = encoding
                case .certificates: $0.certificates?.append(encoding)
                case .unsignedAttributes: $0.signers[0].unsignedAttributes = encoding
                }
            }.encoding
        }
    }

    private static let revocation: [Part] = [
        Part("none", .crls, set(1)),
        Part("a list", .crls, set(1, signed(0x30))),
        Part("two lists and another format", .crls, set(1, signed(0x30), other(0xA1), signed(0x30))),
        Part("an OCTET STRING", .crls, set(1, [0x04, 0x00]), .unexpectedTag, at: 2),
        Part("FF FF FF", .crls, set(1, [0xFF, 0xFF, 0xFF]), .truncated, at: 5),
        Part("half an element", .crls, set(1, [0x30, 0x05, 0x30]), .truncated, at: 5),
        Part("an empty list", .crls, set(1, [0x30, 0x00]), .truncated, at: 4),
        Part("an empty other format", .crls, set(1, [0xA1, 0x00]), .truncated, at: 4),
        Part("a list in a list", .crls, set(1, signed(0x30, signed(0x31))), .unexpectedTag, at: 4),
        Part(
            "half an element in a list",
            .crls,
            set(1, signed(0x30, [0x30, 0x03, 0x04, 0x05, 0x00])),
            .truncated,
            at: 9
        ),
        Part(
            "a byte behind the signature of a list",
            .crls,
            set(1, signed(0x30, after: [0x00])),
            .trailingBytes,
            at: 14
        ),
        Part("a format of another tag", .crls, set(1, other(0xA2)), .unexpectedTag, at: 2),
    ]

    private static let certificates: [Part] = [
        Part("an extended certificate", .certificates, signed(0xA0)),
        Part("an attribute certificate of version 1", .certificates, signed(0xA1)),
        Part("an attribute certificate of version 2", .certificates, signed(0xA2)),
        Part("another format", .certificates, other(0xA3)),
        Part("another format without a value", .certificates, [0xA3, 0x03, 6, 1, 0x2A], .truncated, at: 5),
        Part(
            "another format with two values",
            .certificates,
            other(0xA3, [5, 0, 5, 0]),
            .trailingBytes,
            at: 7
        ),
        Part(
            "half an element in another format",
            .certificates,
            other(0xA3, [0x30, 0x01, 0x04]),
            .truncated,
            at: 8
        ),
        Part(
            "a padded identifier",
            .certificates,
            [0xA3, 6, 6, 2, 0x80, 1, 5, 0],
            .invalidObjectIdentifier,
            at: 4
        ),
        Part("an empty attribute certificate", .certificates, [0xA2, 0x00], .truncated, at: 2),
        Part("an attribute certificate of FF FF", .certificates, [0xA2, 2, 0xFF, 0xFF], .truncated, at: 4),
        Part("a format that nobody knows", .certificates, other(0xA4), .unexpectedTag),
    ]

    private static let unsignedAttributes: [Part] = [
        Part("one", .unsignedAttributes, set(1, unknown([0x05, 0x00]))),
        Part("one without a value", .unsignedAttributes, set(1, unknown())),
        Part(
            "values in another order than DER's",
            .unsignedAttributes,
            set(1, unknown([12, 1, 97], [5, 0]))
        ),
        Part(
            "two countersignatures",
            .unsignedAttributes,
            set(1, attribute(6, SignerBuilder().encoding), attribute(6, SignerBuilder().encoding))
        ),
        Part("none", .unsignedAttributes, set(1), .emptyAttributes),
        Part("FF FF FF", .unsignedAttributes, set(1, [0xFF, 0xFF, 0xFF]), .truncated, at: 5),
        Part("half an attribute", .unsignedAttributes, set(1, [0x30, 0x05, 0x06]), .truncated, at: 5),
        Part(
            "an attribute without values",
            .unsignedAttributes,
            set(1, [0x30, 3, 6, 1, 42]),
            .truncated,
            at: 7
        ),
        Part("a NULL", .unsignedAttributes, set(1, [0x05, 0x00]), .unexpectedTag, at: 2),
        Part("half a value", .unsignedAttributes, set(1, unknown([0x04, 0x05, 0x61])), .truncated, at: 20),
        Part(
            "half an element in a value",
            .unsignedAttributes,
            set(1, unknown([0x30, 0x03, 0x04, 0x05, 0x61])),
            .truncated,
            at: 22
        ),
        Part(
            "a third field in an attribute",
            .unsignedAttributes,
            set(1, [0x30, 7, 6, 1, 42, 0x31, 0, 5, 0]),
            .trailingBytes,
            at: 9
        ),
        Part("a content type", .unsignedAttributes, set(1, Signer.contentType()), .misplacedAttribute, at: 2),
        Part("a digest", .unsignedAttributes, set(1, Signer.messageDigest()), .misplacedAttribute, at: 2),
        Part(
            "a signing time behind another attribute",
            .unsignedAttributes,
            set(1, unknown(), attribute(5, Builder.time("200101000000Z"))),
            .misplacedAttribute,
            at: 17
        ),
    ]

    /// An attribute of PKCS #9 with this number.
    private static func attribute(_ number: UInt32, _ value: [UInt8]) -> [UInt8] {
        Signer.attribute(ObjectIdentifier(1, 2, 840, 113549, 1, 9, number), value)
    }

    /// A value of another format: `SEQUENCE { OBJECT IDENTIFIER, ANY }`.
    private static func other(_ tag: UInt8, _ value: [UInt8] = [0x05, 0x00]) -> [UInt8] {
        [tag, UInt8(3 + value.count), 0x06, 0x01, 0x2A] + value
    }

    @Test(
        "accepts a part of the form that its standard gives it, and refuses any other, at its place",
        arguments: revocation + certificates + unsignedAttributes
    )
    func form(part: Part) throws {
        let message = part.message
        guard let (code, distance) = part.refusal else {
            try verify(message)
            return
        }
        let start = try #require(message.indices.last { message[$0...].starts(with: part.encoding) })
        refuses(code, at: start + distance) { () throws(Refusal) in try verify(message) }
    }

    @Test(
        "bounds the levels and the elements of each part",
        arguments: [Part.Place.crls, .unsignedAttributes]
    )
    func bounds(place: Part.Place) throws {
        func message(levels: Int) -> [UInt8] {
            var value: [UInt8] = [0x30, 0x00]
            for _ in 1..<levels { value = Builder.encode { $0.write(.sequence, value) } }
            return Part("", place, set(1, place == .crls ? signed(0x30, value) : unknown(value))).message
        }
        // ContentInfo, content, SignedData and the part around the value are levels, too.
        let around = place == .crls ? 5 : 8
        let deepest = 32 - around
        _ = try Envelope(message(levels: deepest).span)
        refuses(.tooDeep) { () throws(Refusal) in try Envelope(message(levels: deepest + 1).span) }
        var limits = EncodingLimits.standard
        limits.elements = 4
        _ = try SignedData(message(levels: 5).span, limits: limits)
        refuses(.tooManyElements) { () throws(Refusal) in
            try SignedData(message(levels: 6).span, limits: limits)
        }
    }
}
