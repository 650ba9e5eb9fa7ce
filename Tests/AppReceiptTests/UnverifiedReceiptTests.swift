import AppReceipt
import AppReceiptMint
import Basics
import CMS
import DER
import TestSupport
import Testing

@Suite("Unverified receipts")
struct UnverifiedReceiptTests {
    /// Changes of a message that make no difference to an unverified receipt.
    private static let unverifiedChanges: [@Sendable (inout MessageTemplate) -> Void] = [
        { _ in },
        { $0.signers[0].forgery = { _, _ in [] } },
        { $0.signers[0].digestAlgorithm = AlgorithmTemplate(ObjectIdentifier(1, 2, 3)) },
        { $0.signers[0].signatureAlgorithm = AlgorithmTemplate(ObjectIdentifier(1, 2, 3), parameters: []) },
        { $0.certificates = [] },
        { $0.certificates = [[0x05, 0x00]] },
        { $0.certificates = [[0xFF]] },
        { $0.contentType = ObjectIdentifier(1, 2, 3) },
        { $0.encoding = .ber(segmentByteCount: 3) },
    ]

    @Test("are read with any certificates and signatures")
    func unsigned() throws {
        var payload = PayloadTemplate()
        payload.purchases = [PurchaseTemplate(productIdentifier: "p")]
        payload.rawAttributes = [AttributeTemplate(6, version: 4, value: [9])]
        for (index, change) in Self.unverifiedChanges.enumerated() {
            var mint = Minted.mint
            change(&mint.message)
            let bytes = mint.receipt(payload)
            let receipt = try UnverifiedReceipt(unverified: bytes)
            #expect(receipt.bundleIdentifier == "com.example.app" && receipt.environment == .production)
            #expect(receipt.creationDate == Minted.creationDate, "\(index)")
            #expect(receipt.unverifiedInAppPurchases.map(\.productIdentifier) == ["p"])
            #expect(receipt.attributes.first { $0.type == 6 }?.version == 4)
            #expect(Verdict(Minted.validator, bytes).isAccepted == [0, 8].contains(index), "\(index)")
        }
    }

    @Test("compare a purchase's identifiers byte for byte, each with its own")
    func matches() throws {
        var purchase = PurchaseTemplate(productIdentifier: "p", transactionIdentifier: "t")
        purchase.originalTransactionIdentifier = "o"
        let bytes = Minted.mint.receipt(bundleIdentifier: "com.example.app") { $0.purchases = [purchase] }
        let claimed = try #require(UnverifiedReceipt(unverified: bytes).unverifiedInAppPurchases.first)
        for text in ["p", "t", "o", "P", "", "pt"] {
            #expect(claimed.values.holds(.productIdentifier, text) == (text == "p"), "\(text)")
            #expect(claimed.values.holds(.transactionIdentifier, text) == (text == "t"), "\(text)")
            #expect(claimed.values.holds(.originalTransactionIdentifier, text) == (text == "o"), "\(text)")
        }
    }

    @Test("have no creation date if the payload has none")
    func withoutDate() throws {
        let bytes = Minted.mint.receipt(bundleIdentifier: "com.example.app") { $0.creationDate = nil }
        #expect(try UnverifiedReceipt(unverified: bytes).creationDate == nil)
    }

    @Test("are refused if the creation date is malformed")
    func malformedDate() {
        let values: [(value: [UInt8], code: Refusal.Code)] = [
            ([0x05, 0x00], .unexpectedTag), ([0x16, 0x01, 0x32], .invalidDate),
        ]
        for (value, code) in values {
            let payload = [AttributeTemplate(12, value: value)].encodedSet()
            let error = refuses(.payload, code) { () throws(ReceiptError) in
                try UnverifiedReceipt(unverifiedPayload: payload)
            }
            #expect(error.map { "\($0.reading)" } == "creation date")
        }
    }

    @Test("refuse a malformed container at its offset in the input")
    func container() throws {
        let bytes = Minted.receipt
        let bad: [(bytes: [UInt8], code: Refusal.Code, offset: Int)] = [
            ([], .truncated, 0),
            ([0x31, 0x00], .unexpectedTag, 0),
            (bytes.dropLast(), .truncated, bytes.count - 1),
            (bytes + [0x00], .trailingBytes, bytes.count),
        ]
        for (bytes, code, offset) in bad {
            let error = refuses(.container, code) { () throws(ReceiptError) in
                try UnverifiedReceipt(unverified: bytes)
            }
            #expect(error?.offset == offset && error?.certificateIndex == nil)
        }
        var limits = Limits.standard
        limits.inputBytes = bytes.count
        _ = try UnverifiedReceipt(unverified: bytes, limits: limits)
        limits.inputBytes -= 1
        refuses(.container, .inputTooLarge) { () throws(ReceiptError) in
            try UnverifiedReceipt(unverified: bytes, limits: limits)
        }
    }

    @Test("refuse a detached message and a message without a signer")
    func noContent() {
        var detached = Minted.mint
        detached.message.isDetached = true
        refuses(.container, .contentDetached) { () throws(ReceiptError) in
            try UnverifiedReceipt(unverified: detached.receipt(PayloadTemplate()))
        }
        var unsigned = Minted.mint
        unsigned.message.signers = []
        refuses(.container, .noSigner) { () throws(ReceiptError) in
            try UnverifiedReceipt(unverified: unsigned.receipt(PayloadTemplate()))
        }
    }

    @Test(
        "refuse a malformed payload at its offset in the input, in DER and in BER",
        arguments: [.der, .ber(segmentByteCount: 1), .ber(segmentByteCount: 5)] as [MessageTemplate.Encoding]
    )
    func payload(_ encoding: MessageTemplate.Encoding) throws {
        var payload = PayloadTemplate()
        payload.environment = nil
        // No other octet of the message occurs four times in a row.
        payload.rawAttributes = [
            AttributeTemplate(0, value: [0x0C, 0x04] + [UInt8](repeating: 0xFE, count: 4))
        ]
        var mint = Minted.mint
        mint.message.encoding = encoding
        let bytes = mint.receipt(payload)
        let encoded = payload.encoded()
        let place = try #require(encoded.offset(of: [0xFE, 0xFE, 0xFE, 0xFE]))
        let expected: Int
        switch encoding {
        case .der: expected = try #require(bytes.offset(of: encoded)) + place
        case .ber(let count): expected = try #require(BERContent(bytes, encoded, count)).offset(of: place)
        }
        let error = refuses(.payload, .invalidUTF8) { () throws(ReceiptError) in
            try UnverifiedReceipt(unverified: bytes)
        }
        #expect(error?.offset == expected && bytes[expected] == 0xFE)
    }
}
