import AppReceipt
import Basics
import DER
import PKIX
import RSA
import SHA
import TestSupport
import Testing

@testable import AppReceiptMint

extension Forgery {
    /// The good payload with a signature that a closure makes. The closure receives the correct digest.
    static func signature(
        _ description: String,
        _ code: Refusal.Code = .signatureMismatch,
        _ forgery: @escaping @Sendable (Digest, PrivateKey) -> [UInt8]
    ) -> Forgery {
        .message("signature: \(description)", .refused(.signature, code)) { $0.signers[0].forgery = forgery }
    }

    /// The good payload with a changed encoded message, signed with the correct key.
    static func encodedMessage(
        _ description: String,
        _ change: @escaping @Sendable (inout EncodedMessageTemplate, Digest) -> Void
    ) -> Forgery {
        .signature(description) { digest, key in
            var message = EncodedMessageTemplate(EncodedMessageTemplate.digestInfo(digest))
            change(&message, digest)
            return key.rawSign(message.encoded(key))
        }
    }

    /// Two receipts: one in which the leaf's key is changed, and one in which the intermediate's key is
    /// changed.
    static func key(
        _ description: String,
        _ code: Refusal.Code,
        _ change: @escaping @Sendable (PublicNumbers) -> PublicNumbers,
        forgery: (@Sendable (Digest, PrivateKey) -> [UInt8])? = nil
    ) -> [Forgery] {
        [(PrivatePKI.Role.leaf, ReceiptError.Step.signature), (.intermediate, .certificatePath)].map {
            role,
            step in
            Forgery("\(role): \(description)", .refused(step, code)) {
                let key = role == .leaf ? Keys.pki.leaf : Keys.pki.intermediate
                let numbers = try change(PublicNumbers(key))
                let changed = pki.reissued(role) { $0.subjectPublicKeyInfo = numbers.subjectPublicKeyInfo }
                return Minted.by(changed) { $0.signers[0].forgery = forgery }.receipt
            }
        }
    }

    /// Searches for a payload whose digest satisfies a condition.
    ///
    /// - Parameters:
    ///   - first: the number of the first payload to try. At most 2000 payloads are tried.
    ///   - isWanted: the condition.
    static func wantedPayload(from first: UInt16, where isWanted: (Digest) -> Bool) throws -> PayloadTemplate
    {
        for number in first..<(first + 2000) {
            var payload = richPayload
            payload.rawAttributes.append(
                AttributeTemplate(99, value: [UInt8(number >> 8), UInt8(number & 0xFF)])
            )
            if isWanted(HashAlgorithm.sha256.digest(of: payload.encoded())) { return payload }
        }
        throw NoSuchPayload()
    }

    struct NoSuchPayload: Error {}
}

// MARK: The list

extension Forgery {
    /// Forgeries in which a lenient verifier finds the correct digest.
    static let convincingSignatures: [Forgery] = convincingMessages + exponentOne.prefix(1)

