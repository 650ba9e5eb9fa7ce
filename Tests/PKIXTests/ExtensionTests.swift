import AppReceiptMint
import Basics
import DER
import PKIX
import TestSupport
import Testing

private typealias Builder = CertificateBuilder

@Suite("Extensions (RFC 5280 §4.2)")
struct ExtensionTests {
    private static func value(_ arc: UInt32, _ value: [UInt8]) -> (inout CertificateBuilder) -> Void {
        { $0.extensions = [Builder.extension(ObjectIdentifier(2, 5, 29, arc), value)] }
    }

    @Test(
        "a value that breaks its definition refuses the certificate",
        arguments: [
            Defect("the same extension twice", .duplicateExtension, at: Builder.subjectKeyIdentifier([2])) {
                $0.extensions = [Builder.subjectKeyIdentifier([1]), Builder.subjectKeyIdentifier([2])]
            },
            Defect(
                "an unknown extension twice, others between",
                .duplicateExtension,
                at: Builder.unknownExtension(critical: true)
            ) {
                $0.extensions = [
                    Builder.unknownExtension(critical: false), Builder.subjectKeyIdentifier([1]),
                    Builder.unknownExtension(critical: true),
                ]
            },
            Defect("criticality spelt out as FALSE", .invalidBoolean, at: [0x01, 0x01, 0x00]) {
                $0.extensions = [[0x30, 0x0A, 0x06, 0x03, 0x55, 0x1D, 0x50, 0x01, 0x01, 0x00, 0x04, 0x00]]
            },
            Defect("criticality of 01", .invalidBoolean, at: [0x50, 0x01, 0x01, 0x01], 3) {
                $0.extensions = [[0x30, 0x0A, 0x06, 0x03, 0x55, 0x1D, 0x50, 0x01, 0x01, 0x01, 0x04, 0x00]]
            },
            Defect("an extension without a value", .truncated, at: [0x06, 0x03, 0x55, 0x1D, 0x50], 5) {
                $0.extensions = [[0x30, 0x05, 0x06, 0x03, 0x55, 0x1D, 0x50]]
            },
            Defect("an extension with a fourth field", .trailingBytes, at: [0x04, 0x00, 0x05, 0x00], 2) {
                $0.extensions = [[0x30, 0x09, 0x06, 0x03, 0x55, 0x1D, 0x50, 0x04, 0x00, 0x05, 0x00]]
            },
            Defect(
                "bytes after a known value",
                .trailingBytes,
                at: [0x04, 0x04, 0x30, 0x00, 0x05, 0x00],
                4,
                change: value(19, [0x30, 0x00, 0x05, 0x00])
            ),

            Defect(
                "cA spelt out as FALSE",
                .invalidBoolean,
                at: [0x01, 0x01, 0x00],
                change: value(19, [0x30, 0x03, 0x01, 0x01, 0x00])
            ),
            Defect(
                "a path length without cA",
                .invalidExtension,
                at: [0x02, 0x01, 0x09],
                change: value(19, [0x30, 0x03, 0x02, 0x01, 0x09])
            ),
            Defect(
                "a negative path length",
                .invalidExtension,
                at: [0x02, 0x01, 0xFF],
                change: value(19, [0x30, 0x06, 0x01, 0x01, 0xFF, 0x02, 0x01, 0xFF])
            ),
            Defect(
                "a path length of 65 bits",
                .integerOutOfRange,
                at: [0x02, 0x09, 0x01],
                2,
                change: value(19, [0x30, 0x0E, 0x01, 0x01, 0xFF, 0x02, 0x09, 0x01, 0, 0, 0, 0, 0, 0, 0, 0])
            ),
            Defect(
                "basic constraints with a third field",
                .trailingBytes,
                at: [0x02, 0x01, 0x09],
                3,
                change: value(19, [0x30, 0x08, 0x01, 0x01, 0xFF, 0x02, 0x01, 0x09, 0x05, 0x00])
            ),

            Defect(
                "no key usage",
                .invalidExtension,
                at: [0x04, 0x03, 0x03, 0x01, 0x00],
                5,
                change: value(15, [0x03, 0x01, 0x00])
            ),
            Defect(
                "key usage of zero bits",
                .invalidExtension,
                at: [0x03, 0x02, 0x07, 0x00],
                3,
                change: value(15, [0x03, 0x02, 0x07, 0x00])
            ),
            Defect(
                "key usage with a zero bit at the end",
                .invalidExtension,
                at: [0x03, 0x02, 0x06, 0x80],
                3,
                change: value(15, [0x03, 0x02, 0x06, 0x80])
            ),
            Defect(
                "a tenth key usage",
                .invalidExtension,
                at: [0x03, 0x03, 0x06, 0x80, 0x40],
                3,
                change: value(15, [0x03, 0x03, 0x06, 0x80, 0x40])
            ),
            Defect(
                "key usage of three octets",
                .invalidExtension,
                at: [0x03, 0x04, 0x00, 0x80],
                3,
                change: value(15, [0x03, 0x04, 0x00, 0x80, 0x80, 0x01])
            ),

            Defect(
                "no purpose",
                .truncated,
                at: [0x04, 0x02, 0x30, 0x00],
                4,
                change: value(37, [0x30, 0x00])
            ),
            Defect(
                "a purpose that is cut short",
                .invalidObjectIdentifier,
                at: [0x06, 0x01, 0x80],
                2,
                change: value(37, [0x30, 0x03, 0x06, 0x01, 0x80])
            ),

            Defect(
                "a second purpose that is cut short",
                .invalidObjectIdentifier,
                at: [0x06, 0x01, 0x2A, 0x06, 0x01, 0x80],
                5,
                change: value(37, [0x30, 0x06, 0x06, 0x01, 0x2A, 0x06, 0x01, 0x80])
            ),

            Defect(
                "a subject key identifier that is not an OCTET STRING",
                .unexpectedTag,
                at: [0x04, 0x02, 0x05, 0x00],
                2,
                change: value(14, [0x05, 0x00])
            ),

            Defect(
                "the authority's serial number without its issuer",
                .invalidExtension,
                at: [0x30, 0x03, 0x82, 0x01, 0x07],
                change: value(35, [0x30, 0x03, 0x82, 0x01, 0x07])
            ),
            Defect(
                "the authority's issuer without its serial number",
                .invalidExtension,
                at: [0x30, 0x04, 0xA1, 0x02, 0x82, 0x00],
                change: value(35, [0x30, 0x04, 0xA1, 0x02, 0x82, 0x00])
            ),
            Defect(
                "no name of the authority's issuer",
                .truncated,
                at: [0xA1, 0x00, 0x82, 0x01, 0x07],
                2,
                change: value(35, [0x30, 0x05, 0xA1, 0x00, 0x82, 0x01, 0x07])
            ),
            Defect(
                "two key identifiers",
                .trailingBytes,
                at: [0x80, 0x01, 0x02],
                change: value(35, [0x30, 0x06, 0x80, 0x01, 0x01, 0x80, 0x01, 0x02])
            ),
        ]
    )
    func wrongValues(defect: Defect) throws { try defect.check() }

