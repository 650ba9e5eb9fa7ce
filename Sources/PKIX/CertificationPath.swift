import DER
import SHA

/// A path that holds (RFC 5280 §6): each certificate signed by the next, the last one trusted.
public struct CertificationPath: Sendable {
    /// Indices among the certificates that were offered, the signer's first, as far as they lead.
    public let indices: [Int]
    /// The index among the trust anchors of the last certificate.
    public let anchor: Int
    /// Whether the last certificate is the anchor's own, and not one of those offered.
    public let endsOutside: Bool

    /// How many certificates the path has, the root included.
    public var count: Int { indices.count + (endsOutside ? 1 : 0) }

    /// Finds a path from one certificate to a trust anchor, and validates it.
    ///
    /// The certificates may come in any order and hold any number that do not belong. Among several with the
    /// issuer's name and key identifier each is tried, the cheap checks before the signature, and never more
    /// signatures than the limit. A root's own signature proves nothing and is not looked at; its fingerprint
    /// is. Revocation, name constraints and policies are not processed: where one of the last two is
    /// critical, the certificate is refused as holding an unknown critical extension.
    ///
    /// - Parameters:
    ///   - signer: the index of the certificate where the path begins. One that there is not is the caller's
    ///     mistake, and traps.
    ///   - certificates: read from `bytes`; those of another buffer may trap.
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
            signer: signer,
            certificates: certificates,
            anchors: anchors,
            time: time,
            policy: policy
        )
        let first = certificates[signer]
        try search.checkSigner(first)
        guard let path = try search.extend(from: first, &verifier) else { throw search.furthest.refusal }
        // Last, so that whoever comes from another root hears of that first.
        try search.checkSignerPurpose(first)
        return path
    }

    /// Whether a search has one outcome at two times, if it found a path at one of them. All that it asks of
    /// the time is whether each certificate is valid: those that a path does not need decide which path is
    /// found, and what it costs.
    ///
    /// - Parameters:
    ///   - certificates: those that are searched.
    ///   - anchors: the roots that a path may lead to.
    public static func isFoundAlike(
        at time: Timestamp,
        as other: Timestamp,
        among certificates: [Certificate],
        to anchors: [TrustAnchor]
    ) -> Bool {
        certificates.allSatisfy { $0.validity.holds(at: time) == $0.validity.holds(at: other) }
            && anchors.allSatisfy {
                guard let validity = $0.certificate?.decoded.validity else { return true }
                return validity.holds(at: time) == validity.holds(at: other)
            }
    }
}

/// A depth-first search, without recursion over anything but the path itself, each step of which costs one of
/// the signature checks that the limits grant.
private struct PathSearch: ~Escapable {
    let bytes: Span<UInt8>
    let certificates: [Certificate]
    let anchors: [TrustAnchor]
    let time: Timestamp
    let policy: PathPolicy
    /// The certificates that a path may be extended by: all but the signer's, those that come more than once
    /// only once. No certificate may stand in a path twice (RFC 5280 §6.1).
    let candidates: [Int]
    var path: [Int]
    var signatureChecks = 0
    /// SHA-256 of certificates, once it is known: each is hashed once, however many paths lead to it.
    var fingerprints: [Digest?]
    /// Whether certificates may serve the purpose, once it is known: an issuer of a million purposes is
    /// read once, not once for each certificate that it may have issued.
    var permissions: [Bool?]
    /// The refusal of the longest path so far; of several, the first.
    var furthest: (count: Int, refusal: Refusal)

