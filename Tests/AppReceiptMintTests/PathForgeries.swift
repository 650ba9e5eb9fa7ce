import AppReceipt
import AppReceiptMint
import Basics
import CMS
import DER
import PKIX
import RSA
import TestSupport
import Testing

extension Forgery {
    static let paths: [Forgery] = [certificateSignatures, shapes, names, selfIssued, markers].flatMap { $0 }
}

// MARK: Issuers

extension Forgery {
    fileprivate static let certificateSignatures: [Forgery] = [
        .certificate(.leaf, "signed over another hash", .refused(.certificatePath, .signatureMismatch)) {
            $0.signatureAlgorithm = .rsaSignature(.sha512)
        },
        .certificate(.leaf, "two algorithms", .refused(.certificatePath, .signatureAlgorithmMismatch)) {
            $0.tbsSignatureAlgorithm = .rsaSignature(.sha512)
        },
        Forgery("leaf: signed by another key", .refused(.certificatePath, .signatureMismatch)) {
            Minted.by(pki.reissued(.leaf, signedBy: Keys.impostors.intermediate) { _ in }).receipt
        },
        Forgery("leaf: signed by its own key", .refused(.certificatePath, .signatureMismatch)) {
            Minted.by(pki.reissued(.leaf, signedBy: Keys.pki.leaf) { _ in }).receipt
        },
        Forgery("root: another one", .refused(.root, .untrustedRoot)) {
            Minted.by(pki.reissued(.root) { $0.serialNumber = [5] }).receipt
        },
        Forgery("a look-alike of all three", .refused(.root, .untrustedRoot)) {
            Minted.by(pki.lookAlike(Keys.impostors)).receipt
        },
        Forgery("a look-alike with the true root", .refused(.certificatePath, .signatureMismatch)) {
            Minted.by(pki.lookAlike(Keys.impostors)) { $0.certificates[2] = pki.root.certificate }.receipt
        },
    ]

    /// A SubjectPublicKeyInfo with a modulus of 8192 bits. There is no private key for it.
    private static func largeKey(exponent: Int64) -> [UInt8] {
        var key = Writer()
        key.nest(.sequence) { key in
            key.writeUnsignedInteger([UInt8](repeating: 0xFF, count: 1024))
            key.writeInteger(exponent)
        }
        var info = Writer()
        info.nest(.sequence) { info in
            info.writeEncoded(AlgorithmTemplate.rsaEncryption.encoded())
            info.writeBitString(key.bytes)
        }
        return info.bytes
    }

    /// A receipt with look-alikes of the intermediate before the genuine intermediate.
    ///
    /// Each look-alike has the intermediate's name and key identifier, a serial number of its own, and a
    /// signature of zeros.
    ///
    /// - Parameter key: the SubjectPublicKeyInfo of the look-alikes.
    private static func lookAlikes(
        _ count: Int,
        key: [UInt8] = Keys.impostors.intermediate.subjectPublicKeyInfo
    ) -> [UInt8] {
        Minted.by(pki) { message in
            let lookAlikes = (0..<count).map { number in
                var template = pki.intermediate.template
                template.serialNumber = [1, UInt8(number)]
                template.subjectPublicKeyInfo = key
                return template.certificate(signature: [UInt8](repeating: 0, count: 256))
            }
            message.certificates.insert(contentsOf: lookAlikes, at: 1)
        }.receipt
    }

    /// A receipt that is signed by a certificate which the leaf issued as if the leaf were an authority.
    private static func issuedByTheLeaf() -> [UInt8] {
        var template = pki.leaf.template
        (template.issuer, template.serialNumber) = (pki.leaf.template.subject, [6])
        template.subject = NameTemplate(commonName: "Mint Receipt Signing, so to speak")
        template.subjectPublicKeyInfo = Keys.impostors.leaf.subjectPublicKeyInfo
        template.extensions[0] = .subjectKeyIdentifier(Keys.impostors.leaf.keyIdentifier)
        template.extensions[1] = .authorityKeyIdentifier(Keys.pki.leaf.keyIdentifier)
        let identity = Identity(template, key: Keys.impostors.leaf, signedBy: Keys.pki.leaf)
        return Minted.by(pki) {
            $0.certificates.insert(identity.certificate, at: 0)
            $0.signers = [SignerTemplate(identity)]
        }.receipt
    }

