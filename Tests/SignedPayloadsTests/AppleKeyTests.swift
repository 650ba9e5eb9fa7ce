import Basics
import DER
import ECDSA
import Foundation
import PKIX
import SHA
import TestSupport
import Testing

@testable import SignedPayloads

@Suite(
    "Apple's keys with constant multiples",
    .enabled(if: SharedData.isExpected, "../shared is not beside this checkout")
)
struct AppleKeyTests {
    /// The certificates of a genuine token: the signer's, the intermediate's and the root's.
    static func certificates(of token: GenuineToken) throws -> [[UInt8]] {
        let header = String(decoding: token.token, as: UTF8.self).prefix { $0 != "." }
        let json = try JSON.parse([UInt8](try #require(Data(base64URL: String(header)))))
        return try #require(json["x5c"]).elements.map { base64($0.string ?? "") }
    }

    static func key(in certificate: [UInt8]) throws -> ECDSASignatureKey {
        var reader = Reader(certificate.span)
        return try ECDSASignatureKey(
            subjectPublicKeyInfo: certificate.span,
            in: Certificate(&reader).subjectPublicKeyInfo,
            requirements: ECDSASignatureKey.Requirements()
        )
    }

    /// Whether a key verifies the signature of a certificate, with a bit of the signature's end changed.
    static func verifies(_ key: ECDSASignatureKey, _ certificate: [UInt8], changing bit: UInt8) throws -> Bool
    {
        var reader = Reader(certificate.span)
        let fields = try Certificate(&reader)
        let algorithm = try ECDSASignatureKey.Algorithm(ofCertificate: fields.signatureAlgorithm)
        let digest = algorithm.hash.digest(of: certificate.span.extracting(fields.tbsCertificate))
        var signature = Array(certificate[fields.signatureValue])
        signature[signature.count - 1] ^= bit
        do throws(Refusal) {
            try key.verify(signature.span, of: digest, by: algorithm, acceleration: .none)
            return true
        } catch {
            #expect(error.code == .ecSignatureMismatch)
            return false
        }
    }

    @Test("verify the certificates that they issued, and no other signature")
    func issuers() throws {
        for name in ["sandbox-transaction", "sandbox-renewal-info", "sandbox-notification"] {
            let certificates = try Self.certificates(of: GenuineToken.first(name))
            let keys = try certificates.map { try Self.key(in: $0) }
            #expect(keys.map { $0.known != nil } == [false, true, true])
            for (issuer, subject) in [(1, 0), (2, 1), (2, 2)] {
                #expect(try Self.verifies(keys[issuer], certificates[subject], changing: 0))
                #expect(try !Self.verifies(keys[issuer], certificates[subject], changing: 1))
                #expect(try !Self.verifies(keys[3 - issuer], certificates[subject], changing: 0))
            }
        }
    }
}
