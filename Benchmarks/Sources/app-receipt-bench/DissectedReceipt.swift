import AppReceipt
import Basics
import CMS
import DER
import PKIX
import RSA
import SHA

/// A valid receipt split into its parts. Each part is the input of one stage of the validation.
struct DissectedReceipt {
    let bytes: [UInt8]
    let message: SignedData
    let certificates: [Certificate]
    /// The index of the signer's certificate.
    let signer: Int
    let anchors: [TrustAnchor]
    let creationDate: Timestamp
    let content: [UInt8]
    let contentHash: HashAlgorithm
    let contentDigest: Digest
    let signature: [UInt8]
    /// The signer's public key, as SubjectPublicKeyInfo.
    let key: [UInt8]

    /// Splits a receipt into its parts.
    ///
    /// - Throws: if the receipt is not in DER or has no creation date. Also if it has signed attributes: then
    ///   the signature is not over the content's digest. Genuine receipts have no signed attributes.
    init(_ bytes: [UInt8], _ anchors: [TrustAnchor]) throws {
        self.bytes = bytes
        self.anchors = anchors
        message = try SignedData(bytes.span)
        guard message.signer.signedAttributes == nil else {
            throw Failure.work("stages can be measured only on a receipt without signed attributes")
        }
        certificates = try SignedData.decodeCertificates(bytes.span, in: message.certificates)
        signer = try message.view(in: bytes.span).signerIndex(
            among: CertificateList(certificates, in: bytes.span)
        )
        let content = [UInt8](bytes[message.content])
        self.content = content
        guard let date = try UnverifiedReceipt(unverifiedPayload: content).creationDate else {
            throw Failure.work("the receipt has no creation date")
        }
        creationDate = date
        // Apple's receipts have SHA-1 or SHA-256.
        let sha1 = ObjectIdentifier(1, 3, 14, 3, 2, 26)
        contentHash = message.signer.digestAlgorithm.algorithm == sha1 ? .sha1 : .sha256
        contentDigest = contentHash.digest(of: content.span)
        signature = [UInt8](bytes[message.signer.signature])
        key = [UInt8](bytes[certificates[signer].subjectPublicKeyInfo])
    }
}
