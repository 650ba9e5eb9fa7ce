import AppReceiptMint
import Basics
import DER
import ECDSA
import SHA

extension Attack {
    /// Attacks with evidence about revocation, which the caller takes from a network. The certificate in
    /// question is the signer's of tokens, and its issuer has a key on P-384.
    static let evidence: [Attack] = [
        Attack(
            "list-entries",
            "a revocation list with as many entries as the limits allow",
            upTo: 20_900_000,
            ceiling: 107,
            work: .list,
            make: otherEntries
        ),
        Attack(
            "list-holds",
            "a revocation list that holds the certificate as many times as fit, each for a reason",
            ceiling: 151,
            outcome: "revocation.revoked",
            work: .list
        ) { mint, size in
            let reason = ExtensionTemplate(ObjectIdentifier(2, 5, 29, 21), value: [0x0A, 0x01, 0x06])
            let hold = reason.encoded()
            return mint.list(of: [AttackMint.entry(mint.signer.template.serialNumber, hold)], size)
        },
        Attack(
            "list-extensions",
            "a revocation list whose entries have as many extensions as the limit allows",
            ceiling: 220,
            work: .list
        ) { mint, size in
            mint.list(of: [AttackMint.entry([5], AttackMint.extensions)], size)
        },
        Attack(
            "response-statuses",
            "a response with 64 statuses that differ from the certificate's in the last octet of a digest",
            upTo: 7_400,
            ceiling: 146,
            outcome: "revocation.no-evidence",
            work: .response
        ) { mint, _ in
            mint.response([[UInt8]](repeating: mint.single(otherKey: true), count: 64))
        },
        Attack(
            "response-extensions",
            "a response whose statuses have as many extensions as the limit allows",
            upTo: 14_720,
            ceiling: 354,
            work: .response
        ) { mint, size in
            let single = mint.single(AttackMint.extensions)
            return mint.response([[UInt8]](repeating: single, count: max(1, size / single.count)))
        },
        Attack(
            "response-keys",
            "sixteen signature checks with keys on P-384: eight certificates of the responder, and none signed",
            upTo: 6_000,
            ceiling: 10363,
            memory: 1,
            outcome: "ecdsa.signature-mismatch",
            work: .response
        ) { mint, _ in
            mint.response([mint.single()], responders: 8)
        },
        Attack(
            "list-again",
            "a token with a changed header, after one under the same policy with a long revocation list",
            ceiling: 1,
            work: .tokenAfterList,
            make: otherEntries
        ),
    ]

    /// Makes a list whose entries are about another certificate.
    private static func otherEntries(_ mint: AttackMint, _ size: Int) -> [UInt8] {
        mint.list(of: [AttackMint.entry([5])], size)
    }
}

extension AttackMint {
    /// The certificate that evidence is about.
    var signer: CertifiedKey<ECPrivateKey> { tokenPKI.leaf }
    private var issuer: CertifiedKey<ECPrivateKey> { tokenPKI.intermediate }

    /// The present time when evidence is judged.
    static let now = Timestamp(millisecondsSince1970: 1_893_456_000_000)  // 2030-01-01
    private static let nextUpdate = now + .days(1)
    private static let algorithm = ECPrivateKey.signatureAlgorithm(.sha384).encoded()

    /// Sixteen extensions, as many as the limit allows, of eight bytes each. Their identifiers have the same
    /// length and last octet, so they are compared with each other.
    static let extensions: [UInt8] = (1...16).flatMap { (number: UInt8) -> [UInt8] in
        [0x30, 0x06, 0x06, 0x02, number, 0x01, 0x04, 0x00]
    }

    /// An entry of a revocation list.
    static func entry(_ serialNumber: [UInt8], _ extensions: [UInt8] = []) -> [UInt8] {
        Writer.sequence {
            $0.write(.integer, serialNumber)
            $0.writeTime(now)
            if !extensions.isEmpty { $0.write(.sequence, extensions) }
        }
    }

