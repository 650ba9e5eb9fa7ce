import AppReceipt
import Basics
import DER
import PKIX
import Processor
import RSA
import SHA

/// Checks a certificate. All decoded parts lie inside it, and do not depend on its offset in a buffer or on
/// the bytes after it. Each extension is found again. Its key decodes or is refused. Its own path is sound.
func fuzzCertificate(_ input: [UInt8]) {
    let bytes = input.span
    let result = outcome { () throws(Refusal) in
        var reader = Reader(bytes)
        return try Certificate(&reader)
    }
    checkElsewhere(input, result)
    guard case .success(let certificate) = result else { return }
    check(certificate, in: bytes)

    let alone = Array(input[certificate.range])
    guard let anchor = try? TrustAnchor(certificate: alone) else {
        return require(false, "a certificate that decodes is accepted as an anchor")
    }
    require(
        (try? TrustAnchor(certificate: input)) != nil || alone != input,
        "an anchor is one certificate"
    )
    checkPaths(from: 0, [certificate], bytes, [anchor], seed: input.last ?? 0)
}

/// Checks that the certificate decodes alike in the middle of another buffer, except for the offsets.
private func checkElsewhere(_ input: [UInt8], _ result: Result<Certificate, Refusal>) {
    let margin = 5
    let padding = [UInt8](repeating: 0x30, count: margin)
    let moved = padding + input + padding
    let range = margin..<(margin + input.count)
    let other = outcome { () throws(Refusal) in
        var reader = Reader(moved.span, in: range)
        return try Certificate(&reader)
    }
    switch (result, other) {
    case (.success(let one), .success(let another)):
        require(one.range.lowerBound + margin == another.range.lowerBound, "the range of a moved certificate")
        require(one.range.count == another.range.count, "a moved certificate has the same length")
        require(one.tbsCertificate.count == another.tbsCertificate.count, "the length of its signed part")
        require(one.validity.notBefore == another.validity.notBefore, "its notBefore")
        require(one.keyUsage == another.keyUsage, "its key usage")
        require(one.basicConstraints == another.basicConstraints, "its basic constraints")
    case (.failure(let one), .failure(let another)):
        require(one, liesIn: input.count)
        require(one.code == another.code && one.offset + margin == another.offset, "\(one) is not \(another)")
    default: require(false, "the verdict on a certificate is the same at every place")
    }
}

/// Checks that the parts of a decoded certificate lie inside it, in the order of its ASN.1.
func check(_ certificate: Certificate, in bytes: Span<UInt8>) {
    require(certificate.range, liesIn: 0..<bytes.count, "Certificate")
    require(certificate.tbsCertificate, liesIn: certificate.range, "tbsCertificate")
    require(certificate.signatureValue, liesIn: certificate.range, "signatureValue")
    require(
        certificate.signatureValue.lowerBound >= certificate.tbsCertificate.upperBound,
        "the signed part ends before the signature"
    )
    var last = certificate.tbsCertificate.lowerBound
    for (name, part) in [
        ("serialNumber", certificate.serialNumber), ("issuer", certificate.issuer.range),
        ("validity", certificate.validity.range), ("subject", certificate.subject.range),
        ("subjectPublicKeyInfo", certificate.subjectPublicKeyInfo),
    ] {
        require(part, liesIn: last..<certificate.tbsCertificate.upperBound, name)
        last = part.upperBound
    }
    require((1...3).contains(certificate.version), "versions are 1 to 3")
    for name in [certificate.issuer, certificate.subject] {
        for attribute in certificate.view(in: bytes).attributes(of: name) {
            require(attribute.type, liesIn: name.range, "AttributeType")
            require(attribute.value.range, liesIn: name.range, "AttributeValue")
        }
    }
    let extensions = certificate.view(in: bytes).extensions
    require(extensions.count <= CertificateLimits.standard.extensions, "extensions are limited")
    require(certificate.version == 3 || extensions.isEmpty, "only version 3 has extensions")
    for found in extensions {
        require(found.range, liesIn: certificate.extensions, "Extension")
        require(found.value, liesIn: found.range, "extnValue")
        guard let identifier = found.identifier else { continue }
        let again = certificate.view(in: bytes).extension(identifier)
        require(again?.range == found.range, "an extension occurs once and is found")
    }
    if let refusal = outcome({ () throws(Refusal) in
        try PublicKey(subjectPublicKeyInfo: bytes, in: certificate.subjectPublicKeyInfo)
    }).refusal {
        require(refusal, liesIn: bytes.count)
    }
}

