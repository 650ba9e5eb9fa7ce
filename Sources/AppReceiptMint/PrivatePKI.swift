import DER
import SHA

/// A root, an intermediate and a leaf in the likeness of Apple's, with their private keys.
///
/// ```swift
/// let pki = PrivatePKI(seed: 1)
/// let expired = pki.reissued(.leaf) { $0.notAfter = $0.notBefore }
/// let impostor = pki.lookAlike(PrivatePKI.Keys(seed: 2))
/// ```
public struct PrivatePKI: Sendable {
    /// Self-signed: what a validator pins.
    public private(set) var root: Identity
    /// Between root and intermediate, in a path of four.
    public private(set) var upperIntermediate: Identity?
    /// Issues the leaf, and no other authority: its pathLenConstraint is 0.
    public private(set) var intermediate: Identity
    /// Signs receipts.
    public private(set) var leaf: Identity

    /// The keys of a PKI: what takes time to make, and may be used for many.
    public struct Keys: Sendable {
        /// The root's.
        public var root: PrivateKey
        /// Nil for the usual path of three certificates.
        public var upperIntermediate: PrivateKey?
        /// The intermediate's.
        public var intermediate: PrivateKey
        /// The leaf's.
        public var leaf: PrivateKey

        /// Keys that are at hand. One may serve twice.
        public init(
            root: PrivateKey,
            upperIntermediate: PrivateKey? = nil,
            intermediate: PrivateKey,
            leaf: PrivateKey
        ) {
            self.root = root
            self.upperIntermediate = upperIntermediate
            self.intermediate = intermediate
            self.leaf = leaf
        }

        /// Three keys from one seed.
        public init(_ parameters: KeyParameters = .rsa2048, seed: UInt64) {
            var generator = SeededGenerator(seed: seed)
            self.init(
                root: PrivateKey(parameters, seed: generator.next()),
                intermediate: PrivateKey(parameters, seed: generator.next()),
                leaf: PrivateKey(parameters, seed: generator.next())
            )
        }
    }

    /// Where Apple's markers stand.
    public enum Markers: Sendable, Hashable, CaseIterable {
        /// Each as an extension of its own, in its certificate, as in every genuine receipt.
        case apple
        /// Nowhere.
        case none
        /// The intermediate's, and not the leaf's.
        case intermediateOnly
        /// The leaf's, and not the intermediate's.
        case leafOnly
        /// Each in the other's certificate.
        case swapped
        /// As policies, where Apple's archived guide seeks them and none ever was.
        case inCertificatePolicies
    }

    /// What all certificates of a PKI have in common.
    public struct Options: Sendable {
        /// Where Apple's markers stand.
        public var markers = Markers.apple
        /// The hash that the certificates are signed over.
        public var hash = HashAlgorithm.sha256
        /// The first second of each validity.
        public var notBefore = Timestamp.year2000
        /// The last second of each validity.
        public var notAfter = Timestamp.endOf2049

        /// Apple's markers, SHA-256, and validity from 2000 through 2049.
        public init() {}
    }

    /// Issues the certificates of these keys.
    public init(_ keys: Keys, options: Options = Options()) {
        func issue(
            _ commonName: String,
            _ serialNumber: UInt8,
            _ key: PrivateKey,
            by issuer: Identity?,
            _ extensions: [ExtensionTemplate]
        ) -> Identity {
            let subject = NameTemplate(
                commonName: commonName,
                organizationalUnit: "Certification",
                organization: "Mint",
                country: "US"
            )
            var template = CertificateTemplate(
                issuer: issuer?.template.subject ?? subject,
                subject: subject,
                subjectPublicKeyInfo: key.subjectPublicKeyInfo
            )
            template.serialNumber = [serialNumber]
            template.signatureHash = options.hash
            template.notBefore = options.notBefore
            template.notAfter = options.notAfter
            template.extensions =
                [
                    .subjectKeyIdentifier(key.keyIdentifier),
                    .authorityKeyIdentifier((issuer?.key ?? key).keyIdentifier),
                ] + extensions
            return Identity(template, key: key, signedBy: issuer?.key)
        }
        func authority(pathLength: Int64?) -> [ExtensionTemplate] {
            [
                .basicConstraints(isCertificateAuthority: true, pathLengthConstraint: pathLength),
                .keyUsage([.keyCertSign, .cRLSign]),
            ]
        }
        let root = issue("Mint Root CA", 1, keys.root, by: nil, authority(pathLength: nil))
        let upper = keys.upperIntermediate.map {
            issue("Mint Upper Intermediate CA", 4, $0, by: root, authority(pathLength: nil))
        }
        let intermediate = issue(
            "Mint Developer Relations Certification Authority",
            2,
            keys.intermediate,
            by: upper ?? root,
            authority(pathLength: 0) + options.markers.onIntermediate
        )
        leaf = issue(
            "Mint Receipt Signing",
            3,
            keys.leaf,
            by: intermediate,
            [.basicConstraints(isCertificateAuthority: false), .keyUsage([.digitalSignature])]
                + options.markers.onLeaf
        )
        self.root = root
        upperIntermediate = upper
        self.intermediate = intermediate
    }