    private static let convincingMessages: [Forgery] =
        [
            .encodedMessage("garbage after the hash") { message, _ in message.paddingCount = 8 },
            .encodedMessage("garbage after the hash, and seven octets of padding") { message, _ in
                message.paddingCount = 7
            },
            .encodedMessage("garbage after the hash, and no padding") { message, _ in message.paddingCount = 0
            },
            .encodedMessage("padding one octet short, and one octet after the hash") { message, _ in
                message.paddingCount = 256 - 3 - message.digestInfo.count - 1
            },
            .encodedMessage("NULL is missing") { message, digest in
                message.digestInfo = EncodedMessageTemplate.digestInfo(
                    digest,
                    algorithm: EncodedMessageTemplate.algorithm(digest.algorithm, parameters: [])
                )
            },
            .encodedMessage("other parameters than NULL") { message, digest in
                message.digestInfo = EncodedMessageTemplate.digestInfo(
                    digest,
                    algorithm: EncodedMessageTemplate.algorithm(digest.algorithm, parameters: [0x04, 0x00])
                )
            },
            .encodedMessage("another hash's identifier") { message, digest in
                message.digestInfo = EncodedMessageTemplate.digestInfo(
                    digest,
                    algorithm: EncodedMessageTemplate.algorithm(.sha512)
                )
            },
            .encodedMessage("BER: the DigestInfo's length in two octets") { message, _ in
                message.digestInfo.insert(0x81, at: 1)
            },
            .encodedMessage("BER: the algorithm's length in two octets") { message, _ in
                message.digestInfo.insert(0x81, at: 3)
                message.digestInfo[1] += 1
            },
            .encodedMessage("BER: the digest's length in two octets") { message, digest in
                message.digestInfo.insert(0x81, at: message.digestInfo.count - digest.bytes.count - 1)
                message.digestInfo[1] += 1
            },
            .encodedMessage("BER: an indefinite length") { message, _ in
                message.digestInfo[1] = 0x80
                message.digestInfo += [0x00, 0x00]
            },
            cubeRoot("garbage after the hash", CubeRoot.garbageAtTheEnd),
            cubeRoot("garbage in the parameters", CubeRoot.garbageInTheParameters),
        ]

    private static func cubeRoot(
        _ description: String,
        _ root: @escaping @Sendable (Digest, _ byteCount: Int) -> [UInt8]
    ) -> Forgery {
        Forgery(
            "signature: the cube root of a message for e = 3: \(description)",
            .refused(.signature, .signatureMismatch)
        ) {
            var keys = Keys.pki
            keys.leaf = Keys.exponent3
            let payload = try wantedPayload(from: 0) { $0.bytes.last.map { $0 & 1 == 1 } == true }
            return Minted.by(PrivatePKI(keys), payload) {
                $0.signers[0].forgery = { digest, key in root(digest, key.modulusByteCount) }
            }.receipt
        }
    }

    /// Keys with e = 1, for which a signature equals its message: first the leaf's key, then the
    /// intermediate's.
    private static let exponentOne = key(
        "exponent one",
        .exponentTooSmall,
        { PublicNumbers(modulus: $0.modulus, exponent: [1]) },
        forgery: { digest, key in key.encodedMessage(digest) }
    )

    static let signatures: [Forgery] = messagesAndNumbers + keys.flatMap { $0 }

