import AppReceiptMint
import Basics
import CMS
import DER
import PKIX
import RSA
import SHA
import TestSupport
import Testing

private typealias Builder = CertificateBuilder
private typealias Signer = SignerBuilder

/// A message in BER: the levels of the envelope, and what they hold, in indefinite lengths (X.690 §8.1.3.6).
private struct BERMessage {
    var digestAlgorithms = Builder.algorithm(MessageBuilder.sha256)
    /// The encoding of `eContent`: here two segments of a constructed OCTET STRING.
    var content = indefinite(0x24, [0x04, 0x03] + [UInt8]("con".utf8) + [0x04, 0x04] + [UInt8]("tent".utf8))
    var certificate = Builder("Signer", issuer: "Root").encoding
    var signer = SignerBuilder().encoding

    static func indefinite(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] { [tag, 0x80] + contents + [0, 0] }

    var encoding: [UInt8] {
        let type = Builder.encode { $0.writeObjectIdentifier(ObjectIdentifier(1, 2, 840, 113549, 1, 7, 2)) }
        let contentType = Builder.encode { $0.writeObjectIdentifier(.data) }
        let signedData =
            [0x02, 0x01, 0x01] + Self.indefinite(0x31, digestAlgorithms)
            + Self.indefinite(0x30, contentType + Self.indefinite(0xA0, content))
            + Self.indefinite(0xA0, certificate) + Self.indefinite(0x31, signer)
        return Self.indefinite(0x30, type + Self.indefinite(0xA0, Self.indefinite(0x30, signedData)))
    }
}

@Suite("A message in BER")
struct EnvelopeTests {
    @Test("a message in DER is read without a copy")
    func der() throws {
        let message = MessageBuilder().encoding
        #expect(try Envelope(message.span).normalised == nil)
    }

    @Test("indefinite lengths and segments are removed, and the signed content is the segments joined")
    func indefinite() throws {
        let message = BERMessage().encoding
        #expect(try verify(message) == [UInt8]("content".utf8))
        let envelope = try Envelope(message.span)
        let normalised = try #require(envelope.normalised)
        #expect(normalised.bytes == MessageBuilder().encoding)
        let signature = envelope.signedData.signer.signature.lowerBound
        let offset = normalised.inputOffset(of: signature)
        #expect(message[offset] == normalised.bytes[signature])
        #expect(offset == message.count - 32 - 2 * 4)
    }

