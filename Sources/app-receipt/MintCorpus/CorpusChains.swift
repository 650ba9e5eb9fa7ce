import AppReceiptMint
import DER

/// The certificates that sign a corpus: any number of leaves under a few intermediates under one root.
///
/// Chains share keys, because keys take long to make. Each leaf is a certificate of its own with its own
/// serial number, and a validator that caches paths goes by the certificate.
struct CorpusChains: Sendable {
    /// The root's certificate in DER, for a validator to pin.
    let root: [UInt8]
    private let chains: [PrivatePKI]
    /// The key of all three certificates of the kind `foreignRoot`, which are not under the root.
    private let foreignKey: PrivateKey

    /// The largest number of intermediates.
    private static let maximumIntermediates = 4
    private static let maximumLeafKeys = 64

    init(seed: UInt64, count: Int) {
        var seeds = SeededGenerator(seed: seed)
        let rootKey = PrivateKey(seed: seeds.next())
        foreignKey = PrivateKey(seed: seeds.next())
        let leafKeys = (0..<min(count, Self.maximumLeafKeys)).map { _ in PrivateKey(seed: seeds.next()) }
        let intermediateKeys = (0..<min(count, Self.maximumIntermediates)).map { _ in
            PrivateKey(seed: seeds.next())
        }
        let families = leafKeys.indices.map { index in
            let generation = index % intermediateKeys.count
            return Self.pki(
                PrivatePKI.Keys(
                    root: rootKey,
                    intermediate: intermediateKeys[generation],
                    leaf: leafKeys[index]
                ),
                generation: generation
            )
        }
        chains = (0..<count).map { index in
            families[index % families.count].reissued(.leaf) { $0.serialNumber = Self.serialNumber(index) }
        }
        root = families[0].root.certificate
    }

    /// Returns the PKI of a chain, changed as a kind of receipt needs it.
    ///
    /// - Parameter lacksLeafMarker: for the kind `missingMarker`, true to remove the leaf's marker, and false
    ///   to remove the intermediate's.
    func pki(_ chain: Int, _ kind: MintedKind, lacksLeafMarker: Bool) -> PrivatePKI {
        let pki = chains[chain]
        switch kind {
        case .foreignRoot:
            return pki.lookAlike(
                PrivatePKI.Keys(root: foreignKey, intermediate: foreignKey, leaf: foreignKey)
            )
        case .missingMarker:
            let (role, marker): (PrivatePKI.Role, ExtensionTemplate) =
                lacksLeafMarker ? (.leaf, .leafMarker) : (.intermediate, .intermediateMarker)
            return pki.reissued(role) { template in template.extensions.removeAll { $0 == marker } }
        case .expiredPath:
            return pki.reissued(.leaf) { $0.notAfter = CorpusPlan.lastSecondOfExpired }
        case .good, .tamperedPayload, .wrongSignature, .truncated, .notBase64, .wrongBundle,
            .wrongEnvironment:
            return pki
        }
    }