    /// The contents are what `openssl asn1parse -genstr OID:…` gives.
    @Test(
        "Apple's markers are the identifiers that Apple's certificates have",
        arguments: [
            (.receiptSigningMarker, "2a864886f76364060b01"), (.intermediateMarker, "2a864886f76364060201"),
            (.purchaseReceiptMarker, "2a864886f76364060501"), (.iTunesStoreMarker, "2a864886f76364060202"),
        ] as [(ObjectIdentifier, String)]
    )
    func markers(_ marker: ObjectIdentifier, _ contents: String) {
        #expect(marker.octets == hex(contents))
    }

    @Test("identifiers that resemble each other differ, and each may occur once (§4.2)")
    func resemblingIdentifiers() throws {
        // Equal lengths and last octets; last octets 64 apart; one more octet, and one less in the last. The
        // sums of length and last octet include 63 and 64.
        let identifiers = [
            ObjectIdentifier(2, 5, 29, 90), ObjectIdentifier(2, 5, 28, 90), ObjectIdentifier(2, 5, 29, 26),
            ObjectIdentifier(2, 5, 29, 1, 89), ObjectIdentifier(2, 5, 29, 60), ObjectIdentifier(2, 5, 29, 61),
        ]
        let extensions = identifiers.map { Builder.extension($0, []) }
        var builder = Builder("Leaf", issuer: "Root", extensions: extensions)
        #expect(try Bag([builder]).certificates.count == 1)
        for identifier in identifiers {
            let second = Builder.extension(identifier, [0x05, 0x00])
            builder.extensions = extensions + [second]
            let offset = try #require(builder.encoding.firstRange(of: second)?.lowerBound)
            refuses(.duplicateExtension, at: offset) { () throws(Refusal) in try Bag([builder]) }
        }
    }