    private static let messagesAndNumbers: [Forgery] =
        [
            .encodedMessage("block type 0") { message, _ in
                (message.blockType, message.padding) = (0x00, 0x00)
            },
            .encodedMessage("block type 0, padded as block type 1") { message, _ in message.blockType = 0x00
            },
            .encodedMessage("block type 2") { message, _ in message.blockType = 0x02 },
            .encodedMessage("padding with another octet in it") { message, _ in message.padding = 0xFE },
            .encodedMessage("padding that has no end") { message, _ in message.separator = [] },
            .encodedMessage("a digest without a DigestInfo") { message, digest in
                message.digestInfo = digest.bytes
            },
            .encodedMessage("a digest one octet short") { message, digest in
                message.digestInfo.removeLast()
                message.digestInfo[1] -= 1
                message.digestInfo[message.digestInfo.count - digest.bytes.count] -= 1
            },
            .encodedMessage("the content's SHA-1 in place of the SHA-256") { message, _ in
                message.digestInfo = EncodedMessageTemplate.digestInfo(
                    HashAlgorithm.sha1.digest(of: richPayload.encoded())
                )
            },
            .signature("zero") { _, key in [UInt8](repeating: 0, count: key.modulusByteCount) },
            .signature("one") { _, key in [UInt8](repeating: 0, count: key.modulusByteCount - 1) + [1] },
            .signature("the modulus less one") { _, key in Natural.modulus(of: key, adding: -1) },
            .signature("the modulus", .signatureOutOfRange) { _, key in Natural.modulus(of: key, adding: 0) },
            .signature("the largest number of its length", .signatureOutOfRange) { _, key in
                [UInt8](repeating: 0xFF, count: key.modulusByteCount)
            },
            Forgery("signature: the right one plus the modulus", .refused(.signature, .signatureOutOfRange)) {
                // The sum must have as many octets as the modulus.
                let payload = try wantedPayload(from: 0) { digest in
                    let sum = Natural.sum(
                        Keys.pki.leaf.sign(digest),
                        Natural.modulus(of: Keys.pki.leaf, adding: 0)
                    )
                    return sum.count == Keys.pki.leaf.modulusByteCount
                }
                return Minted.by(CertificateTests.pki, payload) {
                    $0.signers[0].forgery = { digest, key in
                        Natural.sum(key.sign(digest), Natural.modulus(of: key, adding: 0))
                    }
                }.receipt
            },
            .signature("the right one and 2^2048", .signatureLength) { digest, key in [1] + key.sign(digest)
            },
            .signature("a zero octet in front", .signatureLength) { digest, key in [0] + key.sign(digest) },
            Forgery("signature: without its leading zero", .refused(.signature, .signatureLength)) {
                let payload = try wantedPayload(from: leadingZero) { Keys.pki.leaf.sign($0).first == 0 }
                return Minted.by(CertificateTests.pki, payload) {
                    $0.signers[0].forgery = { digest, key in Array(key.sign(digest).drop { $0 == 0 }) }
                }.receipt
            },
            Forgery("signature: with its leading zero", .accepted("RFC 8017 §4.1")) {
                let payload = try wantedPayload(from: leadingZero) { Keys.pki.leaf.sign($0).first == 0 }
                return Minted.by(CertificateTests.pki, payload).receipt
            },
            .signature("one octet short", .signatureLength) { digest, key in key.sign(digest).dropLast() },
            .signature("one octet long", .signatureLength) { digest, key in key.sign(digest) + [0] },
            .signature("empty", .signatureLength) { _, _ in [] },
            .signature("the least significant octet first") { digest, key in key.sign(digest).reversed() },
            .message("signature: by another key", .refused(.signature, .signatureMismatch)) {
                $0.signers[0].key = Keys.impostors.leaf
            },
            Forgery("signature: by a key with e = 3, and right", .accepted("RFC 8017 §3.1")) {
                var keys = Keys.pki
                keys.leaf = Keys.exponent3
                return Minted.by(PrivatePKI(keys)).receipt
            },
            Forgery(
                "certificate: the cube root of a message for e = 3",
                .refused(.certificatePath, .signatureMismatch)
            ) {
                var keys = Keys.pki
                keys.intermediate = Keys.exponent3
                let pki = PrivatePKI(keys)
                return Minted.by(pki) {
                    let digest = HashAlgorithm.sha256.digest(of: pki.leaf.template.tbsCertificate())
                    let root = CubeRoot.garbageAtTheEnd(
                        digest,
                        byteCount: pki.intermediate.key.modulusByteCount
                    )
                    $0.certificates[0] = pki.leaf.template.certificate(signature: root)
                }.receipt
            },
            Forgery("leaf: a key of 1024 bits", .refused(.signature, .keyTooSmall)) {
                var keys = Keys.pki
                keys.leaf = Keys.bits1024
                return Minted.by(PrivatePKI(keys)).receipt
            },
        ]

    private static let keys: [[Forgery]] = [
        key("an even modulus", .modulusEven) {
            PublicNumbers(modulus: $0.modulus.dropLast() + [$0.modulus[255] & 0xFE], exponent: $0.exponent)
        },
        key("modulus one", .modulusTooSmall) { PublicNumbers(modulus: [1], exponent: $0.exponent) },
        key("modulus zero", .modulusTooSmall) { PublicNumbers(modulus: [0], exponent: $0.exponent) },
        key("a modulus of 8193 bits", .modulusTooLarge) {
            PublicNumbers(modulus: [1] + [UInt8](repeating: 0xFF, count: 1024), exponent: $0.exponent)
        },
        key("an exponent as long as the modulus", .exponentTooLarge) {
            PublicNumbers(modulus: $0.modulus, exponent: $0.modulus)
        },
        key("an exponent of 34 bits", .exponentTooLarge) {
            PublicNumbers(modulus: $0.modulus, exponent: [0x02, 0x00, 0x00, 0x00, 0x01])
        },
        key("an even exponent", .exponentEven) { PublicNumbers(modulus: $0.modulus, exponent: [2]) },
        [Forgery](exponentOne.suffix(1)),
        key("exponent zero", .exponentTooSmall) { PublicNumbers(modulus: $0.modulus, exponent: [0]) },
    ]

