import Basics
import DER
import PKIX
import TestSupport
import Testing

/// A certificate with one thing wrong.
struct Defect: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let certificate: CertificateBuilder
    let code: Refusal.Code
    /// The bytes where the refusal points. Their first occurrence counts.
    let place: [UInt8]
    /// The number of octets after the beginning of `place`.
    let distance: Int

    init(
        _ description: String,
        _ code: Refusal.Code,
        at place: [UInt8],
        _ distance: Int = 0,
        change: (inout CertificateBuilder) -> Void
    ) {
        testDescription = description
        self.code = code
        self.place = place
        self.distance = distance
        certificate = CertificateBuilder("Leaf", issuer: "Authority").with(change)
    }

    func check() throws {
        let encoding = certificate.encoding
        let offset = try #require(encoding.firstRange(of: place)?.lowerBound) + distance
        refuses(code, at: offset) { () throws(Refusal) in try Bag(encodings: [encoding]) }
    }
}

private typealias Builder = CertificateBuilder
private let sha1 = CertificateBuilder.algorithm(CertificateBuilder.sha1WithRSAEncryption)

@Suite("Certificate (RFC 5280 §4.1)")
struct CertificateTests {
    @Test("every field has its range, and the known extensions are decoded")
    func fields() throws {
        let builder = Builder.authority(
            "Authority",
            issuer: "Root",
            pathLength: 3,
            and: [
                Builder.subjectKeyIdentifier([1, 2, 3]),
                Builder.authorityKeyIdentifier([4, 5], issuer: "Upper", serialNumber: [7]),
                Builder.extendedKeyUsage(.codeSigning),
                Builder.unknownExtension(critical: false),
            ]
        ).with {
            $0.serialNumber = [0x00, 0x80]
            $0.uniqueIDs = [0x81, 0x02, 0x00, 0xAA, 0x82, 0x02, 0x00, 0xBB]
        }
        let bag = try Bag([builder])
        let certificate = bag.certificates[0]
        func octets(_ range: Range<Int>?) -> [UInt8]? { range.map { [UInt8](bag.bytes[$0]) } }
        #expect(certificate.range == 0..<bag.bytes.count)
        #expect(certificate.tbsCertificate.lowerBound == 4)
        #expect(certificate.version == 3)
        #expect(octets(certificate.serialNumber) == [0x00, 0x80])
        #expect(octets(certificate.signatureAlgorithm.range) == builder.signature)
        #expect(octets(certificate.issuer.range) == Builder.name("Root"))
        #expect(octets(certificate.subject.range) == Builder.name("Authority"))
        let view = certificate.view(in: bag.bytes.span)
        let isSelfIssued = view.isSelfIssued
        #expect(!isSelfIssued)
        #expect(certificate.validity.notBefore.description == "2010-01-01T00:00:00Z")
        #expect(certificate.validity.notAfter.description == "2029-12-31T23:59:59Z")
        #expect(octets(certificate.signatureValue) == [UInt8]("Root".utf8))
        #expect(certificate.basicConstraints?.isCertificateAuthority == true)
        #expect(certificate.basicConstraints?.pathLengthConstraint == 3)
        #expect(certificate.keyUsage?.bits == 0b110_0000)
        #expect(octets(certificate.subjectKeyIdentifier) == [1, 2, 3])
        #expect(octets(certificate.authorityKeyIdentifier?.keyIdentifier) == [4, 5])
        #expect(octets(certificate.authorityKeyIdentifier?.issuer) == Builder.name("Upper"))
        #expect(octets(certificate.authorityKeyIdentifier?.serialNumber) == [7])
        #expect(certificate.extendedKeyUsage != nil)
        let (permitsCode, permitsAny) = (view.permits(.codeSigning), view.permits(.anyExtendedKeyUsage))
        #expect(permitsCode && !permitsAny)
        #expect(certificate.unknownCriticalExtension == nil)
        let extensions = view.extensions
        #expect(extensions.map(\.isCritical) == [true, true, false, false, false, false])
        let unknown = ObjectIdentifier(1, 3, 6, 1, 4, 1, 55738, 666)
        let found = view.extension(unknown)
        #expect(octets(found?.value) == [0x05, 0x00])
        let missing = view.extension(.codeSigning)
        #expect(missing == nil)
        let attributes = view.attributes(of: certificate.subject)
        #expect(attributes.map { octets($0.value.contents) } == [[UInt8]("Authority".utf8)])
    }

