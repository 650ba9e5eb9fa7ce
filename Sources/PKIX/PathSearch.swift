import Basics
import DER
import Processor
import SHA

/// A depth-first search for a certification path.
///
/// The search recurses only along the path. Each step of the recursion costs at least one of the signature
/// checks that the policy allows.
struct PathSearch<Key: SignatureKey>: ~Escapable {
    private let certificates: CertificateList
    private let anchors: [TrustAnchor]
    private let time: Timestamp
    private let policy: PathPolicy
    private let acceleration: Acceleration
    /// The indices of the certificates that may extend a path: all but the signer's, each encoding once. No
    /// certificate may appear in a path twice (RFC 5280 §6.1).
    private let candidates: [Int]
    /// The path so far, as indices of offered certificates. It begins with the signer's.
    private var path: [Int]
    /// The number of signature checks so far. A check by a key of greater weight counts as several.
    private var signatureChecks = 0
    /// The SHA-256 digest of each offered certificate, by index; nil until it is computed. Each of these
    /// digests is computed at most once, however many paths lead to the certificate.
    private var fingerprints: [Digest?]
    /// The refusal that was found where the path was longest, and the length of the path there, in
    /// certificates, without a refused issuer. Of equally long ones, the first counts.
    private(set) var furthest: (count: Int, refusal: Refusal)

    @_lifetime(copy certificates)
    init(
        from signer: Int,
        among certificates: CertificateList,
        at time: Timestamp,
        to anchors: [TrustAnchor],
        policy: PathPolicy,
        acceleration: Acceleration
    ) {
        let first = certificates[signer]
        path = [signer]
        furthest = (0, Refusal(.issuerNotFound, at: first.fields.issuer.range.lowerBound, reading: "issuer"))
        var candidates: [Int] = []
        for index in certificates.indices {
            let candidate = certificates[index]
            var isNew = !candidate.hasSameEncoding(as: first)
            for earlier in 0..<index where isNew {
                isNew = !candidate.hasSameEncoding(as: certificates[earlier])
            }
            if isNew { candidates.append(index) }
        }
        self.candidates = candidates
        fingerprints = [Digest?](repeating: nil, count: certificates.indices.count)
        self.certificates = certificates
        self.anchors = anchors
        self.time = time
        self.policy = policy
        self.acceleration = acceleration
    }

    @_lifetime(self: copy self)
    private mutating func note(_ refusal: Refusal) {
        if path.count > furthest.count { furthest = (path.count, refusal) }
    }
}

// MARK: The search

extension PathSearch {
    /// Extends the path by an issuer of its last certificate, which is `child`, and so on up to an anchor.
    ///
    /// - Returns: the path; nil if the search finds no path that the policy allows. If the result is nil,
    ///   ``furthest`` has the reason.
    /// - Throws: `.tooManySignatureChecks` only.
    @_lifetime(self: copy self)
    mutating func extend(
        from child: CertificateView,
        _ keys: inout KeyCache<Key>
    ) throws(Refusal) -> CertificationPath? {
        if let anchor = anchor(of: child) {
            guard path.count >= policy.certificateCount.lowerBound else {
                note(child.refusal(.pathTooShort, "certification path"))
                return nil
            }
            return CertificationPath(indices: path, anchor: anchor, endsOutside: false)
        }
        guard path.count < policy.certificateCount.upperBound else {
            note(child.refusal(child.isSelfIssued ? .untrustedRoot : .pathTooLong, "certification path"))
            return nil
        }
        var signed: Digest?
        if let preferred = policy.preferredIssuerExtension, path.count == 1 {
            for hasExtension in [true, false] {
                let found = try extend(from: child, &signed, &keys) {
                    ($0.extension(preferred) != nil) == hasExtension
                }
                if let found { return found }
            }
        } else if let found = try extend(from: child, &signed, &keys, by: { _ in true }) {
            return found
        }
        if let found = try end(after: child, &signed, &keys) { return found }
        let code: Refusal.Code = child.isSelfIssued ? .untrustedRoot : .issuerNotFound
        note(Refusal(code, at: child.fields.issuer.range.lowerBound, reading: "issuer"))
        return nil
    }

    /// Tries each offered issuer of `child` that satisfies a condition as the next certificate of the path,
    /// until the search from one of them finds a path. Returns nil if no such search finds one.
    @_lifetime(self: copy self)
    private mutating func extend(
        from child: CertificateView,
        _ signed: inout Digest?,
        _ keys: inout KeyCache<Key>,
        by isEligible: (CertificateView) -> Bool
    ) throws(Refusal) -> CertificationPath? {
        for index in candidates where !path.contains(index) {
            let issuer = certificates[index]
            guard issuer.isIssuer(of: child), isEligible(issuer),
                try accepts(issuer, isOffered: true, of: child, &signed, &keys)
            else { continue }
            path.append(index)
            if let found = try extend(from: issuer, &keys) { return found }
            path.removeLast()
        }
        return nil
    }

