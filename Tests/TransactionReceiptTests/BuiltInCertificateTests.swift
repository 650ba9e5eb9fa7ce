import Basics
import SHA
import TestSupport
import Testing
import TransactionReceipt

@Suite("The certificates that are built in")
struct BuiltInCertificateTests {
    /// The SHA-256 fingerprints, in the order of the list.
    static let fingerprints = [
        "447ad65484610f20fdc33804c8597a1e208fbe4ef9c5653485cc7d3df730c016",
        "ce057691d730f89ca25e916f7335f4c8a15713dcd273a658c024023f8eb809c2",
        "53fd008278e5a595fe1e908ae9c5e5675f26243264a5a6438c023e3ce2870760",
        "0f570d7502373a2102e2106faaa8fa4844944a07ee676198484f4d6ce15bea47",
        "29901badea37c9f300ce9869956beeb001d7e71bffb2e2d9533e132a4e87e6bd",
        "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024",
    ]

    @Test("have the published fingerprints")
    func published() {
        let found = IssuerCertificate.builtIn.map {
            HashAlgorithm.sha256.digest(of: $0.bytes.borrowedSpan).description
        }
        #expect(found == Self.fingerprints)
    }

    @Test(
        "equal the files that Apple publishes",
        .enabled(if: SharedData.isExpected, "../shared is not beside this checkout")
    )
    func files() throws {
        let certificates = IssuerCertificate.builtIn
        #expect(try certificates.first?.bytes == SharedData.bytes("roots/AppleiTunesStoreCA.cer"))
        #expect(try certificates[2].bytes == SharedData.bytes("roots/AppleWWDRCAG5.cer"))
        #expect(try certificates.last?.bytes == SharedData.bytes("roots/AppleIncRootCertificate.cer"))
    }

    @Test("are exactly one certificate each; bytes behind a certificate are refused")
    func exact() throws {
        for certificate in IssuerCertificate.builtIn {
            #expect(try IssuerCertificate(certificate.bytes) == certificate)
            #expect(throws: Refusal.self) { try IssuerCertificate(certificate.bytes + [0]) }
            #expect(throws: Refusal.self) { try IssuerCertificate([UInt8](certificate.bytes.dropLast())) }
        }
        #expect(throws: Refusal.self) { try IssuerCertificate([]) }
    }
}