    /// Returns the serial number of a chain's leaf certificate. Every chain has a different one.
    ///
    /// It has 16 octets, as many as in the leaf certificates that Apple has issued since 2022. They are the
    /// shortest encoding of a positive INTEGER.
    private static func serialNumber(_ chain: Int) -> [UInt8] {
        var octets: [UInt8] = [0x4D, 0x69, 0x6E, 0x74, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        for index in 8..<16 { octets[index] = UInt8(truncatingIfNeeded: chain >> (8 * (15 - index))) }
        return octets
    }

    /// Returns a PKI whose certificates have extensions of the kinds that Apple's have, so that they are
    /// about as long.
    private static func pki(_ keys: PrivatePKI.Keys, generation: Int) -> PrivatePKI {
        let name = "g\(generation + 1)"
        let subject = NameTemplate(
            commonName: "Mint Worldwide Developer Relations Certification Authority",
            organizationalUnit: name,
            organization: "Mint",
            country: "US"
        )
        return PrivatePKI(keys)
            .reissued(.root) { template in
                template.extensions.append(CertificateFiller.policies(1))
            }
            .reissued(.intermediate) { template in
                template.serialNumber = [0x02, UInt8(generation)]
                template.subject = subject
                template.extensions += [
                    CertificateFiller.authorityInformation(["http://ocsp.example.com/ocsp03-mintrootca"]),
                    CertificateFiller.revocationList("http://crl.example.com/root.crl"),
                ]
            }
            .reissued(.leaf) { template in
                template.issuer = subject
                template.subject = NameTemplate(
                    commonName: "Mint App Store Receipt Signing, for tests only",
                    organizationalUnit: "Mint Worldwide Developer Relations",
                    organization: "Mint",
                    country: "US"
                )
                template.extensions.removeAll { $0.identifier == CertificateFiller.policiesIdentifier }
                template.extensions += [
                    CertificateFiller.policies(6),
                    CertificateFiller.authorityInformation([
                        "http://certs.example.com/mint\(name).der",
                        "http://ocsp.example.com/ocsp03-mint\(name)01",
                    ]),
                    CertificateFiller.revocationList("http://crl.example.com/mint\(name).crl"),
                ]
            }
    }
}

/// Makes extensions that Apple's certificates have. The validation of a receipt uses none of them, except
/// CRLDistributionPoints for a CRL that names a distribution point.
private enum CertificateFiller {
    static let policiesIdentifier = ObjectIdentifier(2, 5, 29, 32)

    /// Returns CertificatePolicies with a CPS address and a notice (RFC 5280 §4.2.1.4).
    ///
    /// - Parameter number: the last number of the policy's object identifier,
    ///   1.2.840.113635.100.5.`number`.
    static func policies(_ number: UInt32) -> ExtensionTemplate {
        value(policiesIdentifier) { policies in
            policies.nest(.sequence) { information in
                information.writeObjectIdentifier(ObjectIdentifier(1, 2, 840, 113635, 100, 5, number))
                information.nest(.sequence) { qualifiers in
                    qualifiers.nest(.sequence) { address in
                        address.writeObjectIdentifier(ObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 2, 1))
                        address.writeIA5String("http://www.example.com/certificateauthority/")
                    }
                    qualifiers.nest(.sequence) { notice in
                        notice.writeObjectIdentifier(ObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 2, 2))
                        notice.nest(.sequence) { $0.writeUTF8String(noticeText) }
                    }
                }
            }
        }
    }

    private static let noticeText = """
        This certificate was minted for tests, from a seed that anybody can guess, and so was its private key. \
        Whoever relies on it for anything else relies on nothing, and was told so here beforehand.
        """

    /// Returns AuthorityInfoAccess (RFC 5280 §4.2.2.1). The last address is for OCSP; an address before it is
    /// for the issuer's certificate.
    static func authorityInformation(_ addresses: [String]) -> ExtensionTemplate {
        value(ObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 1, 1)) { descriptions in
            for (index, address) in addresses.enumerated() {
                let method: UInt32 = index == addresses.count - 1 ? 1 : 2
                descriptions.nest(.sequence) { description in
                    description.writeObjectIdentifier(ObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 48, method))
                    description.write(.primitive(6), [UInt8](address.utf8))
                }
            }
        }
    }

    /// Returns CRLDistributionPoints with one address (RFC 5280 §4.2.1.13).
    static func revocationList(_ address: String) -> ExtensionTemplate {
        value(ObjectIdentifier(2, 5, 29, 31)) { points in
            points.nest(.sequence) { point in
                point.nest(.constructed(0)) { name in
                    name.nest(.constructed(0)) { $0.write(.primitive(6), [UInt8](address.utf8)) }
                }
            }
        }
    }

    /// Returns an extension whose value is a SEQUENCE.
    ///
    /// - Parameter contents: writes the contents of the SEQUENCE.
    private static func value(
        _ identifier: ObjectIdentifier,
        _ contents: (inout Writer) -> Void
    ) -> ExtensionTemplate {
        var writer = Writer()
        writer.nest(.sequence) { contents(&$0) }
        return ExtensionTemplate(identifier, value: writer.bytes)
    }
}