    /// Ends the path with the first known anchor certificate that is accepted as the issuer of `child`. The
    /// anchor certificate need not be offered. Returns nil if there is none, or if the path would be too
    /// short. Throws `.tooManySignatureChecks` only.
    @_lifetime(self: copy self)
    private mutating func end(
        after child: CertificateView,
        _ signed: inout Digest?,
        _ keys: inout KeyCache<Key>
    ) throws(Refusal) -> CertificationPath? {
        for (index, anchor) in anchors.enumerated() {
            guard let certificate = anchor.certificate else { continue }
            let root = certificate.view
            guard root.isIssuer(of: child), !isInPath(root) else { continue }
            guard path.count + 1 >= policy.certificateCount.lowerBound else {
                note(child.refusal(.pathTooShort, "certification path"))
                continue
            }
            guard try accepts(root, isOffered: false, of: child, &signed, &keys) else { continue }
            return CertificationPath(indices: path, anchor: index, endsOutside: true)
        }
        return nil
    }

    private func isInPath(_ certificate: CertificateView) -> Bool {
        for index in path where certificates[index].hasSameEncoding(as: certificate) { return true }
        return false
    }

    /// The index of the anchor that is the path's last certificate; nil if that certificate is no anchor, or
    /// if it is not looked up.
    ///
    /// The certificate is looked up only if the path has enough certificates to end here, or if the
    /// certificate is self-issued, as a root is. This saves hashing the other certificates.
    @_lifetime(self: copy self)
    private mutating func anchor(of certificate: CertificateView) -> Int? {
        guard path.count >= policy.certificateCount.lowerBound || certificate.isSelfIssued,
            let last = path.last
        else { return nil }
        let fingerprint =
            fingerprints[last] ?? certificate.fingerprint(.sha256, acceleration: acceleration)
        fingerprints[last] = fingerprint
        return anchors.firstIndex { $0.fingerprint == fingerprint }
    }

    /// Whether an issuer may have signed the child, and did. If not, ``furthest`` may keep the reason.
    ///
    /// - Parameters:
    ///   - isOffered: whether the issuer is one of the offered certificates, which share the child's buffer.
    ///     An issuer that is not offered has another buffer. A refusal of such an issuer points at a field of
    ///     the child instead: at the child's `issuer`, or at the child's signature.
    ///   - signed: the digest that the child's issuer must have signed; nil until this function computes it.
    /// - Throws: `.tooManySignatureChecks` only.
    @inline(never)
    @_lifetime(self: copy self)
    private mutating func accepts(
        _ issuer: CertificateView,
        isOffered: Bool,
        of child: CertificateView,
        _ signed: inout Digest?,
        _ keys: inout KeyCache<Key>
    ) throws(Refusal) -> Bool {
        do throws(Refusal) {
            try checkIssuer(issuer)
        } catch {
            let offset = isOffered ? error.offset : child.fields.issuer.range.lowerBound
            note(error.moved(to: offset))
            return false
        }
        let wanted: Digest
        do throws(Refusal) {
            if let signed { wanted = signed } else { wanted = try signedDigest(of: child) }
        } catch {
            note(error)
            return false
        }
        signed = wanted
        return try verify(child, wanted, by: issuer, isOffered: isOffered, &keys)
    }

    /// Whether the issuer's key made the child's signature. If not, ``furthest`` may keep the reason.
    ///
    /// Getting the key, from the cache too, counts as one signature check, and verifying as
    /// ``SignatureKey/checkWeight`` - 1 further ones.
    ///
    /// - Throws: `.tooManySignatureChecks` only.
    @inline(never)
    @_lifetime(self: copy self)
    private mutating func verify(
        _ child: CertificateView,
        _ digest: Digest,
        by issuer: CertificateView,
        isOffered: Bool,
        _ keys: inout KeyCache<Key>
    ) throws(Refusal) -> Bool {
        let start = child.fields.signatureValue.lowerBound
        try spend(1, on: child)
        let key: Key
        do throws(Refusal) {
            key = try keys.key(of: issuer)
        } catch {
            note(isOffered ? error : error.moved(to: start))
            return false
        }
        try spend(key.checkWeight - 1, on: child)
        do throws(Refusal) {
            // The digest exists, so this algorithm was accepted before. It is not kept beside the digest: a
            // type that holds both would be generic, and instantiated anew in each step of the search.
            let algorithm = try Key.Algorithm(ofCertificate: child.fields.signatureAlgorithm)
            try key.verify(child.signature, of: digest, by: algorithm, acceleration: acceleration)
            return true
        } catch {
            // The end of a signature that is cut short would be the place of the next certificate.
            note(error.moved(to: start))
            return false
        }
    }