    /// A receipt with two intermediates that issued each other. The first one also issued the leaf.
    private static func loop() -> [UInt8] {
        let key = Keys.impostors.intermediate
        let name = NameTemplate(commonName: "Mint, the other one")
        let first = pki.reissued(.intermediate, signedBy: key) {
            $0.issuer = name
            $0.extensions[1] = .authorityKeyIdentifier(key.keyIdentifier)
            $0.extensions[2] = .basicConstraints(isCertificateAuthority: true)
        }
        var template = first.intermediate.template
        (template.issuer, template.subject) = (template.subject, name)
        template.subjectPublicKeyInfo = key.subjectPublicKeyInfo
        template.extensions[0] = .subjectKeyIdentifier(key.keyIdentifier)
        template.extensions[1] = .authorityKeyIdentifier(Keys.pki.intermediate.keyIdentifier)
        let other = Identity(template, key: key, signedBy: Keys.pki.intermediate)
        return Minted.by(first) { $0.certificates.insert(other.certificate, at: 2) }.receipt
    }

    fileprivate static let shapes: [Forgery] = [
        Forgery("a loop of two intermediates", .refused(.certificatePath, .pathTooLong)) { loop() },
        Forgery("a loop of one: the intermediate issued itself", .refused(.root, .untrustedRoot)) {
            let changed = pki.reissued(.intermediate, signedBy: Keys.pki.intermediate) {
                $0.issuer = $0.subject
                $0.extensions[1] = .authorityKeyIdentifier(Keys.pki.intermediate.keyIdentifier)
            }
            return Minted.by(changed).receipt
        },
        Forgery("200 look-alikes of the intermediate", .refused(.certificatePath, .tooManyCertificates)) {
            lookAlikes(200)
        },
        Forgery(
            "200 look-alikes of the intermediate, and certificates without a limit",
            .refused(.certificatePath, .tooManySignatureChecks)
        ) { lookAlikes(200) }.with { $0.limits.message.certificates = .max },
        // OpenSSL takes the first certificate with the name and the key identifier, and tries no other.
        Forgery("13 look-alikes of the intermediate, then itself", .accepted("RFC 5280 §6.1")) {
            lookAlikes(13)
        }.with { $0.isGoodToOpenSSL = false },
        Forgery(
            "13 look-alikes with the most expensive key that is allowed, then itself",
            .refused(.certificatePath, .tooManySignatureChecks)
        ) { lookAlikes(13, key: largeKey(exponent: 1 << 33 - 1)) },
        Forgery("3 look-alikes with keys of 8192 bits, then itself", .accepted("RFC 5280 §6.1")) {
            lookAlikes(3, key: largeKey(exponent: 65537))
        }.with { $0.isGoodToOpenSSL = false },
        Forgery("an issuer that is a leaf", .refused(.certificatePath, .notCertificateAuthority)) {
            issuedByTheLeaf()
        },
        Forgery("a path of four", .refused(.certificatePath, .pathTooLong)) {
            var keys = Keys.pki
            keys.upperIntermediate = Keys.upperIntermediate
            return Minted.by(PrivatePKI(keys)).receipt
        },
        Forgery("a path of two", .refused(.certificatePath, .pathTooShort)) {
            let changed = pki.reissued(.leaf, signedBy: Keys.pki.root) {
                $0.issuer = pki.root.template.subject
                $0.extensions[1] = .authorityKeyIdentifier(Keys.pki.root.keyIdentifier)
            }
            return Minted.by(changed).receipt
        },
        Forgery("a path of one: the root signs", .refused(.certificatePath, .missingDigitalSignature)) {
            Minted.by(pki) { $0.signers = [SignerTemplate(pki.root)] }.receipt
        },
        .message("the intermediate is not in the bag", .refused(.certificatePath, .issuerNotFound)) {
            $0.certificates.remove(at: 1)
        },
        .message(
            "the root is not in the bag, and its fingerprint alone is known",
            .refused(.certificatePath, .issuerNotFound)
        ) {
            $0.certificates.remove(at: 2)
        },
    ]
}

