import AppReceiptMint
import Basics
import DER

extension Attack {
    /// Attacks in the certificates of the message. The signature does not cover them, so an attacker may add
    /// any.
    static let certificates: [Attack] = [
        Attack(
            "other-certificates",
            "certificates of another format, seven bytes each",
            ceiling: 73
        ) { mint, size in
            mint.receipt(carrying: [filled(size - 4000, with: [0xA3, 0x05, 0x06, 0x01, 0x2A, 0x05, 0x00])])
        },
        Attack(
            "name",
            "a certificate whose subject has as many attributes as fit",
            ceiling: 48
        ) {
            mint,
            size in
            var certificate = other(mint)
            let relative: [UInt8] = [0x31, 0x07, 0x30, 0x05, 0x06, 0x01, 0x2A, 0x0C, 0x00]
            certificate.subject = element(.sequence, filled(size - 4000, with: relative))
            return mint.receipt(carrying: [certificate.unsigned()])
        },
        Attack(
            "general-names",
            "a certificate whose authorityKeyIdentifier has as many names as fit",
            ceiling: 130
        ) { mint, size in
            var certificate = other(mint)
            let names = element(.constructed(1), filled(size - 4000, with: [0x82, 0x00]))
            certificate.extensions = ExtensionTemplate(
                ObjectIdentifier(2, 5, 29, 35),
                value: element(.sequence, names + element(.primitive(2), [1]))
            ).encoded()
            return mint.receipt(carrying: [certificate.unsigned()])
        },
        Attack(
            "extensions",
            "thirteen certificates with 64 extensions each, whose long identifiers differ only in one octet",
            ceiling: 94
        ) { mint, size in
            // The last 63 octets of an identifier are compared one by one.
            let length = (size - 30_000) / (13 * 64) / 64 * 64 + 63
            var certificate = other(mint)
            certificate.extensions = (0..<64).flatMap { (index: UInt8) -> [UInt8] in
                // Identifiers with the same length and last octet are compared with each other.
                let identifier = [UInt8](repeating: 1, count: length - 2) + [index, 1]
                return element(.sequence, element(.objectIdentifier, identifier) + element(.octetString, []))
            }
            return mint.receipt(carrying: (0..<13).map { _ in certificate.unsigned() })
        },
        Attack(
            "same-but-for-the-end",
            "thirteen certificates that differ only in their last octet",
            ceiling: 8
        ) { mint, size in
            let certificate = other(mint).unsigned((size - 12_000) / 13)
            return mint.receipt(carrying: (0..<13).map { certificate.dropLast() + [UInt8($0)] })
        },
        Attack(
            "issuers-by-name",
            "sixteen certificates with long names, each of which must be compared with every other",
            ceiling: 6,
            outcome: "pkix.issuer-not-found"
        ) { mint, size in
            let key = mint.key.subjectPublicKeyInfo
            func name(_ last: UInt8) -> [UInt8] {
                let value = [UInt8](repeating: 0x61, count: (size - 12000) / 34) + [last]
                let attribute = Writer.sequence {
                    $0.write(.objectIdentifier, [0x55, 0x04, 0x03])
                    $0.writeUTF8String(String(decoding: value, as: UTF8.self))
                }
                return element(.sequence, element(.set, attribute))
            }
            let signer = AttackCertificate(issuer: "Issuer", subject: "Signer", key: key)
            // The first eight are possible issuers of the signer. Their own issuer names differ from the
            // subjects of the other seven only in the last octet.
            let others = (0..<15).map { index -> [UInt8] in
                var authority = AttackCertificate.authority("Issuer", issuer: "", key: key)
                authority.issuer = name(UInt8(0x61 + index))
                if index >= 8 { authority.subject = name(UInt8(0x41 + index)) }
                return authority.signed(by: mint.key)
            }
            return mint.receipt(signer: signer, others: others)
        },
        Attack(
            "purposes",
            "an authority with more purposes than the limit allows, reached through fourteen certificates",
            ceiling: 83,
            outcome: "pkix.too-many-purposes"
        ) { mint, size in
            let key = mint.key.subjectPublicKeyInfo
            var large = AttackCertificate.authority("Root", issuer: "Root", key: key)
            let purposes = filled(size - 20000, with: [0x06, 0x01, 0x2A])
            large.extensions +=
                ExtensionTemplate(
                    ObjectIdentifier(2, 5, 29, 37),
                    value: element(.sequence, purposes)
                ).encoded()
            let between = (0..<14).map { index -> [UInt8] in
                var authority = AttackCertificate.authority("Issuer", issuer: "Root", key: key)
                authority.extensions += ExtensionTemplate.subjectKeyIdentifier([UInt8(index)]).encoded()
                return authority.signed(by: mint.key)
            }
            let signer = AttackCertificate(issuer: "Issuer", subject: "Signer", key: key)
            return mint.receipt(signer: signer, others: between + [large.unsigned()])
        },
        Attack(
            "certificates-hashed",
            "sixteen certificates with one name that lead to each other, each hashed twice",
            ceiling: 65,
            outcome: "pkix.too-many-signature-checks"
        ) { mint, size in
            let key = mint.key.subjectPublicKeyInfo
            let signer = AttackCertificate(issuer: "Authority", subject: "Signer", key: key)
            let authorities = (0..<15).map { index -> [UInt8] in
                var authority = AttackCertificate.authority("Authority", issuer: "Authority", key: key)
                let padding = [UInt8](repeating: UInt8(index), count: (size - 12000) / 15)
                authority.extensions += ExtensionTemplate(ObjectIdentifier(1, 2), value: padding).encoded()
                return index == 0 ? authority.signed(by: mint.key) : authority.unsigned()
            }
            return mint.receipt(signer: signer, others: authorities)
        },
        // The limit on certificates allows fifteen besides the signer's, and there may be sixteen signature
        // checks. A check by a key of 4096 bits with the exponent 65537 counts as one. A check by the
        // largest key counts as fifteen.
        Attack(
            "keys",
            "fifteen signature checks with keys of 4096 bits",
            upTo: 36_000,
            ceiling: 922,
            outcome: "rsa.signature-mismatch"
        ) { mint, _ in
            lookAlikes(mint, octets: 512) { largeKey($0, octets: 512, exponent: [0x01, 0x00, 0x01]) }
        },
        Attack(
            "keys-largest",
            "fifteen possible issuers with keys of 8192 bits and exponents of 33 bits, of which one is tried",
            upTo: 36_000,
            ceiling: 540,
            outcome: "pkix.too-many-signature-checks"
        ) { mint, _ in
            lookAlikes(mint, octets: 1024) { largeKey($0) }
        },
        // The cache holds at most 64 paths, each with at most 16 KiB of certificates.
        Attack(
            "remembered",
            "a receipt whose certificates differ only in the last octet from those of 64 cached paths",
            upTo: 20_000,
            ceiling: 221,
            work: .validateAmongOthers
        ) { mint, _ in
            let padding = [UInt8](repeating: 0x61, count: 13_000) + AttackWork.marker
            return mint.receipt {
                $0.certificates += [otherFormat(padding)]
            }
        },
        Attack(
            "not-remembered",
            "a valid receipt with more certificate bytes than the cache keeps for a path",
            ceiling: 1,
            work: .validateAmongOthers
        ) { mint, size in
            let padding = [UInt8](repeating: 0x61, count: size - 4000) + AttackWork.marker
            return mint.receipt {
                $0.certificates += [otherFormat(padding)]
            }
        },
    ]

