import AppReceipt
import AppReceiptMint
import Basics
import CMS
import DER
import PKIX
import RSA
import SHA
import TestSupport
import Testing

/// A fault in one certificate. The error must name this certificate.
struct CertificateFault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let role: PrivatePKI.Role
    let step: ReceiptError.Step
    let code: Refusal.Code
    /// The PKI with the certificate changed and signed again.
    let pki: @Sendable () -> PrivatePKI
    /// The damage to its encoding after that.
    let damage: @Sendable (inout [UInt8]) -> Void
    /// Where in the certificate the error points; nil for anywhere in it.
    let offset: (@Sendable ([UInt8]) -> Int?)?

    /// The fault stands in the template.
    static func template(
        _ description: String,
        _ role: PrivatePKI.Role,
        _ step: ReceiptError.Step,
        _ code: Refusal.Code,
        at offset: (@Sendable ([UInt8]) -> Int?)? = nil,
        _ change: @escaping @Sendable (inout CertificateTemplate) -> Void
    ) -> CertificateFault {
        CertificateFault(
            testDescription: "\(description), \(role)",
            role: role,
            step: step,
            code: code,
            pki: { Minted.pki.reissued(role, change) },
            damage: { _ in },
            offset: offset
        )
    }

    /// The fault stands in the encoding alone.
    static func encoding(
        _ description: String,
        _ role: PrivatePKI.Role,
        _ code: Refusal.Code,
        at offset: @escaping @Sendable ([UInt8]) -> Int?,
        _ damage: @escaping @Sendable (inout [UInt8]) -> Void
    ) -> CertificateFault {
        CertificateFault(
            testDescription: "\(description), \(role)",
            role: role,
            step: .certificatePath,
            code: code,
            pki: { Minted.pki },
            damage: damage,
            offset: offset
        )
    }

    static let all: [CertificateFault] = PrivatePKI.Role.allCases.flatMap { role in inAny(role) } + inOne

    /// Faults that any certificate may have.
    private static func inAny(_ role: PrivatePKI.Role) -> [CertificateFault] {
        [
            // The length of the certificate's last element, the signature of 256 octets, is too large. The
            // element is truncated at the certificate's end, where another certificate begins.
            .encoding("the signature longer than the certificate", role, .truncated, at: { $0.count }) {
                $0[$0.count - 258] = 0x02
            },
            .encoding(
                "the signature shorter than the certificate",
                role,
                .trailingBytes,
                at: { $0.count - 1 }
            ) { $0[$0.count - 258] = 0x00 },
            .encoding(
                "no signature",
                role,
                .unexpectedTag,
                at: { $0.count - 261 }
            ) { $0[$0.count - 261] = 0x04 },
            .encoding("another tag at its start", role, .unexpectedTag, at: { _ in 4 }) { $0[4] = 0x31 },
            .template(
                "a long serial number",
                role,
                .certificatePath,
                .serialNumberTooLong,
                at: { $0.offset(of: [0x02, 21, 0x5A]) }
            ) { $0.serialNumber = [UInt8](repeating: 0x5A, count: 21) },
            .template("version 4", role, .certificatePath, .certificateVersion) { $0.version = 4 },
            .template("two algorithms", role, .certificatePath, .signatureAlgorithmMismatch) {
                $0.tbsSignatureAlgorithm = .rsaSignature(.sha512)
            },
            .template("an extension twice", role, .certificatePath, .duplicateExtension) {
                $0.extensions.append($0.extensions[2])
            },
            .template("an expired validity", role, .certificatePath, .expired) { $0.notAfter = $0.notBefore },
            .template("a validity to come", role, .certificatePath, .notYetValid) {
                $0.notBefore = $0.notAfter
            },
            .template(
                "a critical extension",
                role,
                .certificatePath,
                .unknownCriticalExtension,
                at: { certificate in certificate.offset(of: [0x06, 0x02, 0x2A, 0x03]).map { $0 - 2 } }
            ) { $0.extensions.append(.marker(ObjectIdentifier(1, 2, 3), isCritical: true)) },
        ]
    }

    /// A SubjectPublicKeyInfo with a modulus.
    private static func key(modulus: [UInt8]) -> [UInt8] {
        var numbers = Writer()
        numbers.nest(.sequence) {
            $0.writeUnsignedInteger(modulus)
            $0.writeUnsignedInteger([0x01, 0x00, 0x01])
        }
        var writer = Writer()
        writer.nest(.sequence) {
            $0.writeEncoded(CertificateBuilder.algorithm(.rsaEncryption))
            $0.writeBitString(numbers.bytes)
        }
        return writer.bytes
    }

    /// Faults that only one of the certificates can have.
    private static let inOne: [CertificateFault] = [
        .template("no digital signature", .leaf, .certificatePath, .missingDigitalSignature) {
            $0.extensions[3] = .keyUsage([.keyEncipherment])
        },
        .template("no authority", .intermediate, .certificatePath, .notCertificateAuthority) {
            $0.extensions[2] = .basicConstraints(isCertificateAuthority: false)
        },
        .template("no authority", .root, .certificatePath, .notCertificateAuthority) {
            $0.extensions[2] = .basicConstraints(isCertificateAuthority: false)
        },
        .template("no signing of certificates", .root, .certificatePath, .missingKeyCertSign) {
            $0.extensions[3] = .keyUsage([.digitalSignature])
        },
        .template("a path of no intermediate", .root, .certificatePath, .pathLengthConstraint) {
            $0.extensions[2] = .basicConstraints(isCertificateAuthority: true, pathLengthConstraint: 0)
        },
        .template("an algorithm that is not known", .leaf, .certificatePath, .unsupportedSignatureAlgorithm) {
            $0.signatureAlgorithm = AlgorithmTemplate(ObjectIdentifier(1, 2, 3))
        },
        .template("a signature over another hash", .leaf, .certificatePath, .signatureMismatch) {
            $0.signatureAlgorithm = .rsaSignature(.sha512)
        },
        .template("a signature over another hash", .intermediate, .certificatePath, .signatureMismatch) {
            $0.signatureAlgorithm = .rsaSignature(.sha512)
        },
        .template("a small key", .leaf, .signature, .keyTooSmall) {
            $0.subjectPublicKeyInfo = Keys.bits1024.subjectPublicKeyInfo
        },
        .template("a key of 2047 bits", .leaf, .signature, .keyTooSmall) {
            $0.subjectPublicKeyInfo = key(modulus: [UInt8](repeating: 0x55, count: 256))
        },
        .template("no key", .leaf, .signature, .notAnRSAKey) {
            $0.subjectPublicKeyInfo = hex("300b 3006 06022a03 0500 030100".filter { $0 != " " })
        },
        .template("no marker", .leaf, .leafMarker, .missingLeafMarker) { $0.extensions.removeLast() },
        .template("no marker", .intermediate, .intermediateMarker, .missingIntermediateMarker) {
            $0.extensions.removeLast()
        },
    ]
}

