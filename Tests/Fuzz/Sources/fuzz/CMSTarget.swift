import AppReceipt
import Basics
import CMS
import DER
import PKIX
import RSA
import SHA

/// Checks SignedData. All decoded parts lie inside the message. A message made from BER is DER with the same
/// content. Signature and path are checked with a verifier that accepts every signature.
func fuzzCMS(_ input: [UInt8]) {
    let envelope: Envelope
    do throws(Refusal) {
        envelope = try Envelope(input.span)
    } catch {
        require(error, liesIn: input.count)
        do throws(ReceiptError) {
            _ = try UnverifiedReceipt(unverified: input)
            require(false, "a receipt's container is a message: \(error)")
        } catch let receiptError {
            require(
                receiptError.step == .container && receiptError.code == error.code,
                "the container's refusal"
            )
        }
        return
    }
    let message = envelope.normalised?.bytes ?? input
    let strict = outcome { () throws(Refusal) in try SignedData(message.span) }
    require(strict.value != nil, "a message that decodes is DER")
    require((try? SignedData(input.span)) != nil || envelope.normalised != nil, "DER is not normalised")
    if let again = try? Envelope(message.span) {
        require(again.normalised == nil, "normalised bytes are DER")
        require(again.signedData.content == envelope.signedData.content, "the same content")
    }
    check(envelope, message)
}

private func check(_ envelope: Envelope, _ message: [UInt8]) {
    let bytes = message.span
    let signedData = envelope.signedData
    let whole = 0..<bytes.count
    require(signedData.digestAlgorithms, liesIn: whole, "digestAlgorithms")
    require(signedData.content, liesIn: signedData.digestAlgorithms.upperBound..<bytes.count, "eContent")
    require(signedData.certificates, liesIn: signedData.content.upperBound..<bytes.count, "certificates")
    require(signedData.signer.range, liesIn: signedData.certificates.upperBound..<bytes.count, "SignerInfo")
    require(signedData.signer.signature, liesIn: signedData.signer.range, "signature")
    if let attributes = signedData.signer.signedAttributes {
        require(attributes, liesIn: signedData.signer.range, "signedAttrs")
    }

    var certificates: [Certificate] = []
    do throws(Refusal) {
        try SignedData.decodeCertificates(bytes, in: signedData.certificates, into: &certificates)
    } catch {
        require(error, liesIn: bytes.count)
    }
    require(certificates.count <= MessageLimits.standard.certificates, "certificates are limited")
    for certificate in certificates {
        require(certificate.range, liesIn: signedData.certificates, "certificate")
        check(certificate, in: bytes)
    }
    if let refusal = outcome({ () throws(Refusal) in try signedData.signer.hashAlgorithm() }).refusal {
        require(refusal, liesIn: bytes.count)
    }
    // Takes the first certificate if the named one is missing, so that such messages reach the later steps.
    let view = signedData.view(in: bytes)
    let named = try? view.signerIndex(among: CertificateList(certificates, in: bytes))
    require(named.map(certificates.indices.contains) ?? true, "the signer is one of the certificates")
    guard let signer = named ?? certificates.indices.first else { return }
    checkSignature(signedData, by: certificates[signer], bytes)
    var anchors: [TrustAnchor] = []
    for certificate in certificates.suffix(1) {
        let digest = HashAlgorithm.sha256.digest(of: bytes.extracting(certificate.range))
        if let anchor = TrustAnchor(fingerprint: digest) { anchors.append(anchor) }
    }
    checkPaths(from: signer, certificates, bytes, anchors, seed: bytes[bytes.count - 1])
}

private func checkSignature(_ signedData: SignedData, by certificate: Certificate, _ bytes: Span<UInt8>) {
    func verdict(_ pattern: UInt8) -> Result<Int, Refusal> {
        outcome { () throws(Refusal) in
            let accepted = SignaturePattern(pattern)
            let key = try CredulousKey(
                subjectPublicKeyInfo: bytes,
                in: certificate.subjectPublicKeyInfo,
                requirements: accepted
            )
            try signedData.view(in: bytes).verifySignature(by: key)
            return accepted.checks
        }
    }
    switch verdict(0xFF) {
    case .success(let checks):
        require(checks == 1, "one signature is checked")
        require(
            verdict(0).refusal?.code == .signatureMismatch,
            "a wrong signature is refused"
        )
    case .failure(let refusal):
        require(refusal, liesIn: bytes.count)
        require(verdict(0).refusal?.code == refusal.code, "attributes are refused before the signature")
    }
}
