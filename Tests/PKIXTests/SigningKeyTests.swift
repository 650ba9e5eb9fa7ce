import AppReceipt
import AppReceiptMint
import Basics
import DER
import PKIX
import RSA
import TestSupport
import Testing

@Suite("Signature algorithms of certificates (RFC 3279 §2.2.1, RFC 4055 §5)")
struct SignatureAlgorithmTests {
    private static func parse(_ encoding: [UInt8]) throws(Refusal) -> AlgorithmIdentifier {
        var reader = Reader(encoding.span)
        return try AlgorithmIdentifier(&reader, "signatureAlgorithm")
    }

    private static let arcs: [(UInt32, HashAlgorithm)] = [
        (5, .sha1), (11, .sha256), (12, .sha384), (13, .sha512),
    ]

    @Test("each algorithm names its hash; parameters are NULL, and may be absent with SHA-2 alone")
    func parameters() throws {
        for (arc, hash) in Self.arcs {
            let identifier = ObjectIdentifier(1, 2, 840, 113549, 1, 1, arc)
            let null = try Self.parse(CertificateBuilder.algorithm(identifier))
            #expect(try SigningKey.Algorithm(ofCertificate: null).hash == hash)
            let absent = try Self.parse(CertificateBuilder.algorithm(identifier, parameters: []))
            if hash == .sha1 {
                refuses(.invalidAlgorithmParameters, at: 0) { () throws(Refusal) in
                    try SigningKey.Algorithm(ofCertificate: absent).hash
                }
            } else {
                #expect(try SigningKey.Algorithm(ofCertificate: absent).hash == hash)
            }
            let other = try Self.parse(CertificateBuilder.algorithm(identifier, parameters: [0x30, 0x00]))
            refuses(.invalidAlgorithmParameters, at: 0) { () throws(Refusal) in
                try SigningKey.Algorithm(ofCertificate: other).hash
            }
        }
    }

    @Test(
        "any other algorithm is not supported",
        arguments: [
            // MD2, MD4 and MD5 with RSA; RSA alone; RSASSA-PSS; SHA-224 with RSA; ECDSA; a longer one.
            [1, 2, 840, 113549, 1, 1, 2], [1, 2, 840, 113549, 1, 1, 3], [1, 2, 840, 113549, 1, 1, 4],
            [1, 2, 840, 113549, 1, 1, 1], [1, 2, 840, 113549, 1, 1, 10], [1, 2, 840, 113549, 1, 1, 14],
            [1, 2, 840, 10045, 4, 3, 2], [1, 2, 840, 113549, 1, 1, 11, 1],
        ] as [[UInt32]]
    )
    func otherAlgorithms(arcs: [UInt32]) throws {
        let identifier = ObjectIdentifier(
            arcs[0],
            arcs[1],
            arcs[2],
            arcs[3],
            arcs[4],
            arcs[5],
            arcs.count > 6 ? arcs[6] : nil,
            arcs.count > 7 ? arcs[7] : nil
        )
        let algorithm = try Self.parse(CertificateBuilder.algorithm(identifier))
        refuses(.unsupportedSignatureAlgorithm, at: 0) { () throws(Refusal) in
            try SigningKey.Algorithm(ofCertificate: algorithm).hash
        }
    }

    /// The sentence of the refusal of a signature algorithm.
    private static func sentence(_ identifier: ObjectIdentifier) throws -> String {
        let algorithm = try parse(CertificateBuilder.algorithm(identifier))
        do throws(Refusal) {
            _ = try SigningKey.Algorithm(ofCertificate: algorithm)
            return "accepted"
        } catch {
            #expect(error.code == .unsupportedSignatureAlgorithm)
            return "\(error.code.meaning)"
        }
    }

