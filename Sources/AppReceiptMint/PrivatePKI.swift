import Basics
import DER
import PKIX
import SHA

/// A private PKI with RSA keys, for receipts. See ``KeyedPKI``.
public typealias PrivatePKI = KeyedPKI<PrivateKey>
/// A private PKI with keys for ECDSA, for tokens. See ``KeyedPKI``.
public typealias TokenPKI = KeyedPKI<ECPrivateKey>

/// A private PKI that resembles Apple's: a root, an intermediate and a leaf, with their private keys. A
/// second intermediate is possible.
///
/// ```swift
/// let pki = PrivatePKI(seed: 1)
/// let expired = pki.reissued(.leaf) { $0.notAfter = $0.notBefore }
/// let impostor = pki.lookAlike(PrivatePKI.Keys(seed: 2))
/// ```
public struct KeyedPKI<Key: CertificateKey>: Sendable {
    /// The root certificate, which a validator pins, with its key.
    public private(set) var root: CertifiedKey<Key>
    /// The certificate between root and intermediate in a path of four; nil in a path of three.
    public private(set) var upperIntermediate: CertifiedKey<Key>?
    /// The certificate, with its key, that issues the leaf. ``init(_:options:)`` gives the certificate the
    /// pathLenConstraint 0.
    public private(set) var intermediate: CertifiedKey<Key>
    /// The certificate, with its key, that signs receipts or tokens.
    public private(set) var leaf: CertifiedKey<Key>

    /// The keys of a PKI. Several PKIs can share them.
    public struct Keys: Sendable {
        /// The private key of the root certificate.
        public var root: Key
        /// The private key of the upper intermediate; nil for the usual path of three certificates.
        public var upperIntermediate: Key?
        /// The private key of the certificate that issues the leaf.
        public var intermediate: Key
        /// The private key of the leaf certificate, which signs receipts or tokens.
        public var leaf: Key

        /// Collects existing keys. The same key can have several roles.
        public init(root: Key, upperIntermediate: Key? = nil, intermediate: Key, leaf: Key) {
            self.root = root
            self.upperIntermediate = upperIntermediate
            self.intermediate = intermediate
            self.leaf = leaf
        }
    }

    /// Which certificates of a PKI have which of Apple's marker extensions.
    public enum Markers: Sendable, Hashable, CaseIterable {
        /// The intermediate and the leaf each have their own marker extension, as in every genuine app
        /// receipt.
        case apple
        /// As ``apple``, but the marker extensions are critical. No genuine receipt has critical markers.
        case critical
        /// No certificate has a marker.
        case none
        /// The intermediate has its marker, and the leaf lacks its marker.
        case intermediateOnly
        /// The leaf has its marker, and the intermediate lacks its marker.
        case leafOnly
        /// The leaf has the intermediate's marker, and the intermediate has the leaf's marker.
        case swapped
        /// The markers are certificate policies. Apple's archived guide looks for them there, but no genuine
        /// certificate has them there.
        case inCertificatePolicies
    }

    /// The markers, the hash and the validity of the certificates of a PKI.
    public struct Options: Sendable {
        /// Which certificates have which of Apple's marker extensions.
        public var markers = Markers.apple
        /// The hash algorithm of the certificates' signatures.
        public var hash = Key.certificateHash
        /// The first second of the certificates' validity.
        public var notBefore = Timestamp.year2000
        /// The last second of the certificates' validity.
        public var notAfter = Timestamp.endOf2049

        /// Makes options with Apple's markers, the hash ``CertificateKey/certificateHash`` of the keys' type,
        /// and a validity from 2000 through 2049.
        public init() {}
    }

    /// Issues a certificate for each of these keys: three, or four with an upper intermediate.
    public init(_ keys: Keys, options: Options = Options()) {
        let markers = options.markers.extensions
        let root = options.issue("Mint Root CA", 1, keys.root, by: nil, Self.authority(pathLength: nil))
        let upper = keys.upperIntermediate.map { key in
            options.issue("Mint Upper Intermediate CA", 4, key, by: root, Self.authority(pathLength: nil))
        }
        let intermediate = options.issue(
            "Mint Developer Relations Certification Authority",
            2,
            keys.intermediate,
            by: upper ?? root,
            Self.authority(pathLength: 0) + markers.intermediate
        )
        leaf = options.issue(
            "Mint Receipt Signing",
            3,
            keys.leaf,
            by: intermediate,
            [.basicConstraints(isCertificateAuthority: false), .keyUsage([.digitalSignature])]
                + markers.leaf
        )
        self.root = root
        upperIntermediate = upper
        self.intermediate = intermediate
    }

