import AppReceipt
import AppReceiptMint
import Basics
import CMS
import DER
import PKIX
import RSA
import SHA
import TestSupport
import Testing

// The certificates that Apple may sign receipts with next. No sample of them exists, so they are rehearsed:
// every receipt of this table has the verdict that the standards give it.

extension Forgery {
    static let nextCertificates: [Forgery] = [
        keySizes, hashes, algorithms, optionalFields, stringTypes, bags, signers, unsupported,
    ].flatMap { $0 }

    /// A receipt that is valid under the changed PKI.
    private static func valid(
        _ description: String,
        _ section: String,
        _ pki: @escaping @Sendable () -> PrivatePKI,
        _ change: @escaping @Sendable (inout MessageTemplate, PrivatePKI) -> Void = { _, _ in }
    ) -> Forgery {
        Forgery(
            "next: \(description)",
            .accepted(section),
            mint: {
                let pki = pki()
                return .by(pki) { change(&$0, pki) }
            }
        )
    }

    /// The usual PKI, in which some certificates are changed.
    private static func altered(
        _ roles: [PrivatePKI.Role] = PrivatePKI.Role.allCases,
        _ change: (inout CertificateTemplate) -> Void
    ) -> PrivatePKI {
        roles.reduce(pki) { $0.reissued($1, change) }
    }

    private static func unsupported(
        _ description: String,
        _ step: ReceiptError.Step,
        _ code: Refusal.Code,
        _ change: @escaping @Sendable (inout PrivatePKI, inout MessageTemplate) -> Void
    ) -> Forgery {
        Forgery(
            "next: \(description)",
            .refused(step, code),
            mint: {
                var changed = pki
                var message = ReceiptMint(pki).message
                change(&changed, &message)
                let signers = message.signers
                return .by(changed) { new in
                    for (index, signer) in signers.enumerated() where index < new.signers.count {
                        new.signers[index].signatureAlgorithm = signer.signatureAlgorithm
                        new.signers[index].digestAlgorithm = signer.digestAlgorithm
                    }
                    new.signers += signers.dropFirst(new.signers.count)
                }
            }
        )
    }
}

// MARK: Keys and algorithms

extension Forgery {
    private static let sizes = [(3072, Keys.bits3072), (4096, Keys.bits4096), (8192, Keys.bits8192)]

    fileprivate static let keySizes: [Forgery] = sizes.flatMap { bits, key in
        [
            valid("a root of \(bits) bits", "RFC 8017 §3.1") {
                var keys = Keys.pki
                keys.root = key
                return PrivatePKI(keys)
            },
            valid("an intermediate of \(bits) bits", "RFC 8017 §3.1") {
                var keys = Keys.pki
                keys.intermediate = key
                return PrivatePKI(keys)
            },
            valid("a leaf of \(bits) bits", "RFC 8017 §3.1") {
                var keys = Keys.pki
                keys.leaf = key
                return PrivatePKI(keys)
            },
            valid("three keys of \(bits) bits", "RFC 8017 §3.1") {
                PrivatePKI(PrivatePKI.Keys(root: key, intermediate: key, leaf: key))
            },
        ]
    }

    /// Every hash of the content with every hash of the certificates.
    fileprivate static let hashes: [Forgery] = HashAlgorithm.allCases.flatMap { content in
        HashAlgorithm.allCases.map { certificates in
            valid("the content with \(content), the certificates with \(certificates)", "RFC 5754 §2, §3.2") {
                var options = PrivatePKI.Options()
                options.hash = certificates
                return PrivatePKI(Keys.pki, options: options)
            } _: { message, _ in
                message.signers[0].digest = content
            }
        }
    }