    /// A number shortly before the first payload whose signature begins with a zero octet.
    private static let leadingZero: UInt16 = 140
}

extension Natural {
    /// The sum of a key's modulus and a small number, in as many octets as the modulus has.
    fileprivate static func modulus(of key: PrivateKey, adding difference: Int) -> [UInt8] {
        guard let modulus = try? PublicNumbers(key).modulus else { return [] }
        // The modulus is odd, so subtracting one changes only the last octet.
        return modulus.dropLast() + [UInt8(Int(modulus[modulus.count - 1]) + difference)]
    }

    /// The sum of two numbers, in as few octets as possible.
    fileprivate static func sum(_ one: [UInt8], _ other: [UInt8]) -> [UInt8] {
        let sum = (Natural(octets: one) + Natural(octets: other)).octets(count: one.count + 1)
        return sum[0] == 0 ? Array(sum.dropFirst()) : sum
    }
}

@Suite("Forged signatures (RFC 8017 §8.2.2, §9.2)")
struct SignatureForgeries {
    @Test(
        "refuses a forged signature at its step and with its code",
        arguments: Forgery.signatures + Forgery.convincingSignatures
    )
    func verdict(_ forgery: Forgery) throws { try forgery.judge() }

    @Test(
        "a lenient verifier finds the correct digest in a forged encoded message",
        arguments: Forgery.convincingSignatures
    )
    func isConvincing(_ forgery: Forgery) throws {
        let message = try Opened(forgery.minted().receipt)
        let opened = try LenientVerifier.open(message.signature, by: message.subjectPublicKeyInfo)
        #expect(LenientVerifier.digest(in: opened) == HashAlgorithm.sha256.digest(of: message.content).bytes)
    }

    @Test("the cube of a forged root is below the modulus, has the digest and is not the encoded message")
    func cubes() throws {
        let key = Keys.exponent3
        let digest = HashAlgorithm.sha256.digest(of: Array("odd".utf8))
        try #require(digest.bytes.last.map { $0 & 1 } == 1)
        for root in [CubeRoot.garbageAtTheEnd, CubeRoot.garbageInTheParameters] {
            let signature = root(digest, 256)
            let cube = Natural(octets: signature).cubed.octets(count: 256)
            #expect(try LenientVerifier.open(signature, by: key.subjectPublicKeyInfo) == cube)
            #expect(LenientVerifier.digest(in: cube) == digest.bytes)
            #expect(cube != key.encodedMessage(digest))
        }
    }

    @Test("the forged signature of a certificate convinces a lenient verifier")
    func certificate() throws {
        let digest = HashAlgorithm.sha256.digest(of: CertificateTests.pki.leaf.template.tbsCertificate())
        let key = Keys.exponent3
        let opened = try LenientVerifier.open(
            CubeRoot.garbageAtTheEnd(digest, byteCount: 256),
            by: key.subjectPublicKeyInfo
        )
        #expect(LenientVerifier.digest(in: opened) == digest.bytes)
    }

    @Test("a correct signature opens to the one correct encoded message")
    func right() throws {
        let message = try Opened(Forgery.Minted.by(CertificateTests.pki).receipt)
        let digest = HashAlgorithm.sha256.digest(of: message.content)
        let opened = try LenientVerifier.open(message.signature, by: message.subjectPublicKeyInfo)
        #expect(opened == Keys.pki.leaf.encodedMessage(digest))
        #expect(
            opened == EncodedMessageTemplate(EncodedMessageTemplate.digestInfo(digest)).encoded(Keys.pki.leaf)
        )
    }
}
