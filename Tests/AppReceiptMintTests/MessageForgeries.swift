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

extension Forgery {
    /// A message with malformed signed attributes and a correct signature over them.
    static func attributes(
        _ description: String,
        _ code: Refusal.Code,
        sorted: Bool = true,
        _ attributes: @escaping @Sendable () -> [SignedAttribute]
    ) -> Forgery {
        .message("attributes: \(description)", .refused(.signature, code)) {
            $0.signers[0].signedAttributes = attributes()
            $0.signers[0].sortsSignedAttributes = sorted
        }
    }

    private static let contentType = ObjectIdentifier(1, 2, 840, 113549, 1, 9, 3)
    private static let messageDigest = ObjectIdentifier(1, 2, 840, 113549, 1, 9, 4)

    private static let signingTime = ObjectIdentifier(1, 2, 840, 113549, 1, 9, 5)
    private static let countersignature = ObjectIdentifier(1, 2, 840, 113549, 1, 9, 6)
    private static let time = encoding { $0.write(.utcTime, [UInt8]("200101000000Z".utf8)) }

    private static func encoding(_ body: (inout Writer) -> Void) -> [UInt8] {
        var writer = Writer()
        body(&writer)
        return writer.bytes
    }
    private static let data = encoding {
        $0.writeObjectIdentifier(ObjectIdentifier(1, 2, 840, 113549, 1, 7, 1))
    }
    private static let digest = HashAlgorithm.sha256.digest(of: richPayload.encoded())
    private static let digestValue = encoding { $0.writeOctetString(digest.bytes) }

    /// A good message with signed attributes, decoded.
    private static func withAttributes() throws -> Opened {
        try Opened(Minted.by(CertificateTests.pki) { $0.signers[0].signedAttributes = .standard }.receipt)
    }

    static let messages: [Forgery] = containers + signers + algorithms + signedAttributes

    private static let containers: [Forgery] = [
        .message("content detached", .refused(.container, .contentDetached)) { $0.isDetached = true },
        .message("version 2", .refused(.container, .signedDataVersion)) { $0.version = 2 },
        .message("not signed data", .refused(.container, .notSignedData)) { $0.messageType = $0.contentType },
        .message("content that is not data", .refused(.container, .notAReceipt)) {
            $0.contentType = ObjectIdentifier(1, 2, 3)
        },
        .message("content that is not data, with signed attributes", .refused(.container, .notAReceipt)) {
            $0.contentType = ObjectIdentifier(1, 2, 3)
            $0.signers[0].signedAttributes = .standard
        },
        Forgery("a message after the message", .refused(.container, .trailingBytes)) {
            let receipt = Minted.by(CertificateTests.pki).receipt
            return receipt + receipt
        },
    ]