// MARK: Names

extension Forgery {
    /// The leaf's certificate, signed again, with the issuer's organisation in a PrintableString.
    private static func withPrintableIssuer() throws -> [UInt8] {
        var tbs = pki.leaf.template.tbsCertificate()
        // The first occurrence is in the issuer, which comes before the subject.
        let place = try #require(tbs.firstRange(of: [0x0C, 0x04] + Array("Mint".utf8)))
        tbs[place.lowerBound] = 0x13
        var writer = Writer()
        writer.nest(.sequence) {
            $0.writeEncoded(tbs)
            $0.writeEncoded(AlgorithmTemplate.rsaSignature(.sha256).encoded())
            $0.writeBitString(Keys.pki.intermediate.sign(HashAlgorithm.sha256.digest(of: tbs)))
        }
        return writer.bytes
    }

    fileprivate static let names: [Forgery] = [
        // The two names are equal by RFC 5280 §7.1. This project compares the bytes, which refuses more.
        Forgery(
            "leaf: the issuer differs in a string's type alone",
            .refused(.certificatePath, .issuerNotFound)
        ) {
            let leaf = try withPrintableIssuer()
            return Minted.by(pki) {
                $0.certificates[0] = leaf
                $0.signers[0].identifier = .subjectKeyIdentifier(Keys.pki.leaf.keyIdentifier)
            }.receipt
        },
        Forgery(
            "leaf: the issuer differs from the signer's in a string's type alone",
            .refused(.certificatePath, .signerCertificateNotFound)
        ) {
            let leaf = try withPrintableIssuer()
            return Minted.by(pki) { $0.certificates[0] = leaf }.receipt
        },
        .certificate(
            .leaf,
            "the issuer differs in letter case alone",
            .refused(.certificatePath, .issuerNotFound)
        ) {
            $0.issuer.attributes[1].value = "MINT"
        },
        .certificate(.leaf, "the issuer has a space too many", .refused(.certificatePath, .issuerNotFound)) {
            $0.issuer.attributes[1].value = "Mint "
        },
        .certificate(.leaf, "the issuer has no name", .refused(.certificatePath, .emptyName)) {
            $0.issuer = NameTemplate([])
        },
        .certificate(
            .leaf,
            "the issuer has another key identifier",
            .refused(.certificatePath, .issuerNotFound)
        ) {
            $0.extensions[1] = .authorityKeyIdentifier(Keys.impostors.intermediate.keyIdentifier)
        },
    ]

    /// A path with a self-issued intermediate, whose name is its issuer's name, as when an authority changes
    /// its key. The root allows no other intermediate.
    fileprivate static let selfIssued: [Forgery] = [
        Forgery(
            "a self-issued intermediate, which no path length counts",
            .accepted("RFC 5280 §6.1.4 l"),
            mint: {
                let name = pki.root.template.subject
                let changed =
                    pki
                    .reissued(.root) {
                        $0.extensions[2] = .basicConstraints(
                            isCertificateAuthority: true,
                            pathLengthConstraint: 0
                        )
                    }
                    .reissued(.intermediate) { $0.subject = name }
                    .reissued(.leaf) { $0.issuer = name }
                return .by(changed)
            }
        ),
        // A self-issued certificate in the place of the root counts as a root, but it is not trusted.
        Forgery(
            "a self-issued certificate between intermediate and root, which makes a path of four",
            .refused(.root, .untrustedRoot)
        ) {
            var keys = Keys.pki
            keys.upperIntermediate = Keys.upperIntermediate
            var template = pki.root.template
            template.serialNumber = [7]
            template.subjectPublicKeyInfo = Keys.upperIntermediate.subjectPublicKeyInfo
            template.extensions[0] = .subjectKeyIdentifier(Keys.upperIntermediate.keyIdentifier)
            let rollover = Identity(template, key: Keys.upperIntermediate, signedBy: Keys.pki.root)
            let changed = pki.reissued(.intermediate, signedBy: Keys.upperIntermediate) {
                $0.extensions[1] = .authorityKeyIdentifier(Keys.upperIntermediate.keyIdentifier)
            }
            return Minted.by(changed) { $0.certificates.insert(rollover.certificate, at: 2) }.receipt
        },
    ]
}

