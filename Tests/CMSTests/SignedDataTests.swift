import Basics
import CMS
import DER
import PKIX
import RSA
import SHA
import TestSupport
import Testing

private typealias Builder = CertificateBuilder

/// A message with one thing wrong.
struct Defect: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let message: MessageBuilder
    let code: Refusal.Code
    /// The bytes where the refusal points. Their last occurrence counts, because signers come last.
    let place: [UInt8]
    /// The number of octets after the beginning of `place`.
    let distance: Int

    init(
        _ description: String,
        _ code: Refusal.Code,
        at place: [UInt8],
        _ distance: Int = 0,
        change: (inout MessageBuilder) -> Void
    ) {
        testDescription = description
        self.code = code
        self.place = place
        self.distance = distance
        message = MessageBuilder().with(change)
    }

    func check() throws {
        let encoding = message.encoding
        let offset = try #require(
            encoding.indices.last { encoding[$0...].starts(with: place) },
            "\(testDescription)"
        )
        refuses(code, at: offset + distance) { () throws(Refusal) in try verify(encoding) }
    }
}

private let sha1 = ObjectIdentifier(1, 3, 14, 3, 2, 26)
private let md5 = ObjectIdentifier(1, 2, 840, 113549, 2, 5)
private let sha224 = ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 2, 4)
private let rsassaPSS = ObjectIdentifier(1, 2, 840, 113549, 1, 1, 10)

@Suite("SignedData (RFC 5652 §5.1)")
struct SignedDataTests {
    @Test("every part has its range")
    func parts() throws {
        let certificate = Builder("Signer", issuer: "Root").encoding
        let message = MessageBuilder().with {
            $0.crls = [0xA1, 0x00]
            $0.signers[0].unsignedAttributes = [0xA1, 0x07, 0x30, 0x05, 0x06, 0x01, 0x2A, 0x31, 0x00]
        }
        let bytes = message.encoding
        let signedData = try SignedData(bytes.span)
        #expect(signedData.version == 1)
        #expect([UInt8](bytes[signedData.digestAlgorithms]) == message.digestAlgorithms[0])
        #expect(signedData.contentType == .data)
        #expect([UInt8](bytes[signedData.contentTypeRange]) == ObjectIdentifier.data.octets)
        #expect([UInt8](bytes[signedData.content]) == [UInt8]("content".utf8))
        #expect([UInt8](bytes[signedData.certificates]) == certificate)
        let signer = signedData.signer
        #expect([UInt8](bytes[signer.range]) == message.signers[0].encoding)
        #expect([UInt8](bytes[signer.digestAlgorithm.range]) == message.signers[0].digestAlgorithm)
        #expect([UInt8](bytes[signer.signatureAlgorithm.range]) == message.signers[0].signatureAlgorithm)
        #expect([UInt8](bytes[signer.signature]) == message.signers[0].signature)
        #expect(signer.signedAttributes == nil)
        guard case .issuerAndSerialNumber(let issuer, let serialNumber) = signer.identifier else {
            Issue.record("another identifier")
            return
        }
        #expect([UInt8](bytes[issuer]) == Builder.name("Root"))
        #expect([UInt8](bytes[serialNumber]) == [1])
        #expect(try verify(bytes) == [UInt8]("content".utf8))
    }

    @Test("versions 1, 3, 4 and 5 are read", arguments: [1, 3, 4, 5] as [Int64])
    func versions(version: Int64) throws {
        try verify(MessageBuilder().with { $0.version = version }.encoding)
    }

    @Test("empty content is content, and so is a megabyte", arguments: [0, 1, 1 << 20])
    func contentSizes(count: Int) throws {
        let content = [UInt8](repeating: 0x5A, count: count)
        #expect(try verify(MessageBuilder().with { $0.content = content }.signed().encoding) == content)
    }