    private static let signers: [Forgery] = [
        .message("no signer", .refused(.container, .noSigner)) { $0.signers = [] },
        .message("the signer twice", .refused(.container, .severalSigners)) { $0.signers += $0.signers },
        .message("a bad second signer", .refused(.container, .severalSigners)) {
            var second = $0.signers[0]
            second.key = Keys.impostors.leaf
            $0.signers.append(second)
        },
        .message("a bad first signer", .refused(.container, .severalSigners)) {
            var first = $0.signers[0]
            first.forgery = { _, _ in [] }
            $0.signers.insert(first, at: 0)
        },
        .message("a signer of version 2", .refused(.container, .signerInfoVersion)) {
            $0.signers[0].version = 2
        },
        .message("a signer by key identifier, of version 1", .refused(.container, .signerInfoVersion)) {
            $0.signers[0].identifier = .subjectKeyIdentifier(Keys.pki.leaf.keyIdentifier)
            $0.signers[0].version = 1
        },
        .message("unsigned attributes that are no elements", .refused(.container, .truncated)) {
            $0.signers[0].unsignedAttributes = [[0xFF, 0xFF, 0xFF]]
        },
        .message("a signing time that is not signed", .refused(.container, .misplacedAttribute)) {
            let type = encoding { $0.writeObjectIdentifier(signingTime) }
            let values = encoding { $0.write(.set, time) }
            $0.signers[0].unsignedAttributes = [encoding { $0.write(.sequence, type + values) }]
        },
        .message("half a revocation list", .refused(.container, .truncated)) {
            $0.revocationLists = [[0x30, 0x05, 0x30]]
        },
        .message("half an attribute certificate", .refused(.certificatePath, .truncated)) {
            $0.certificates.append([0xA2, 0x03, 0x30, 0x05, 0x30])
        },
        .message("a spare certificate with a malformed key", .refused(.certificatePath, .trailingBytes)) {
            let spare = CertificateTests.pki.reissued(.root) {
                $0.subjectPublicKeyInfo = CertificateBuilder.keyInfo([0x30, 0x06, 2, 1, 5, 2, 1, 3, 0xFF])
            }
            $0.certificates.append(spare.root.certificate)
        },
        .message("no certificates", .refused(.certificatePath, .signerCertificateNotFound)) {
            $0.certificates = []
        },
        .message(
            "the signer's certificate is not in the bag",
            .refused(.certificatePath, .signerCertificateNotFound)
        ) {
            $0.certificates.removeFirst()
        },
        .message(
            "the signer has another serial number",
            .refused(.certificatePath, .signerCertificateNotFound)
        ) {
            $0.signers[0].identifier = .issuerAndSerialNumber(
                CertificateTests.pki.leaf.template.issuer,
                serialNumber: [4]
            )
        },
        .message("the signer has another issuer", .refused(.certificatePath, .signerCertificateNotFound)) {
            $0.signers[0].identifier = .issuerAndSerialNumber(
                CertificateTests.pki.root.template.issuer,
                serialNumber: CertificateTests.pki.leaf.template.serialNumber
            )
        },
        .message(
            "the signer has another key identifier",
            .refused(.certificatePath, .signerCertificateNotFound)
        ) {
            $0.signers[0].identifier = .subjectKeyIdentifier(Keys.impostors.leaf.keyIdentifier)
        },
        // "There may be more certificates than necessary": identical copies are one certificate.
        .message("the signer's certificate twice", .accepted("RFC 5652 §5.1")) {
            $0.certificates.append($0.certificates[0])
        },
        .message("two certificates with one serial number", .refused(.certificatePath, .ambiguousSigner)) {
            $0.certificates.append(CertificateTests.pki.lookAlike(Keys.impostors).leaf.certificate)
        },
        .message("two certificates with one key identifier", .refused(.certificatePath, .ambiguousSigner)) {
            $0.signers[0].identifier = .subjectKeyIdentifier(Keys.pki.leaf.keyIdentifier)
            $0.certificates.append(
                CertificateTests.pki.reissued(.leaf) { $0.serialNumber = [4] }.leaf.certificate
            )
        },
    ]

    private static let algorithms: [Forgery] = [
        .message("a digest that is not listed", .refused(.container, .digestAlgorithmNotListed)) {
            $0.digestAlgorithms = [.digest(.sha512)]
        },
        .message("another hash in the signature algorithm", .refused(.signature, .contradictingAlgorithms)) {
            $0.signers[0].signatureAlgorithm = .rsaSignature(.sha1)
        },
        .message("an unknown digest", .refused(.signature, .unsupportedDigestAlgorithm)) {
            $0.signers[0].digestAlgorithm = AlgorithmTemplate(ObjectIdentifier(1, 2, 840, 113549, 2, 5))
        },
        .message(
            "a signature algorithm without parameters",
            .refused(.signature, .invalidAlgorithmParameters)
        ) {
            $0.signers[0].signatureAlgorithm.parameters = []
        },
        .message("signed over another hash", .refused(.signature, .signatureMismatch)) {
            $0.signers[0].digestAlgorithm = .digest(.sha1)
        },
    ]