// MARK: Apple's markers

extension Forgery {
    private static func markers(
        _ markers: PrivatePKI.Markers,
        _ step: ReceiptError.Step,
        _ code: Refusal.Code
    ) -> Forgery {
        Forgery(
            "markers: \(markers)",
            .refused(step, code),
            mint: {
                var options = PrivatePKI.Options()
                options.markers = markers
                return .by(PrivatePKI(Keys.pki, options: options))
            }
        )
    }

    fileprivate static let markers: [Forgery] = [
        markers(.none, .intermediateMarker, .missingIntermediateMarker),
        markers(.swapped, .intermediateMarker, .missingIntermediateMarker),
        markers(.inCertificatePolicies, .intermediateMarker, .missingIntermediateMarker),
        markers(.leafOnly, .intermediateMarker, .missingIntermediateMarker),
        markers(.intermediateOnly, .leafMarker, .missingLeafMarker),
        criticalMarker(.intermediateMarker, of: .intermediate, .accepted("RFC 5280 §4.2")),
        criticalMarker(.leafMarker, of: .leaf, .accepted("RFC 5280 §4.2")),
        criticalMarker(.leafMarker, of: .intermediate, unknownCriticalExtension),
        criticalMarker(.intermediateMarker, of: .leaf, unknownCriticalExtension),
        criticalMarker(.leafMarker, of: .root, unknownCriticalExtension),
        criticalMarker(.intermediateMarker, of: .root, unknownCriticalExtension),
        criticalMarker(.iTunesStoreMarker, of: .intermediate, unknownCriticalExtension),
        criticalMarker(.purchaseReceiptMarker, of: .leaf, unknownCriticalExtension),
        Forgery(
            "markers: both are critical, but not required",
            unknownCriticalExtension,
            mint: { .by(withCriticalMarkers) }
        ).with { $0.requiresMarkers = false },
        Forgery(
            "markers: both are critical",
            .accepted("RFC 5280 §4.2"),
            mint: { .by(withCriticalMarkers) }
        ).with { $0.isGoodToOpenSSL = false },
    ]

    private static var withCriticalMarkers: PrivatePKI {
        var options = PrivatePKI.Options()
        options.markers = .critical
        return PrivatePKI(Keys.pki, options: options)
    }

    private static let unknownCriticalExtension = Verdict.refused(
        .certificatePath,
        .unknownCriticalExtension
    )

    /// A receipt in which one certificate has a critical marker. OpenSSL does not know Apple's markers.
    private static func criticalMarker(
        _ marker: ExtensionTemplate,
        of role: PrivatePKI.Role,
        _ verdict: Verdict
    ) -> Forgery {
        .certificate(role, "the marker \(marker.identifier) is critical", verdict) {
            $0.extensions.removeAll { $0.identifier == marker.identifier }
            $0.extensions.append(.marker(marker.identifier, isCritical: true))
        }.with { $0.isGoodToOpenSSL = false }
    }
}

@Suite("Forged paths (RFC 5280 §6)")
struct PathForgeries {
    @Test(
        "refuses a forged path at its step and with its code, or accepts it if a section allows it",
        arguments: Forgery.paths
    )
    func verdict(_ forgery: Forgery) throws { try forgery.judge() }
}
