import AppReceipt
import AppReceiptMint
import CMS
import DER
import Testing

/// The digest of the signed content identifies a receipt, and the digest of the receipt's bytes does not.
@Suite("The identity of a receipt")
struct IdentityTests {
    private static let validator = trusting(Minted.atHand(Minted.pki.root.certificate))
    /// As Apple's roots are trusted: the receipt must bring the root.
    private static let byFingerprint = trusting(Minted.fingerprints(Minted.pki.root.certificate))

    private static func trusting(_ trust: TrustPolicy) -> ReceiptValidator {
        ReceiptValidator(ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: trust))
    }

    @Test(
        "is the SHA-256 of the content, whatever the signature covers, alone and in a batch",
        arguments: HashAlgorithm.allCases
    )
    func digest(hash: HashAlgorithm) throws {
        let content = PayloadTemplate(bundleIdentifier: "com.example.app").encoded()
        var mint = Minted.mint
        mint.message.signers[0].digest = hash
        for (attributes, encoding) in [
            (nil, MessageTemplate.Encoding.der), (.standard, .der), (nil, .ber(segmentByteCount: 7)),
        ] as [([SignedAttribute]?, MessageTemplate.Encoding)] {
            mint.message.signers[0].signedAttributes = attributes
            mint.message.encoding = encoding
            let receipt = mint.receipt(bundleIdentifier: "com.example.app")
            var cache = ValidationCache()
            var batch = ReceiptBatch()
            for _ in 0..<2 { batch.append(receipt, for: Self.validator, cache: &cache) }
            let alone = try Self.validator.validate(receipt)
            for receipt in try [alone] + batch.judge(cache: &cache).map({ try $0.get() }) {
                #expect(receipt.contentDigest.bytes == HashAlgorithm.sha256.digest(of: content.span).bytes)
            }
        }
    }

    @Test(
        "of all bits outside of content, signatures and certificates, only two of the version may change",
        arguments: [validator, byFingerprint]
    )
    func malleability(_ validator: ReceiptValidator) throws {
        let receipt = Minted.receipt
        let message = try SignedData(receipt.span)
        var cache = ValidationCache()
        _ = try validator.validate(receipt, cache: &cache)
        var changed: [[Int]] = []
        for offset in receipt.indices {
            guard !message.content.contains(offset), !message.signer.signature.contains(offset),
                !message.certificates.contains(offset)
            else { continue }
            for bit in 0..<8 {
                var other = receipt
                other[offset] ^= 1 << UInt8(bit)
                if (try? validator.validate(other, cache: &cache)) != nil {
                    changed.append([offset, bit])
                }
            }
        }
        // Version 1 becomes 3 or 5.
        let version =
            try #require(receipt.firstRange(of: [0x02, 0x01, 0x01, 0x31] as [UInt8])).lowerBound + 2
        #expect(changed == [[version, 1], [version, 2]])
    }

    @Test("stays the same if the copy of a root at hand changes; under a fingerprint the copy may not change")
    func copyOfTheRoot() throws {
        let receipt = Minted.receipt
        let known = try Self.validator.validate(receipt).contentDigest
        let message = try SignedData(receipt.span)
        let certificates = try SignedData.decodeCertificates(receipt.span, in: message.certificates)
        for (index, certificate) in certificates.enumerated() {
            for offset in [certificate.signatureValue.lowerBound, certificate.subject.range.upperBound - 1] {
                var other = receipt
                other[offset] ^= 1
                let found = try? Self.validator.validate(other).contentDigest
                #expect(found == (index == 2 ? known : nil), "\(index), \(offset)")
                #expect(throws: ReceiptError.self) { try Self.byFingerprint.validate(other) }
            }
        }
    }
}
