import AppReceipt
import AppReceiptMint
import Basics
import DER
import TestSupport
import Testing

@testable import PKIX

@Suite("Remembered keys")
struct KeyCacheTests {
    /// The SubjectPublicKeyInfo of a modulus of `bits` bits. All bits are set except a few, which hold the
    /// number.
    private static func key(_ number: UInt8, bits: Int = 2048) -> [UInt8] {
        var modulus = [UInt8](repeating: 0xFF, count: (bits + 7) / 8)
        modulus[0] >>= UInt8((8 - bits % 8) % 8)
        modulus[100] = number
        let key = CertificateBuilder.encode { writer in
            writer.nest(.sequence) {
                $0.writeUnsignedInteger(modulus)
                $0.writeInteger(65537)
            }
        }
        return CertificateBuilder.encode { writer in
            writer.nest(.sequence) {
                $0.writeEncoded(CertificateBuilder.algorithm(CertificateBuilder.rsaEncryption))
                $0.writeBitString(key)
            }
        }
    }

    /// A certificate with this key, and the key's range in it.
    private static func certificate(_ key: [UInt8]) throws -> (bytes: [UInt8], fields: Certificate) {
        let template = CertificateBuilder("Leaf", issuer: "Root")
        let plain = template.encoding
        let place = try Bag(encodings: [plain]).certificates[0].subjectPublicKeyInfo
        let tbs = try Bag(encodings: [plain]).certificates[0].tbsCertificate
        // The parts of tbsCertificate before and after the key; its header has two octets or more.
        var header = Reader(plain.span, in: tbs)
        let contents = try header.read(.sequence, "tbsCertificate")
        let bytes = CertificateBuilder.encode { writer in
            writer.nest(.sequence) { certificate in
                certificate.write(
                    .sequence,
                    [UInt8](plain[contents.lowerBound..<place.lowerBound]) + key
                        + plain[place.upperBound..<contents.upperBound]
                )
                certificate.writeEncoded([UInt8](plain[tbs.upperBound...]))
            }
        }
        return (bytes, try Bag(encodings: [bytes]).certificates[0])
    }

    /// The code with which the cache refuses a key; nil if the key is accepted.
    private static func refusal(of key: [UInt8], _ keys: inout KeyCache<SigningKey>) throws -> Refusal.Code? {
        let (bytes, fields) = try certificate(key)
        do throws(Refusal) {
            _ = try keys.key(of: fields.view(in: bytes.span))
            return nil
        } catch {
            return error.code
        }
    }

    @Test("at most sixty-four keys are remembered; the oldest makes room for the newest, again and again")
    func capacity() throws {
        var keys = KeyCache<SigningKey>()
        for number: UInt8 in 0..<200 {
            let key = Self.key(number)
            for _ in 0..<2 { #expect(try Self.refusal(of: key, &keys) == nil) }
            let newest = (0...number).suffix(64).map { Self.key($0) }
            #expect(Set(keys.encodings.elements) == Set(newest), "after \(number)")
            #expect(keys.encodings.elements.count == newest.count)
        }
    }

    @Test("a key has at least 2048 bits, unless the requirements say otherwise", arguments: [2047, 2048])
    func size(_ bits: Int) throws {
        var keys = KeyCache<SigningKey>()
        let key = Self.key(1, bits: bits)
        #expect(try Self.refusal(of: key, &keys) == (bits < 2048 ? .keyTooSmall : nil))
        #expect(keys.encodings.elements.count == (bits < 2048 ? 0 : 1))
        var lenient = KeyCache<SigningKey>(minimumModulusBits: bits)
        #expect(try Self.refusal(of: key, &lenient) == nil)
    }

    @Test("the verdict about a certificate and its issuer is remembered, and belongs to both")
    func verdicts() throws {
        let certificates = try (0..<20).map { try Self.certificate(Self.key($0)) }
        var keys = KeyCache<SigningKey>()
        var judged: [[Int]] = []
        func verdict(_ certificate: Int, _ issuer: Int) -> RevocationVerdict {
            let (one, other) = (certificates[certificate], certificates[issuer])
            return keys.revocationVerdict(
                about: one.fields.view(in: one.bytes.span),
                issuedBy: other.fields.view(in: other.bytes.span)
            ) { _ in
                judged.append([certificate, issuer])
                return certificate == 0 ? .revoked : issuer == 0 ? .good : .unknown(.notYetValid)
            }
        }
        for _ in 0..<2 {
            #expect(verdict(0, 1) == .revoked)
            #expect(verdict(1, 0) == .good)
            #expect(verdict(1, 2) == .unknown(.notYetValid))
        }
        #expect(judged == [[0, 1], [1, 0], [1, 2]])
        // Sixteen verdicts are kept. After the next, the memory has that one alone.
        for index in 3..<16 { _ = verdict(index, 0) }
        judged = []
        for index in 3..<16 { #expect(verdict(index, 0) == .good) }
        #expect(verdict(0, 1) == .revoked && judged == [])
        #expect(verdict(16, 0) == .good && verdict(16, 0) == .good && judged == [[16, 0]])
        #expect(verdict(0, 1) == .revoked && judged == [[16, 0], [0, 1]])
    }
}