    @Test(
        "refuses a message with one wrong field, at the field",
        arguments: [
            Defect("another type than signedData", .notSignedData, at: [0x06, 0x09]) {
                $0.type = ObjectIdentifier(1, 2, 840, 113549, 1, 7, 3)
                $0.contentType = ObjectIdentifier(1, 2)
                $0.signers[0].signatureAlgorithm = []
                $0.signers[0].digestAlgorithm = []
                $0.digestAlgorithms = []
                $0.certificates = nil
            },
            Defect("version 0", .signedDataVersion, at: [0x02, 0x01, 0x00]) { $0.version = 0 },
            Defect("version 2", .signedDataVersion, at: [0x02, 0x01, 0x02, 0x31]) { $0.version = 2 },
            Defect("version 6", .signedDataVersion, at: [0x02, 0x01, 0x06]) { $0.version = 6 },
            Defect("version -1", .signedDataVersion, at: [0x02, 0x01, 0xFF]) { $0.version = -1 },
            Defect("no content", .contentDetached, at: ObjectIdentifier.data.octets, 9) { $0.content = nil },
            Defect("no signer", .noSigner, at: [0x31, 0x00], 2) { $0.signers = [] },
            Defect("two signed", .severalSigners, at: SignerBuilder().encoding) {
                $0.signers.append(SignerBuilder())
            },
            Defect("a byte after the SignedData", .trailingBytes, at: [0x05, 0x00, 0xAA]) {
                $0.afterSignedData = [0x05, 0x00, 0xAA]
            },
            Defect("a second SignedData", .trailingBytes, at: [0x30, 0x01, 0xAA]) {
                $0.afterSequence = [0x30, 0x01, 0xAA]
            },
            Defect("content in two OCTET STRINGs", .trailingBytes, at: [0x04, 0x01, 0xAA]) {
                $0.afterContent = [0x04, 0x01, 0xAA]
            },
            Defect("content of two types", .trailingBytes, at: [0xA0, 0x01, 0xAA]) {
                $0.afterEncapsulatedContent = [0xA0, 0x01, 0xAA]
            },
            Defect("a third part of issuer and serial number", .trailingBytes, at: [0x02, 0x01, 0x6A]) {
                let name = Builder.name("Root")
                let parts = name + [0x02, 0x01, 0x01, 0x02, 0x01, 0x6A]
                $0.signers[0].identifier = [0x30, UInt8(parts.count)] + parts
            },
            Defect("a byte after the signers", .trailingBytes, at: [0x05, 0x00, 0xAA]) {
                $0.afterSigners = [0x05, 0x00, 0xAA]
            },
            Defect(
                "a digest algorithm that is not listed",
                .digestAlgorithmNotListed,
                at: Builder.algorithm(sha1)
            ) {
                $0.signers[0].digestAlgorithm = Builder.algorithm(sha1)
            },
            Defect(
                "no digest algorithm listed",
                .digestAlgorithmNotListed,
                at: Builder.algorithm(MessageBuilder.sha256)
            ) { $0.digestAlgorithms = [] },
            Defect("something that is no algorithm among them", .unexpectedTag, at: [0x05, 0x00, 0x30, 0x16])
            {
                $0.digestAlgorithms.append([0x05, 0x00])
            },
            Defect(
                "a listed digest algorithm with parameters that are not NULL",
                .invalidAlgorithmParameters,
                at: Builder.algorithm(MessageBuilder.sha256, parameters: [0x30, 0x00])
            ) {
                $0.digestAlgorithms = [Builder.algorithm(MessageBuilder.sha256, parameters: [0x30, 0x00])]
            },
            Defect(
                "parameters that are not NULL of a listed digest algorithm that the signer does not use",
                .invalidAlgorithmParameters,
                at: Builder.algorithm(sha1, parameters: [0x04, 0x00])
            ) { $0.digestAlgorithms.append(Builder.algorithm(sha1, parameters: [0x04, 0x00])) },
            Defect("crls before certificates", .unexpectedTag, at: [0xA0, 0x00]) {
                $0.certificates = nil
                $0.crls = [0xA1, 0x00, 0xA0, 0x00]
            },
            Defect("a certificate of a format yet unknown", .unexpectedTag, at: [0xA4, 0x00]) {
                $0.certificates?.append([0xA4, 0x00])
            },
            Defect("a certificate that is a primitive", .unexpectedTag, at: [0x82, 0x00]) {
                $0.certificates?.append([0x82, 0x00])
            },
        ]
    )
    func wrongFields(defect: Defect) throws { try defect.check() }

