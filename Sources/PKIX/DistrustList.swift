import Basics
import SHA

/// Certificates and keys that make a path invalid, whatever date a message claims.
///
/// With a compromised private key, an attacker can date messages back to a time when the signer's certificate
/// was valid. A path with a listed certificate or key is refused at every date. Each entry is a digest of a
/// whole certificate or of its SubjectPublicKeyInfo. An authority can issue another certificate for a key, so
/// list the key, unless only one certificate is to be refused and not its key.
///
/// The list is for the certificates of a path and of OCSP responders. A response by a distrusted responder
/// is unusable as evidence.
public struct DistrustList: Sendable, Hashable, ExpressibleByArrayLiteral {
    /// The entries; nil if there are none.
    private let entries: Entries?

    private init(_ entries: Entries?) { self.entries = entries }

    /// The list without entries.
    public static var empty: Self { Self(nil) }

    /// A list of digests of certificates, or of their SubjectPublicKeyInfo, by any hash algorithm.
    public init(_ digests: [Digest]) { self.init(digests.isEmpty ? nil : Entries(digests)) }

    /// A list of digests of certificates, or of their SubjectPublicKeyInfo, by any hash algorithm.
    public init(arrayLiteral digests: Digest...) { self.init(digests) }

    /// A list of SHA-256 digests of certificates, or of their SubjectPublicKeyInfo.
    ///
    /// Returns nil unless each digest has 32 bytes.
    public init?(sha256 fingerprints: [[UInt8]]) {
        let digests = fingerprints.compactMap { Digest(.sha256, bytes: $0.borrowedSpan) }
        guard digests.count == fingerprints.count else { return nil }
        self.init(digests)
    }

    /// The same list, which finds certificates with another function than `CertificateView.isListed(in:)`.
    ///
    /// - Parameter isListed: whether a list of these digests contains a certificate.
    package func finding(
        _ isListed: @escaping @Sendable (_ certificate: CertificateView, _ digests: [Digest]) -> Bool
    ) -> Self {
        Self(entries.map { Entries($0.digests, isListed) })
    }

    /// Whether the list contains a certificate. By default, this means that the list has a digest of the
    /// certificate, or of its SubjectPublicKeyInfo. A list that ``finding(_:)`` returned asks the function
    /// that ``finding(_:)`` was given.
    package func contains(_ certificate: CertificateView) -> Bool {
        entries?.contains(certificate) ?? false
    }

    /// Checks that the list contains no certificate of a path: see ``contains(_:)``.
    ///
    /// - Parameters:
    ///   - path: a path that was found. Its last certificate is the root.
    ///   - certificates: the certificates that were offered to the search.
    ///   - anchors: the trusted roots of the search.
    /// - Throws: `.distrusted`, with the offset of the first certificate that is listed. A root that was not
    ///   offered has the offset of the certificate below it.
    package func check(
        _ path: CertificationPath,
        among certificates: CertificateList,
        to anchors: [TrustAnchor]
    ) throws(Refusal) {
        guard let index = entries?.firstListed(path, certificates, anchors) else { return }
        throw certificates[index].refusal(.distrusted, "certificate")
    }

    /// The entries of a list that is not empty. They are equal if they have equal digests in the same order.
    ///
    /// The searches are stored closures, so that a program which makes no list does not contain them. One
    /// returns an index, because space for an error would take stack on a microcontroller.
    private final class Entries: Sendable, Hashable {
        let digests: [Digest]
        /// The first certificate of a path, from the signer's on, that is listed, as an index into the
        /// offered certificates. If only a root that was not offered is listed, the index of the certificate
        /// below that root. Nil if none is.
        let firstListed: @Sendable (CertificationPath, CertificateList, [TrustAnchor]) -> Int?
        /// Whether a certificate is listed.
        let contains: @Sendable (CertificateView) -> Bool

        init(
            _ digests: [Digest],
            _ isListed: @escaping @Sendable (CertificateView, [Digest]) -> Bool = { $0.isListed(in: $1) }
        ) {
            self.digests = digests
            contains = { isListed($0, digests) }
            firstListed = { path, certificates, anchors in
                for index in path.indices where isListed(certificates[index], digests) { return index }
                guard path.endsOutside, let root = anchors[path.anchor].certificate,
                    isListed(root.view, digests)
                else { return nil }
                return path.indices.last
            }
        }

        static func == (one: Entries, other: Entries) -> Bool {
            one === other || one.digests == other.digests
        }

        func hash(into hasher: inout Hasher) { hasher.combine(digests) }
    }
}

extension CertificateView {
    /// Whether a list has a digest of the certificate, or of its SubjectPublicKeyInfo.
    package func isListed(in digests: [Digest]) -> Bool {
        for hash in HashAlgorithm.allCases where digests.contains(where: { $0.algorithm == hash }) {
            let key = hash.digest(of: bytes.extracting(fields.subjectPublicKeyInfo))
            let certificate = fingerprint(hash)
            if digests.contains(where: { $0 == certificate || $0 == key }) { return true }
        }
        return false
    }
}
