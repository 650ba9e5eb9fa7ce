import AppReceipt
import Basics
import PKIX
import TestSupport
import Testing

/// The receipts of `Vectors/`, made by `openssl`, with the expected verdicts.
@Suite("Vectors")
struct VectorTests {
    static let rows = (try? Row.table(vector("receipts.tsv"))) ?? []

    @Test("finds the table")
    func tableIsThere() {
        #expect(Self.rows.count >= 79)
        #expect(Self.rows.count { $0["verdict"] == "reject" } > Self.rows.count / 2)
    }

    /// The validator with the expectations of the row's app.
    static func validator(for row: Row) throws -> ReceiptValidator {
        let anchor = try TrustAnchor(certificate: vector("certificates/\(row["root"])"))
        let isXcode = row["environment"] == "Xcode" && row["root"] == "storekit.der"
        return ReceiptValidator(
            ReceiptPolicy(
                environments: .only(try #require(ReceiptEnvironment(name: row["environment"]))),
                bundleIdentifier: .exactly(row["bundle_identifier"]),
                trust: isXcode ? .xcodeTesting(pinned: [anchor]) : .pinned([anchor]),
                appVersion: row["app_version"].isEmpty ? nil : row["app_version"],
                deviceIdentifiers: DeviceIdentifier(row["device_identifier"]).map { [$0] },
                now: Timestamp(rfc3339: row["now"])
            )
        )
    }

    @Test("accepts a root in the receipt that the policy knows by its fingerprint alone")
    func fingerprint() throws {
        let root = try vector("certificates/root.der")
        let anchor = try #require(TrustAnchor(fingerprint: HashAlgorithm.sha256.digest(of: root.span)))
        let validator = ReceiptValidator(
            ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: .pinned([anchor]))
        )
        _ = try validator.validate(vector("receipts/sandbox-sha256.der"))
    }

    @Test(
        "keeps the signer's certificate, with a new path and with a remembered one",
        arguments: [
            ("sandbox-sha256.der", "root.der", "leaf.der"), ("ber.ber", "root.der", "leaf.der"),
            ("key-4096.der", "root-4096.der", "leaf-4096.der"),
            ("production-sha1.der", "root.der", "leaf-sha1.der"),
        ]
    )
    func signingCertificate(file: String, root: String, leaf: String) throws {
        let validator = ReceiptValidator(
            ReceiptPolicy(
                environments: .any,
                bundleIdentifier: .any,
                trust: .pinned([try TrustAnchor(certificate: vector("certificates/\(root)"))])
            )
        )
        let (bytes, expected) = (try vector("receipts/\(file)"), try vector("certificates/\(leaf)"))
        var cache = ValidationCache()
        for _ in 0..<2 {
            let receipt = try validator.validate(bytes, cache: &cache)
            #expect(Array(receipt.signingCertificate) == expected)
        }
    }
}