    @Test("more extensions than the limit are refused at the first that is too many")
    func tooMany() throws {
        let extensions = (0..<65).map {
            Builder.extension(ObjectIdentifier(1, 3, 6, 1, 4, 1, 55738, UInt32($0)), [])
        }
        var builder = Builder("Leaf", issuer: "Root", extensions: [[UInt8]](extensions.prefix(64)))
        #expect(try Bag([builder]).certificates.count == 1)
        builder.extensions = extensions
        let offset = try #require(builder.encoding.firstRange(of: extensions[64])?.lowerBound)
        refuses(.tooManyExtensions, at: offset) { () throws(Refusal) in try Bag([builder]) }
    }

    @Test("more purposes than the limit are refused at the first that is too many")
    func tooManyPurposes() throws {
        func builder(_ count: Int) -> CertificateBuilder {
            let purposes = Builder.encode { writer in
                writer.nest(.sequence) {
                    for number in 0..<count {
                        $0.writeObjectIdentifier(ObjectIdentifier(1, 3, 6, 1, 4, 1, 55738, 1, UInt32(number)))
                    }
                }
            }
            return Builder(
                "Leaf",
                issuer: "Root",
                extensions: [
                    Builder.extension(ObjectIdentifier(2, 5, 29, 37), purposes)
                ]
            )
        }
        #expect(CertificateLimits.standard.purposes == 64)
        #expect(try Bag([builder(64)]).certificates.count == 1)
        let last = Builder.encode {
            $0.writeObjectIdentifier(ObjectIdentifier(1, 3, 6, 1, 4, 1, 55738, 1, 64))
        }
        let offset = try #require(builder(65).encoding.firstRange(of: last)?.lowerBound)
        refuses(.tooManyPurposes, at: offset) { () throws(Refusal) in try Bag([builder(65)]) }
        #expect(Refusal.Code.tooManyPurposes.kind == .unsupported)
        var limits = CertificateLimits.standard
        limits.purposes = 1
        refuses(.tooManyPurposes) { () throws(Refusal) in
            try Bag(encodings: [builder(2).encoding], limits: limits)
        }
    }

    @Test(
        "each bit of the key usage is the standard's bit of that number",
        arguments: [
            ([0x80], 7, 1 << 0), ([0x40], 6, 1 << 1), ([0x04], 2, 1 << 5), ([0x02], 1, 1 << 6),
            ([0x01], 0, 1 << 7), ([0x00, 0x80], 7, 1 << 8), ([0x84, 0x80], 7, 1 << 0 | 1 << 5 | 1 << 8),
        ] as [([UInt8], UInt8, UInt16)]
    )
    func keyUsage(octets: [UInt8], unusedBits: UInt8, bits: UInt16) throws {
        let builder = Builder(
            "Leaf",
            issuer: "Root",
            extensions: [Builder.keyUsage(octets, unusedBits: unusedBits)]
        )
        let usage = try #require(try Bag([builder]).certificates[0].keyUsage)
        #expect(usage.bits == bits)
        #expect(usage.digitalSignature == (bits & 1 != 0))
        #expect(usage.keyCertSign == (bits & 32 != 0))
    }

    @Test("the first unknown critical extension is remembered")
    func unknownCritical() throws {
        // Name constraints, policy mappings, policy constraints, inhibitAnyPolicy: none is enforced here.
        for arc: UInt32 in [30, 33, 36, 54] {
            let critical = Builder.extension(ObjectIdentifier(2, 5, 29, arc), critical: true, [0x30, 0x00])
            let builder = Builder(
                "Leaf",
                issuer: "Root",
                extensions: [
                    Builder.unknownExtension(critical: false), critical,
                    Builder.extension(ObjectIdentifier(2, 5, 29, 99), critical: true, []),
                ]
            )
            let offset = builder.encoding.firstRange(of: critical)?.lowerBound
            #expect(offset != nil)
            #expect(try Bag([builder]).certificates[0].unknownCriticalExtension == offset)
        }
    }

