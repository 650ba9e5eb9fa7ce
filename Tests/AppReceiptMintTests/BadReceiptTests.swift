import AppReceipt
import AppReceiptMint
import CMS
import DER
import PKIX
import RSA
import SHA
import TestSupport
import Testing

/// A receipt with something wrong, and the step and code by which it is refused.
struct BadReceipt: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let step: ReceiptError.Step
    let code: Refusal.Code
    private let make: @Sendable () -> [UInt8]

    init(
        _ description: String,
        _ step: ReceiptError.Step,
        _ code: Refusal.Code,
        _ make: @escaping @Sendable () -> [UInt8]
    ) {
        testDescription = description
        self.step = step
        self.code = code
        self.make = make
    }

    var bytes: [UInt8] { make() }

    /// A message that is not as it should be.
    static func message(
        _ description: String,
        _ step: ReceiptError.Step,
        _ code: Refusal.Code,
        _ change: @escaping @Sendable (inout MessageTemplate) -> Void
    ) -> BadReceipt {
        BadReceipt(description, step, code) {
            var mint = ReceiptMint(CertificateTests.pki)
            change(&mint.message)
            return mint.receipt(richPayload)
        }
    }

    /// A certificate that is not as it should be.
    static func certificate(
        _ description: String,
        _ step: ReceiptError.Step,
        _ code: Refusal.Code,
        _ role: PrivatePKI.Role,
        _ change: @escaping @Sendable (inout CertificateTemplate) -> Void
    ) -> BadReceipt {
        BadReceipt(description, step, code) {
            ReceiptMint(CertificateTests.pki.reissued(role, change)).receipt(richPayload)
        }
    }

    /// A payload that is not as it should be.
    static func payload(
        _ description: String,
        _ step: ReceiptError.Step,
        _ code: Refusal.Code,
        _ change: @escaping @Sendable (inout PayloadTemplate) -> Void
    ) -> BadReceipt {
        BadReceipt(description, step, code) {
            var payload = richPayload
            change(&payload)
            return ReceiptMint(CertificateTests.pki).receipt(payload)
        }
    }

    static func markers(
        _ markers: PrivatePKI.Markers,
        _ step: ReceiptError.Step,
        _ code: Refusal.Code
    ) -> BadReceipt {
        BadReceipt("markers: \(markers)", step, code) {
            var options = PrivatePKI.Options()
            options.markers = markers
            return ReceiptMint(PrivatePKI(Keys.pki, options: options)).receipt(richPayload)
        }
    }

    static let all: [BadReceipt] = [
        .message("detached", .container, .contentDetached) { $0.isDetached = true },
        .message("no signer", .container, .noSigner) { $0.signers = [] },
        .message("two signers", .container, .severalSigners) { $0.signers += $0.signers },
        .message("version 2", .container, .signedDataVersion) { $0.version = 2 },
        .message("a signer of version 2", .container, .signerInfoVersion) { $0.signers[0].version = 2 },
        .message("not signed data", .container, .notSignedData) { $0.messageType = $0.contentType },
        .message("content that is not data", .container, .notAReceipt) {
            $0.contentType = ObjectIdentifier(1, 2, 3)
        },
        .message("a digest that is not listed", .container, .digestAlgorithmNotListed) {
            $0.digestAlgorithms = [.digest(.sha512)]
        },
        .message("no certificates", .certificatePath, .signerCertificateNotFound) { $0.certificates = [] },
        .message("another serial number", .certificatePath, .signerCertificateNotFound) {
            $0.signers[0].identifier = .issuerAndSerialNumber(
                CertificateTests.pki.leaf.template.issuer,
                serialNumber: [4]
            )
        },
        .message("the leaf twice", .certificatePath, .ambiguousSigner) {
            $0.certificates.append($0.certificates[0])
        },
        .message("another hash in the signature algorithm", .signature, .contradictingAlgorithms) {
            $0.signers[0].signatureAlgorithm = .rsaSignature(.sha1)
        },
        .message("an unknown digest", .signature, .unsupportedDigestAlgorithm) {
            $0.signers[0].digestAlgorithm = AlgorithmTemplate(ObjectIdentifier(1, 2, 840, 113549, 2, 5))
        },
        .message("a signature algorithm without parameters", .signature, .invalidAlgorithmParameters) {
            $0.signers[0].signatureAlgorithm.parameters = []
        },
        .message("signed over another hash", .signature, .signatureMismatch) {
            $0.signers[0].digestAlgorithm = .digest(.sha1)
        },
        .message("signed by another key", .signature, .signatureMismatch) {
            $0.signers[0].key = Keys.impostors.leaf
        },
        .message("a signature one octet short", .signature, .signatureLength) {
            $0.signers[0].forgery = { digest, key in Array(key.sign(digest).dropLast()) }
        },
        .message("a signature with shortened padding", .signature, .signatureMismatch) {
            $0.signers[0].forgery = { digest, key in
                var message = key.encodedMessage(digest)
                message.remove(at: 2)
                return key.rawSign(message + [0])
            }
        },
        .message("no messageDigest", .signature, .missingAttribute) {
            $0.signers[0].signedAttributes = [.contentType()]
        },
        .message("another messageDigest", .signature, .messageDigestMismatch) {
            $0.signers[0].signedAttributes = [
                .contentType(), .messageDigest([UInt8](repeating: 0, count: 32)),
            ]
        },
        .message("another contentType", .signature, .contentTypeMismatch) {
            $0.signers[0].signedAttributes = [.contentType(ObjectIdentifier(1, 2, 3)), .messageDigest()]
        },
        .message("a doubled attribute", .signature, .duplicateAttribute) {
            $0.signers[0].signedAttributes = .standard + [.contentType()]
        },
        .message("attributes out of order", .signature, .unsortedSet) {
            $0.signers[0].signedAttributes = [.messageDigest(), .contentType()]
            $0.signers[0].sortsSignedAttributes = false
        },

        .certificate("an expired leaf", .certificatePath, .expired, .leaf) {
            $0.notAfter = Timestamp(millisecondsSince1970: 1_717_243_199_000 - 1000)
        },
        .certificate("an intermediate not yet valid", .certificatePath, .notYetValid, .intermediate) {
            $0.notBefore = Timestamp(millisecondsSince1970: 1_717_243_201_000)
        },
        .certificate(
            "an intermediate that is no CA",
            .certificatePath,
            .notCertificateAuthority,
            .intermediate
        ) {
            $0.extensions[2] = .basicConstraints(isCertificateAuthority: false)
        },
        .certificate(
            "an intermediate that may not sign",
            .certificatePath,
            .missingKeyCertSign,
            .intermediate
        ) {
            $0.extensions[3] = .keyUsage([.digitalSignature])
        },
        .certificate("a leaf that may not sign", .certificatePath, .missingDigitalSignature, .leaf) {
            $0.extensions[3] = .keyUsage([.keyEncipherment])
        },
        .certificate("an unknown critical extension", .certificatePath, .unknownCriticalExtension, .leaf) {
            $0.extensions.append(.marker(ObjectIdentifier(1, 2, 3), isCritical: true))
        },
        .certificate("two algorithms", .certificatePath, .signatureAlgorithmMismatch, .leaf) {
            $0.tbsSignatureAlgorithm = .rsaSignature(.sha512)
        },
        .certificate("signed over another hash", .certificatePath, .signatureMismatch, .leaf) {
            $0.signatureAlgorithm = .rsaSignature(.sha512)
        },
        .certificate("another root", .root, .untrustedRoot, .root) { $0.serialNumber = [5] },
        BadReceipt("a leaf signed by another key", .certificatePath, .signatureMismatch) {
            let pki = CertificateTests.pki.reissued(.leaf, signedBy: Keys.impostors.intermediate) { _ in }
            return ReceiptMint(pki).receipt(richPayload)
        },
        BadReceipt("a leaf of 1024 bits", .signature, .keyTooSmall) {
            var keys = Keys.pki
            keys.leaf = Keys.bits1024
            return ReceiptMint(PrivatePKI(keys)).receipt(richPayload)
        },
        BadReceipt("a path of four", .certificatePath, .pathTooLong) {
            var keys = Keys.pki
            keys.upperIntermediate = Keys.upperIntermediate
            return ReceiptMint(PrivatePKI(keys)).receipt(richPayload)
        },
        BadReceipt("a look-alike", .root, .untrustedRoot) {
            ReceiptMint(CertificateTests.pki.lookAlike(Keys.impostors)).receipt(richPayload)
        },
        BadReceipt("a look-alike with the true root", .certificatePath, .signatureMismatch) {
            var mint = ReceiptMint(CertificateTests.pki.lookAlike(Keys.impostors))
            mint.message.certificates[2] = CertificateTests.pki.root.certificate
            return mint.receipt(richPayload)
        },

        .markers(.none, .intermediateMarker, .missingIntermediateMarker),
        .markers(.swapped, .intermediateMarker, .missingIntermediateMarker),
        .markers(.inCertificatePolicies, .intermediateMarker, .missingIntermediateMarker),
        .markers(.leafOnly, .intermediateMarker, .missingIntermediateMarker),
        .markers(.intermediateOnly, .leafMarker, .missingLeafMarker),

        .payload("no creation date", .creationDate, .missingCreationDate) { $0.creationDate = nil },
        .payload("two creation dates", .creationDate, .duplicateAttributeType) {
            $0.rawAttributes.append(.date(12, Timestamp(millisecondsSince1970: 0)))
        },
        .payload("a creation date of another kind", .creationDate, .unexpectedTag) {
            $0.creationDate = nil
            $0.rawAttributes.append(.utf8String(12, "2024-06-01T12:00:00Z"))
        },
        .payload("two bundle identifiers", .payload, .duplicateAttributeType) {
            $0.rawAttributes.append(.utf8String(2, "com.example.other"))
        },
        .payload("no bundle identifier", .bundleIdentifier, .missingBundleIdentifier) {
            $0.bundleIdentifier = nil
        },
        .payload("another bundle identifier", .bundleIdentifier, .bundleIdentifierMismatch) {
            $0.bundleIdentifier = "com.example.other"
        },
        .payload("another environment", .environment, .environmentMismatch) {
            $0.environment = "ProductionSandbox"
        },
        .payload("another version", .appVersion, .appVersionMismatch) { $0.appVersion = "1" },
        .payload("another device hash", .deviceHash, .deviceHashMismatch) {
            $0.sha1Hash = [UInt8](repeating: 0, count: 20)
        },
        .payload("no opaque value", .deviceHash, .missingDeviceHash) { $0.opaqueValue = nil },
    ]
}

@Suite("Bad receipts")
struct BadReceiptTests {
    @Test("it is refused, at its step and for its reason", arguments: BadReceipt.all)
    func refusal(_ bad: BadReceipt) throws {
        let device = try #require(DeviceIdentifier([0x02, 0, 0, 0, 0, 0x01]))
        let validator = try validator(ReceiptMint(CertificateTests.pki), deviceIdentifiers: [device])
        let error = try #require(throws: ReceiptError.self) { try validator.validate(bad.bytes) }
        #expect(error.step == bad.step && error.code == bad.code, "\(error)")
    }

    @Test("a purchase that does not decode is set apart, and the rest is read")
    func malformedPurchase() throws {
        let mint = ReceiptMint(CertificateTests.pki)
        var payload = richPayload
        payload.purchases[1].productIdentifier = nil
        let receipt = try validator(mint).validate(mint.receipt(payload))
        #expect(Array(receipt.inAppPurchases).count == 1)
        #expect(receipt.malformedInAppPurchases.map(\.refusal.code) == [.missingProductIdentifier])
    }
}