    /// A revocation list of the issuer with entries that repeat.
    func list(of entries: [[UInt8]], _ byteCount: Int) -> [UInt8] {
        let tbs = Writer.sequence {
            $0.writeInteger(1)
            $0.writeEncoded(Self.algorithm)
            $0.writeEncoded(issuer.template.subject.encoded())
            $0.writeTime(Self.now)
            $0.writeTime(Self.nextUpdate)
            $0.write(.sequence, filled(byteCount - 1000, with: entries.flatMap { $0 }))
        }
        return signed(tbs, by: issuer.key)
    }

    /// A status of the signer's certificate: good.
    ///
    /// - Parameters:
    ///   - extensions: the encoded extensions.
    ///   - otherKey: whether the digest of the issuer's key differs in its last octet.
    func single(otherKey: Bool = false, _ extensions: [UInt8] = []) -> [UInt8] {
        let name = HashAlgorithm.sha1.digest(of: issuer.template.subject.encoded().span).bytes
        var key = issuer.key.keyIdentifier
        if otherKey { key[19] ^= 1 }
        return Writer.sequence { single in
            single.nest(.sequence) {
                $0.writeEncoded(AlgorithmTemplate.digest(.sha1).encoded())
                $0.writeOctetString(name)
                $0.writeOctetString(key)
                $0.write(.integer, signer.template.serialNumber)
            }
            single.write(.primitive(0), [])
            single.writeEncoded(Self.time(Self.now))
            single.write(.constructed(0), Self.time(Self.nextUpdate))
            if !extensions.isEmpty {
                single.nest(.constructed(1)) { $0.write(.sequence, extensions) }
            }
        }
    }

    /// An OCSP response of the issuer, or with a wrong signature of a responder that has several
    /// certificates.
    ///
    /// - Parameters:
    ///   - singles: the statuses.
    ///   - responders: the number of the responder's certificates; 0 if the issuer signs.
    func response(_ singles: [[UInt8]], responders: Int = 0) -> [UInt8] {
        let name = responders == 0 ? issuer.template.subject : NameTemplate(commonName: "Responder")
        let certificates = (0..<responders).map { responder(name, $0) }
        let data = Writer.sequence {
            $0.write(.constructed(1), name.encoded())
            $0.writeEncoded(Self.time(Self.now))
            $0.write(.sequence, singles.flatMap { $0 })
        }
        let basic = signed(data, by: issuer.key) { basic in
            guard responders > 0 else { return }
            basic.nest(.constructed(0)) { $0.write(.sequence, certificates.flatMap { $0 }) }
        }
        return Writer.sequence { response in
            response.write(.enumerated, [0x00])  // responseStatus
            response.nest(.constructed(0)) { explicit in
                explicit.nest(.sequence) {
                    $0.writeObjectIdentifier(ObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 48, 1, 1))
                    $0.writeOctetString(basic)
                }
            }
        }
    }

    /// A certificate of a responder that the issuer has authorised.
    private func responder(_ name: NameTemplate, _ number: Int) -> [UInt8] {
        let key = ECPrivateKey(.p384, seed: UInt64(100 + number))
        var template = CertificateTemplate(
            issuer: issuer.template.subject,
            subject: name,
            subjectPublicKeyInfo: key.subjectPublicKeyInfo
        )
        template.signatureHash = .sha384
        template.extensions = [
            .extendedKeyUsage([ObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 3, 9)]),
            ExtensionTemplate(ObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 48, 1, 5), value: [0x05, 0x00]),
        ]
        return CertifiedKey(template, key: key, signedBy: issuer.key).certificate
    }

    private func signed(
        _ tbs: [UInt8],
        by key: ECPrivateKey,
        _ more: (inout Writer) -> Void = { _ in }
    ) -> [UInt8] {
        Writer.sequence {
            $0.writeEncoded(tbs)
            $0.writeEncoded(Self.algorithm)
            $0.writeBitString(key.sign(HashAlgorithm.sha384.digest(of: tbs.span)))
            more(&$0)
        }
    }

    /// A GeneralizedTime of this century.
    private static func time(_ time: Timestamp) -> [UInt8] {
        var writer = Writer()
        writer.writeTime(time)
        return element(.generalizedTime, [UInt8]("20".utf8) + writer.bytes.dropFirst(2))
    }
}