    /// A certificate of another format that has these octets (RFC 5652 §10.2.2).
    private static func otherFormat(_ octets: [UInt8]) -> [UInt8] {
        element(.constructed(3), [0x06, 0x01, 0x2A] + element(.octetString, octets))
    }

    /// A certificate that no path needs.
    private static func other(_ mint: AttackMint) -> AttackCertificate {
        AttackCertificate(issuer: "Other", subject: "Other", key: mint.key.subjectPublicKeyInfo)
    }

    /// A receipt with fifteen possible issuers of the signer. None of them signed it.
    private static func lookAlikes(
        _ mint: AttackMint,
        octets: Int,
        key: (UInt8) -> [UInt8]
    ) -> [UInt8] {
        let own = mint.key.subjectPublicKeyInfo
        let signer = AttackCertificate(issuer: "Authority", subject: "Signer", key: own)
        let authorities = (UInt8(0)..<15).map { index in
            AttackCertificate.authority("Authority", issuer: "Root", key: key(index)).unsigned(octets)
        }
        return mint.receipt(signer: signer, signature: octets, others: authorities)
    }

    /// Returns a SubjectPublicKeyInfo, by default with the largest exponent that the limits allow. With 1024
    /// octets the modulus is the largest allowed, too. There is no private key for it.
    static func largeKey(
        _ index: UInt8,
        octets: Int = 1024,
        exponent: [UInt8] = [0x01, 0xFF, 0xFF, 0xFF, 0xFF]
    ) -> [UInt8] {
        let modulus = [UInt8](repeating: 0xFF, count: octets - 2) + [index, 0xFD]
        let numbers = element(.integer, [0] + modulus) + element(.integer, exponent)
        let bits = [0] + element(.sequence, numbers)
        return element(.sequence, AlgorithmTemplate.rsaEncryption.encoded() + element(.bitString, bits))
    }
}