    @Test("bytes after the message are refused, at the first of them")
    func trailingBytes() {
        let message = MessageBuilder().encoding
        refuses(.trailingBytes, at: message.count) { () throws(Refusal) in try verify(message + [0x00]) }
        refuses(.trailingBytes, at: message.count) { () throws(Refusal) in try verify(message + message) }
    }

    @Test("an input longer than the limit is refused before it is read")
    func inputTooLarge() {
        let message = MessageBuilder().encoding
        var limits = EncodingLimits.standard
        limits.inputBytes = message.count
        #expect(throws: Never.self) { try SignedData(message.span, limits: limits) }
        limits.inputBytes -= 1
        refuses(.inputTooLarge, at: 0) { () throws(Refusal) in try SignedData(message.span, limits: limits) }
        refuses(.inputTooLarge, at: 0) { () throws(Refusal) in try Envelope(message.span, limits: limits) }
    }

    @Test("accepts any number of listed digest algorithms, with NULL or without parameters")
    func listedAlgorithms() throws {
        let algorithms = [
            Builder.algorithm(md5), Builder.algorithm(MessageBuilder.sha256, parameters: []),
            Builder.algorithm(sha1),
        ]
        try verify(MessageBuilder().with { $0.digestAlgorithms = algorithms }.encoding)
    }

    @Test("a message that is cut short anywhere is refused, and a message changed anywhere does not trap")
    func damage() throws {
        let message = MessageBuilder().with {
            $0.crls = [0xA1, 0x00]
            $0.signers[0].signedAttributes = [SignerBuilder.contentType(), SignerBuilder.messageDigest()]
        }.signed().encoding
        try verify(message)
        for count in 0..<message.count {
            #expect(throws: Refusal.self) { try verify([UInt8](message.prefix(count))) }
        }
        for offset in message.indices {
            let old = message[offset]
            for value: UInt8 in [0x00, 0x80, 0xFF, old &+ 1, old ^ 0x20] where value != old {
                var damaged = message
                damaged[offset] = value
                _ = try? verify(damaged)
            }
        }
    }
}

@Suite("Certificates in a message (RFC 5652 §10.2.3)")
struct CertificateSetTests {
    private static let first = Builder("First", issuer: "Root").encoding
    private static let second = Builder("Second", issuer: "Root").encoding

    @Test("certificates are decoded in the order of the message, and other formats passed over")
    func order() throws {
        let signed: [UInt8] = [0x30, 0x00, 0x30, 0x03, 0x06, 0x01, 0x2A, 0x03, 0x01, 0x00]
        let others: [[UInt8]] =
            [0xA0, 0xA1, 0xA2].map { [$0, 0x0A] + signed } + [[0xA3, 0x05, 0x06, 0x01, 0x2A, 0x05, 0x00]]
        let set = others[0] + Self.second + others[1] + others[2] + Self.first + others[3]
        let certificates = try SignedData.decodeCertificates(set.span, in: 0..<set.count)
        #expect(certificates.map { [UInt8](set[$0.range]) } == [Self.second, Self.first])
    }

    @Test("refuses a message without certificates, for its signer")
    func none() {
        for certificates in [nil, []] as [[[UInt8]]?] {
            refuses(.signerCertificateNotFound) { () throws(Refusal) in
                try verify(MessageBuilder().with { $0.certificates = certificates }.encoding)
            }
        }
    }

    @Test("more certificates than the limit are refused, at the first that is too many")
    func tooMany() throws {
        let sixteen = [[UInt8]](repeating: Self.first, count: 16).flatMap { $0 }
        #expect(try SignedData.decodeCertificates(sixteen.span, in: 0..<sixteen.count).count == 16)
        // Another format after them is no certificate.
        let other = sixteen + [0xA3, 0x05, 0x06, 0x01, 0x2A, 0x05, 0x00]
        #expect(try SignedData.decodeCertificates(other.span, in: 0..<other.count).count == 16)
        let seventeen = sixteen + Self.second
        refuses(.tooManyCertificates, at: sixteen.count) { () throws(Refusal) in
            try SignedData.decodeCertificates(seventeen.span, in: 0..<seventeen.count)
        }
    }

    @Test("refuses a message with a malformed certificate, though it is not the signer's")
    func badCertificate() {
        let bad = Builder("", issuer: "").encoding
        refuses(.emptyName) { () throws(Refusal) in
            try verify(MessageBuilder().with { $0.certificates?.append(bad) }.encoding)
        }
    }
}