    fileprivate static let algorithms: [Forgery] =
        HashAlgorithm.allCases.flatMap { hash in
            [
                valid("the signer names RSA with \(hash)", "RFC 5754 §3.2") {
                    pki
                } _: { message, _ in
                    message.signers[0].digest = hash
                    message.signers[0].signatureAlgorithm = .rsaSignature(hash)
                },
                valid("the digest algorithm \(hash) has no parameters", "RFC 5754 §2") {
                    pki
                } _: { message, _ in
                    message.signers[0].digest = hash
                    message.signers[0].digestAlgorithm = .digest(hash)
                    message.signers[0].digestAlgorithm?.parameters = []
                },
            ]
        }
        + [HashAlgorithm.sha256, .sha384, .sha512].map { hash in
            valid("certificates signed by RSA with \(hash), without parameters", "RFC 4055 §5") {
                altered {
                    $0.signatureHash = hash
                    $0.signatureAlgorithm = .rsaSignature(hash)
                    $0.signatureAlgorithm?.parameters = []
                }
            }
        }
}

// MARK: Certificates

extension Forgery {
    /// 9999-12-31T23:59:59Z, which says that a certificate has no end (RFC 5280 §4.1.2.5).
    private static let endOfTime = Timestamp(millisecondsSince1970: 253_402_300_799_000)

    private static let allRoles: [(name: String, roles: [PrivatePKI.Role])] =
        PrivatePKI.Role.allCases.map { ("\($0)", [$0]) } + [("all", PrivatePKI.Role.allCases)]

    /// Extensions that certificates have, and that this package passes over unless they are critical.
    private static let others: [ExtensionTemplate] = [
        // subjectAltName with a DNS name, issuerAltName, cRLDistributionPoints, authorityInfoAccess.
        ExtensionTemplate(ObjectIdentifier(2, 5, 29, 17), value: [0x30, 0x03, 0x82, 0x01, 0x61]),
        ExtensionTemplate(ObjectIdentifier(2, 5, 29, 18), value: [0x30, 0x03, 0x82, 0x01, 0x61]),
        ExtensionTemplate(
            ObjectIdentifier(2, 5, 29, 31),
            value: [0x30, 0x0B, 0x30, 0x09, 0xA0, 0x07, 0xA0, 0x05, 0x86, 0x03, 0x61, 0x3A, 0x62]
        ),
        ExtensionTemplate(
            ObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 1, 1),
            value: [0x30, 0x0F, 0x30, 0x0D, 0x06, 0x08] + [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01]
                + [0x86, 0x01, 0x61]
        ),
        .marker(ObjectIdentifier(1, 2, 840, 113635, 100, 6, 99)),
        .marker(ObjectIdentifier(1, 2, 840, 113635, 100, 6, 87)),
    ]

    fileprivate static let optionalFields: [Forgery] =
        allRoles.flatMap { name, roles in
            [
                valid("no key usage, \(name)", "RFC 5280 §4.2.1.3") {
                    altered(roles) { $0.extensions.remove(at: 3) }
                },
                valid("no key identifiers, \(name)", "RFC 5280 §4.2.1.1, §4.2.1.2") {
                    altered(roles) { $0.extensions.removeFirst(2) }
                },
                valid("a serial number of 20 octets, \(name)", "RFC 5280 §4.1.2.2") {
                    altered(roles) { $0.serialNumber = [0x7F] + [UInt8](repeating: 0xFF, count: 19) }
                },
                valid("valid until 9999, \(name)", "RFC 5280 §4.1.2.5") {
                    altered(roles) { $0.notAfter = endOfTime }
                },
                valid("six more extensions, \(name)", "RFC 5280 §4.2") {
                    altered(roles) { $0.extensions += others }
                },
                valid("critical policies, \(name)", "RFC 5280 §6.1.1 c, e") {
                    altered(roles) { template in
                        let place = template.extensions.firstIndex {
                            $0.identifier == ObjectIdentifier(2, 5, 29, 32)
                        }
                        guard let place else {
                            let policy = ObjectIdentifier(1, 2, 840, 113635, 100, 5, 1)
                            template.extensions.append(.certificatePolicies([policy], isCritical: true))
                            return
                        }
                        template.extensions[place].isCritical = true
                    }
                },
            ]
        } + [
            valid("64 extensions in the leaf", "RFC 5280 §4.2") {
                altered([.leaf]) { template in
                    for arc in UInt32(template.extensions.count)..<64 {
                        template.extensions.append(.marker(ObjectIdentifier(1, 2, 3, arc)))
                    }
                }
            },
            valid("critical markers", "RFC 5280 §4.2") {
                var options = PrivatePKI.Options()
                options.markers = .critical
                return PrivatePKI(Keys.pki, options: options)
            }.with { $0.isGoodToOpenSSL = false },
            valid("extended key usage any, in leaf and intermediate", "RFC 5280 §4.2.1.12") {
                altered([.intermediate, .leaf]) {
                    $0.extensions.append(.extendedKeyUsage([.anyExtendedKeyUsage]))
                }
            },
        ]

    /// Names in each string type of RFC 5280 §4.1.2.4.
    fileprivate static let stringTypes: [Forgery] =
        [
            ("PrintableString", Tag.printableString), ("UTF8String", .utf8String),
            ("TeletexString", .teletexString), ("BMPString", .bmpString),
        ].map { name, type in
            valid("names in \(name)", "RFC 5280 §4.1.2.4") {
                altered { template in
                    for index in template.subject.attributes.indices where index > 0 {
                        template.subject.attributes[index].stringType = type
                    }
                    for index in template.issuer.attributes.indices where index > 0 {
                        template.issuer.attributes[index].stringType = type
                    }
                }
            }
        }
}

