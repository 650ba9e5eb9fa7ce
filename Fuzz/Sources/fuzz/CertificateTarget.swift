import DER
import PKIX
import RSA
import SHA

/// A certificate: what is decoded lies inside it, and is the same wherever in a buffer it stands and whatever
/// follows; its extensions are found again; its key is a key or is refused; and its own path is sound.
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
        return require(false, "a certificate that decodes can be an anchor")
    }
    require(
        (try? TrustAnchor(certificate: input)) != nil || alone != input,
        "an anchor is one certificate"
    )
    checkPaths(from: 0, [certificate], bytes, [anchor], seed: input.last ?? 0)
}

/// In the middle of another buffer all is the same, but for the offsets.
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
        require(one.range.lowerBound + margin == another.range.lowerBound, "a certificate that was moved")
        require(one.range.count == another.range.count, "a certificate that was moved is as long")
        require(one.tbsCertificate.count == another.tbsCertificate.count, "so is what is signed of it")
        require(one.validity.notBefore == another.validity.notBefore, "and valid from the same time")
        require(one.keyUsage == another.keyUsage, "for the same usage")
        require(one.basicConstraints == another.basicConstraints, "under the same constraints")
    case (.failure(let one), .failure(let another)):
        require(one, liesIn: input.count)
        require(one.code == another.code && one.offset + margin == another.offset, "\(one) is not \(another)")
    default: require(false, "the verdict on a certificate depends on where it stands")
    }
}

/// Everything of a decoded certificate lies where it must, in the order of its ASN.1.
func check(_ certificate: Certificate, in bytes: Span<UInt8>) {
    require(certificate.range, liesIn: 0..<bytes.count, "Certificate")
    require(certificate.tbsCertificate, liesIn: certificate.range, "tbsCertificate")
    require(certificate.signatureValue, liesIn: certificate.range, "signatureValue")
    require(
        certificate.signatureValue.lowerBound >= certificate.tbsCertificate.upperBound,
        "what is signed ends before the signature"
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
        for attribute in name.attributes(in: bytes) {
            require(attribute.type, liesIn: name.range, "AttributeType")
            require(attribute.value.range, liesIn: name.range, "AttributeValue")
        }
    }
    let extensions = certificate.allExtensions(in: bytes)
    require(extensions.count <= Limits.standard.extensions, "extensions are limited")
    require(certificate.version == 3 || extensions.isEmpty, "extensions are those of version 3")
    for found in extensions {
        require(found.range, liesIn: certificate.extensions, "Extension")
        require(found.value, liesIn: found.range, "extnValue")
        guard let identifier = found.identifier else { continue }
        let again = certificate.extension(identifier, in: bytes)
        require(again?.range == found.range, "an extension comes once, and is found")
    }
    if let refusal = outcome({ () throws(Refusal) in
        try PublicKey(subjectPublicKeyInfo: bytes, in: certificate.subjectPublicKeyInfo)
    }).refusal {
        require(refusal, liesIn: bytes.count)
    }
}

/// Whatever signatures are taken for right, a path is no longer than allowed, no certificate comes in it
/// twice, all are valid, issuers may issue, and no more signatures are checked than the limit says.
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
    // Every signature is right for the first seed; for others some are not, so that the search turns back.
    for seed in [0xFF, seed] {
        var verifier = CredulousVerifier(pattern: seed)
        func find(
            at time: Timestamp,
            _ verifier: inout CredulousVerifier
        ) -> Result<CertificationPath, Refusal> {
            outcome { () throws(Refusal) in
                try CertificationPath.find(
                    from: signer,
                    among: certificates,
                    in: bytes,
                    at: time,
                    to: anchors,
                    policy: policy,
                    verifier: &verifier
                )
            }
        }
        let found = find(at: time, &verifier)
        require(verifier.checks <= policy.limits.signatureChecks, "signature checks are limited")
        guard case .success(let path) = found else { continue }
        require(policy.certificateCount.contains(path.count), "a path is as long as allowed")
        require(path.indices.first == signer, "a path begins at its signer")
        require(Set(path.indices).count == path.indices.count, "no certificate comes twice")
        require(anchors.indices.contains(path.anchor), "a path ends at an anchor")
        for (place, index) in path.indices.enumerated() {
            let certificate = certificates[index]
            require(
                certificate.validity.notBefore <= time && time <= certificate.validity.notAfter,
                "all are valid"
            )
            guard place > 0 else { continue }
            let subject = path.indices[place - 1]
            require(
                bytes.holds(
                    certificates[subject].issuer.range,
                    sameAs: bytes,
                    certificate.subject.range
                ),
                "each is issued in the name of the next"
            )
        }
        if !path.endsOutside, let last = path.indices.last {
            let digest = HashAlgorithm.sha256.digest(of: bytes.extracting(certificates[last].range))
            require(digest == anchors[path.anchor].fingerprint, "the last has the anchor's fingerprint")
        }
        for other in certificates.prefix(4).map(\.validity.notAfter) {
            guard CertificationPath.isFoundAlike(at: other, as: time, among: certificates, to: anchors)
            else { continue }
            var verifier = CredulousVerifier(pattern: seed)
            guard case .success(let again) = find(at: other, &verifier) else {
                require(false, "a path is found at all times that are alike")
                continue
            }
            require(again.indices == path.indices && again.anchor == path.anchor, "it is the same path")
        }
    }
}

/// Takes signatures for right as the bits of a pattern say, one after the other, whatever they are.
struct CredulousVerifier: SignatureVerifier {
    let pattern: UInt8
    private(set) var checks = 0

    init(pattern: UInt8) { self.pattern = pattern }

    func hashAlgorithm(of signatureAlgorithm: AlgorithmIdentifier) throws(Refusal) -> HashAlgorithm {
        try HashAlgorithm(rsaSignatureAlgorithm: signatureAlgorithm)
    }

    mutating func verify(
        _ signature: Range<Int>,
        in bytes: Span<UInt8>,
        of digest: Digest,
        by subjectPublicKeyInfo: Range<Int>,
        in keyBytes: Span<UInt8>
    ) throws(Refusal) {
        require(signature, liesIn: 0..<bytes.count, "signature")
        require(subjectPublicKeyInfo, liesIn: 0..<keyBytes.count, "subjectPublicKeyInfo")
        defer { checks += 1 }
        guard pattern >> UInt8(checks % 8) & 1 == 1 else {
            throw Refusal(.signatureMismatch, at: signature.lowerBound, reading: "signature")
        }
    }
}