@Suite("The contents of an error")
struct ReceiptErrorTests {
    /// All six orders of three certificates: at each index, which of leaf, intermediate and root stands
    /// there.
    static let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]

    private static func place(_ role: PrivatePKI.Role) -> Int {
        switch role {
        case .leaf: 0
        case .intermediate: 1
        case .root: 2
        }
    }

    @Test(
        "an error names the certificate with the fault at any position, in DER and in BER",
        arguments: CertificateFault.all
    )
    func certificate(_ fault: CertificateFault) throws {
        let pki = fault.pki()
        var certificates = pki.certificates
        let place = Self.place(fault.role)
        fault.damage(&certificates[place])
        // The root is pinned by its fingerprint, even if the root has a fault.
        let validator = ReceiptValidator(
            ReceiptPolicy(
                environments: .any,
                bundleIdentifier: .any,
                trust: Minted.fingerprints(certificates[2])
            )
        )
        let faulty = certificates[place]
        let signature = Minted.receiptSignature
        for encoding in [MessageTemplate.Encoding.der, .ber(segmentByteCount: 100)] {
            for order in Self.orders {
                var mint = ReceiptMint(pki)
                mint.message.encoding = encoding
                mint.message.certificates = order.map { certificates[$0] }
                mint.message.signers[0].forgery = { _, _ in signature }
                let bytes = mint.receipt(bundleIdentifier: "com.example.app")
                let error = try #require(
                    refuses(fault.step, fault.code) { () throws(ReceiptError) in
                        try validator.validate(bytes)
                    }
                )
                #expect(error.certificateIndex == order.firstIndex(of: place), "\(order): \(error)")
                let start = try #require(bytes.offset(of: faulty))
                #expect((start...(start + faulty.count)).contains(error.offset), "\(order): \(error)")
                if let offset = fault.offset {
                    #expect(try error.offset == start + #require(offset(faulty)), "\(order): \(error)")
                }
            }
        }
    }

    @Test("members of another format do not count as certificates", arguments: [0, 1, 15, 16, 100])
    func otherFormats(_ count: Int) throws {
        let others = [[UInt8]](repeating: Minted.otherFormat([]), count: count)
        for role in PrivatePKI.Role.allCases {
            let pki = Minted.pki.reissued(role) { $0.notAfter = $0.notBefore }
            var mint = ReceiptMint(pki)
            mint.message.certificates = pki.certificates.flatMap { others + [$0] }
            mint.message.signers[0].forgery = { _, _ in Minted.receiptSignature }
            let validator = ReceiptValidator(
                ReceiptPolicy(
                    environments: .any,
                    bundleIdentifier: .any,
                    trust: Minted.fingerprints(mint.root)
                )
            )
            let error = refuses(.certificatePath, .expired) { () throws(ReceiptError) in
                try validator.validate(mint.receipt(bundleIdentifier: "com.example.app"))
            }
            #expect(error?.certificateIndex == Self.place(role))
        }
    }

    @Test("an error that is not about a certificate names none")
    func noCertificate() throws {
        var forged = Minted.mint
        forged.message.signers[0].forgery = { _, _ in [UInt8](repeating: 0, count: 256) }
        let bytes = forged.receipt(bundleIdentifier: "com.example.app")
        let error = refuses(.signature, .signatureMismatch) { () throws(ReceiptError) in
            try Minted.validator.validate(bytes)
        }
        #expect(error?.certificateIndex == nil && error?.offset == bytes.count - 256)
        for bytes in [[], [0x30, 0x00], Array(Minted.receipt.dropLast()), Minted.receipt + [0]] {
            let error = try #require(throws: ReceiptError.self) { try Minted.validator.validate(bytes) }
            #expect(error.step == .container && error.certificateIndex == nil)
        }
        let other = ReceiptValidator(
            ReceiptPolicy(
                environments: .only(.xcode),
                bundleIdentifier: .any,
                trust: Minted.fingerprints(Minted.mint.root)
            )
        )
        #expect(
            refuses(.environment, .environmentMismatch) { () throws(ReceiptError) in
                try other.validate(Minted.receipt)
            }?.certificateIndex == nil
        )
    }

    @Test(
        "the offset of an unexpected value counts in the input, in DER and in BER with segments of any size",
        arguments: [nil, 1, 2, 3, 50, 127, 128, 300] as [Int?]
    )
    func offsets(_ segmentByteCount: Int?) throws {
        var mint = Minted.mint
        if let segmentByteCount { mint.message.encoding = .ber(segmentByteCount: segmentByteCount) }
        var payload = PayloadTemplate(bundleIdentifier: "com.example.app")
        payload.environment = "\u{1}Moon"
        payload.bundleIdentifier = "\u{2}Bundle"
        payload.appVersion = "\u{3}Version"
        payload.expirationDate = Timestamp(millisecondsSince1970: 0)
        payload.isSorted = false
        let encoded = payload.encoded()
        let bytes = mint.receipt(payload)
        let trust = Minted.fingerprints(Minted.mint.root)
        func inInput(_ place: Int) throws -> Int {
            guard let segmentByteCount else { return try #require(bytes.offset(of: encoded)) + place }
            return try #require(BERContent(bytes, encoded, segmentByteCount)).offset(of: place)
        }
        let validators: [(ReceiptValidator, Refusal.Code, [UInt8])] = [
            (
                ReceiptValidator(
                    ReceiptPolicy(environments: .only(.xcode), bundleIdentifier: .any, trust: trust)
                ),
                .environmentMismatch, Array("\u{1}Moon".utf8)
            ),
            (
                ReceiptValidator(
                    ReceiptPolicy(environments: .any, bundleIdentifier: .exactly("b"), trust: trust)
                ),
                .bundleIdentifierMismatch, Array("\u{2}Bundle".utf8)
            ),
            (
                ReceiptValidator(
                    ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: trust, appVersion: "1")
                ),
                .appVersionMismatch, Array("\u{3}Version".utf8)
            ),
            (
                ReceiptValidator(
                    ReceiptPolicy(
                        environments: .any,
                        bundleIdentifier: .any,
                        trust: trust,
                        now: Minted.creationDate
                    )
                ),
                .receiptExpired, [0x16, 20] + Array("1970".utf8)
            ),
        ]
        for (validator, code, octets) in validators {
            let error = try #require(throws: ReceiptError.self) { try validator.validate(bytes) }
            #expect(error.code == code)
            #expect(try error.offset == inInput(#require(encoded.offset(of: octets))), "\(error)")
        }
    }

    @Test("a description holds the step, the code's name and meaning, the place, and what was read")
    func description() throws {
        let pki = Minted.pki.reissued(.intermediate) { $0.notAfter = $0.notBefore }
        let bytes = ReceiptMint(pki).receipt(bundleIdentifier: "com.example.app")
        let expired = try #require(throws: ReceiptError.self) { try Minted.validator.validate(bytes) }
        #expect(
            expired.description
                == "certificate-path: pkix.expired at byte \(expired.offset), in certificate 1, reading validity: "
                + "The certificate's validity ended before the time (RFC 5280 §6.1.3 a 2)."
        )
        let empty = try #require(throws: ReceiptError.self) { try Minted.validator.validate([]) }
        #expect(
            empty.description == "container: input.empty at byte 0, reading receipt: There are no bytes."
        )
    }

    @Test("errors are equal if step, code, place and certificate are")
    func equality() throws {
        func error(_ bytes: [UInt8]) throws -> ReceiptError {
            try #require(throws: ReceiptError.self) { try Minted.validator.validate(bytes) }
        }
        let expired = ReceiptMint(Minted.pki.reissued(.leaf) { $0.notAfter = $0.notBefore })
            .receipt(bundleIdentifier: "com.example.app")
        let errors = try [[], [0x30, 0x00], expired, Minted.receipt + [0]].map(error)
        let again = try [[], [0x30, 0x00], expired, Minted.receipt + [0]].map(error)
        #expect(errors == again && Set(errors + again).count == 4)
    }

    @Test("errors that differ in one property are unequal, and have unequal hash values")
    func inequality() {
        func refusal(_ code: Refusal.Code, at offset: Int) -> Refusal {
            Refusal(code, at: offset, reading: "receipt")
        }
        let error = ReceiptError(.payload, refusal(.truncated, at: 7), certificateIndex: 1)
        #expect(error == ReceiptError(.payload, refusal(.truncated, at: 7), certificateIndex: 1))
        let others = [
            ReceiptError(.container, refusal(.truncated, at: 7), certificateIndex: 1),
            ReceiptError(.payload, refusal(.trailingBytes, at: 7), certificateIndex: 1),
            ReceiptError(.payload, refusal(.truncated, at: 8), certificateIndex: 1),
            ReceiptError(.payload, refusal(.truncated, at: 7), certificateIndex: 2),
            ReceiptError(.payload, refusal(.truncated, at: 7)),
        ]
        for other in others {
            #expect(other != error && other.hashValue != error.hashValue, "\(other)")
        }
    }

    @Test("an error of a refused key gives way to one of the content's digest")
    func digestBeforeKey() throws {
        var mint = ReceiptMint(
            Minted.pki.reissued(.leaf) { $0.subjectPublicKeyInfo = Keys.bits1024.subjectPublicKeyInfo }
        )
        let digests: [([UInt8]?, Refusal.Code)] = [
            (nil, .keyTooSmall), ([UInt8](repeating: 0, count: 32), .messageDigestMismatch),
        ]
        for (digest, code) in digests {
            mint.message.signers[0].signedAttributes =
                digest.map { [.contentType(), .messageDigest($0)] } ?? .standard
            refuses(.signature, code) { () throws(ReceiptError) in
                try Minted.validator.validate(mint.receipt(bundleIdentifier: "com.example.app"))
            }
        }
    }

    @Test("the names of the steps are those that are published, in their order")
    func steps() {
        #expect(
            ReceiptError.Step.allCases.map(\.rawValue) == [
                "input", "container", "creation-date", "certificate-path", "root", "distrust",
                "revocation", "intermediate-marker", "leaf-marker", "signature", "payload", "environment",
                "bundle-identifier", "app-version", "device-hash", "expiration-date",
            ]
        )
    }
}
