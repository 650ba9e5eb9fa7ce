import DER
import SHA

/// A path that holds (RFC 5280 §6): each certificate signed by the next, the last one trusted.
public struct CertificationPath: Sendable {
    /// Indices among the certificates that were offered, the signer's first, as far as they lead.
    public internal(set) var indices: [Int]
    /// The index among the trust anchors of the last certificate.
    public internal(set) var anchor: Int
    /// Whether the last certificate is the anchor's own, and not one of those offered.
    public internal(set) var endsOutside: Bool

    /// How many certificates the path has, the root included.
    public var count: Int { indices.count + (endsOutside ? 1 : 0) }

    /// Finds a path from one certificate to a trust anchor, and validates it.
    ///
    /// The certificates may come in any order and hold any number that do not belong. Among several with the
    /// issuer's name and key identifier each is tried, the cheap checks before the signature, and never more
    /// signatures than the limit. A root's own signature proves nothing and is not looked at; its fingerprint
    /// is. Revocation, name constraints and policies are not processed: where one of the last two is critical,
    /// the certificate is refused as holding an unknown critical extension.
    ///
    /// - Parameters:
    ///   - signer: the index of the certificate where the path begins.
    ///   - certificates: read from `bytes`.
    ///   - time: when every certificate, the root included, must be valid.
    ///   - anchors: the trusted roots.
    ///   - verifier: checks the signatures.
    /// - Throws: `Refusal`, from the candidate path that went furthest.
    public static func find(
        from signer: Int,
        among certificates: [Certificate],
        in bytes: Span<UInt8>,
        at time: Timestamp,
        to anchors: [TrustAnchor],
        policy: PathPolicy,
        verifier: inout some SignatureVerifier
    ) throws(Refusal) -> CertificationPath {
        var search = PathSearch(
            bytes: bytes,
            certificates: certificates,
            anchors: anchors,
            time: time,
            policy: policy
        )
        let first = certificates[signer]
        try search.checkSigner(first)
        search.path = [signer]
        guard let path = try search.extend(&verifier) else {
            throw search.furthest?.refusal
                ?? Refusal(.issuerNotFound, at: first.issuer.range.lowerBound, reading: "issuer")
        }
        // Last, so that whoever comes from another root hears of that first.
        try search.checkSignerPurpose(first)
        return path
    }

    /// Checks again the one thing about a path that depends on the time.
    ///
    /// - Throws: `.notYetValid` or `.expired`.
    public func checkValidity(
        at time: Timestamp,
        of certificates: [Certificate],
        anchors: [TrustAnchor]
    ) throws(Refusal) {
        for index in indices { try certificates[index].validity.check(time) }
        if endsOutside, let root = anchors[anchor].certificate { try root.decoded.validity.check(time) }
    }
}

/// A depth-first search, without recursion over anything but the path itself, whose length the policy bounds.
private struct PathSearch: ~Escapable {
    let bytes: Span<UInt8>
    let certificates: [Certificate]
    let anchors: [TrustAnchor]
    let time: Timestamp
    let policy: PathPolicy
    var path: [Int] = []
    var signatureChecks = 0
    /// The refusal of the longest path so far; of several, the first.
    var furthest: (count: Int, refusal: Refusal)?

    @_lifetime(copy bytes)
    init(
        bytes: Span<UInt8>,
        certificates: [Certificate],
        anchors: [TrustAnchor],
        time: Timestamp,
        policy: PathPolicy
    ) {
        self.bytes = bytes
        self.certificates = certificates
        self.anchors = anchors
        self.time = time
        self.policy = policy
    }

    private mutating func note(_ refusal: Refusal) {
        if path.count > furthest?.count ?? 0 { furthest = (path.count, refusal) }
    }

    /// Extends the path by an issuer of its last certificate, and so on to an anchor.
    ///
    /// - Returns: nil where no candidate leads to one; `furthest` says why.
    /// - Throws: `.tooManySignatureChecks` only.
    mutating func extend(_ verifier: inout some SignatureVerifier) throws(Refusal) -> CertificationPath? {
        guard let last = path.last else { return nil }
        let child = certificates[last]
        if let anchor = anchor(of: child) {
            guard path.count >= policy.certificateCount.lowerBound else {
                note(Refusal(.pathTooShort, at: child.range.lowerBound, reading: "certification path"))
                return nil
            }
            return CertificationPath(indices: path, anchor: anchor, endsOutside: false)
        }
        guard path.count < policy.certificateCount.upperBound else {
            let code: Refusal.Code = child.isSelfIssued(in: bytes) ? .untrustedRoot : .pathTooLong
            note(Refusal(code, at: child.range.lowerBound, reading: "certification path"))
            return nil
        }
        for (index, candidate) in certificates.enumerated()
        where !path.contains(index) && isIssuer(candidate, in: bytes, of: child) {
            guard try accepts(candidate, in: bytes, of: child, &verifier) else { continue }
            path.append(index)
            if let found = try extend(&verifier) { return found }
            path.removeLast()
        }
        for (index, anchor) in anchors.enumerated() {
            guard let root = anchor.certificate, isIssuer(root.decoded, in: root.bytes.span, of: child) else {
                continue
            }
            guard path.count + 1 >= policy.certificateCount.lowerBound else {
                note(Refusal(.pathTooShort, at: child.range.lowerBound, reading: "certification path"))
                continue
            }
            guard
                try accepts(
                    root.decoded,
                    in: root.bytes.span,
                    of: child,
                    &verifier,
                    at: child.issuer.range.lowerBound
                )
            else { continue }
            return CertificationPath(indices: path, anchor: index, endsOutside: true)
        }
        let code: Refusal.Code = child.isSelfIssued(in: bytes) ? .untrustedRoot : .issuerNotFound
        note(Refusal(code, at: child.issuer.range.lowerBound, reading: "issuer"))
        return nil
    }

