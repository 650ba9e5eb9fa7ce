import AppReceipt
import Basics
import CMS
import DER
import PKIX
import RSA
import SHA
import TransactionReceipt

/// A value of a refused receipt or token, and the values that are accepted instead.
///
/// The mismatches that ``isExpectation`` names are found after the signature is verified, so the found value
/// is the signer's; only the environment of a transaction receipt stands outside of the signature. The other
/// mismatches are about object identifiers, path lengths or numbers of certificates. Their values may be
/// unverified.
package struct Mismatch {
    /// The value that was refused, as text. Object identifiers are in dotted form, several of them with
    /// commas between, and numbers are decimal. Nil if there is no such value, or it cannot be read.
    package let found: String?
    /// The accepted values, in the form of ``found``; empty if there are none or they are not known. For a
    /// transaction receipt, environments have their names in app receipts, such as `ProductionSandbox`, where
    /// ``found`` may be `Sandbox`, or nil for production.
    package let expected: [String]
    /// Whether the mismatch is about the environment, the bundle identifier, the app version or, in a token,
    /// the Apple ID of the app. The app expects these values, or the notification around a token has them.
    package let isExpectation: Bool

    /// Finds the values for a fault of the step `environment`, `bundle-identifier` or `app-version`, or with
    /// one of the codes that `RefusedPart` lists. Nil for any other fault, and for a fault with such a code
    /// in a transaction receipt that does not decode.
    ///
    /// - Parameters:
    ///   - container: the container that was refused.
    ///   - policy: the policy that refused it.
    package init?(_ fault: Fault, _ container: [UInt8], _ policy: ReceiptPolicy) {
        func claimed(
            _ app: (UnverifiedReceipt) -> String?,
            _ transaction: (UnverifiedPurchaseInfo) -> String?
        ) -> String? {
            if ReceiptInput.isPropertyList(container) {
                return (try? UnverifiedPurchaseInfo(unverified: container)).flatMap(transaction)
            }
            return (try? UnverifiedReceipt(unverified: container, limits: policy.limits)).flatMap(app)
        }
        isExpectation = [.environment, .bundleIdentifier, .appVersion].contains(fault.step)
        switch fault.step {
        case .environment:
            found = claimed({ $0.environmentName }, { $0.claimedEnvironmentName })
            let names = policy.environments.accepted?.map { $0.name }
            expected =
                policy.trust.onlyEnvironment.map { only in
                    names?.contains { $0.utf8.elementsEqual(only.name.utf8) } ?? true ? [only.name] : []
                } ?? names ?? []
        case .bundleIdentifier:
            found = claimed({ $0.bundleIdentifier }, { $0.bundleIdentifier })
            expected = policy.bundleIdentifier.accepted ?? []
        case .appVersion:
            found = claimed({ $0.appVersion }, { $0.appVersion })
            expected = policy.appVersion.map { [$0] } ?? []
        default:
            guard let part = RefusedPart(fault, container, policy) else { return nil }
            (found, expected) = (part.found, part.expected)
        }
    }
}

/// The part of a container that a refusal of an algorithm, a critical extension, an extended key usage or a
/// path's length is about.
private struct RefusedPart {
    private let outline: Outline
    /// The version of a transaction receipt's signature; nil for an app receipt.
    private let version: SignatureVersion?
    private let policy: ReceiptPolicy
    /// The index in ``outline`` of the certificate that the refusal is about; nil if there is none or it was
    /// not found. If the refusal is about a path's length, it may also be one of the path's certificates.
    private let certificate: Int?
    private(set) var found: String?
    private(set) var expected: [String] = []

