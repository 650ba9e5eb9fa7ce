import DER
import RSA
import SHA
import TestSupport
import Testing

@testable import PKIX

@Suite("Keys that a verifier remembers")
struct RememberedKeysTests {
    /// The SubjectPublicKeyInfo of a modulus of so many bits, all of them set but a few that tell it apart.
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

    /// Asks for a signature of 256 octets that no key makes: zero.
    private static func verify(_ key: [UInt8], _ verifier: inout RSAVerifier) -> Refusal.Code? {
        let signature = [UInt8](repeating: 0, count: 256)
        do throws(Refusal) {
            try verifier.verify(
                0..<256,
                in: signature.span,
                of: HashAlgorithm.sha256.digest(of: signature.span),
                by: 0..<key.count,
                in: key.span
            )
            return nil
        } catch {
            return error.code
        }
    }

    @Test("are sixty-four at the most, the oldest making room for the newest, again and again")
    func capacity() {
        var verifier = RSAVerifier()
        for number: UInt8 in 0..<200 {
            let key = Self.key(number)
            for _ in 0..<2 { #expect(Self.verify(key, &verifier) == .signatureMismatch) }
            let newest = (0...number).suffix(64).map { Self.key($0) }
            #expect(Set(verifier.keys.map(\.encoding)) == Set(newest), "after \(number)")
            #expect(verifier.keys.count == newest.count)
        }
    }

    @Test("have 2048 bits at the least, unless the verifier is told otherwise", arguments: [2047, 2048])
    func size(_ bits: Int) {
        var verifier = RSAVerifier()
        let key = Self.key(1, bits: bits)
        #expect(Self.verify(key, &verifier) == (bits < 2048 ? .keyTooSmall : .signatureMismatch))
        #expect(verifier.keys.count == (bits < 2048 ? 0 : 1))
    }
}
