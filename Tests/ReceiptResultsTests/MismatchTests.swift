import AppReceipt
import AppReceiptMint
import Basics
import CMS
import DER
import JSONText
import PKIX
import RSA
import SHA
import TestSupport
import Testing
import TransactionReceipt

@testable import ReceiptResults

/// A refused receipt, and what its error must say.
struct RefusedReceipt: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: Refusal.Code
    let found: String?
    let expected: [String]
    /// A part of the sentence.
    var sentence = ""
    let make: @Sendable () -> (receipt: [UInt8], pki: PrivatePKI)
    var minimumDigest = HashAlgorithm.sha1

    init(
        _ description: String,
        _ code: Refusal.Code,
        found: String?,
        expected: [String],
        sentence: String = "",
        minimumDigest: HashAlgorithm = .sha1,
        _ change: @escaping @Sendable (inout PrivatePKI) -> Void = { _ in },
        message: @escaping @Sendable (inout MessageTemplate) -> Void = { _ in }
    ) {
        (testDescription, self.code, self.found) = (description, code, found)
        (self.expected, self.sentence, self.minimumDigest) = (expected, sentence, minimumDigest)
        make = {
            var pki = PrivatePKI(Keys.pki)
            change(&pki)
            var mint = ReceiptMint(pki)
            message(&mint.message)
            return (mint.receipt(bundleIdentifier: "com.example.app"), pki)
        }
    }

    private static let rsa = "1.2.840.113549.1.1."
    private static let certificateAlgorithms = [rsa + "5", rsa + "11", rsa + "12", rsa + "13"]
    private static let hashes =
        ["1.3.14.3.2.26"] + ["1", "2", "3"].map { "2.16.840.1.101.3.4.2." + $0 }
    private static let extensions = ["14", "15", "19", "32", "35", "37"].map { "2.5.29." + $0 }
    private static let newer = "A newer version may support it."

    static let all: [RefusedReceipt] =
        [
            (ObjectIdentifier(1, 2, 840, 10045, 4, 3, 2), "ECDSA"),
            (ObjectIdentifier(1, 2, 840, 113549, 1, 1, 10), "RSASSA-PSS"),
            (ObjectIdentifier(1, 3, 101, 112), "Ed25519"),
        ].flatMap { identifier, name in
            [
                RefusedReceipt(
                    "a leaf signed by \(name)",
                    .unsupportedSignatureAlgorithm,
                    found: "\(identifier)",
                    expected: certificateAlgorithms,
                    sentence: "The signature is one of \(name), which this version does not verify. \(newer)"
                ) {
                    $0 = $0.reissued(.leaf) { $0.signatureAlgorithm = AlgorithmTemplate(identifier) }
                },
                RefusedReceipt(
                    "a content signed by \(name)",
                    .unsupportedSignatureAlgorithm,
                    found: "\(identifier)",
                    expected: [rsa + "1"] + certificateAlgorithms,
                    sentence: name,
                    message: { $0.signers[0].signatureAlgorithm = AlgorithmTemplate(identifier) }
                ),
            ]
        } + [
            RefusedReceipt(
                "a leaf with a key of ECDSA",
                .notAnRSAKey,
                found: "1.2.840.10045.2.1",
                expected: [rsa + "1"],
                sentence: "The key is one of ECDSA, not of rsaEncryption. \(newer)"
            ) {
                $0 = $0.reissued(.leaf) {
                    $0.subjectPublicKeyInfo = hex("3019301306072a8648ce3d020106082a8648ce3d03010703020004")
                }
            },
            RefusedReceipt(
                "an algorithm that nobody knows",
                .unsupportedSignatureAlgorithm,
                found: "1.2.3",
                expected: certificateAlgorithms,
                sentence: "The signature algorithm is not one that this package verifies."
            ) {
                $0 = $0.reissued(.intermediate) {
                    $0.signatureAlgorithm = AlgorithmTemplate(ObjectIdentifier(1, 2, 3))
                }
            },
            RefusedReceipt(
                "an intermediate signed over SHA-1",
                .weakSignatureHash,
                found: rsa + "5",
                expected: Array(certificateAlgorithms.dropFirst()),
                minimumDigest: .sha256
            ) {
                $0 = $0.reissued(.intermediate) { $0.signatureHash = .sha1 }
            },
            RefusedReceipt(
                "a content signed over SHA-256",
                .weakDigest,
                found: hashes[1],
                expected: Array(hashes.suffix(2)),
                minimumDigest: .sha384
            ) { pki in
                for role in PrivatePKI.Role.allCases {
                    pki = pki.reissued(role) { $0.signatureHash = .sha512 }
                }
            },
            RefusedReceipt(
                "SHA3-256",
                .unsupportedDigestAlgorithm,
                found: "2.16.840.1.101.3.4.2.8",
                expected: hashes,
                message: {
                    $0.signers[0].digestAlgorithm = AlgorithmTemplate(
                        ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 2, 8)
                    )
                }
            ),
            RefusedReceipt(
                "a digest algorithm that is not listed",
                .digestAlgorithmNotListed,
                found: hashes[1],
                expected: [hashes[0], hashes[3]],
                message: { $0.digestAlgorithms = [.digest(.sha1), .digest(.sha512)] }
            ),
            RefusedReceipt(
                "a signature algorithm with another hash",
                .contradictingAlgorithms,
                found: rsa + "13",
                expected: [rsa + "1", rsa + "11"],
                message: { $0.signers[0].signatureAlgorithm = .rsaSignature(.sha512) }
            ),
            RefusedReceipt(
                "a critical extension of the leaf",
                .unknownCriticalExtension,
                found: "1.2.3",
                expected: extensions + ["1.2.840.113635.100.6.11.1"]
            ) {
                $0 = $0.reissued(.leaf) {
                    $0.extensions.append(.marker(ObjectIdentifier(1, 2, 3), isCritical: true))
                }
            },
            RefusedReceipt(
                "a critical extension of the intermediate behind its critical marker",
                .unknownCriticalExtension,
                found: "2.5.29.36",
                expected: extensions + ["1.2.840.113635.100.6.2.1"]
            ) {
                $0 = $0.reissued(.intermediate) {
                    $0.extensions[4].isCritical = true
                    $0.extensions.append(.marker(ObjectIdentifier(2, 5, 29, 36), isCritical: true))
                }
            },
            RefusedReceipt(
                "a critical extension of the root",
                .unknownCriticalExtension,
                found: "2.5.29.30",
                expected: extensions
            ) {
                $0 = $0.reissued(.root) {
                    $0.extensions.append(.marker(ObjectIdentifier(2, 5, 29, 30), isCritical: true))
                }
            },
            RefusedReceipt(
                "other purposes",
                .extendedKeyUsageNotPermitted,
                found: "1.3.6.1.5.5.7.3.3, 1.3.6.1.5.5.7.3.1",
                expected: ["2.5.29.37.0"]
            ) {
                $0 = $0.reissued(.leaf) {
                    $0.extensions.append(
                        .extendedKeyUsage([.codeSigning, ObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 3, 1)])
                    )
                }
            },
            RefusedReceipt("a path of four", .pathTooLong, found: "4", expected: ["3"]) {
                var keys = Keys.pki
                keys.upperIntermediate = Keys.upperIntermediate
                $0 = PrivatePKI(keys)
            },
            RefusedReceipt("a path of two", .pathTooShort, found: "2", expected: ["3"]) { pki in
                let root = pki.root
                pki = pki.reissued(.leaf, signedBy: root.key) {
                    $0.issuer = root.template.subject
                    $0.extensions[1] = .authorityKeyIdentifier(root.key.keyIdentifier)
                }
            },
            RefusedReceipt(
                "an intermediate below a root that allows none",
                .pathLengthConstraint,
                found: "1",
                expected: ["0"]
            ) {
                $0 = $0.reissued(.root) {
                    $0.extensions[2] = .basicConstraints(
                        isCertificateAuthority: true,
                        pathLengthConstraint: 0
                    )
                }
            },
        ]
}