    /// A certificate with a critical certificate policies extension.
    private static func withPolicies(_ value: [UInt8], critical: Bool = true) -> Builder {
        Builder("Leaf", issuer: "Root").with {
            $0.extensions = [
                Builder.extension(ObjectIdentifier(2, 5, 29, 32), critical: critical, value)
            ]
        }
    }

    /// A PolicyInformation with qualifiers of these kinds, which are arcs after 1.3.6.1.5.5.7.2.
    private static func policy(qualifiers: [UInt8]) -> [UInt8] {
        let infos = qualifiers.flatMap { kind -> [UInt8] in
            [0x30, 0x0C, 0x06, 0x08, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x02, kind, 0x16, 0x00]
        }
        let field: [UInt8] = qualifiers.isEmpty ? [] : [0x30, UInt8(infos.count)] + infos
        return [0x30, UInt8(4 + field.count), 0x06, 0x02, 0x2A, 0x03] + field
    }

    @Test("critical policies are known if their qualifiers are known (§4.2.1.4)")
    func criticalPolicies() throws {
        for (qualifiers, isKnown) in [
            ([], true), ([1], true), ([2], true), ([1, 2], true), ([3], false), ([1, 3], false),
            ([0], false),
        ] as [([UInt8], Bool)] {
            let policies = Self.policy(qualifiers: []) + Self.policy(qualifiers: qualifiers)
            let value = [0x30, UInt8(policies.count)] + policies
            let bag = try Bag([Self.withPolicies(value)])
            #expect((bag.certificates[0].unknownCriticalExtension == nil) == isKnown, "\(qualifiers)")
            let uncritical = try Bag([Self.withPolicies(value, critical: false)])
            #expect(uncritical.certificates[0].unknownCriticalExtension == nil)
        }
    }

    @Test(
        "critical policies that break their definition refuse the certificate, others are not read (§4.2.1.4)",
        arguments: [
            ("no policy", [0x30, 0x00], Refusal.Code.truncated),
            ("a SET", [0x31, 0x06, 0x30, 0x04, 0x06, 0x02, 0x2A, 0x03], .unexpectedTag),
            ("a policy without an identifier", [0x30, 0x02, 0x30, 0x00], .truncated),
            (
                "an identifier cut short", [0x30, 0x05, 0x30, 0x03, 0x06, 0x01, 0x80],
                .invalidObjectIdentifier
            ),
            ("bytes behind", [0x30, 0x06, 0x30, 0x04, 0x06, 0x02, 0x2A, 0x03, 0x05, 0x00], .trailingBytes),
            (
                "no qualifier", [0x30, 0x08, 0x30, 0x06, 0x06, 0x02, 0x2A, 0x03, 0x30, 0x00],
                .truncated
            ),
            (
                "a third field",
                [0x30, 0x18, 0x30, 0x16, 0x06, 0x02, 0x2A, 0x03, 0x30, 0x0E] + [
                    0x30, 0x0C, 0x06, 0x08, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x02, 0x01, 0x16, 0x00,
                    0x05, 0x00,
                ], .trailingBytes
            ),
            (
                "a qualifier without a value",
                [0x30, 0x14, 0x30, 0x12, 0x06, 0x02, 0x2A, 0x03, 0x30, 0x0C] + [
                    0x30, 0x0A, 0x06, 0x08, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x02, 0x01,
                ], .truncated
            ),
        ] as [(String, [UInt8], Refusal.Code)]
    )
    func malformedPolicies(name: String, value: [UInt8], code: Refusal.Code) throws {
        refuses(code) { () throws(Refusal) in try Bag([Self.withPolicies(value)]) }
        #expect(try Bag([Self.withPolicies(value, critical: false)]).certificates.count == 1)
    }