    @Test("the refusal tells ECDSA, RSASSA-PSS and Ed25519 apart, and promises nothing for other algorithms")
    func families() throws {
        let newer = "A newer version may support it."
        for (identifier, name) in [
            (ObjectIdentifier(1, 2, 840, 10045, 4, 1), "ECDSA"),
            (ObjectIdentifier(1, 2, 840, 10045, 4, 3, 1), "ECDSA"),
            (ObjectIdentifier(1, 2, 840, 10045, 4, 3, 2), "ECDSA"),
            (ObjectIdentifier(1, 2, 840, 10045, 4, 3, 3), "ECDSA"),
            (ObjectIdentifier(1, 2, 840, 10045, 4, 3, 4), "ECDSA"),
            (ObjectIdentifier(1, 2, 840, 113549, 1, 1, 10), "RSASSA-PSS"),
            (ObjectIdentifier(1, 3, 101, 112), "Ed25519"),
        ] {
            let sentence = try Self.sentence(identifier)
            #expect(sentence.contains(name) && sentence.hasSuffix(newer), "\(sentence)")
        }
        // MD5 with RSA, DSA with SHA-256, Ed448.
        for identifier in [
            ObjectIdentifier(1, 2, 840, 113549, 1, 1, 4), ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 3, 2),
            ObjectIdentifier(1, 3, 101, 113),
        ] {
            #expect(
                try Self.sentence(identifier) == "\(Refusal.Code.unsupportedSignatureAlgorithm.meaning)"
            )
        }
    }

    @Test("an identifier of more than sixteen octets names no known algorithm")
    func longIdentifier() throws {
        let octets = [0x2A] + [UInt8](repeating: 0x01, count: 16)
        let algorithm = try Self.parse([0x30, 0x13, 0x06, 0x11] + octets)
        #expect(algorithm.algorithm == nil && algorithm.parameters == .absent)
        refuses(.unsupportedSignatureAlgorithm, at: 0) { () throws(Refusal) in
            try SigningKey.Algorithm(ofCertificate: algorithm).hash
        }
    }
}

@Suite("Keys of RSA")
struct SigningKeyTests {
    /// A path of real certificates, verified with real keys.
    private static func path(
        _ files: [String],
        root: String,
        _ keys: inout KeyCache<SigningKey>
    ) throws -> CertificationPath {
        let bag = try Bag(encodings: try files.map { try vector("certificates/\($0).der") })
        let anchor = try TrustAnchor(certificate: vector("certificates/\(root).der"))
        let time = try #require(Timestamp(year: 2025, month: 6, day: 15))
        return try bag.path(to: [anchor], at: time, keys: &keys)
    }