// MARK: Messages

extension Forgery {
    /// The intermediate's name and key, certified by another root.
    private static let crossSigned: [UInt8] = {
        var template = pki.intermediate.template
        template.issuer = NameTemplate(commonName: "Another Root CA")
        template.serialNumber = [9]
        template.extensions[1] = .authorityKeyIdentifier(Keys.impostors.root.keyIdentifier)
        return template.signed(by: Keys.impostors.root)
    }()

    fileprivate static let bags: [Forgery] =
        (0..<3).map { index in
            valid("certificate \(index) twice", "RFC 5652 §10.2.3") {
                pki
            } _: { message, _ in
                message.certificates.append(message.certificates[index])
            }
        }
        + [0, 1, 2, 3].map { place in
            valid("a cross-signed intermediate at place \(place)", "RFC 5280 §6.1") {
                pki
            } _: { message, _ in
                message.certificates.insert(crossSigned, at: place)
            }
            // OpenSSL takes the first certificate with the name and the key identifier, and tries no other.
            .with { $0.isGoodToOpenSSL = place > 1 }
        }
        + [
            valid("every certificate twice, in reverse", "RFC 5652 §10.2.3") {
                pki
            } _: { message, _ in
                message.certificates = (message.certificates + message.certificates).reversed()
            },
            valid("the authorities of another PKI with the same names besides", "RFC 5652 §5.1") {
                pki
            } _: { message, _ in
                message.certificates += pki.lookAlike(Keys.impostors).certificates.dropFirst()
            },
        ]

    fileprivate static let signers: [Forgery] = HashAlgorithm.allCases.flatMap { hash in
        [
            valid("signed attributes with \(hash)", "RFC 5652 §5.3") {
                pki
            } _: { message, _ in
                message.signers[0].digest = hash
                message.signers[0].signedAttributes = .standard
            },
            valid("a signer by key identifier with \(hash)", "RFC 5652 §5.3") {
                pki
            } _: { message, pki in
                message.signers[0].digest = hash
                message.signers[0].identifier = .subjectKeyIdentifier(pki.leaf.key.keyIdentifier)
            },
        ]
    }
}

// MARK: What a newer version may support