/// The values that an error gives beside its code and its offset.
@Suite("What a refusal found, and what was expected")
struct MismatchTests {
    private static func validator(_ root: [UInt8], _ minimumDigest: HashAlgorithm) throws -> ReceiptValidator
    {
        ReceiptValidator(
            ReceiptPolicy(
                environments: .any,
                bundleIdentifier: .any,
                trust: .pinned([try TrustAnchor(certificate: root)]),
                minimumDigest: minimumDigest
            )
        )
    }

    @Test("names the object identifiers or the number", arguments: RefusedReceipt.all)
    func mismatch(_ refused: RefusedReceipt) throws {
        let (receipt, pki) = refused.make()
        let validator = try Self.validator(pki.root.certificate, refused.minimumDigest)
        let error = try #require(throws: ReceiptError.self) { try validator.validate(receipt) }
        #expect(error.code == refused.code, "\(error)")
        #expect("\(error)".contains(refused.sentence), "\(error)")
        let mismatch = try #require(Mismatch(Fault(error), receipt, validator.policy))
        #expect(mismatch.found == refused.found && mismatch.expected == refused.expected, "\(mismatch)")
        #expect(!mismatch.isExpectation)
    }

    @Test("finds the same in BER, at the places of the input", arguments: RefusedReceipt.all)
    func ber(_ refused: RefusedReceipt) throws {
        let (der, pki) = refused.make()
        // The outermost length becomes indefinite.
        var reader = Reader(der.span)
        let contents = try reader.read(.sequence, "ContentInfo")
        let receipt = [0x30, 0x80] + der[contents] + [0, 0]
        let validator = try Self.validator(pki.root.certificate, refused.minimumDigest)
        let error = try #require(throws: ReceiptError.self) { try validator.validate(receipt) }
        let mismatch = try #require(Mismatch(Fault(error), receipt, validator.policy))
        #expect(mismatch.found == refused.found && mismatch.expected == refused.expected, "\(mismatch)")
    }

