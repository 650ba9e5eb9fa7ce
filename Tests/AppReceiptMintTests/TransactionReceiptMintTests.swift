import AppReceiptMint
import Basics
import SHA
import TestSupport
import Testing

@Suite("Minted transaction receipts")
struct TransactionReceiptMintTests {
    static let mints = [
        TransactionReceiptMint(
            .two,
            PrivatePKI.Keys(
                root: Keys.pki.root,
                intermediate: Keys.pki.intermediate,
                leaf: Keys.bits1024
            )
        ),
        TransactionReceiptMint(.three, Keys.pki),
        TransactionReceiptMint(.four, Keys.pki),
    ]

    @Test(
        "openssl accepts the path and the signature, and refuses another purchase-info",
        .enabled(if: OpenSSL.isExpected, "openssl is not installed"),
        arguments: mints
    )
    func openssl(_ mint: TransactionReceiptMint) async throws {
        // 2015-06-01T12:00:00Z, the purchase date.
        let path = try await OpenSSL.run(
            "verify -x509_strict -CAfile root -untrusted intermediate -attime 1433160000 -auth_level 0 leaf",
            files: [
                "root": OpenSSL.pem(mint.root), "intermediate": OpenSSL.pem(mint.intermediate),
                "leaf": OpenSSL.pem(mint.pki.leaf.certificate),
            ]
        )
        #expect(path.status == 0, "\(path.text)")

        let template = mint.template()
        let blob = template.signatureBlob()
        let byteCount = mint.version == .two ? 128 : 256
        let key = try await OpenSSL.run(
            "x509 -inform DER -in leaf -pubkey -noout -out output",
            files: ["leaf": [UInt8](blob[(1 + byteCount + 4)...])]
        )
        let info = TransactionReceiptTemplate.propertyList(template.entries)
        for (signed, holds) in [([blob[0]] + info, true), (info, false), ([blob[0]] + info + [0x0A], false)] {
            let outcome = try await OpenSSL.run(
                "dgst \(mint.version == .four ? "-sha256" : "-sha1") -verify key -signature signature signed",
                files: ["key": key.output, "signature": [UInt8](blob[1..<(1 + byteCount)]), "signed": signed]
            )
            #expect((outcome.status == 0) == holds, "\(outcome.text)")
        }
    }

    @Test("the property list has the form of genuine receipts", arguments: mints)
    func form(_ mint: TransactionReceiptMint) throws {
        let list = mint.template().propertyList()
        let text = String(decoding: list, as: UTF8.self)
        // The version octet begins with six zeros, or with five and a one.
        #expect(text.hasPrefix("{\n\t\"signature\" = \"\(mint.version == .four ? "B" : "A")"))
        #expect(text.contains("\";\n\t\"purchase-info\" = \"ewoJIm"))
        #expect(
            text.hasSuffix(
                "\";\n\t\"environment\" = \"Sandbox\";\n\t\"pod\" = \"100\";\n\t\"signing-status\" = \"0\";\n}"
            )
        )
        #expect(base64(String(decoding: mint.receipt(), as: UTF8.self)) == list)
    }

    @Test("version 4 has the entries that only new receipts have, and their certificates have SHA-256")
    func entries() {
        let keys = Self.mints.map { $0.template().entries.map(\.key) }
        let new = ["app-item-id", "in-app-ownership-type", "is-in-intro-offer-period", "is-trial-period"]
        #expect(keys[0] == keys[1] && keys[2] == keys[0] + new)
        let hashes = Self.mints.map { [$0.template().hash, $0.pki.leaf.template.signatureHash] }
        #expect(hashes == [[.sha1, .sha1], [.sha1, .sha1], [.sha256, .sha256]])
    }

    @Test("the same seed makes the same receipt, and another seed another one")
    func seeds() {
        #expect(TransactionReceiptMint(.three).receipt() == TransactionReceiptMint(.three, seed: 1).receipt())
        #expect(TransactionReceiptMint(.three).receipt() != TransactionReceiptMint(.three, seed: 2).receipt())
    }

    @Test("each part can be replaced; removing and adding entries keeps the order of the rest")
    func parts() {
        var template = Self.mints[0].template()
        let keys = template.entries.map(\.key)
        template["quantity"] = nil
        template["new"] = "1"
        template["bid"] = "com.example.other"
        #expect(template.entries.map(\.key) == keys.filter { $0 != "quantity" } + ["new"])
        #expect(template["bid"] == "com.example.other" && template["quantity"] == nil)
        template.writtenVersion = 9
        template.signature = [1, 2]
        template.certificate = [3]
        template.certificateLength = 0x0102_0304
        template.bytesAfterCertificate = [4]
        #expect(template.signatureBlob() == [9, 1, 2, 1, 2, 3, 4, 3, 4])
    }
}
