import AppReceipt
import CMS
import DER
import PKIX
import RSA
import SHA

/// A valid receipt and its parts, each as the stage before leaves it.
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
    /// The signer's, as SubjectPublicKeyInfo.
    let key: [UInt8]

    /// - Throws: where the receipt is not in DER, or has signed attributes, which no genuine one has: then
    /// the   digest of the content is not what is signed.
    init(_ bytes: [UInt8], _ anchors: [TrustAnchor]) throws {
        self.bytes = bytes
        self.anchors = anchors
        message = try SignedData(bytes.span)
        guard message.signer.signedAttributes == nil else {
            throw Failure.work("the stages are those of a receipt without signed attributes")
        }
        certificates = try SignedData.decodeCertificates(bytes.span, in: message.certificates)
        signer = try message.signer.certificate(among: certificates, in: bytes.span, bytes: bytes.span)
        let content = [UInt8](bytes[message.content])
        self.content = content
        guard let date = try UnverifiedReceipt(unverifiedPayload: content).creationDate else {
            throw Failure.work("the receipt has no creation date")
        }
        creationDate = date
        contentHash = try message.signer.hashAlgorithm()
        contentDigest = contentHash.digest(of: content.span)
        signature = [UInt8](bytes[message.signer.signature])
        key = [UInt8](bytes[certificates[signer].subjectPublicKeyInfo])
    }
}