    @Test("JSON has the place, the certificate and the field as the text has", arguments: RefusedReceipt.all)
    func json(_ refused: RefusedReceipt) throws {
        let (receipt, pki) = refused.make()
        let validator = try Self.validator(pki.root.certificate, refused.minimumDigest)
        let error = try #require(throws: ReceiptError.self) { try validator.validate(receipt) }
        let fault = Fault(error)
        var head = ResultHead()
        (head.fault, head.mismatch) = (fault, Mismatch(fault, receipt, validator.policy))
        let json = String(decoding: JSONWriter.object { $0.verdict(head) }.bytes, as: UTF8.self)
        let certificate = error.certificateIndex.map { "\($0)" } ?? "null"
        let place =
            #""offset":\#(error.offset),"certificate":\#(certificate),"reading":"\#(error.reading)","#
        #expect(json.contains(place), "\(json)")
        #expect(json.contains(#""found":"\#(refused.found ?? "")","#), "\(json)")
        let inCertificate = error.certificateIndex.map { ", in certificate \($0)" } ?? ""
        #expect(fault.place == "byte \(error.offset)\(inCertificate), reading \(error.reading)")
    }

    @Test("says the same about a transaction receipt's certificate")
    func transaction() throws {
        for version in [TransactionReceiptMint.Version.two, .three] {
            let keys = PrivatePKI.Keys(
                root: Keys.pki.root,
                intermediate: Keys.pki.intermediate,
                leaf: version == .two ? Keys.bits1024 : Keys.pki.leaf
            )
            let mint = TransactionReceiptMint(version, keys)
            let leaf = mint.pki.reissued(.leaf) {
                $0.extensions.append(.marker(ObjectIdentifier(1, 2, 3), isCritical: true))
            }
            let list = mint.receipt { $0.certificate = leaf.leaf.certificate }
            var policy = try Self.validator(mint.root, .sha1).policy
            policy.issuers = [try IssuerCertificate(mint.intermediate)]
            let judge = ReceiptJudge(policy)
            let container = try ReceiptInput.container(list[...])
            var cache = ValidationCache()
            let error = try #require(throws: ReceiptError.self) { try judge.judge(container, cache: &cache) }
            let mismatch = try #require(Mismatch(Fault(error), container, policy))
            #expect(error.code == .unknownCriticalExtension && mismatch.found == "1.2.3")
            let marker = version == .two ? "1.2.840.113635.100.6.5.1" : "1.2.840.113635.100.6.11.1"
            #expect(mismatch.expected.last == marker)
        }
    }

    @Test(
        "names nothing in the certificate below a pinned root that was refused and is not in the message",
        arguments: [0, 1, Int64.max]
    )
    func absentRoot(_ pathLength: Int64) throws {
        var pki = PrivatePKI(Keys.pki)
        pki = pki.reissued(.root) {
            $0.extensions[2] = .basicConstraints(isCertificateAuthority: true, pathLengthConstraint: 0)
        }
        pki = pki.reissued(.intermediate) {
            $0.extensions[2] = .basicConstraints(
                isCertificateAuthority: true,
                pathLengthConstraint: pathLength
            )
        }
        var mint = ReceiptMint(pki)
        mint.message.certificates.removeAll { $0 == pki.root.certificate }
        let receipt = mint.receipt(bundleIdentifier: "com.example.app")
        let validator = try Self.validator(pki.root.certificate, .sha1)
        let error = try #require(throws: ReceiptError.self) { try validator.validate(receipt) }
        #expect(error.code == .pathLengthConstraint, "\(error)")
        let mismatch = Mismatch(Fault(error), receipt, validator.policy)
        #expect(mismatch?.found == nil && mismatch?.expected ?? [] == [])
    }

    @Test("a length of the largest number is no reason to end the program")
    func largestLength() throws {
        let pki = PrivatePKI(Keys.pki).reissued(.intermediate) {
            $0.extensions[2] = .basicConstraints(
                isCertificateAuthority: true,
                pathLengthConstraint: Int64.max
            )
        }
        let receipt = ReceiptMint(pki).receipt(bundleIdentifier: "com.example.app")
        let validator = try Self.validator(pki.root.certificate, .sha1)
        let place = try #require(receipt.firstRange(of: pki.intermediate.certificate)).lowerBound
        let refusal = Refusal(.pathLengthConstraint, at: place, reading: "basicConstraints")
        let mismatch = Mismatch(Fault(ReceiptError(.certificatePath, refusal)), receipt, validator.policy)
        #expect(mismatch?.found == "9223372036854775807")
    }

    @Test("has nothing to say about a damaged signature, or a receipt that is cut off")
    func nothing() throws {
        let pki = PrivatePKI(Keys.pki)
        let receipt = ReceiptMint(pki).receipt(bundleIdentifier: "com.example.app")
        let validator = try Self.validator(pki.root.certificate, .sha1)
        var damaged = receipt
        damaged[damaged.count - 1] ^= 1
        for bytes in [damaged, Array(receipt.dropLast()), []] {
            let error = try #require(throws: ReceiptError.self) { try validator.validate(bytes) }
            #expect(Mismatch(Fault(error), bytes, validator.policy) == nil, "\(error)")
        }
    }
}