    @Test("a length with more octets than it needs is normalised")
    func longLength() throws {
        let message = MessageBuilder().encoding
        let contents = [UInt8](message.dropFirst(message[1] == 0x82 ? 4 : 3))
        let length = UInt32(contents.count)
        let padded: [UInt8] =
            [0x30, 0x84] + (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) }
        try verify(padded + contents)
    }

    @Test("content in segments is joined even if all lengths are definite (X.690 §8.7.3)")
    func definiteSegments() throws {
        let message = MessageBuilder().encoding
        let content = try #require(message.firstRange(of: [0x04, 0x07] + [UInt8]("content".utf8)))
        // Two segments, of three octets and of none, replace the seven octets. The length stays the same.
        var segmented = message
        segmented.replaceSubrange(
            content,
            with: [0x24, 0x07, 0x04, 0x03] + [UInt8]("con".utf8) + [0x04, 0x00]
        )
        refuses(.signatureMismatch) { () throws(Refusal) in try verify(segmented) }
        let signature = digest(.sha256, [UInt8]("con".utf8))
        let place = try #require(segmented.firstRange(of: digest(.sha256, [UInt8]("content".utf8))))
        segmented.replaceSubrange(place, with: signature)
        #expect(try verify(segmented) == [UInt8]("con".utf8))
    }

    @Test("the unsigned fields of a signer may be BER: identifier, algorithms and signature")
    func signerInBER() throws {
        let signer = SignerBuilder()
        let issuer = [UInt8](signer.identifier.dropFirst(2))
        let signature = BERMessage.indefinite(
            0x24,
            [0x04, 0x10] + signer.signature[..<16] + [0x04, 0x10] + signer.signature[16...]
        )
        let fields =
            [0x02, 0x81, 0x01, 0x01] + BERMessage.indefinite(0x30, issuer)
            + BERMessage.indefinite(0x30, [UInt8](signer.digestAlgorithm.dropFirst(2)))
            + BERMessage.indefinite(0x30, [UInt8](signer.signatureAlgorithm.dropFirst(2))) + signature
        let message = BERMessage(signer: BERMessage.indefinite(0x30, fields)).encoding
        #expect(try verify(message) == [UInt8]("content".utf8))
        #expect(try Envelope(message.span).normalised?.bytes == MessageBuilder().encoding)
    }

    /// A message in DER, except for the signer's name, CN=Root. The string, the attribute and the relative
    /// name in it have these headers and ends.
    private static func message(
        string: [UInt8] = [0x0C, 0x04],
        attribute: (header: [UInt8], end: [UInt8]) = ([0x30, 0x0B], []),
        relative: (header: [UInt8], end: [UInt8]) = ([0x31, 0x0D], [])
    ) -> [UInt8] {
        func sequence(_ contents: [UInt8]) -> [UInt8] { [0x30, UInt8(contents.count)] + contents }
        let value = [0x06, 0x03, 0x55, 0x04, 0x03] + string + [UInt8]("Root".utf8)
        let name = sequence(relative.header + attribute.header + value + attribute.end + relative.end)
        var signer = SignerBuilder()
        signer.identifier = sequence(name + [0x02, 0x01, 0x01])
        return MessageBuilder(signers: [signer]).encoding
    }

    @Test("the name of a signer may be BER at each level, also if nothing else is (RFC 5652 §5.3)")
    func nameInBER() throws {
        #expect(Self.message() == MessageBuilder().encoding)
        let messages = [
            Self.message(
                string: [0x0C, 0x81, 0x04],
                attribute: ([0x30, 0x0C], []),
                relative: ([0x31, 0x0E], [])
            ),
            Self.message(attribute: ([0x30, 0x80], [0, 0]), relative: ([0x31, 0x0F], [])),
            Self.message(relative: ([0x31, 0x80], [0, 0])),
            Self.message(relative: ([0x31, 0x82, 0x00, 0x0D], [])),
        ]
        for message in messages {
            #expect(try verify(message) == [UInt8]("content".utf8))
            #expect(try Envelope(message.span).normalised?.bytes == MessageBuilder().encoding)
        }
    }

    @Test("a signer's name is refused if it is no Name (RFC 5280 §4.1.2.4) or has a string in segments")
    func malformedName() {
        let segmented = Self.message(
            string: [0x2C, 0x06, 0x04, 0x04],
            attribute: ([0x30, 0x0D], []),
            relative: ([0x31, 0x0F], [])
        )
        refuses(.unexpectedTag) { () throws(Refusal) in try verify(segmented) }
        let sequence = Self.message(relative: ([0x30, 0x0D], []))
        refuses(.unexpectedTag) { () throws(Refusal) in try verify(sequence) }
        let long = Self.message(relative: ([0x31, 0x0E], []))
        refuses(.truncated) { () throws(Refusal) in try verify(long) }
        let empty = Self.message(relative: ([0x31, 0x00, 0x31, 0x0D], []))
        refuses(.emptyName) { () throws(Refusal) in try verify(empty) }
    }

    @Test("the values of unsigned attributes may be BER (RFC 5652 §5.3)")
    func unsignedAttributes() throws {
        let inDER: [UInt8] = [0x30, 0x03, 0x02, 0x01, 0x05]
        let inBER: [UInt8] = [0x30, 0x80, 0x02, 0x81, 0x01, 0x05, 0x00, 0x00]
        let type = ObjectIdentifier(1, 2, 840, 113549, 1, 9, 6)
        let attribute = Signer.attribute(type, inBER)
        var message = BERMessage()
        message.signer = SignerBuilder(unsignedAttributes: BERMessage.indefinite(0xA1, attribute)).encoding
        try verify(message.encoding)
        let normalised = try #require(try Envelope(message.encoding.span).normalised).bytes
        #expect(normalised.firstRange(of: Signer.attribute(type, inDER)) != nil)
    }

    @Test("the members of the set of revocation lists must be DER (RFC 5280 §5.1)")
    func revocationLists() throws {
        let list: [UInt8] = [
            0x30, 0x0D, 0x30, 0x03, 0x02, 0x01, 0x05, 0x30, 0x03, 0x06, 0x01, 0x2A, 0x03, 0x01, 0x00,
        ]
        var message = BERMessage()
        let certificate = message.certificate
        // The set of certificates ends, and the set of revocation lists follows.
        message.certificate = certificate + [0x00, 0x00, 0xA1, 0x80] + list
        try verify(message.encoding)
        message.certificate =
            certificate + [0x00, 0x00, 0xA1, 0x80, 0x30, 0x0E, 0x30, 0x04, 0x02, 0x81] + list[5...]
        let inBER = message.encoding
        let place = try #require(inBER.firstRange(of: [0x02, 0x81] as [UInt8])).lowerBound
        refuses(.nonMinimalLength, at: place + 1) { () throws(Refusal) in try verify(inBER) }
    }

    @Test("refusals of a message in BER point into the message as it came")
    func offsets() throws {
        var message = BERMessage()
        message.signer = Signer(signature: [0xAB, 0xCD], unsignedAttributes: [0x05, 0x00]).encoding
        let bytes = message.encoding
        refuses(.trailingBytes, at: bytes.count - 10) { () throws(Refusal) in try Envelope(bytes.span) }
        message.signer = Signer(version: 3).encoding
        let other = message.encoding
        let offset = try #require(other.indices.last { other[$0...].starts(with: [0x02, 0x01, 0x03]) })
        refuses(.signerInfoVersion, at: offset) { () throws(Refusal) in try Envelope(other.span) }
    }

    @Test("elements that are signed byte for byte must be DER: certificates, and attributes of the signer")
    func signedAsItStands() throws {
        var message = BERMessage()
        message.certificate = BERMessage.indefinite(0x30, [UInt8](message.certificate.dropFirst(4)))
        refuses(.indefiniteLength) { () throws(Refusal) in try verify(message.encoding) }

        let attributes = [Signer.contentType(), Signer.messageDigest()]
        let genuine = MessageBuilder().with { $0.signers[0].signedAttributes = attributes }.signed()
        message = BERMessage(signer: genuine.signers[0].encoding)
        try verify(message.encoding)
        let field = Builder.encode { $0.write(.constructed(0), attributes.flatMap { $0 }) }
        let start = try #require(genuine.signers[0].encoding.firstRange(of: field)?.lowerBound)
        var signer = genuine.signers[0].encoding
        signer.replaceSubrange(
            start..<(start + field.count),
            with: BERMessage.indefinite(0xA0, attributes.flatMap { $0 })
        )
        signer.replaceSubrange(0..<3, with: [0x30, 0x80])
        message.signer = signer + [0, 0]
        refuses(.indefiniteLength) { () throws(Refusal) in try verify(message.encoding) }
    }

    @Test("bytes after a message in BER are refused, and so is one that does not end")
    func ends() {
        let message = BERMessage().encoding
        refuses(.trailingBytes, at: message.count) { () throws(Refusal) in try verify(message + [0x00]) }
        for count in 2..<message.count {
            #expect(throws: Refusal.self) { try verify([UInt8](message.prefix(count))) }
        }
    }

    @Test("an input that is neither DER nor BER keeps the refusal of the DER reader")
    func neither() {
        let broken = MessageBuilder().with { $0.digestAlgorithms = [[0x05, 0x00]] }.encoding
        refuses(.unexpectedTag) { () throws(Refusal) in try Envelope(broken.span) }
        refuses(.truncated, at: 0) { () throws(Refusal) in try Envelope([UInt8]().span) }
    }
}
