import AppReceipt
import Basics
import DER
import PKIX
import ReceiptResults
import SHA
import TransactionReceipt

/// A certificate that this program knows: a pinned root, one that is built in, or one that was seen in a
/// genuine receipt.
struct KnownCertificate {
    /// The role of a certificate in a path. The raw value is the name in results.
    enum Role: String, CaseIterable {
        /// A root that the App Store's trust policy pins.
        case root
        /// The root of StoreKit testing in Xcode, whose receipts prove no purchase.
        case testRoot = "test-root"
        /// An authority between a root and signers.
        case intermediate
        /// A certificate that signs receipts.
        case signer

        /// The heading above the list of the role's certificates.
        var heading: String {
            switch self {
            case .root: "Roots that the App Store's receipts are trusted by"
            case .testRoot: "Root of StoreKit testing in Xcode"
            case .intermediate: "Intermediates"
            case .signer: "Signers seen in genuine receipts"
            }
        }
    }

    let role: Role
    /// The SHA-256 digest of the certificate in DER, in hexadecimal.
    let fingerprint: String
    /// The subject, such as `C=US, CN=Apple Root CA`.
    let subject: String
    let notBefore: Timestamp
    let notAfter: Timestamp
    /// Whether the program contains the certificate's bytes. If not, the program knows only its facts.
    let isBuiltIn: Bool

    /// All certificates, sorted by role, and by the start of the validity within a role.
    static var all: [KnownCertificate] {
        let known = builtIn + seen
        return Role.allCases.flatMap { role in
            known.filter { $0.role == role }.sorted { $0.notBefore < $1.notBefore }
        }
    }

    /// The certificates that the library contains, because transaction receipts do not contain them.
    private static var builtIn: [KnownCertificate] {
        IssuerCertificate.builtIn.compactMap { issuer in
            var reader = Reader(issuer.bytes.borrowedSpan)
            guard let certificate = try? Certificate(&reader) else { return nil }
            let fingerprint = HashAlgorithm.sha256.digest(of: issuer.bytes.borrowedSpan)
            return KnownCertificate(
                role: TrustPolicy.appStore.anchors.contains { $0.fingerprint == fingerprint }
                    ? .root : .intermediate,
                fingerprint: fingerprint.description,
                subject: certificate.text(of: certificate.subject, issuer.bytes),
                notBefore: certificate.validity.notBefore,
                notAfter: certificate.validity.notAfter,
                isBuiltIn: true
            )
        }
    }

    /// The certificates that ``facts`` lists, whose bytes the program does not contain.
    private static var seen: [KnownCertificate] {
        facts.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", maxSplits: 4).map(String.init)
            guard fields.count == 5, let role = Role(rawValue: fields[0]),
                let notBefore = Timestamp(rfc3339: fields[2]), let notAfter = Timestamp(rfc3339: fields[3])
            else { return nil }
            return KnownCertificate(
                role: role,
                fingerprint: fields[1],
                subject: fields[4],
                notBefore: notBefore,
                notAfter: notAfter,
                isBuiltIn: false
            )
        }
    }

    /// The lines of known certificates whose bytes the program lacks: role, SHA-256, validity, subject.
    ///
    /// A line is added when such a certificate is pinned as a root, or is first seen in a genuine receipt.
    /// Tests compare the lines with the certificates of genuine receipts.
    private static let facts = """
        root c2b9b042dd57830e7d117dac55ac8ae19407d38e41d88f3215bc3a890444a050 2014-04-30T18:10:09Z 2039-04-30T18:10:09Z CN=Apple Root CA - G2, OU=Apple Certification Authority, O=Apple Inc., C=US
        root 63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179 2014-04-30T18:19:06Z 2039-04-30T18:19:06Z CN=Apple Root CA - G3, OU=Apple Certification Authority, O=Apple Inc., C=US
        test-root ff0ba36e721d2db741d2aa11e6112ef78bf7131b46c7f035b00891d045c864fe 2020-04-01T17:52:35Z 2040-03-27T17:52:35Z CN=StoreKit, O=StoreKit, OU=StoreKit, C=US, emailAddress=StoreKit
        intermediate 64b302913f11ca1b6806093b76cade7f7b123be0c04924fda87f5f4e8647f051 2008-02-14T18:56:35Z 2016-02-14T18:56:35Z C=US, O=Apple Inc., OU=Apple Worldwide Developer Relations, CN=Apple Worldwide Developer Relations Certification Authority
        signer 15832e01b45a6cfdc0b0e9d5e49442a5108d1a103be93e8c90aff472ed5c147c 2009-06-15T22:05:56Z 2014-06-14T22:05:56Z CN=PurchaseReceiptCertificate, OU=Apple iTunes Store, O=Apple Inc., C=US
        signer 8e82c44d41989f8810a2a9fe4e5f78485a40f2d59743c98c7b540a63ed30c618 2010-11-11T21:58:01Z 2015-11-11T21:58:01Z CN=Mac App Store Receipt Signing, OU=Apple Worldwide Developer Relations, O=Apple Inc., C=US
        signer c6e622c30086a42d67d55143211bba9f7a768e0a5fc1a4408f4d5cfb067b4e8a 2014-06-07T00:02:21Z 2016-05-18T18:31:30Z CN=PurchaseReceiptCertificate, OU=Apple iTunes Store, O=Apple Inc., C=US
        signer f5a42aa9b8ae10e6ff4659872c95826b57bb912076e90032db7a6942605c1c87 2015-09-24T19:09:31Z 2017-10-23T19:09:31Z CN=Mac App Store and iTunes Store Receipt Signing, OU=Apple Worldwide Developer Relations, O=Apple Inc., C=US
        signer fcfdfce9ac64e0fc3568ccff5d0c700c7be3ed4103dfd8b50f08408358fe937c 2015-11-13T02:15:09Z 2023-02-07T21:48:47Z CN=Mac App Store and iTunes Store Receipt Signing, OU=Apple Worldwide Developer Relations, O=Apple Inc., C=US
        signer be1d8364cec09e4468689f8cb3248b32837061306b1b351a349ca00b16a0cff7 2022-09-02T19:13:57Z 2024-10-01T19:13:56Z CN=Mac App Store and iTunes Store Receipt Signing, OU=Apple Worldwide Developer Relations, O=Apple Inc., C=US
        signer 5eed9f4de7e2a24a811e309ff49f4952c75d2aa9ec92efae6efd442334ee1f68 2022-12-02T21:46:04Z 2023-11-17T20:40:52Z CN=Mac App Store and iTunes Store Receipt Signing, OU=Apple Worldwide Developer Relations, O=Apple Inc., C=US
        signer 7d873ea1a78f3e2c49e7e0c21543efbd7bb86768242f5a033a2920da77801fb5 2023-07-13T18:21:19Z 2024-08-11T18:31:19Z CN=Mac App Store and iTunes Store Receipt Signing, OU=Apple Worldwide Developer Relations, O=Apple Inc., C=US
        signer f52e5e9e91a72e29a2a214806074a1164e9a1b968f445c27acd8c5692ef7c2e0 2024-07-24T14:50:03Z 2026-08-23T14:50:02Z CN=Mac App Store and iTunes Store Receipt Signing, OU=Apple Worldwide Developer Relations, O=Apple Inc., C=US
        """
}
