import AppReceiptMint
import Basics
import DER
import PKIX
import SHA
import TestSupport
import Testing

@Suite("Certificates")
struct CertificateTests {
    static let pki = PrivatePKI(Keys.pki)

    private func decode(_ bytes: [UInt8]) throws(Refusal) -> Certificate {
        var reader = Reader(bytes.span)
        let certificate = try Certificate(&reader)
        try reader.finish("Certificate")
        return certificate
    }

    private func bytes(_ range: Range<Int>?, of bytes: [UInt8]) -> [UInt8] {
        range.map { Array(bytes[$0]) } ?? []
    }

    @Test("the same seeds make the same certificates")
    func determinism() {
        #expect(PrivatePKI(Keys.pki).certificates == Self.pki.certificates)
        #expect(
            Self.pki.certificates.map { String(sha256($0).prefix(16)) } == [
                "47c6c522574a1e30", "9883332af986d3c8", "f99d0229e2b8d69f",
            ]
        )
    }

    @Test("names, key identifiers and serial numbers link leaf, intermediate and root")
    func links() throws {
        let encodings = Self.pki.certificates
        let certificates = try encodings.map(decode)
        #expect(certificates.count == 3)
        for (child, issuer) in [(0, 1), (1, 2), (2, 2)] {
            #expect(
                bytes(certificates[child].issuer.range, of: encodings[child])
                    == bytes(certificates[issuer].subject.range, of: encodings[issuer])
            )
            #expect(
                bytes(certificates[child].authorityKeyIdentifier?.keyIdentifier, of: encodings[child])
                    == bytes(certificates[issuer].subjectKeyIdentifier, of: encodings[issuer])
            )
        }
        let serialNumbers = zip(certificates, encodings).map { bytes($0.serialNumber, of: $1) }
        #expect(serialNumbers == [[3], [2], [1]])
    }

    @Test("the extensions are those of Apple's certificates")
    func extensions() throws {
        let (leaf, intermediate) = try (
            decode(Self.pki.leaf.certificate), decode(Self.pki.intermediate.certificate)
        )
        #expect(leaf.version == 3 && leaf.unknownCriticalExtension == nil)
        #expect(leaf.basicConstraints?.isCertificateAuthority == false)
        #expect(leaf.keyUsage?.digitalSignature == true && leaf.keyUsage?.keyCertSign == false)
        #expect(leaf.extendedKeyUsage == nil)
        #expect(intermediate.basicConstraints?.isCertificateAuthority == true)
        #expect(intermediate.basicConstraints?.pathLengthConstraint == 0)
        #expect(
            intermediate.keyUsage?.digitalSignature == false && intermediate.keyUsage?.keyCertSign == true
        )
        #expect(intermediate.unknownCriticalExtension == nil)
    }

    @Test(
        "a marker is a separate, non-critical extension with the value NULL",
        arguments: [
            (hex("3010060a2a864886f76364060201" + "04020500"), 1),
            (hex("3010060a2a864886f7636406" + "0b01" + "04020500"), 0),
        ]
    )
    func markers(_ encoding: [UInt8], _ holder: Int) {
        for (index, certificate) in Self.pki.certificates.enumerated() {
            let starts = certificate.indices.dropLast(encoding.count)
            let found = starts.contains { certificate[$0...].starts(with: encoding) }
            #expect(found == (index == holder))
        }
    }

    @Test("key usage is a named bit list without trailing zeros")
    func keyUsage() {
        let expected: [(ExtensionTemplate.KeyUsage, String)] = [
            ([.digitalSignature], "03020780"), ([.keyCertSign, .cRLSign], "03020106"),
            ([.digitalSignature, .keyCertSign], "03020284"), (.init(rawValue: 1 << 8), "0303070080"),
            ([], "030100"),
        ]
        for (usage, encoding) in expected {
            #expect(ExtensionTemplate.keyUsage(usage).value == hex(encoding))
        }
    }

    @Test("refuses a certificate from a template with a wrong field")
    func malformed() {
        let changes: [(Refusal.Code, (inout CertificateTemplate) -> Void)] = [
            (.signatureAlgorithmMismatch, { $0.tbsSignatureAlgorithm = .rsaSignature(.sha1) }),
            (.certificateVersion, { $0.version = 4 }),
            (.fieldNotInVersion, { $0.version = 1 }),
            (.serialNumberTooLong, { $0.serialNumber = [UInt8](repeating: 1, count: 21) }),
            (.duplicateExtension, { $0.extensions.append(.leafMarker) }),
            (.emptyContents, { $0.serialNumber = [] }),
            (.emptyName, { $0.issuer = NameTemplate([]) }),
        ]
        for (code, change) in changes {
            let certificate = Self.pki.reissued(.leaf, change).leaf.certificate
            refuses(code) { () throws(Refusal) in try decode(certificate) }
        }
    }

    @Test("times before 2050 are UTCTime, later times are GeneralizedTime")
    func times() throws {
        let late = try #require(Timestamp(year: 2050, month: 1, day: 1))
        let certificate = Self.pki.reissued(.leaf) { $0.notAfter = late }.leaf.certificate
        let validity = try decode(certificate).validity
        #expect(validity.notBefore == Timestamp(year: 2000, month: 1, day: 1) && validity.notAfter == late)
        let encoding = Array(certificate[validity.range])
        #expect(encoding[2] == 0x17 && encoding[17] == 0x18)
    }
}