    /// Finds the part, its value and the accepted values. Nil if the code of the refusal is not one of
    /// ``codes``, or if the container is a transaction receipt that does not decode.
    init?(_ fault: Fault, _ container: [UInt8], _ policy: ReceiptPolicy) {
        guard let offset = fault.offset, Self.codes.contains(fault.code) else { return nil }
        self.policy = policy
        if ReceiptInput.isPropertyList(container) {
            guard let claimed = try? UnverifiedPurchaseInfo(unverified: container) else { return nil }
            outline = Outline(certificate: Array(claimed.signingCertificate))
            version = claimed.signatureVersion
            // The other certificates are not part of the receipt.
            certificate = fault.certificate == 0 ? 0 : nil
        } else {
            outline = Outline(container)
            version = nil
            certificate = outline.certificates.firstIndex {
                $0.range.contains(offset) && Self.isAbout($0, fault.code, offset)
            }
        }
        switch fault.code {
        case .pathTooLong, .pathTooShort: setPathLength(fault.code)
        case .pathLengthConstraint: setPathLengthConstraint()
        case .extendedKeyUsageNotPermitted: setPurposes()
        case .unknownCriticalExtension: setExtension(at: offset)
        default: setAlgorithm(fault.code)
        }
    }

    private static var codes: [Refusal.Code] {
        [
            .pathTooLong, .pathTooShort, .pathLengthConstraint, .extendedKeyUsageNotPermitted,
            .unknownCriticalExtension, .unsupportedSignatureAlgorithm, .weakSignatureHash,
            .contradictingAlgorithms, .unsupportedDigestAlgorithm, .digestAlgorithmNotListed, .weakDigest,
            .notAnRSAKey,
        ]
    }

    /// Whether a refusal is about the certificate that it points into. False if the certificate does not
    /// decode.
    ///
    /// A refusal of a pinned root that the message does not carry points at the issuer or the signature of
    /// the certificate below the root.
    private static func isAbout(
        _ certificate: Outline.ListedCertificate,
        _ code: Refusal.Code,
        _ offset: Int
    ) -> Bool {
        guard let decoded = certificate.decoded else { return false }
        switch code {
        case .pathLengthConstraint, .extendedKeyUsageNotPermitted:
            return offset == certificate.range.lowerBound
        case .unknownCriticalExtension: return decoded.extensions.contains(offset)
        case .notAnRSAKey: return decoded.subjectPublicKeyInfo.contains(offset)
        default: return true
        }
    }

    private func dotted(_ range: Range<Int>?) -> String? {
        range.flatMap { ObjectIdentifier.dotted(outline.bytes.borrowedSpan, in: $0) }
    }

    /// The certificate that the refusal is about; nil if it does not decode, or there is none.
    private var decoded: Certificate? { certificate.flatMap { outline.certificates[$0].decoded } }

    // MARK: Algorithms

    private mutating func setAlgorithm(_ code: Refusal.Code) {
        let signer = outline.signers.first
        let minimum = policy.minimumDigest
        let hashes = HashAlgorithm.allCases.filter { $0.digestByteCount >= minimum.digestByteCount }
        switch code {
        case .notAnRSAKey:
            found = keyAlgorithm
            expect([.rsaEncryption])
        case .unsupportedDigestAlgorithm, .weakDigest:
            found = dotted(signer?.digestAlgorithm)
            if let version { found = version.digestAlgorithm.digestIdentifier.description }
            expect(hashes.map { $0.digestIdentifier })
        case .digestAlgorithmNotListed:
            found = dotted(signer?.digestAlgorithm)
            expected = outline.digestAlgorithms.compactMap { dotted($0) }
        case .contradictingAlgorithms:
            found = dotted(signer?.signatureAlgorithm)
            let digest = signer?.digestAlgorithm
                .flatMap { ObjectIdentifier(outline.bytes.borrowedSpan, in: $0) }
            guard let hash = HashAlgorithm(digestAlgorithm: digest) else { return }
            expect(SigningKey.signerAlgorithms(over: [hash]))
        default:
            if certificate != nil || version != nil {
                found = dotted(decoded?.signatureAlgorithm.algorithmRange)
                expect(SigningKey.certificateAlgorithms(over: hashes))
            } else {
                found = dotted(signer?.signatureAlgorithm)
                expect(SigningKey.signerAlgorithms(over: hashes))
            }
        }
    }

