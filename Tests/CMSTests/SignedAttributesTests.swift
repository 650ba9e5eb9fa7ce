import AppReceiptMint
import Basics
import CMS
import DER
import PKIX
import Processor
import RSA
import SHA
import TestSupport
import Testing

private typealias Builder = CertificateBuilder
private typealias Signer = SignerBuilder

private let signingTime = ObjectIdentifier(1, 2, 840, 113549, 1, 9, 5)
private let countersignature = ObjectIdentifier(1, 2, 840, 113549, 1, 9, 6)
/// An attribute that no verification needs.
private let challengePassword = ObjectIdentifier(1, 2, 840, 113549, 1, 9, 7)
private let digestedData = ObjectIdentifier(1, 2, 840, 113549, 1, 7, 5)

@Suite("Signed attributes (RFC 5652 §5.3, §5.4, §11)")
struct SignedAttributesTests {
    private static func message(_ attributes: [[UInt8]]) -> MessageBuilder {
        MessageBuilder().with { $0.signers[0].signedAttributes = attributes }.signed()
    }

    @Test("contentType and messageDigest are enough, and more may be there")
    func enough() throws {
        try verify(Self.message([Signer.contentType(), Signer.messageDigest()]).encoding)
        let time = Signer.attribute(signingTime, Builder.time("200101000000Z"))
        try verify(Self.message([Signer.contentType(), time, Signer.messageDigest()]).encoding)
        let values = Signer.attribute(challengePassword, [0x05, 0x00], [0x0C, 0x02, 0x68, 0x69])
        try verify(Self.message([values, Signer.contentType(), Signer.messageDigest()]).encoding)
    }

    @Test("content of any type can be signed with attributes, and only data without")
    func otherTypes() throws {
        try verify(
            Self.message([Signer.contentType(digestedData), Signer.messageDigest()])
                .with { $0.contentType = digestedData }.encoding
        )
        let bare = MessageBuilder().with { $0.contentType = digestedData }
        let offset = bare.encoding.count - bare.signers[0].encoding.count
        refuses(.signedAttributesRequired, at: offset) { () throws(Refusal) in try verify(bare.encoding) }
    }

    @Test("the signature covers the SET, and not the field with its own tag or the content")
    func signedAsSet() throws {
        let attributes = [Signer.contentType(), Signer.messageDigest()]
        let field = Builder.encode { $0.write(.constructed(0), attributes.flatMap { $0 }) }
        for signed in [field, attributes.flatMap { $0 }, [UInt8]("content".utf8)] {
            let message = Self.message(attributes).with {
                $0.signers[0].signature = digest(.sha256, signed)
            }
            refuses(.signatureMismatch) { () throws(Refusal) in try verify(message.encoding) }
        }
    }

    @Test("the given digest of the content is signed, or compared with the signed one")
    func knownDigest() throws {
        let message = MessageBuilder()
        let withAttributes = message.with {
            $0.signers[0].signedAttributes = [Signer.contentType(), Signer.messageDigest()]
        }
        func signed(_ message: MessageBuilder, _ known: Digest) throws(Refusal) -> [UInt8] {
            let bytes = message.encoding
            let signedData = try Envelope(bytes.span).signedData
            return try signedData.view(in: bytes.span).signedDigest(contentDigest: known, acceleration: .none)
                .bytes
        }
        let right = HashAlgorithm.sha256.digest(of: [UInt8]("content".utf8).span)
        let wrong = HashAlgorithm.sha256.digest(of: [UInt8]("Content".utf8).span)
        #expect(try signed(message, wrong) == wrong.bytes)
        refuses(.messageDigestMismatch) { () throws(Refusal) in try signed(withAttributes, wrong) }
        #expect(try signed(message, right) == right.bytes)
        // The attributes are signed as a SET.
        let attributes = [Signer.contentType(), Signer.messageDigest()].flatMap { $0 }
        let set = Builder.encode { $0.write(.set, attributes) }
        #expect(try signed(withAttributes, right) == HashAlgorithm.sha256.digest(of: set.span).bytes)
    }

    @Test("long attributes are signed as the SET, too, with any form of the length")
    func longAttributes() throws {
        for count in [100, 200, 70_000] {
            let filler = Signer.attribute(
                ObjectIdentifier(2, 5, 4, 3),
                Builder.encode { $0.writeOctetString([UInt8](repeating: 0, count: count)) }
            )
            let attributes = [Signer.contentType(), Signer.messageDigest(), filler].sorted {
                $0.count < $1.count
            }
            try verify(Self.message(attributes).encoding)
        }
    }

    /// Attributes with one thing wrong.
    struct Wrong: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: Refusal.Code
        let attributes: [[UInt8]]
        /// The attribute that the refusal points at, and the number of octets after its beginning; nil is the
        /// whole field.
        let place: (attribute: Int, distance: Int)?