    private static let signedAttributes: [Forgery] = [
        .attributes("none in the set", .missingAttribute) { [] },
        .attributes("messageDigest is missing", .missingAttribute) { [.contentType()] },
        .attributes("contentType is missing", .missingAttribute) { [.messageDigest()] },
        .attributes("contentType doubled", .duplicateAttribute) { .standard + [.contentType()] },
        .attributes("messageDigest doubled", .duplicateAttribute) { .standard + [.messageDigest()] },
        .attributes("a wrong messageDigest after the right one", .duplicateAttribute) {
            .standard + [.messageDigest([UInt8](repeating: 0xFF, count: 32))]
        },
        .attributes("messageDigest with two values, the first one right", .attributeValueCount) {
            [
                .contentType(),
                .attribute(messageDigest, values: [digestValue, encoding { $0.writeOctetString([0]) }]),
            ]
        },
        .attributes("contentType with the value twice", .attributeValueCount) {
            [.attribute(contentType, values: [data, data]), .messageDigest()]
        },
        .attributes("messageDigest with no value", .attributeValueCount) {
            [.contentType(), .attribute(messageDigest, values: [])]
        },
        .attributes("contentType with no value", .attributeValueCount) {
            [.attribute(contentType, values: []), .messageDigest()]
        },
        .attributes("a signing time doubled", .duplicateAttribute) {
            .standard + [.attribute(signingTime, values: [time]), .attribute(signingTime, values: [time])]
        },
        .attributes("a signing time that is a text", .unexpectedTag) {
            .standard + [.attribute(signingTime, values: [encoding { $0.writeUTF8String("now") }])]
        },
        .attributes("a countersignature", .misplacedAttribute) {
            .standard + [.attribute(countersignature, values: [[0x30, 0x00]])]
        },
        .attributes("re-ordered", .unsortedSet, sorted: false) { [.messageDigest(), .contentType()] },
        .attributes("contentType unlike the content's", .contentTypeMismatch) {
            [.contentType(ObjectIdentifier(1, 2, 840, 113549, 1, 7, 2)), .messageDigest()]
        },
        .attributes("another messageDigest", .messageDigestMismatch) {
            [.contentType(), .messageDigest([UInt8](repeating: 0, count: 32))]
        },
        .attributes("the first half of the digest", .messageDigestMismatch) {
            [.contentType(), .messageDigest(Array(digest.bytes.prefix(16)))]
        },
        .attributes("the digest less its last octet", .messageDigestMismatch) {
            [.contentType(), .messageDigest(digest.bytes.dropLast())]
        },
        .attributes("an empty digest", .messageDigestMismatch) { [.contentType(), .messageDigest([])] },
        .attributes("the digest and an octet", .messageDigestMismatch) {
            [.contentType(), .messageDigest(digest.bytes + [0])]
        },
        .attributes("the content's SHA-1", .messageDigestMismatch) {
            [.contentType(), .messageDigest(HashAlgorithm.sha1.digest(of: richPayload.encoded()).bytes)]
        },
        .message(
            "attributes: present, and the signature over the content",
            .refused(.signature, .signatureMismatch)
        ) {
            $0.signers[0].signedAttributes = .standard
            $0.signers[0].forgery = { _, key in key.sign(digest) }
        },
        .message("attributes: taken away, the signature over them", .refused(.signature, .signatureMismatch))
        {
            let signature = (try? withAttributes())?.signature
            $0.signers[0].forgery = { _, _ in signature ?? [] }
        },
        .message("attributes: signed with the tag [0], not SET", .refused(.signature, .signatureMismatch)) {
            let attributes = (try? withAttributes())?.signedAttributes
            $0.signers[0].signedAttributes = .standard
            $0.signers[0].forgery = { _, key in
                key.sign(HashAlgorithm.sha256.digest(of: attributes ?? []))
            }
        },
        Forgery(
            "another message's signed attributes presented as content",
            .refused(.creationDate, .unexpectedTag)
        ) { try presentedAsContent() },
    ]

    /// A message whose content is the signed attributes of another message. The message has no signed
    /// attributes itself, so that the signature over the attributes fits its content.
    static func presentedAsContent() throws -> [UInt8] {
        let message = try withAttributes()
        var mint = ReceiptMint(CertificateTests.pki)
        mint.message.signers[0].forgery = { _, _ in message.signature }
        return mint.message.signed(payload: [0x31] + message.signedAttributes.dropFirst())
    }
}

@Suite("Forged messages (RFC 5652 §5, §11)")
struct MessageForgeries {
    @Test("refuses a forged message at its step and with its code", arguments: Forgery.messages)
    func verdict(_ forgery: Forgery) throws { try forgery.judge() }

    @Test(
        "refuses signed attributes that are presented as content under their own correct signature"
    )
    func attributesAsContent() throws {
        let message = try Opened(Forgery.presentedAsContent())
        let info = try message.subjectPublicKeyInfo
        let digest = HashAlgorithm.sha256.digest(of: message.content)
        try PublicKey(subjectPublicKeyInfo: info.span).verify(message.signature.span, digest: digest)
        refuses(.contentIsSignedAttributes) { () throws(Refusal) in
            let key = try PublicKey(subjectPublicKeyInfo: info.span)
            try message.signedData.view(in: message.bytes.span).verifySignature(by: SigningKey.rsa(key))
        }
    }
}