@Suite("SignerInfo (RFC 5652 §5.3)")
struct SignerInfoTests {
    @Test(
        "finds the signer by issuer and serial number among certificates with one of the two",
        arguments: [0, 1, 2]
    )
    func issuerAndSerialNumber(position: Int) throws {
        let wanted = Builder("Signer", issuer: "Root").with { $0.serialNumber = [0x00, 0x80] }
        var others = [
            Builder("Signer", issuer: "Root"),
            Builder("Signer", issuer: "Other").with { $0.serialNumber = [0x00, 0x80] },
        ]
        others.insert(wanted, at: position)
        let bytes = others.flatMap(\.encoding)
        let message = MessageBuilder().with {
            $0.signers[0].identifier = SignerBuilder.issuerAndSerialNumber("Root", [0x00, 0x80])
        }.encoding
        let certificates = try SignedData.decodeCertificates(bytes.span, in: 0..<bytes.count)
        let found = try SignedData(message.span).view(in: message.span)
            .signerIndex(among: CertificateList(certificates, in: bytes.span))
        #expect(found == position)
    }

    @Test("the signer is found by subject key identifier, in version 3")
    func subjectKeyIdentifier() throws {
        let wanted = Builder("Signer", issuer: "Root", extensions: [Builder.subjectKeyIdentifier([1, 2, 3])])
        let other = Builder("Signer", issuer: "Root", extensions: [Builder.subjectKeyIdentifier([1, 2])])
        let message = MessageBuilder().with {
            $0.version = 3
            $0.signers[0].version = 3
            $0.signers[0].identifier = [0x80, 0x03, 1, 2, 3]
            $0.certificates = [Builder("Signer", issuer: "Root").encoding, other.encoding, wanted.encoding]
        }
        try verify(message.encoding)
        refuses(.signerCertificateNotFound) { () throws(Refusal) in
            try verify(message.with { $0.certificates?.removeLast() }.encoding)
        }
        refuses(.ambiguousSigner) { () throws(Refusal) in
            try verify(
                message.with { $0.certificates?.append(wanted.with { $0.serialNumber = [9] }.encoding) }
                    .encoding
            )
        }
    }

    @Test("identical copies of the signer's certificate are one certificate, and other matches are ambiguous")
    func copies() throws {
        let signer = Builder("Signer", issuer: "Root").encoding
        let other = Builder("Other", issuer: "Elsewhere").encoding
        let namesake = Builder("Another", issuer: "Root").encoding
        for set in [[signer, signer], [signer, other, signer], [other, signer, signer, signer]] {
            try verify(MessageBuilder().with { $0.certificates = set }.encoding)
            let bytes = set.flatMap { $0 }
            let message = MessageBuilder().encoding
            let certificates = try SignedData.decodeCertificates(bytes.span, in: 0..<bytes.count)
            let index = try SignedData(message.span).view(in: message.span)
                .signerIndex(among: CertificateList(certificates, in: bytes.span))
            #expect(index == set.firstIndex(of: signer))
        }
        for set in [
            [signer, namesake], [namesake, signer], [signer, signer, namesake], [signer, namesake, signer],
        ] {
            refuses(.ambiguousSigner) { () throws(Refusal) in
                try verify(MessageBuilder().with { $0.certificates = set }.encoding)
            }
        }
    }