    @Test("2.5.29.37.0 is any purpose, and no other (§4.2.1.12)")
    func anyPurpose() throws {
        for (octets, isAny) in [
            ([0x55, 0x1D, 0x25, 0x00], true), ([0x55, 0x1D, 0x25, 0x01], false), ([0x55, 0x1D, 0x25], false),
            ([0x55, 0x1D, 0x24, 0x00], false), ([0x55, 0x1C, 0x25, 0x00], false),
            ([0x54, 0x1D, 0x25, 0x00], false), ([0x2D, 0x1D, 0x25, 0x00], false),
        ] as [([UInt8], Bool)] {
            let identifier = [0x06, UInt8(octets.count)] + octets
            let builder = Builder("Leaf", issuer: "Root").with {
                Self.value(37, [0x30, UInt8(identifier.count)] + identifier)(&$0)
            }
            let bag = try Bag([builder])
            #expect(bag.certificates[0].extendedKeyUsage != nil)
            let permits = bag.certificates[0].view(in: bag.bytes.span).permits(.codeSigning)
            #expect(permits == isAny)
        }
    }

    @Test("of the names of an authority's issuer, the first that is a directory name counts")
    func severalNames() throws {
        // rfc822Name [1], then directoryName [4], twice.
        let first = Builder.name("First")
        let names: [UInt8] =
            [0x81, 0x01, 0x61] + [0xA4, UInt8(first.count)] + first + [0xA4, 0x02, 0x30, 0x00]
        let value = [0xA1, UInt8(names.count)] + names + [0x82, 0x01, 0x07]
        let builder = Builder("Leaf", issuer: "Root").with {
            Self.value(35, [0x30, UInt8(value.count)] + value)(&$0)
        }
        let bag = try Bag([builder])
        let identifier = try #require(bag.certificates[0].authorityKeyIdentifier)
        #expect(identifier.issuer.map { [UInt8](bag.bytes[$0]) } == first)
    }

    @Test(
        "refuses a name of the issuer that is not one of the nine choices, or is malformed",
        arguments: [
            ([0x89, 0x00], .unexpectedTag, 0), ([0x04, 0x00], .unexpectedTag, 0),
            ([0x84, 0x00], .unexpectedTag, 0), ([0xA1, 0x00], .unexpectedTag, 0),
            ([0xA0, 0x03, 0x06, 0x02, 0x2A], .truncated, 5),
            ([0xA4, 0x02, 0x30, 0x00, 0xA4, 0x01, 0x30], .truncated, 7),
        ] as [([UInt8], Refusal.Code, Int)]
    )
    func malformedNames(names: [UInt8], code: Refusal.Code, distance: Int) throws {
        let value = [0xA1, UInt8(names.count)] + names + [0x82, 0x01, 0x07]
        let encoding = Builder("Leaf", issuer: "Root").with {
            Self.value(35, [0x30, UInt8(value.count)] + value)(&$0)
        }.encoding
        let start = try #require(encoding.firstRange(of: value)).lowerBound + 2
        refuses(code, at: start + distance) { () throws(Refusal) in try Bag(encodings: [encoding]) }
    }

    @Test(
        "refuses a serial number of the issuer's certificate that is no INTEGER (X.690 §8.3)",
        arguments: [([], .emptyContents), ([0, 1], .nonMinimalInteger), ([0xFF, 0x80], .nonMinimalInteger)]
            as [([UInt8], Refusal.Code)]
    )
    func malformedSerialNumbers(contents: [UInt8], code: Refusal.Code) throws {
        let builder = Builder(
            "Leaf",
            issuer: "Root",
            extensions: [Builder.authorityKeyIdentifier(issuer: "Root", serialNumber: contents)]
        )
        refuses(code) { () throws(Refusal) in try Bag([builder]) }
    }

    @Test("an authority key identifier may name its issuer in other ways, which are passed over")
    func otherNames() throws {
        let value: [UInt8] = [0x30, 0x09, 0xA1, 0x04, 0x82, 0x02, 0x61, 0x62, 0x82, 0x01, 0x07]
        let builder = Builder(
            "Leaf",
            issuer: "Root",
            extensions: [Builder.extension(ObjectIdentifier(2, 5, 29, 35), value)]
        )
        let identifier = try #require(try Bag([builder]).certificates[0].authorityKeyIdentifier)
        #expect(identifier.issuer == nil && identifier.keyIdentifier == nil)
        #expect(identifier.serialNumber?.count == 1)
    }
}