    /// Which anchor the path's last certificate is. It is asked only where the path may end, or has to because
    /// nobody else issued the certificate, which saves hashing the others.
    private func anchor(of certificate: Certificate) -> Int? {
        guard path.count >= policy.certificateCount.lowerBound || certificate.isSelfIssued(in: bytes) else {
            return nil
        }
        let fingerprint = HashAlgorithm.sha256.digest(of: bytes.extracting(certificate.range))
        return anchors.firstIndex { $0.fingerprint == fingerprint }
    }

    /// Whether a certificate's names and key identifiers are those of a child's issuer.
    private func isIssuer(_ candidate: Certificate, in issuerBytes: Span<UInt8>, of child: Certificate)
        -> Bool
    {
        guard issuerBytes.holds(candidate.subject.range, sameAs: bytes, child.issuer.range) else {
            return false
        }
        guard let authority = child.authorityKeyIdentifier else { return true }
        if let wanted = authority.keyIdentifier, let identifier = candidate.subjectKeyIdentifier,
            !issuerBytes.holds(identifier, sameAs: bytes, wanted)
        {
            return false
        }
        if let wanted = authority.serialNumber,
            !issuerBytes.holds(candidate.serialNumber, sameAs: bytes, wanted)
        {
            return false
        }
        if let wanted = authority.issuer,
            !issuerBytes.holds(candidate.issuer.range, sameAs: bytes, wanted)
        {
            return false
        }
        return true
    }

    /// Whether an issuer may have signed the child, and did; notes why not, at the place given where the issuer
    /// lies in another buffer than the child.
    private mutating func accepts(
        _ issuer: Certificate,
        in issuerBytes: Span<UInt8>,
        of child: Certificate,
        _ verifier: inout some SignatureVerifier,
        at place: Int? = nil
    ) throws(Refusal) -> Bool {
        guard signatureChecks < policy.limits.signatureChecks else {
            throw Refusal(.tooManySignatureChecks, at: child.range.lowerBound, reading: "certification path")
        }
        do throws(Refusal) {
            try checkIssuer(issuer, in: issuerBytes)
            signatureChecks += 1
            let hash = try verifier.hashAlgorithm(of: child.signatureAlgorithm)
            guard hash.digestByteCount >= policy.minimumHash.digestByteCount else {
                throw Refusal(
                    .weakSignatureHash,
                    at: child.signatureAlgorithm.range.lowerBound,
                    reading: "signatureAlgorithm"
                )
            }
            try verifier.verify(
                child.signatureValue,
                in: bytes,
                of: hash.digest(of: bytes.extracting(child.tbsCertificate)),
                by: issuer.subjectPublicKeyInfo,
                in: issuerBytes
            )
            return true
        } catch {
            note(Refusal(error.code, at: place ?? error.offset, reading: error.reading))
            return false
        }
    }

    // MARK: What each certificate must be

    /// RFC 5280 §6.1.3 a 2, §6.1.4 o: what is asked of every certificate.
    private func checkAny(_ certificate: Certificate) throws(Refusal) {
        try certificate.validity.check(time)
        if let offset = certificate.unknownCriticalExtension {
            throw Refusal(.unknownCriticalExtension, at: offset, reading: "extension")
        }
    }

    func checkSigner(_ certificate: Certificate) throws(Refusal) {
        try checkAny(certificate)
        if let usage = certificate.keyUsage, !usage.digitalSignature {
            throw Refusal(.missingDigitalSignature, at: certificate.range.lowerBound, reading: "keyUsage")
        }
    }

    func checkSignerPurpose(_ certificate: Certificate) throws(Refusal) {
        if case .required = policy.purpose, certificate.extendedKeyUsage == nil {
            throw Refusal(
                .extendedKeyUsageNotPermitted,
                at: certificate.range.lowerBound,
                reading: "extendedKeyUsage"
            )
        }
        try checkPurpose(certificate, in: bytes)
    }

    /// RFC 5280 §6.1.4 k to n. The intermediates below this issuer are all of the path but the signer's
    /// certificate, less those that are self-issued.
    private func checkIssuer(_ issuer: Certificate, in issuerBytes: Span<UInt8>) throws(Refusal) {
        let start = issuer.range.lowerBound
        guard issuer.basicConstraints?.isCertificateAuthority == true else {
            throw Refusal(.notCertificateAuthority, at: start, reading: "basicConstraints")
        }
        if let length = issuer.basicConstraints?.pathLengthConstraint {
            let below = path.dropFirst().count { !certificates[$0].isSelfIssued(in: bytes) }
            guard below <= length else {
                throw Refusal(.pathLengthConstraint, at: start, reading: "basicConstraints.pathLenConstraint")
            }
        }
        if let usage = issuer.keyUsage, !usage.keyCertSign {
            throw Refusal(.missingKeyCertSign, at: start, reading: "keyUsage")
        }
        try checkAny(issuer)
        try checkPurpose(issuer, in: issuerBytes)
    }

    private func checkPurpose(_ certificate: Certificate, in itsBytes: Span<UInt8>) throws(Refusal) {
        let purpose: ObjectIdentifier
        switch policy.purpose {
        case .permitted(let identifier), .required(let identifier): purpose = identifier
        }
        if let usage = certificate.extendedKeyUsage, !usage.permits(purpose, in: itsBytes) {
            throw Refusal(
                .extendedKeyUsageNotPermitted,
                at: certificate.range.lowerBound,
                reading: "extendedKeyUsage"
            )
        }
    }
}