    @Test(
        "reads versions 1, 2 and 3 without any optional field",
        arguments: [nil, 1, 2] as [Int64?]
    )
    func versions(number: Int64?) throws {
        let bag = try Bag([Builder("Leaf", issuer: "Root").with { $0.version = number }])
        let certificate = bag.certificates[0]
        #expect(certificate.version == Int(number ?? 0) + 1)
        #expect(certificate.extensions.isEmpty)
        #expect(certificate.basicConstraints == nil && certificate.keyUsage == nil)
        #expect(certificate.extendedKeyUsage == nil && certificate.unknownCriticalExtension == nil)
        #expect(certificate.subjectKeyIdentifier == nil && certificate.authorityKeyIdentifier == nil)
        let extensions = certificate.view(in: bag.bytes.span).extensions
        #expect(extensions.isEmpty)
    }

    @Test(
        "version 2 may have unique identifiers, either or both (§4.1.2.8)",
        arguments: [
            [0x81, 0x02, 0x00, 0xAA], [0x82, 0x02, 0x00, 0xBB],
            [0x81, 0x02, 0x00, 0xAA, 0x82, 0x02, 0x00, 0xBB],
        ] as [[UInt8]]
    )
    func uniqueIdentifiers(encoding: [UInt8]) throws {
        let bag = try Bag([
            Builder("Leaf", issuer: "Root").with {
                $0.version = 1
                $0.uniqueIDs = encoding
            }
        ])
        let certificate = bag.certificates[0]
        #expect(certificate.version == 2)
    }

    @Test(
        "reads a certificate without a subject, and serial numbers of twenty octets, negative or zero"
    )
    func oddities() throws {
        let serials: [[UInt8]] = [[0], [0xFF], [UInt8](repeating: 0x7F, count: 20)]
        for serial in serials {
            let bag = try Bag([
                Builder("", issuer: "Root").with { $0.serialNumber = serial }
            ])
            #expect(bag.certificates[0].subject.isEmpty)
        }
    }