    private mutating func expect(_ identifiers: [ObjectIdentifier]) {
        expected = identifiers.map { $0.description }
    }

    /// The dotted object identifier of the refused certificate's key algorithm; nil if it cannot be read.
    private var keyAlgorithm: String? {
        guard let decoded else { return nil }
        var reader = Reader(outline.bytes.borrowedSpan, in: decoded.subjectPublicKeyInfo)
        guard var info = try? reader.nested(.sequence, "SubjectPublicKeyInfo"),
            let algorithm = try? AlgorithmIdentifier(&info, "SubjectPublicKeyInfo.algorithm")
        else { return nil }
        return dotted(algorithm.algorithmRange)
    }

    // MARK: Extensions

    /// The marker extension of the signer and the one of its issuer, in this order; empty if the policy
    /// requires no markers.
    private var markers: [ObjectIdentifier] {
        guard policy.trust.requiresMarkers else { return [] }
        return version.map { [$0.leafMarker, $0.intermediateMarker] }
            ?? [.receiptSigningMarker, .intermediateMarker]
    }

    private mutating func setExtension(at offset: Int) {
        var enforced: ObjectIdentifier?
        if let certificate, let place = path.firstIndex(of: certificate), place < markers.count {
            enforced = markers[place]
        }
        expect(CertificationPath.knownExtensions + (enforced.map { [$0] } ?? []))
        let bytes = outline.bytes
        let unknown = decoded?.view(in: bytes.borrowedSpan).unknownCriticalExtension(besides: enforced)
        found = dotted(unknown?.identifierRange)
    }

    private mutating func setPurposes() {
        let purpose = policy.trust.purpose.identifier
        expect(purpose == .anyExtendedKeyUsage ? [purpose] : [purpose, .anyExtendedKeyUsage])
        guard let ranges = decoded?.view(in: outline.bytes.borrowedSpan).purposes else { return }
        var text: [UInt8] = []
        for purpose in ranges.compactMap({ dotted($0) }) {
            if !text.isEmpty { text.append(utf8: ", " as StaticString) }
            text.append(utf8: purpose)
        }
        found = String(utf8: text.borrowedSpan)
    }

    // MARK: Lengths

    /// The indices of certificates: the signer's, its issuer's and so on. The last is self-issued, or its
    /// issuer is missing or is in the path already.
    private var path: [Int] {
        let signer = version == nil ? outline.signers.first.flatMap { outline.certificate(of: $0) } : 0
        let bytes = outline.bytes.borrowedSpan
        var path: [Int] = []
        var next = signer
        while let index = next, !path.contains(index), let child = outline.certificates[index].decoded {
            path.append(index)
            guard !outline.certificates[index].isSelfIssued else { break }
            next = outline.certificates.firstIndex {
                guard let issuer = $0.decoded else { return false }
                return issuer.view(in: bytes).isIssuer(of: child.view(in: bytes))
            }
        }
        return path
    }

    /// Sets `found` to the number of certificates in the path, and `expected` to the allowed numbers. The
    /// validator's path may differ: if the number contradicts the refusal's code, `found` is the nearest
    /// number that agrees with that code.
    private mutating func setPathLength(_ code: Refusal.Code) {
        let accepted = policy.trust.certificateCount
        let count =
            code == .pathTooLong
            ? max(path.count, accepted.upperBound + 1) : min(path.count, accepted.lowerBound - 1)
        found = String(count)
        expected = accepted.map { String($0) }
    }

    private mutating func setPathLengthConstraint() {
        guard let certificate, let length = decoded?.basicConstraints?.pathLengthConstraint else { return }
        let below = path.prefix { $0 != certificate }.dropFirst()
        let counted = below.count { !outline.certificates[$0].isSelfIssued }
        // The length is any number that the message states, also the largest.
        found = String(max(Int64(counted), min(length, Int64.max - 1) + 1))
        expected = (0...max(0, min(length, 1))).map { String($0) }
    }
}