    @Test(
        "one wrong field refuses the signer",
        arguments: [
            Defect("version 3 with issuer and serial number", .signerInfoVersion, at: [0x02, 0x01, 0x03]) {
                $0.signers[0].version = 3
            },
            Defect("version 1 with a key identifier", .signerInfoVersion, at: [0x02, 0x01, 0x01, 0x80]) {
                $0.signers[0].identifier = [0x80, 0x01, 0x09]
            },
            Defect("version 0", .signerInfoVersion, at: [0x02, 0x01, 0x00]) { $0.signers[0].version = 0 },
            Defect("an unknown signer", .signerCertificateNotFound, at: [0x30, 0x59]) {
                $0.signers[0].identifier = SignerBuilder.issuerAndSerialNumber("Root", [2])
            },
            Defect("two certificates that match the signer", .ambiguousSigner, at: [0x30, 0x59]) {
                $0.certificates?.append(Builder("Another", issuer: "Root").encoding)
            },
            Defect("the same issuer in another string type", .signerCertificateNotFound, at: [0x30, 0x59]) {
                $0.signers[0].identifier = $0.signers[0].identifier.map { $0 == 0x0C ? 0x13 : $0 }
            },
            Defect("unsigned attributes twice", .trailingBytes, at: [0xA1, 0x00]) {
                $0.signers[0].unsignedAttributes =
                    [0xA1, 0x07, 0x30, 0x05, 0x06, 0x01, 0x2A, 0x31, 0x00, 0xA1, 0x00]
            },
            Defect("MD5", .unsupportedDigestAlgorithm, at: Builder.algorithm(md5)) {
                $0.digestAlgorithms = [Builder.algorithm(md5)]
                $0.signers[0].digestAlgorithm = Builder.algorithm(md5)
            },
            Defect("SHA-224", .unsupportedDigestAlgorithm, at: Builder.algorithm(sha224)) {
                $0.digestAlgorithms = [Builder.algorithm(sha224)]
                $0.signers[0].digestAlgorithm = Builder.algorithm(sha224)
            },
            Defect(
                "a digest algorithm with parameters",
                .invalidAlgorithmParameters,
                at: Builder.algorithm(MessageBuilder.sha256, parameters: [0x30, 0x00])
            ) {
                $0.signers[0].digestAlgorithm = Builder.algorithm(
                    MessageBuilder.sha256,
                    parameters: [0x30, 0x00]
                )
            },
            Defect("RSASSA-PSS", .unsupportedSignatureAlgorithm, at: Builder.algorithm(rsassaPSS)) {
                $0.signers[0].signatureAlgorithm = Builder.algorithm(rsassaPSS)
            },
            Defect(
                "rsaEncryption without NULL",
                .invalidAlgorithmParameters,
                at: Builder.algorithm(Builder.rsaEncryption, parameters: [])
            ) {
                $0.signers[0].signatureAlgorithm = Builder.algorithm(Builder.rsaEncryption, parameters: [])
            },
            Defect(
                "a signature algorithm with another hash",
                .contradictingAlgorithms,
                at: Builder.algorithm(Builder.sha1WithRSAEncryption)
            ) {
                $0.signers[0].signatureAlgorithm = Builder.algorithm(Builder.sha1WithRSAEncryption)
            },
            Defect("another signature", .signatureMismatch, at: [0x04, 0x02, 0xAB, 0xCD], 2) {
                $0.signers[0].signature = [0xAB, 0xCD]
            },
            Defect("the signature of other content", .signatureMismatch, at: [0x04, 0x20], 2) {
                $0.content = [UInt8]("Content".utf8)
            },
        ]
    )
    func wrongFields(defect: Defect) throws { try defect.check() }

    private static let hashes: [(HashAlgorithm, ObjectIdentifier, UInt32)] = [
        (.sha1, sha1, 5), (.sha256, MessageBuilder.sha256, 11),
        (.sha384, ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 2, 2), 12),
        (.sha512, ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 2, 3), 13),
    ]

    @Test("every pair of digest and signature algorithm is accepted that agrees, and no other")
    func pairs() throws {
        for (hash, identifier, _) in Self.hashes {
            for parameters: [UInt8] in [[], [0x05, 0x00]] {
                let message = MessageBuilder().with {
                    $0.digestAlgorithms = [Builder.algorithm(identifier)]
                    $0.signers[0].digestAlgorithm = Builder.algorithm(identifier, parameters: parameters)
                }.signed(hash)
                try verify(message.encoding)
                for (other, _, arc) in Self.hashes {
                    let algorithm = Builder.algorithm(ObjectIdentifier(1, 2, 840, 113549, 1, 1, arc))
                    let named = message.with { $0.signers[0].signatureAlgorithm = algorithm }.encoding
                    if other == hash {
                        try verify(named)
                        #expect(try SignedData(named.span).signer.hashAlgorithm() == hash)
                    } else {
                        refuses(.contradictingAlgorithms) { () throws(Refusal) in try verify(named) }
                    }
                }
            }
        }
    }
}