    @Test("a certificate that is viewed in another buffer than its own stops the program")
    func otherBuffer() async {
        await #expect(processExitsWith: .failure) {
            let certificate = try Bag([Builder("Leaf", issuer: "Root")]).certificates[0]
            let other: [UInt8] = []
            _ = certificate.view(in: other.span).isSelfIssued
        }
        await #expect(processExitsWith: .failure) {
            let certificate = try Bag([Builder("Leaf", issuer: "Root")]).certificates[0]
            let other = [UInt8](repeating: 0x30, count: 1000)
            _ = certificate.view(in: other.span).attributes(of: certificate.subject)
        }
    }

    @Test(
        "refuses a certificate with one wrong field, at the field",
        arguments: [
            Defect("version 1 spelt out", .certificateVersion, at: [0xA0, 0x03, 0x02]) { $0.version = 0 },
            Defect("version 4", .certificateVersion, at: [0xA0, 0x03, 0x02]) { $0.version = 3 },
            Defect("version -1", .certificateVersion, at: [0xA0, 0x03, 0x02]) { $0.version = -1 },
            Defect("a version of two numbers", .trailingBytes, at: [0x02, 0x01, 0x02, 0x02, 0x01, 0x02], 3) {
                $0.versionField = [0xA0, 0x06, 0x02, 0x01, 0x02, 0x02, 0x01, 0x02]
            },
            Defect("two lists of extensions", .trailingBytes, at: [0x04, 0x00, 0x30, 0x00], 2) {
                // [3] stands where unique identifiers may: a list of one extension, and an empty one.
                let list: [UInt8] = [0x30, 0x09, 0x30, 0x07, 0x06, 0x03, 0x55, 0x1D, 0x50, 0x04, 0x00]
                $0.uniqueIDs = [0xA3, 0x0D] + list + [0x30, 0x00]
            },
            Defect("21 octets of serial number", .serialNumberTooLong, at: [0x02, 21]) {
                $0.serialNumber = [UInt8](repeating: 0x11, count: 21)
            },
            Defect("no serial number", .emptyContents, at: [0x02, 0x00], 2) { $0.serialNumber = [] },
            Defect("a padded serial number", .nonMinimalInteger, at: [0x00, 0x01]) {
                $0.serialNumber = [0x00, 0x01]
            },
            Defect(
                "another signature algorithm inside than outside",
                .signatureAlgorithmMismatch,
                at: sha1
            ) {
                $0.signature = sha1;
                $0.signatureAlgorithm = Builder.algorithm(Builder.sha256WithRSAEncryption)
            },
            Defect(
                "the same algorithm with other parameters",
                .signatureAlgorithmMismatch,
                at: Builder.algorithm(Builder.sha256WithRSAEncryption)
            ) {
                $0.signatureAlgorithm = Builder.algorithm(Builder.sha256WithRSAEncryption, parameters: [])
            },
            Defect("an algorithm with two parameters", .trailingBytes, at: [0x05, 0x00, 0x05, 0x00], 2) {
                $0.signatureAlgorithm = $0.signature
                $0.signature = Builder.algorithm(Builder.rsaEncryption, parameters: [0x05, 0x00, 0x05, 0x00])
            },
            Defect("an empty issuer", .emptyName, at: [0x30, 0x00]) { $0.issuer = Builder.name("") },
            Defect("an empty relative name", .emptyName, at: [0x30, 0x02, 0x31, 0x00], 4) {
                $0.subject = [0x30, 0x02, 0x31, 0x00]
            },
            Defect("a second attribute without a value", .truncated, at: [0x30, 0x03, 0x06, 0x01, 0x2A], 5) {
                let first: [UInt8] = [0x30, 0x05, 0x06, 0x01, 0x29, 0x05, 0x00]
                $0.subject = [0x30, 0x0E, 0x31, 0x0C] + first + [0x30, 0x03, 0x06, 0x01, 0x2A]
            },
            Defect("an attribute with two values", .trailingBytes, at: [0x05, 0x00, 0x0C, 0x00], 2) {
                $0.subject = [0x30, 0x0B, 0x31, 0x09, 0x30, 0x07, 0x06, 0x01, 0x29, 0x05, 0x00, 0x0C, 0x00]
            },
            Defect("a third time of the validity", .trailingBytes, at: Builder.time("350101000000Z")) {
                $0.notAfter += Builder.time("350101000000Z")
            },
            Defect("a name that is a SET", .unexpectedTag, at: [0x31, 0x00]) { $0.subject = [0x31, 0x00] },
            Defect("a UTCTime without seconds", .invalidTime, at: [0x17, 0x0B], 2) {
                $0.notBefore = [0x17, 0x0B] + [UInt8]("1001010000Z".utf8)
            },
            Defect("a GeneralizedTime with a fraction", .invalidTime, at: Builder.time("20100101000000.5Z")) {
                $0.notBefore = Builder.time("20100101000000.5Z")
            },
            Defect("a time with an offset", .invalidTime, at: [0x17, 0x11], 2) {
                $0.notAfter = [0x17, 0x11] + [UInt8]("100101000000+0000".utf8)
            },
            Defect("a 30th of February", .invalidTime, at: Builder.time("200230000000Z"), 2) {
                $0.notAfter = Builder.time("200230000000Z")
            },
            Defect("unique identifiers in version 1", .fieldNotInVersion, at: [0x82, 0x02, 0x00, 0xBB]) {
                $0.version = nil
                $0.uniqueIDs = [0x82, 0x02, 0x00, 0xBB]
            },
            Defect("unique identifiers in the wrong order", .trailingBytes, at: [0x81, 0x01, 0x00]) {
                $0.uniqueIDs = [0x82, 0x01, 0x00, 0x81, 0x01, 0x00]
            },
            Defect("a unique identifier without octets", .emptyContents, at: [0x81, 0x00], 2) {
                $0.uniqueIDs = [0x81, 0x00]
            },
            Defect(
                "a unique identifier with an unused bit set",
                .invalidBitString,
                at: [0x82, 0x02, 0x01],
                3
            ) {
                $0.uniqueIDs = [0x82, 0x02, 0x01, 0xBB]
            },
            Defect("a name with half an element in a value", .truncated, at: [0x30, 0x03, 0x0C, 0x05], 5) {
                $0.subject =
                    [0x30, 0x0C, 0x31, 0x0A, 0x30, 0x08, 0x06, 0x01, 0x29] + [0x30, 0x03, 0x0C, 0x05, 0x61]
            },
            Defect("a parameter with a tag and no more", .truncated, at: [0x30, 0x01, 0x02], 3) {
                $0.signatureAlgorithm = $0.signature
                $0.signature = Builder.algorithm(ObjectIdentifier(1, 2), parameters: [0x30, 0x01, 0x02])
            },
            Defect("a key that is no SEQUENCE", .unexpectedTag, at: [0x31, 0x01, 0xFF]) {
                $0.subjectPublicKeyInfo = [0x31, 0x01, 0xFF]
            },
            Defect("an empty key", .truncated, at: [0x30, 0x00], 2) {
                $0.subjectPublicKeyInfo = [0x30, 0x00]
            },
            Defect("a key without its BIT STRING", .truncated, at: [0x30, 0x0F, 0x30, 0x0D], 17) {
                $0.subjectPublicKeyInfo = [0x30, 0x0F] + Builder.algorithm(Builder.rsaEncryption)
            },
            Defect("a key with a third field", .trailingBytes, at: [0x03, 0x01, 0x00, 0x05, 0x00], 3) {
                let algorithm = Builder.algorithm(Builder.rsaEncryption)
                $0.subjectPublicKeyInfo = [0x30, 0x14] + algorithm + [0x03, 0x01, 0x00, 0x05, 0x00]
            },
            Defect("a key with nine unused bits", .invalidBitString, at: [0x03, 0x02, 0x09, 0x00], 2) {
                let algorithm = Builder.algorithm(Builder.rsaEncryption)
                $0.subjectPublicKeyInfo = [0x30, 0x13] + algorithm + [0x03, 0x02, 0x09, 0x00]
            },
            Defect("parameters of a key that are cut short", .truncated, at: [0x30, 0x01, 0x04, 0x03], 3) {
                let algorithm = Builder.algorithm(ObjectIdentifier(1, 2), parameters: [0x30, 0x01, 0x04])
                $0.subjectPublicKeyInfo = Builder.keyInfo([], algorithm: algorithm)
            },
            Defect("extensions in version 1", .fieldNotInVersion, at: [0xA3, 0x14]) {
                $0.version = nil
                $0.extensions = [Builder.unknownExtension(critical: false)]
            },
            Defect("extensions in version 2", .fieldNotInVersion, at: [0xA3, 0x14]) {
                $0.version = 1
                $0.extensions = [Builder.unknownExtension(critical: false)]
            },
            Defect("a list of no extensions", .truncated, at: [0xA3, 0x02, 0x30, 0x00], 4) {
                $0.extensions = []
            },
            Defect("a bit left over in the signature", .invalidBitString, at: [0x03, 0x02, 0x04, 0xF0], 2) {
                // The outer algorithm is followed by the signature: both are put where the algorithm goes.
                $0.signatureAlgorithm = $0.signature + [0x03, 0x02, 0x04, 0xF0]
            },
        ]
    )
    func wrongFields(defect: Defect) throws { try defect.check() }

    @Test("refuses bytes after the certificate or after a field inside it")
    func trailingBytes() throws {
        let encoding = Builder("Leaf", issuer: "Root").encoding
        refuses(.trailingBytes, at: encoding.count) { () throws(Refusal) in
            try TrustAnchor(certificate: encoding + [0])
        }
        let padded = Builder("Leaf", issuer: "Root").with {
            $0.signatureAlgorithm = $0.signature + [0x03, 0x01, 0x00]
        }
        refuses(.trailingBytes, at: padded.encoding.count - 7) { () throws(Refusal) in
            try Bag([padded])
        }
    }

    @Test("refuses a certificate cut short at any byte, and never traps on a changed byte")
    func damage() throws {
        let encoding = Builder.authority(
            "Authority",
            issuer: "Root",
            pathLength: 1,
            and: [
                Builder.subjectKeyIdentifier([1, 2, 3]),
                Builder.authorityKeyIdentifier([4, 5], issuer: "Upper", serialNumber: [7]),
                Builder.extendedKeyUsage(.codeSigning),
            ]
        ).encoding
        for count in 1..<encoding.count {
            #expect(throws: Refusal.self) { try Bag(encodings: [[UInt8](encoding.prefix(count))]) }
        }
        for offset in encoding.indices {
            for value: UInt8 in [
                0x00, 0x01, 0x7F, 0x80, 0x84, 0xFF, encoding[offset] &+ 1, encoding[offset] ^ 0x20,
            ] {
                var damaged = encoding
                damaged[offset] = value
                _ = try? Bag(encodings: [damaged])
            }
        }
    }
}