/// Checks the path for any pattern of accepted signatures. The path has an allowed length and no certificate
/// twice, all its certificates are valid, its issuers may issue, and the search keeps the limit on signature
/// checks.
func checkPaths(
    from signer: Int,
    _ certificates: [Certificate],
    _ bytes: Span<UInt8>,
    _ anchors: [TrustAnchor],
    seed: UInt8
) {
    let time = certificates[signer].validity.notBefore
    let policy = PathPolicy(
        certificateCount: 1...4,
        purpose: .permitted(ObjectIdentifier(2, 5, 29, 37, 0))
    )
    // The first seed accepts every signature. Others reject some, so that the search backtracks.
    for seed in [0xFF, seed] {
        func find(
            at time: Timestamp,
            _ accepted: SignaturePattern
        ) -> Result<CertificationPath, Refusal> {
            outcome { () throws(Refusal) in
                var keys = KeyCache<CredulousKey>(accepted)
                return try CertificationPath.find(
                    from: signer,
                    among: CertificateList(certificates, in: bytes),
                    at: time,
                    to: anchors,
                    policy: policy,
                    keys: &keys
                )
            }
        }
        let accepted = SignaturePattern(seed)
        let found = find(at: time, accepted)
        require(accepted.checks <= policy.signatureChecks, "signature checks are limited")
        guard case .success(let path) = found else { continue }
        require(policy.certificateCount.contains(path.count), "a path is as long as allowed")
        require(path.indices.first == signer, "a path begins at its signer")
        require(Set(path.indices).count == path.indices.count, "no certificate occurs twice")
        require(anchors.indices.contains(path.anchor), "a path ends at an anchor")
        for (place, index) in path.indices.enumerated() {
            let certificate = certificates[index]
            require(
                certificate.validity.notBefore <= time && time <= certificate.validity.notAfter,
                "all certificates are valid"
            )
            guard place > 0 else { continue }
            let subject = path.indices[place - 1]
            require(
                octets(bytes, in: certificates[subject].issuer.range)
                    == octets(bytes, in: certificate.subject.range),
                "each names the next as its issuer"
            )
        }
        if !path.endsOutside, let last = path.indices.last {
            let digest = HashAlgorithm.sha256.digest(of: bytes.extracting(certificates[last].range))
            require(
                digest == anchors[path.anchor].fingerprint,
                "the last certificate has the anchor's fingerprint"
            )
        }
        for other in certificates.prefix(4).map(\.validity.notAfter) {
            guard CertificationPath.findsSamePath(at: other, as: time, among: certificates, to: anchors)
            else { continue }
            guard case .success(let again) = find(at: other, SignaturePattern(seed)) else {
                require(false, "the search finds a path at both of two equivalent times")
                continue
            }
            require(
                again.indices == path.indices && again.anchor == path.anchor,
                "the searches find the same path"
            )
        }
    }
}

/// The signatures that a ``CredulousKey`` accepts: bit by bit, one signature after the other.
///
/// All keys of a search share one pattern. Only one thread uses it.
final class SignaturePattern: @unchecked Sendable, Hashable {
    private let pattern: UInt8
    private(set) var checks = 0

    init(_ pattern: UInt8) { self.pattern = pattern }

    func acceptsNext() -> Bool {
        defer { checks += 1 }
        return pattern >> UInt8(checks % 8) & 1 == 1
    }

    static func == (one: SignaturePattern, other: SignaturePattern) -> Bool { one === other }

    func hash(into hasher: inout Hasher) { hasher.combine(Swift.ObjectIdentifier(self)) }
}

/// A key that accepts or rejects signatures by a pattern, without computing anything.
struct CredulousKey: SignatureKey {
    typealias Algorithm = SigningKey.Algorithm
    private let accepted: SignaturePattern
    var checkWeight: Int { 1 }

    init(
        subjectPublicKeyInfo bytes: Span<UInt8>,
        in range: Range<Int>,
        requirements: SignaturePattern
    ) throws(Refusal) {
        require(range, liesIn: 0..<bytes.count, "subjectPublicKeyInfo")
        accepted = requirements
    }

    static func checkEncoding(ofSubjectPublicKeyInfo bytes: Span<UInt8>, in range: Range<Int>) {}

    func verify(
        _ signature: Span<UInt8>,
        of digest: Digest,
        by algorithm: Algorithm,
        acceleration: Acceleration
    ) throws(Refusal) {
        guard accepted.acceptsNext() else { throw Refusal(.signatureMismatch, at: 0, reading: "signature") }
    }
}