    /// Makes three keys of 2048 bits and their certificates.
    public init(seed: UInt64, options: Options = Options()) { self.init(Keys(seed: seed), options: options) }

    /// The certificates in DER, in the order of genuine receipts: the leaf's first, the root's last.
    public var certificates: [[UInt8]] {
        [leaf, intermediate, upperIntermediate, root].compactMap { $0?.certificate }
    }
}

extension PrivatePKI.Markers {
    fileprivate var onIntermediate: [ExtensionTemplate] {
        switch self {
        case .apple, .intermediateOnly: [.intermediateMarker]
        case .none, .leafOnly: []
        case .swapped: [.leafMarker]
        case .inCertificatePolicies:
            [.certificatePolicies([ExtensionTemplate.intermediateMarkerIdentifier])]
        }
    }

    /// With the policy that Apple's have.
    fileprivate var onLeaf: [ExtensionTemplate] {
        let policy = ExtensionTemplate.applePolicyIdentifier
        return switch self {
        case .apple, .leafOnly: [.certificatePolicies([policy]), .leafMarker]
        case .none, .intermediateOnly: [.certificatePolicies([policy])]
        case .swapped: [.certificatePolicies([policy]), .intermediateMarker]
        case .inCertificatePolicies:
            [.certificatePolicies([policy, ExtensionTemplate.leafMarkerIdentifier])]
        }
    }
}

// MARK: PKIs that are not as they should be

extension PrivatePKI {
    /// A certificate's place in the path.
    public enum Role: Sendable, Hashable, CaseIterable {
        /// The one that is pinned, the one between, the one that signs receipts.
        case root, intermediate, leaf
    }

    /// The same PKI with one certificate changed and signed again. The others stay as they are, so that a
    /// change of its name or key leaves those below it without an issuer.
    ///
    /// - Parameter key: signs; nil for the issuer's.
    public func reissued(
        _ role: Role,
        signedBy key: PrivateKey? = nil,
        _ change: (inout CertificateTemplate) -> Void
    ) -> PrivatePKI {
        func reissue(_ identity: Identity, _ issuer: Identity) -> Identity {
            var template = identity.template
            change(&template)
            return Identity(template, key: identity.key, signedBy: key ?? issuer.key)
        }
        var pki = self
        switch role {
        case .root: pki.root = reissue(root, root)
        case .intermediate: pki.intermediate = reissue(intermediate, upperIntermediate ?? root)
        case .leaf: pki.leaf = reissue(leaf, intermediate)
        }
        return pki
    }

    /// Another PKI that looks the same: the same names, serial numbers, key identifiers and all else, but
    /// for the keys and signatures. A path of four stays one only if there are keys for it.
    public func lookAlike(_ keys: Keys) -> PrivatePKI {
        func imitate(_ identity: Identity, _ key: PrivateKey, _ issuerKey: PrivateKey) -> Identity {
            var template = identity.template
            template.subjectPublicKeyInfo = key.subjectPublicKeyInfo
            return Identity(template, key: key, signedBy: issuerKey)
        }
        var pki = self
        pki.root = imitate(root, keys.root, keys.root)
        pki.upperIntermediate = upperIntermediate.flatMap { upper in
            keys.upperIntermediate.map { imitate(upper, $0, keys.root) }
        }
        pki.intermediate = imitate(intermediate, keys.intermediate, keys.upperIntermediate ?? keys.root)
        pki.leaf = imitate(leaf, keys.leaf, keys.intermediate)
        return pki
    }
}