    /// Adds to the number of signature checks. Throws `.tooManySignatureChecks` if the sum would be more than
    /// the policy allows.
    @_lifetime(self: copy self)
    private mutating func spend(_ checks: Int, on child: CertificateView) throws(Refusal) {
        // The difference cannot overflow: neither count is negative.
        guard checks <= max(0, policy.signatureChecks) - signatureChecks else {
            throw child.refusal(.tooManySignatureChecks, "certification path")
        }
        signatureChecks += checks
    }

    /// The digest of a certificate's signed part, by the hash algorithm of its signature. Throws if the
    /// signature algorithm is unsupported, has wrong parameters, or has a hash algorithm that is too weak.
    @inline(never)
    private func signedDigest(of certificate: CertificateView) throws(Refusal) -> Digest {
        let identifier = certificate.fields.signatureAlgorithm
        let algorithm = try Key.Algorithm(ofCertificate: identifier)
        guard algorithm.hash.digestByteCount >= policy.minimumHash.digestByteCount else {
            throw Refusal(.weakSignatureHash, at: identifier.range.lowerBound, reading: "signatureAlgorithm")
        }
        return certificate.signedDigest(algorithm.hash, acceleration: acceleration)
    }
}

// MARK: Requirements on each certificate

extension PathSearch {
    /// Throws if a certificate is not valid at ``time``, or if it has a critical extension that neither path
    /// validation nor the caller enforces (RFC 5280 §6.1.3 a 2, §6.1.4 o, §6.1.5 f).
    ///
    /// - Parameter enforced: the extension that the caller enforces in a certificate at this position of the
    ///   path.
    private func checkAny(
        _ certificate: CertificateView,
        enforced: ObjectIdentifier?
    ) throws(Refusal) {
        try certificate.fields.validity.check(time)
        if let unknown = certificate.unknownCriticalExtension(besides: enforced) {
            throw Refusal(.unknownCriticalExtension, at: unknown.range.lowerBound, reading: "extension")
        }
    }

    /// Checks the signer's certificate: its validity and critical extensions, and digitalSignature if the
    /// certificate has a key usage.
    func checkSigner() throws(Refusal) {
        let signer = certificates[path[0]]
        try checkAny(signer, enforced: policy.signerExtension)
        if let usage = signer.fields.keyUsage, !usage.digitalSignature {
            throw signer.refusal(.missingDigitalSignature, "keyUsage")
        }
    }

    /// Throws unless the signer's extended key usage permits the purpose. An absent extended key usage also
    /// permits the purpose, but the policy may require that the extended key usage is present.
    func checkSignerPurpose() throws(Refusal) {
        let signer = certificates[path[0]]
        if case .required = policy.purpose, signer.fields.extendedKeyUsage == nil {
            throw signer.refusal(.extendedKeyUsageNotPermitted, "extendedKeyUsage")
        }
        try checkPurpose(signer)
    }

    /// Checks that a certificate may issue the path's last one (RFC 5280 §6.1.4 k to n): cA,
    /// pathLenConstraint, keyCertSign if it has a key usage, validity, critical extensions, and purpose if it
    /// has an extended key usage. The intermediates below it are all certificates of the path except the
    /// signer's. Self-issued ones do not count.
    private func checkIssuer(_ issuer: CertificateView) throws(Refusal) {
        guard issuer.fields.basicConstraints?.isCertificateAuthority == true else {
            throw issuer.refusal(.notCertificateAuthority, "basicConstraints")
        }
        if let length = issuer.fields.basicConstraints?.pathLengthConstraint {
            var below: Int64 = 0
            for index in path.dropFirst() where !certificates[index].isSelfIssued { below += 1 }
            guard below <= length else {
                throw issuer.refusal(.pathLengthConstraint, "basicConstraints.pathLenConstraint")
            }
        }
        if let usage = issuer.fields.keyUsage, !usage.keyCertSign {
            throw issuer.refusal(.missingKeyCertSign, "keyUsage")
        }
        try checkAny(issuer, enforced: path.count == 1 ? policy.preferredIssuerExtension : nil)
        try checkPurpose(issuer)
    }

    private func checkPurpose(_ certificate: CertificateView) throws(Refusal) {
        guard certificate.permits(policy.purpose.identifier) else {
            throw certificate.refusal(.extendedKeyUsageNotPermitted, "extendedKeyUsage")
        }
    }
}