extension Forgery {
    private static let ecdsaWithSHA256 = AlgorithmTemplate(
        ObjectIdentifier(1, 2, 840, 10045, 4, 3, 2),
        parameters: []
    )
    private static let pss = AlgorithmTemplate(
        ObjectIdentifier(1, 2, 840, 113549, 1, 1, 10),
        parameters: [0x30, 0x00]
    )
    private static let ed25519 = AlgorithmTemplate(ObjectIdentifier(1, 3, 101, 112), parameters: [])

    fileprivate static let unsupported: [Forgery] =
        [("ECDSA", ecdsaWithSHA256), ("RSASSA-PSS", pss), ("Ed25519", ed25519)].flatMap { name, algorithm in
            [PrivatePKI.Role.leaf, .intermediate].map { role in
                unsupported("\(role) signed by \(name)", .certificatePath, .unsupportedSignatureAlgorithm) {
                    pki,
                    _ in
                    pki = pki.reissued(role) { $0.signatureAlgorithm = algorithm }
                }
            } + [
                unsupported("content signed by \(name)", .signature, .unsupportedSignatureAlgorithm) {
                    $1.signers[0].signatureAlgorithm = algorithm
                }
            ]
        } + [
            unsupported("the digest is SHA3-256", .signature, .unsupportedDigestAlgorithm) {
                $1.signers[0].digestAlgorithm = AlgorithmTemplate(
                    ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 2, 8)
                )
            },
            unsupported("a leaf with a key of ECDSA", .signature, .notAnRSAKey) { pki, _ in
                pki = pki.reissued(.leaf) {
                    $0.subjectPublicKeyInfo = hex("3019301306072a8648ce3d020106082a8648ce3d03010703020004")
                }
            },
            unsupported("four certificates", .certificatePath, .pathTooLong) { pki, _ in
                var keys = Keys.pki
                keys.upperIntermediate = Keys.upperIntermediate
                pki = PrivatePKI(keys)
            },
            unsupported("two signers", .container, .severalSigners) { $1.signers += $1.signers },
            unsupported("a leaf for code signing", .certificatePath, .extendedKeyUsageNotPermitted) {
                pki,
                _ in
                pki = pki.reissued(.leaf) { $0.extensions.append(.extendedKeyUsage([.codeSigning])) }
            },
            unsupported("critical policy constraints", .certificatePath, .unknownCriticalExtension) {
                pki,
                _ in
                // requireExplicitPolicy 0 (RFC 5280 §4.2.1.11).
                let constraints = ExtensionTemplate(
                    ObjectIdentifier(2, 5, 29, 36),
                    isCritical: true,
                    value: [0x30, 0x03, 0x80, 0x01, 0x00]
                )
                pki = pki.reissued(.intermediate) { $0.extensions.append(constraints) }
            },
            unsupported("65 extensions", .certificatePath, .tooManyExtensions) { pki, _ in
                pki = pki.reissued(.leaf) { template in
                    for arc in UInt32(template.extensions.count)..<65 {
                        template.extensions.append(.marker(ObjectIdentifier(1, 2, 3, arc)))
                    }
                }
            },
        ]
}

@Suite("The next certificate")
struct NextCertificateTests {
    @Test("a receipt under it gets the verdict of the standards", arguments: Forgery.nextCertificates)
    func verdict(_ forgery: Forgery) throws { try forgery.judge() }

    @Test("what this version does not support is unsupported, not invalid")
    func status() {
        let refused = Forgery.nextCertificates.compactMap { forgery -> Refusal.Code? in
            if case .refused(_, let code) = forgery.verdict { code } else { nil }
        }
        #expect(refused.count >= 16 && refused.allSatisfy { $0.kind == .unsupported })
    }

    @Test("there are more than a hundred receipts, each with a name of its own")
    func table() {
        let names = Forgery.nextCertificates.map(\.testDescription)
        #expect(Set(names).count == names.count && names.count > 100, "\(names.count)")
    }
}