    @_lifetime(copy bytes)
    init(
        bytes: Span<UInt8>,
        signer: Int,
        certificates: [Certificate],
        anchors: [TrustAnchor],
        time: Timestamp,
        policy: PathPolicy
    ) {
        path = [signer]
        let issuer = certificates[signer].issuer
        furthest = (0, Refusal(.issuerNotFound, at: issuer.range.lowerBound, reading: "issuer"))
        candidates = certificates.indices.filter { index in
            !certificates[index].isSame(as: certificates[signer], in: bytes)
                && !certificates[..<index].contains { certificates[index].isSame(as: $0, in: bytes) }
        }
        fingerprints = [Digest?](repeating: nil, count: certificates.count)
        permissions = [Bool?](repeating: nil, count: certificates.count)
        self.bytes = bytes
        self.certificates = certificates
        self.anchors = anchors
        self.time = time
        self.policy = policy
    }

    @_lifetime(self: copy self)
    private mutating func note(_ refusal: Refusal) {
        if path.count > furthest.count { furthest = (path.count, refusal) }
    }

    /// Extends the path by an issuer of its last certificate, the child, and so on to an anchor.
    ///
    /// - Returns: nil where no candidate leads to one; `furthest` says why.
    /// - Throws: `.tooManySignatureChecks` only.
    @_lifetime(self: copy self)
    mutating func extend(
        from child: Certificate,
        _ verifier: inout some SignatureVerifier
    ) throws(Refusal) -> CertificationPath? {
        if let anchor = anchor(of: child, verifier.acceleration) {
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
        var digest: Digest?
        for index in candidates
        where !path.contains(index) && isIssuer(certificates[index], in: bytes, of: child) {
            let issuer = certificates[index]
            guard try accepts(issuer, index, in: bytes, of: child, &digest, &verifier) else {
                continue
            }
            path.append(index)
            if let found = try extend(from: issuer, &verifier) { return found }
            path.removeLast()
        }
        for (index, anchor) in anchors.enumerated() {
            guard let root = anchor.certificate, isIssuer(root.decoded, in: root.bytes.span, of: child),
                !path.contains(where: {
                    bytes.holds(certificates[$0].range, sameAs: root.bytes.span, root.decoded.range)
                })
            else { continue }
            guard path.count + 1 >= policy.certificateCount.lowerBound else {
                note(Refusal(.pathTooShort, at: child.range.lowerBound, reading: "certification path"))
                continue
            }
            let issuerBytes = root.bytes.span
            guard
                try accepts(root.decoded, nil, in: issuerBytes, of: child, &digest, &verifier)
            else { continue }
            return CertificationPath(indices: path, anchor: index, endsOutside: true)
        }
        let code: Refusal.Code = child.isSelfIssued(in: bytes) ? .untrustedRoot : .issuerNotFound
        note(Refusal(code, at: child.issuer.range.lowerBound, reading: "issuer"))
        return nil
    }

    /// Which anchor the path's last certificate is. It is asked only where the path may end, or has to
    /// because nobody else issued the certificate, which saves hashing the others.
    @_lifetime(self: copy self)
    private mutating func anchor(of certificate: Certificate, _ acceleration: Acceleration) -> Int? {
        guard path.count >= policy.certificateCount.lowerBound || certificate.isSelfIssued(in: bytes) else {
            return nil
        }
        guard let last = path.last else { return nil }
        let fingerprint =
            fingerprints[last]
            ?? HashAlgorithm.sha256.digest(
                of: bytes.extracting(certificate.range),
                acceleration: acceleration
            )
        fingerprints[last] = fingerprint
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

    /// Whether an issuer may have signed the child, and did; notes why not. What is wrong with an issuer that
    /// lies outside, in another buffer than the child, is said of the place in the child that it has to do
    /// with.
    ///
    /// - Parameters:
    ///   - index: where the issuer is among those offered; nil for one that lies outside.
    ///   - digest: of what the child's issuer signed, once it is known.
    /// - Throws: `.tooManySignatureChecks` only.
    @_lifetime(self: copy self)
    private mutating func accepts(
        _ issuer: Certificate,
        _ index: Int?,
        in issuerBytes: Span<UInt8>,
        of child: Certificate,
        _ digest: inout Digest?,
        _ verifier: inout some SignatureVerifier
    ) throws(Refusal) -> Bool {
        do throws(Refusal) {
            try checkIssuer(issuer, index, in: issuerBytes)
        } catch {
            let offset = index == nil ? child.issuer.range.lowerBound : error.offset
            note(Refusal(error.code, at: offset, reading: error.reading))
            return false
        }
        let signed: Digest
        do throws(Refusal) {
            signed = if let digest { digest } else { try digestSigned(child, verifier) }
        } catch {
            note(error)
            return false
        }
        digest = signed
        guard signatureChecks < policy.limits.signatureChecks else {
            throw Refusal(.tooManySignatureChecks, at: child.range.lowerBound, reading: "certification path")
        }
        signatureChecks += 1
        do throws(Refusal) {
            let key = issuer.subjectPublicKeyInfo
            try verifier.verify(child.signatureValue, in: bytes, of: signed, by: key, in: issuerBytes)
            return true
        } catch {
            let offset = index == nil ? child.signatureValue.lowerBound : error.offset
            note(Refusal(error.code, at: offset, reading: error.reading))
            return false
        }
    }

    /// The digest of what a certificate's issuer signed.
    private func digestSigned(
        _ certificate: Certificate,
        _ verifier: some SignatureVerifier
    ) throws(Refusal) -> Digest {
        let hash = try verifier.hashAlgorithm(of: certificate.signatureAlgorithm)
        guard hash.digestByteCount >= policy.minimumHash.digestByteCount else {
            throw Refusal(
                .weakSignatureHash,
                at: certificate.signatureAlgorithm.range.lowerBound,
                reading: "signatureAlgorithm"
            )
        }
        return hash.digest(
            of: bytes.extracting(certificate.tbsCertificate),
            acceleration: verifier.acceleration
        )
    }

    // MARK: What each certificate must be

    /// RFC 5280 §6.1.3 a 2, §6.1.4 o and §6.1.5 f: what is asked of every certificate.
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

    @_lifetime(self: copy self)
    mutating func checkSignerPurpose(_ certificate: Certificate) throws(Refusal) {
        if case .required = policy.purpose, certificate.extendedKeyUsage == nil {
            throw Refusal(
                .extendedKeyUsageNotPermitted,
                at: certificate.range.lowerBound,
                reading: "extendedKeyUsage"
            )
        }
        try checkPurpose(certificate, nil, in: bytes)
    }

    /// RFC 5280 §6.1.4 k to n. The intermediates below this issuer are all of the path but the signer's
    /// certificate, less those that are self-issued.
    @_lifetime(self: copy self)
    private mutating func checkIssuer(
        _ issuer: Certificate,
        _ index: Int?,
        in issuerBytes: Span<UInt8>
    ) throws(Refusal) {
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
        try checkPurpose(issuer, index, in: issuerBytes)
    }

    @_lifetime(self: copy self)
    private mutating func checkPurpose(
        _ certificate: Certificate,
        _ index: Int?,
        in itsBytes: Span<UInt8>
    ) throws(Refusal) {
        guard let usage = certificate.extendedKeyUsage else { return }
        let purpose: ObjectIdentifier
        switch policy.purpose {
        case .permitted(let identifier), .required(let identifier): purpose = identifier
        }
        let known = index.flatMap { permissions[$0] }
        let isPermitted = known ?? usage.permits(purpose, in: itsBytes)
        if let index { permissions[index] = isPermitted }
        guard isPermitted else {
            throw Refusal(
                .extendedKeyUsageNotPermitted,
                at: certificate.range.lowerBound,
                reading: "extendedKeyUsage"
            )
        }
    }
}

extension Certificate {
    /// Whether another certificate of the same buffer has the same encoding.
    fileprivate func isSame(as other: Certificate, in bytes: Span<UInt8>) -> Bool {
        bytes.holds(range, sameAs: bytes, other.range)
    }
}
