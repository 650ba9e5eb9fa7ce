import Basics
import DER
import PKIX
import SHA
import TestSupport
import Testing

extension Certificate {
    /// The last common name of a name.
    func commonName(_ name: Name, in bytes: [UInt8]) -> String? {
        let commonName: [UInt8] = [0x55, 0x04, 0x03]
        return view(in: bytes.span).attributes(of: name).last { [UInt8](bytes[$0.type]) == commonName }
            .map { String(decoding: bytes[$0.value.contents], as: UTF8.self) }
    }
}

@Suite("Certificates that others made")
struct KnownCertificatesTests {
    @Test("the certificates of the vectors have the fields that their table lists")
    func vectors() throws {
        let markers = [
            "1.2.840.113635.100.6.2.1": ObjectIdentifier(1, 2, 840, 113635, 100, 6, 2, 1),
            "1.2.840.113635.100.6.11.1": ObjectIdentifier(1, 2, 840, 113635, 100, 6, 11, 1),
        ]
        let rows = try Row.table(vector("certificates.tsv"))
        #expect(rows.count == 32)
        for row in rows {
            let bag = try Bag(encodings: [vector("certificates/\(row["file"])")])
            let certificate = bag.certificates[0]
            #expect(certificate.version == 3)
            #expect(certificate.commonName(certificate.subject, in: bag.bytes) == row["subject_common_name"])
            #expect(HashAlgorithm.sha256.digest(of: bag.bytes.span).bytes == hex(row["sha256"]))
            #expect(certificate.validity.notBefore.description == row["not_before"])
            #expect(certificate.validity.notAfter.description == row["not_after"])
            for (text, identifier) in markers {
                let marker = certificate.view(in: bag.bytes.span).extension(identifier)
                #expect((marker != nil) == (row["markers"] == text), "\(row["file"])")
            }
            let isLeaf = row["file"].hasPrefix("leaf") || row["file"] == "intermediate-not-ca.der"
            #expect(
                (certificate.basicConstraints?.isCertificateAuthority == true) != isLeaf,
                "\(row["file"])"
            )
            let hasUnknown = row["file"] == "leaf-critical-unknown.der"
            #expect((certificate.unknownCriticalExtension != nil) == hasUnknown, "\(row["file"])")
        }
    }

    @Test(
        "Apple's roots have the fingerprints, names and dates that Apple publishes",
        .enabled(if: SharedData.isExpected, "../shared is not beside this checkout"),
        arguments: [
            (
                "AppleIncRootCertificate.cer", "Apple Root CA",
                "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024",
                "2006-04-25T21:40:36Z", "2035-02-09T21:40:36Z"
            ),
            (
                "AppleRootCA-G2.cer", "Apple Root CA - G2",
                "c2b9b042dd57830e7d117dac55ac8ae19407d38e41d88f3215bc3a890444a050",
                "2014-04-30T18:10:09Z", "2039-04-30T18:10:09Z"
            ),
            (
                "AppleRootCA-G3.cer", "Apple Root CA - G3",
                "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179",
                "2014-04-30T18:19:06Z", "2039-04-30T18:19:06Z"
            ),
        ]
    )
    func roots(file: String, name: String, fingerprint: String, notBefore: String, notAfter: String) throws {
        let bytes = try SharedData.bytes("roots/\(file)")
        let bag = try Bag(encodings: [bytes])
        let certificate = bag.certificates[0]
        #expect(certificate.commonName(certificate.subject, in: bytes) == name)
        let isSelfIssued = certificate.view(in: bytes.span).isSelfIssued
        #expect(isSelfIssued)
        #expect(try TrustAnchor(certificate: bytes).fingerprint.bytes == hex(fingerprint))
        #expect(certificate.validity.notBefore.description == notBefore)
        #expect(certificate.validity.notAfter.description == notAfter)
        #expect(certificate.basicConstraints?.isCertificateAuthority == true)
        #expect(certificate.keyUsage?.keyCertSign == true)
        #expect(certificate.unknownCriticalExtension == nil)
    }
}