    @Test("signatures that openssl made hold, again when the keys are remembered, and only under their keys")
    func genuine() throws {
        var keys = KeyCache<SigningKey>()
        for _ in 0..<2 {
            let path = try Self.path(["leaf", "intermediate"], root: "root", &keys)
            #expect(path.count == 3 && path.endsOutside)
        }
        #expect(throws: Refusal.self) {
            try Self.path(["leaf", "intermediate"], root: "root-impostor", &keys)
        }
        #expect(try Self.path(["leaf-4096", "intermediate-4096"], root: "root-4096", &keys).count == 3)
    }

    @Test("refuses a malformed key in a certificate that the path does not need, and no other key")
    func unusedKey() throws {
        func find(_ spare: [UInt8]) throws -> (refusal: Refusal?, start: Int) {
            let path = try ["leaf", "intermediate"].map { try vector("certificates/\($0).der") }
            let certificate = CertificateBuilder("Spare", issuer: "Elsewhere").with {
                $0.subjectPublicKeyInfo = spare
            }
            let bag = try Bag(encodings: path + [certificate.encoding])
            let anchor = try TrustAnchor(certificate: vector("certificates/root.der"))
            let time = try #require(Timestamp(year: 2025, month: 6, day: 15))
            var keys = KeyCache<SigningKey>()
            var refusal: Refusal?
            do throws(Refusal) {
                _ = try bag.path(to: [anchor], at: time, keys: &keys)
            } catch {
                refusal = error
            }
            return (refusal, bag.certificates[2].subjectPublicKeyInfo.lowerBound)
        }
        let key: [UInt8] = [0x30, 0x06, 0x02, 0x01, 0x00, 0x02, 0x01, 0x01]
        let noParameters = CertificateBuilder.algorithm(CertificateBuilder.rsaEncryption, parameters: [])
        let unknown = CertificateBuilder.algorithm(ObjectIdentifier(1, 2, 3), parameters: [])
        // A modulus of zero is a key, though no one can use it, and so are the octets of another algorithm.
        for spare in [
            CertificateBuilder.keyInfo(key), CertificateBuilder.keyInfo([0xFF], algorithm: unknown),
        ] {
            #expect(try find(spare).refusal == nil)
        }
        let malformed: [([UInt8], Refusal.Code, Int)] = [
            (CertificateBuilder.keyInfo([]), .truncated, 20),
            (CertificateBuilder.keyInfo([0xFF, 0xFF, 0xFF]), .unexpectedTag, 20),
            (CertificateBuilder.keyInfo(key + [0x00]), .trailingBytes, 28),
            (CertificateBuilder.keyInfo(Array(key.dropLast(3)) + [0x05, 0x01, 0x01]), .unexpectedTag, 25),
            (CertificateBuilder.keyInfo(key, algorithm: noParameters), .keyParameters, 15),
        ]
        for (spare, code, distance) in malformed {
            let (refusal, start) = try find(spare)
            #expect(
                refusal?.code == code && refusal?.offset == start + distance,
                "\(String(describing: refusal))"
            )
        }
    }

    @Test("a key smaller than required is refused, at the key, every time")
    func keyTooSmall() throws {
        let bytes = try vector("certificates/leaf-1024.der")
        let certificate = try Bag(encodings: [bytes]).certificates[0]
        let digest = HashAlgorithm.sha256.digest(of: bytes.span)
        var strict = KeyCache<SigningKey>()
        for _ in 0..<2 {
            refuses(.keyTooSmall, at: certificate.subjectPublicKeyInfo.lowerBound) { () throws(Refusal) in
                try strict.key(of: certificate.view(in: bytes.span))
            }
        }
        var lenient = KeyCache<SigningKey>(minimumModulusBits: 1024)
        for (range, code) in [(1..<129, Refusal.Code.signatureMismatch), (1..<128, .signatureLength)] {
            refuses(code, at: 0) { () throws(Refusal) in
                try lenient.key(of: certificate.view(in: bytes.span)).verify(
                    bytes.span.extracting(range),
                    of: digest,
                    by: .rsa(.sha256),
                    acceleration: .none
                )
            }
        }
    }

    @Test("the refusal of a key tells ECDSA, RSASSA-PSS and Ed25519 apart")
    func keyFamilies() {
        for (identifier, name) in [
            (ObjectIdentifier(1, 2, 840, 10045, 2, 1), "ECDSA"),
            (ObjectIdentifier(1, 2, 840, 113549, 1, 1, 10), "RSASSA-PSS"),
            (ObjectIdentifier(1, 3, 101, 112), "Ed25519"), (ObjectIdentifier(1, 3, 101, 110), nil),
        ] as [(ObjectIdentifier, String?)] {
            let info = CertificateBuilder.encode { writer in
                writer.nest(.sequence) {
                    $0.writeEncoded(CertificateBuilder.algorithm(identifier))
                    $0.writeBitString([0x04])
                }
            }
            do throws(Refusal) {
                _ = try SigningKey(
                    subjectPublicKeyInfo: info.span,
                    in: 0..<info.count,
                    requirements: SigningKey.Requirements()
                )
                Issue.record("accepted")
            } catch {
                #expect(error.code == .notAnRSAKey && error.offset == 6, "\(error)")
                #expect(error.reading.description == "SubjectPublicKeyInfo.algorithm")
                let sentence = "\(error.code.meaning)"
                guard let name else {
                    #expect(sentence == "\(Refusal.Code.notAnRSAKey.meaning)")
                    continue
                }
                #expect(sentence.contains(name) && sentence.hasSuffix("A newer version may support it."))
            }
        }
    }

    @Test("a key that is not one of RSA is refused, at its algorithm")
    func otherKey() throws {
        let bytes = CertificateBuilder("Leaf", issuer: "Root").encoding
        let certificate = try Bag(encodings: [bytes]).certificates[0]
        var keys = KeyCache<SigningKey>()
        #expect(throws: Refusal.self) { try keys.key(of: certificate.view(in: bytes.span)) }
    }
}