@Suite("Certificates, checked by openssl", .enabled(if: OpenSSL.isExpected, "openssl is not installed"))
struct CertificateOpenSSLTests {
    private func verify(_ pki: PrivatePKI) async throws -> OpenSSL.Outcome {
        let upper = pki.upperIntermediate.map { OpenSSL.pem($0.certificate) } ?? []
        return try await OpenSSL.run(
            "verify -x509_strict -CAfile root -untrusted intermediates -attime 1717243200 -auth_level 0 leaf",
            files: [
                "root": OpenSSL.pem(pki.root.certificate), "leaf": OpenSSL.pem(pki.leaf.certificate),
                "intermediates": OpenSSL.pem(pki.intermediate.certificate) + upper,
            ]
        )
    }

    @Test(
        "openssl accepts a path of three with each hash and any placement of the markers",
        arguments: HashAlgorithm.allCases
    )
    func paths(_ hash: HashAlgorithm) async throws {
        // OpenSSL does not know Apple's markers, and refuses critical ones.
        for markers in PrivatePKI.Markers.allCases where markers != .critical {
            var options = PrivatePKI.Options()
            options.hash = hash
            options.markers = markers
            let outcome = try await verify(PrivatePKI(Keys.pki, options: options))
            #expect(outcome.status == 0, "\(outcome.text)")
        }
    }

    @Test("openssl accepts a path of four")
    func pathOfFour() async throws {
        var keys = Keys.pki
        keys.upperIntermediate = Keys.upperIntermediate
        let pki = PrivatePKI(keys)
        #expect(pki.certificates.count == 4)
        let outcome = try await verify(pki)
        #expect(outcome.status == 0, "\(outcome.text)")
    }

    @Test("openssl refuses a look-alike's certificate under the genuine root")
    func lookAlike() async throws {
        let pki = CertificateTests.pki
        let impostor = pki.lookAlike(Keys.impostors)
        #expect(try await verify(impostor).status == 0)
        let outcome = try await OpenSSL.run(
            "verify -CAfile root -untrusted intermediate -attime 1717243200 leaf",
            files: [
                "root": OpenSSL.pem(pki.root.certificate), "leaf": OpenSSL.pem(impostor.leaf.certificate),
                "intermediate": OpenSSL.pem(impostor.intermediate.certificate),
            ]
        )
        #expect(outcome.status != 0 && outcome.text.contains("signature failure"), "\(outcome.text)")
    }
}