        init(
            _ description: String,
            _ code: Refusal.Code,
            _ attributes: [[UInt8]],
            at place: (Int, Int)? = nil
        ) {
            testDescription = description
            self.code = code
            self.attributes = attributes
            self.place = place
        }
    }

    // An attribute of ours is: header 2, type 11, header of the values 2, header of the value 2.
    @Test(
        "attributes that are missing, doubled, of several values, wrong or out of order are refused",
        arguments: [
            Wrong("none", .missingAttribute, []),
            Wrong("no messageDigest", .missingAttribute, [Signer.contentType()]),
            Wrong("no contentType", .missingAttribute, [Signer.messageDigest()]),
            Wrong(
                "contentType twice",
                .duplicateAttribute,
                [Signer.contentType(), Signer.contentType(), Signer.messageDigest()],
                at: (1, 0)
            ),
            Wrong(
                "messageDigest twice",
                .duplicateAttribute,
                [Signer.contentType(), Signer.messageDigest(), Signer.messageDigest()],
                at: (2, 0)
            ),
            Wrong(
                "contentType without a value",
                .attributeValueCount,
                [Signer.attribute(Signer.contentTypeIdentifier), Signer.messageDigest()],
                at: (0, 15)
            ),
            Wrong(
                "messageDigest of two values",
                .attributeValueCount,
                [
                    Signer.contentType(),
                    Signer.attribute(
                        Signer.messageDigestIdentifier,
                        Builder.encode {
                            $0.writeOctetString(
                                digest(.sha256, [UInt8]("content".utf8))
                            )
                        },
                        [0x04, 0x00]
                    ),
                ],
                at: (1, 49)
            ),
            Wrong(
                "contentType that is not an identifier",
                .unexpectedTag,
                [Signer.attribute(Signer.contentTypeIdentifier, [0x05, 0x00]), Signer.messageDigest()],
                at: (0, 15)
            ),
            Wrong(
                "another contentType",
                .contentTypeMismatch,
                [Signer.contentType(digestedData), Signer.messageDigest()],
                at: (0, 17)
            ),
            Wrong(
                "the digest of other content",
                .messageDigestMismatch,
                [Signer.contentType(), Signer.messageDigest("Content")],
                at: (1, 17)
            ),
            Wrong(
                "the digest by another algorithm",
                .messageDigestMismatch,
                [Signer.contentType(), Signer.messageDigest("content", .sha1)],
                at: (1, 17)
            ),
            Wrong(
                "an empty digest",
                .messageDigestMismatch,
                [Signer.attribute(Signer.messageDigestIdentifier, [0x04, 0x00]), Signer.contentType()],
                at: (0, 17)
            ),
            Wrong(
                "an order that is not DER's",
                .unsortedSet,
                [Signer.messageDigest(), Signer.contentType()],
                at: (1, 0)
            ),
            Wrong(
                "values of another attribute in an order that is not DER's",
                .unsortedSet,
                [
                    Signer.attribute(challengePassword, [0x0C, 0x02, 0x68, 0x69], [0x05, 0x00]),
                    Signer.contentType(), Signer.messageDigest(),
                ],
                at: (0, 19)
            ),
            Wrong(
                "a value of another attribute that is cut short",
                .truncated,
                [
                    Signer.attribute(challengePassword, [0x0C, 0x02, 0x68]),
                    Signer.contentType(), Signer.messageDigest(),
                ],
                at: (0, 18)
            ),
            Wrong(
                "a third field in an attribute",
                .trailingBytes,
                [
                    Signer.contentType(), Signer.messageDigest(),
                    Builder.encode { $0.write(.sequence, [6, 1, 9, 0x31, 0, 5, 0]) },
                ]
                .sorted { $0.count < $1.count },
                at: (0, 7)
            ),
            Wrong(
                "an element that is not an attribute",
                .unexpectedTag,
                [[0x05, 0x00], Signer.contentType(), Signer.messageDigest()],
                at: (0, 0)
            ),
        ]
    )
    func wrong(case: Wrong) throws {
        let bytes = Self.message(`case`.attributes).encoding
        let field = try #require(try SignedData(bytes.span).signer.signedAttributes)
        var offset = field.lowerBound
        if let place = `case`.place {
            let all = `case`.attributes.flatMap { $0 }.count
            offset = field.upperBound - all + place.distance
            offset += `case`.attributes.prefix(place.attribute).flatMap { $0 }.count
        }
        refuses(`case`.code, at: offset) { () throws(Refusal) in try verify(bytes) }
    }

    /// The signingTime attribute.
    private static func time(_ texts: String...) -> [UInt8] {
        let values = texts.flatMap { Builder.time($0) }
        return Signer.attribute(signingTime, values)
    }

    /// A message with contentType, messageDigest and other attributes, in the order of DER.
    private static func message(with attributes: [[UInt8]]) -> [UInt8] {
        let all = [Signer.contentType(), Signer.messageDigest()] + attributes
        return message(all.sorted { $0.lexicographicallyPrecedes($1) }).encoding
    }

    @Test(
        "accepts a signing time as UTCTime from 1950 to 2049, and as GeneralizedTime in other years (§11.3)",
        arguments: [
            "500101000000Z", "200229235959Z", "491231235959Z", "19491231235959Z", "20500101000000Z",
            "00000101000000Z", "99991231235959Z",
        ]
    )
    func signingTimes(text: String) throws { try verify(Self.message(with: [Self.time(text)])) }

    /// Attributes that break their definition.
    struct Flaw: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: Refusal.Code
        let attributes: [[UInt8]]
        /// The number of octets from the beginning of the last attribute to the octet that the refusal points
        /// at.
        let distance: Int

        init(_ description: String, _ code: Refusal.Code, _ attributes: [UInt8]..., at distance: Int) {
            testDescription = description
            self.code = code
            self.attributes = attributes
            self.distance = distance
        }
    }

    // The first value stands after 15 octets.
    @Test(
        "refuses a signing time or a countersignature that breaks its definition",
        arguments: [
            Flaw("a time twice", .duplicateAttribute, time("200101000000Z"), time("200101000001Z"), at: 0),
            Flaw("no time", .attributeValueCount, time(), at: 15),
            Flaw("two times", .attributeValueCount, time("200101000000Z", "200101000001Z"), at: 30),
            Flaw("a number", .unexpectedTag, Signer.attribute(signingTime, [2, 1, 5]), at: 15),
            Flaw("a text", .unexpectedTag, Signer.attribute(signingTime, [0x0C, 1, 0x31]), at: 15),
            Flaw(
                "a time without seconds",
                .invalidTime,
                Signer.attribute(signingTime, [0x17, 11] + [UInt8]("2001010000Z".utf8)),
                at: 17
            ),
            Flaw(
                "a time with an offset",
                .invalidTime,
                Signer.attribute(signingTime, [0x17, 17] + [UInt8]("200101000000+0000".utf8)),
                at: 17
            ),
            Flaw("a 30th of February", .invalidTime, time("200230000000Z"), at: 17),
            Flaw("an hour of 24", .invalidTime, time("200101240000Z"), at: 17),
            Flaw("a GeneralizedTime in 1950", .signingTimeType, time("19500101000000Z"), at: 15),
            Flaw("a GeneralizedTime in 2049", .signingTimeType, time("20491231235959Z"), at: 15),
            Flaw("a fraction of a second", .invalidTime, time("20500101000000.5Z"), at: 15),
            Flaw(
                "a countersignature",
                .misplacedAttribute,
                Signer.attribute(countersignature, SignerBuilder().encoding),
                at: 0
            ),
            Flaw("no countersignature", .misplacedAttribute, Signer.attribute(countersignature), at: 0),
            Flaw(
                "half an element in a value of another attribute",
                .truncated,
                Signer.attribute(challengePassword, [0x30, 0x03, 0x0C, 0x05, 0x61]),
                at: 20
            ),
            Flaw(
                "a length in BER in a value of another attribute",
                .nonMinimalLength,
                Signer.attribute(challengePassword, [0x30, 0x04, 0x04, 0x81, 0x01, 0x61]),
                at: 18
            ),
        ]
    )
    func flaws(flaw: Flaw) throws {
        let message = Self.message(with: flaw.attributes)
        let last = try #require(flaw.attributes.last)
        let place = try #require(message.indices.last { message[$0...].starts(with: last) })
        refuses(flaw.code, at: place + flaw.distance) { () throws(Refusal) in try verify(message) }
    }

    @Test("content in the form of signed attributes is refused if it is signed without attributes")
    func attributesAsContent() throws {
        // The signature of a message with attributes holds for a message whose content is their SET.
        let attributes = [Signer.contentType(), Signer.messageDigest()]
        let genuine = Self.message(attributes)
        let forged = genuine.with {
            $0.content = Builder.encode { $0.write(.set, attributes.flatMap { $0 }) }
            $0.signers[0].signedAttributes = nil
        }
        let offset = try SignedData(forged.encoding.span).content.lowerBound
        refuses(.contentIsSignedAttributes, at: offset) { () throws(Refusal) in try verify(forged.encoding) }
    }

    @Test(
        "other content that begins like a SET is accepted",
        arguments: [
            [0x31, 0x00], [0x31, 0x02, 0x30, 0x00], [0x31, 0x05, 0x30, 0x03, 0x02, 0x01, 0x01],
            [0x31, 0x05, 0x30, 0x03, 0x06, 0x01, 0x2A, 0x00], [0x31], [0x31, 0x80],
        ] as [[UInt8]]
    )
    func otherSets(content: [UInt8]) throws {
        try verify(MessageBuilder().with { $0.content = content }.signed().encoding)
    }
}