    /// BasicConstraints and KeyUsage of a certificate authority. A nil `pathLength` sets no
    /// pathLenConstraint.
    private static func authority(pathLength: Int64?) -> [ExtensionTemplate] {
        [
            .basicConstraints(isCertificateAuthority: true, pathLengthConstraint: pathLength),
            .keyUsage([.keyCertSign, .cRLSign]),
        ]
    }

    /// The certificates in DER, in the order of genuine receipts: first the leaf, last the root.
    public var certificates: [[UInt8]] {
        [leaf, intermediate, upperIntermediate, root].compactMap { $0?.certificate }
    }
}

extension KeyedPKI.Options {
    /// Issues a certificate with the hash and the validity of these options. The markers of the options are
    /// not used.
    ///
    /// - Parameter issuer: the issuer's certificate and key; nil for a self-signed certificate.
    fileprivate func issue(
        _ commonName: String,
        _ serialNumber: UInt8,
        _ key: Key,
        by issuer: CertifiedKey<Key>?,
        _ extensions: [ExtensionTemplate]
    ) -> CertifiedKey<Key> {
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
        template.signatureHash = hash
        template.notBefore = notBefore
        template.notAfter = notAfter
        template.extensions =
            [
                .subjectKeyIdentifier(key.keyIdentifier),
                .authorityKeyIdentifier((issuer?.key ?? key).keyIdentifier),
            ] + extensions
        return CertifiedKey(template, key: key, signedBy: issuer?.key)
    }
}

extension KeyedPKI.Markers {
    /// The extensions that put the markers on the intermediate and on the leaf. The leaf also has the
    /// certificate policy of Apple's leaf certificates.
    fileprivate var extensions: (intermediate: [ExtensionTemplate], leaf: [ExtensionTemplate]) {
        let applePolicy = ObjectIdentifier(1, 2, 840, 113635, 100, 5, 6, 1)
        let policy = ExtensionTemplate.certificatePolicies([applePolicy])
        return switch self {
        case .apple: ([.intermediateMarker], [policy, .leafMarker])
        case .critical:
            (
                [.marker(.intermediateMarker, isCritical: true)],
                [policy, .marker(.receiptSigningMarker, isCritical: true)]
            )
        case .none: ([], [policy])
        case .intermediateOnly: ([.intermediateMarker], [policy])
        case .leafOnly: ([], [policy, .leafMarker])
        case .swapped: ([.leafMarker], [policy, .intermediateMarker])
        case .inCertificatePolicies:
            (
                [.certificatePolicies([.intermediateMarker])],
                [.certificatePolicies([applePolicy, .receiptSigningMarker])]
            )
        }
    }
}

// MARK: Altered PKIs

extension KeyedPKI {
    /// The role of a certificate in the path. The upper intermediate has no role here.
    public enum Role: Sendable, Hashable, CaseIterable {
        /// The root is pinned, the leaf signs receipts or tokens, and the intermediate connects the two.
        case root, intermediate, leaf
    }

    /// Returns this PKI with one certificate changed and signed again.
    ///
    /// The other certificates stay as they are. A new subject or public key in the template therefore leaves
    /// the certificates below the changed one without an issuer.
    ///
    /// - Parameters:
    ///   - role: the certificate to change.
    ///   - key: the key that signs; nil for the issuer's key.
    ///   - change: changes the certificate's template.
    public func reissued(
        _ role: Role,
        signedBy key: Key? = nil,
        _ change: (inout CertificateTemplate) -> Void
    ) -> Self {
        func reissue(_ identity: CertifiedKey<Key>, _ issuer: CertifiedKey<Key>) -> CertifiedKey<Key> {
            var template = identity.template
            change(&template)
            return CertifiedKey(template, key: identity.key, signedBy: key ?? issuer.key)
        }
        var pki = self
        switch role {
        case .root: pki.root = reissue(root, root)
        case .intermediate: pki.intermediate = reissue(intermediate, upperIntermediate ?? root)
        case .leaf: pki.leaf = reissue(leaf, intermediate)
        }
        return pki
    }

    /// Returns a PKI with other keys that otherwise looks like this one.
    ///
    /// Names, serial numbers, key identifiers and all other fields are equal; only keys and signatures
    /// differ. `keys` must have a key for the upper intermediate if this PKI has an upper intermediate, and
    /// no such key otherwise. This is not checked.
    public func lookAlike(_ keys: Keys) -> Self {
        func imitate(_ identity: CertifiedKey<Key>, _ key: Key, _ issuerKey: Key) -> CertifiedKey<Key> {
            var template = identity.template
            template.subjectPublicKeyInfo = key.subjectPublicKeyInfo
            return CertifiedKey(template, key: key, signedBy: issuerKey)
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
