import AppReceipt
import AppReceiptMint
import Basics
import PKIX
import SHA
import TestSupport
import Testing

/// A mint with the description of its particularity.
struct MintCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let mint: ReceiptMint

    init(
        _ description: String,
        _ pki: PrivatePKI = CertificateTests.pki,
        _ change: (inout MessageTemplate) -> Void = { _ in }
    ) {
        testDescription = description
        var mint = ReceiptMint(pki)
        change(&mint.message)
        self.mint = mint
    }

    /// The mints whose receipts are valid.
    static let good: [MintCase] = {
        var sha1 = PrivatePKI.Options()
        sha1.hash = .sha1
        var keys3072 = Keys.pki
        keys3072.leaf = Keys.bits3072
        var keys4096 = Keys.pki
        (keys4096.root, keys4096.leaf) = (Keys.bits4096, Keys.bits4096)
        return [
            MintCase("SHA-1") { $0.signers[0].digest = .sha1 },
            MintCase("SHA-1 throughout", PrivatePKI(Keys.pki, options: sha1)) {
                $0.signers[0].digest = .sha1
            },
            MintCase("SHA-256"),
            MintCase("SHA-384") { $0.signers[0].digest = .sha384 },
            MintCase("SHA-512") { $0.signers[0].digest = .sha512 },
            MintCase("sha256WithRSAEncryption") { $0.signers[0].signatureAlgorithm = .rsaSignature(.sha256) },
            MintCase("signed attributes") { $0.signers[0].signedAttributes = .standard },
            MintCase("a signing time") {
                $0.signers[0].signedAttributes =
                    .standard + [.signingTime(Timestamp(millisecondsSince1970: 1_717_243_200_000))]
            },
            MintCase("by key identifier") {
                $0.signers[0].identifier = .subjectKeyIdentifier(Keys.pki.leaf.keyIdentifier)
            },
            MintCase("BER") { $0.encoding = .ber(segmentByteCount: 1000) },
            MintCase("BER in segments of one octet") { $0.encoding = .ber(segmentByteCount: 0) },
            MintCase("BER, signed attributes") {
                $0.encoding = .ber(segmentByteCount: 64)
                $0.signers[0].signedAttributes = .standard
            },
            MintCase("certificates in another order") { $0.certificates.reverse() },
            MintCase("a leaf of 3072 bits", PrivatePKI(keys3072)),
            MintCase("root and leaf of 4096 bits", PrivatePKI(keys4096)),
        ]
    }()
}

/// A payload in which every documented attribute has a value.
let richPayload: PayloadTemplate = {
    var payload = PayloadTemplate(bundleIdentifier: "com.example.rich")
    payload.appVersion = "1.2.3"
    payload.deviceIdentifier = [0x02, 0, 0, 0, 0, 0x01]
    payload.purchaseDate = Timestamp(millisecondsSince1970: 1_700_000_000_000)
    payload.developerIdentifier = 7
    payload.downloadIdentifier = 0x07FF_FFFF_FFFF_FFFF
    payload.versionExternalIdentifier = 128
    payload.originalPurchaseDate = Timestamp(millisecondsSince1970: 1_600_000_000_131)
    payload.originalAppVersion = "0.9"
    payload.expirationDate = Timestamp(millisecondsSince1970: 1_800_000_000_000)
    payload.platform = 2
    payload.rawAttributes = [
        AttributeTemplate(6, value: [1, 2, 3]), AttributeTemplate(9, version: 5, value: []),
    ]
    var purchase = PurchaseTemplate(productIdentifier: "com.example.pro", transactionIdentifier: "42")
    purchase.quantity = 3
    purchase.originalTransactionIdentifier = "41"
    purchase.productType = 3
    purchase.expiresDate = Timestamp(millisecondsSince1970: 1_750_000_000_000)
    purchase.webOrderLineItemIdentifier = 0x07FF_FFFF_FFFF_FFFE
    purchase.cancellationDate = Timestamp(millisecondsSince1970: 1_740_000_000_000)
    purchase.isTrialPeriod = true
    purchase.isInIntroductoryOfferPeriod = false
    purchase.cancellationReason = 1
    purchase.promotionalOfferIdentifier = "spring"
    purchase.rawAttributes = [AttributeTemplate(1710, value: [9])]
    payload.purchases = [purchase, PurchaseTemplate(productIdentifier: "com.example.coins")]
    return payload
}()

/// A validator that pins the root of a mint by its fingerprint.
func validator(
    _ mint: ReceiptMint,
    deviceIdentifiers: [DeviceIdentifier]? = nil
) throws -> ReceiptValidator {
    let anchor = try #require(TrustAnchor(fingerprint: HashAlgorithm.sha256.digest(of: mint.root)))
    return ReceiptValidator(
        ReceiptPolicy(
            environments: .only(.production),
            bundleIdentifier: .exactly("com.example.rich"),
            trust: .pinned([anchor]),
            appVersion: "1.2.3",
            deviceIdentifiers: deviceIdentifiers
        )
    )
}

@Suite("Receipts")
struct ReceiptTests {
    private static let mint = ReceiptMint(CertificateTests.pki)

    @Test("accepts a good receipt under its own root only", arguments: MintCase.good)
    func good(_ minted: MintCase) throws {
        let bytes = minted.mint.receipt(richPayload)
        let receipt = try validator(minted.mint).validate(bytes)
        #expect(receipt.bundleIdentifier == "com.example.rich")
        #expect(receipt.digestAlgorithm == minted.mint.message.signers[0].digest)
        let other = ReceiptMint(CertificateTests.pki.lookAlike(Keys.impostors))
        let error = try #require(throws: ReceiptError.self) { try validator(other).validate(bytes) }
        #expect(error.step == .root || error.step == .certificatePath, "\(error)")
        #expect(throws: ReceiptError.self) {
            try ReceiptValidator(ReceiptPolicy(environments: .any, bundleIdentifier: .any)).validate(bytes)
        }
    }

    @Test("a receipt gives purchases without a transaction identifier different ones")
    func transactions() throws {
        func transactions(_ purchases: [PurchaseTemplate]) throws -> [[String?]] {
            let bytes = Self.mint.receipt(bundleIdentifier: "com.example.rich") {
                $0.appVersion = "1.2.3"
                $0.purchases = purchases
                $0.isSorted = false
            }
            return try validator(Self.mint).validate(bytes).inAppPurchases.map {
                [$0.transactionIdentifier, $0.originalTransactionIdentifier]
            }
        }
        let first = "1000000000000001"
        let coins = PurchaseTemplate(productIdentifier: "com.example.coins")
        #expect(coins.transactionIdentifier == first && coins.originalTransactionIdentifier == first)
        let (second, third) = ("1000000000000002", "1000000000000003")
        #expect(try transactions([coins]) == [[first, first]])
        #expect(try transactions([coins, coins, coins]) == [first, second, third].map { [$0, $0] })
        // The templates are values: a second receipt counts from the beginning.
        #expect(try transactions([coins, coins]) == [first, second].map { [$0, $0] })

        // An identifier that is given stays, and the receipt passes over it.
        let given = PurchaseTemplate(productIdentifier: "p", transactionIdentifier: second)
        #expect(
            try transactions([coins, coins, given]) == [[first, first], [third, third], [second, second]]
        )
        let same = PurchaseTemplate(productIdentifier: "p", transactionIdentifier: first)
        #expect(try transactions([same, same, coins]) == [first, first, second].map { [$0, $0] })

        // A value that is set afterwards is given, too, and so is no identifier.
        var renewal = coins
        renewal.originalTransactionIdentifier = "7"
        var later = coins
        later.transactionIdentifier = third
        var none = coins
        none.transactionIdentifier = nil
        #expect(
            try transactions([none, later, renewal, coins])
                == [[nil, first], [third, first], [first, "7"], [second, second]]
        )
    }

    @Test("every field is read as it was written")
    func fields() throws {
        let receipt = try validator(Self.mint).validate(Self.mint.receipt(richPayload))
        #expect(receipt.environment == .production && receipt.appStoreIdentifier == 1_234_567_890)
        #expect(receipt.appVersion == "1.2.3" && receipt.ageRating == "4+")
        #expect(receipt.opaqueValue.map(Array.init) == Array(0..<16))
        #expect(receipt.purchaseDate == richPayload.purchaseDate)
        #expect(receipt.developerIdentifier == 7)
        #expect(receipt.creationDate == Timestamp(year: 2024, month: 6, day: 1, hour: 12))
        #expect(receipt.downloadIdentifier == 0x07FF_FFFF_FFFF_FFFF)
        #expect(receipt.versionExternalIdentifier == 128)
        #expect(receipt.originalPurchaseDate == richPayload.originalPurchaseDate)
        #expect(receipt.originalAppVersion == "0.9" && receipt.platform == 2)
        #expect(receipt.expirationDate == richPayload.expirationDate)
        #expect(receipt.attributes.first { $0.type == 4 }?.version == 2)
        #expect(receipt.attributes.first { $0.type == 6 }.map { Array($0.value) } == [1, 2, 3])
        #expect(receipt.attributes.first { $0.type == 9 }?.version == 5)
        #expect(receipt.malformedAttributeCount == 0 && receipt.malformedInAppPurchases.isEmpty)

        let purchases = Array(receipt.inAppPurchases)
        try #require(purchases.count == 2)
        let purchase = try #require(
            purchases.first { $0.values.holds(.productIdentifier, "com.example.pro") }
        )
        let template = richPayload.purchases[0]
        #expect(purchase.quantity == 3 && purchase.transactionIdentifier == "42")
        #expect(purchase.originalTransactionIdentifier == "41")
        #expect(purchase.purchaseDate == Timestamp(year: 2024, month: 5, day: 1, hour: 12))
        #expect(purchase.originalPurchaseDate == purchase.purchaseDate)
        #expect(purchase.productType == .autoRenewableSubscription)
        #expect(purchase.expiresDate == template.expiresDate)
        #expect(purchase.webOrderLineItemIdentifier == 0x07FF_FFFF_FFFF_FFFE)
        #expect(purchase.cancellationDate == template.cancellationDate)
        #expect(purchase.isTrialPeriod == true && purchase.isInIntroductoryOfferPeriod == false)
        #expect(purchase.cancellationReason == 1 && purchase.promotionalOfferIdentifier == "spring")
        #expect(purchase.attributes.first { $0.type == 1710 }.map { Array($0.value) } == [9])
    }

    @Test("the preorder date and the ownership are read as they were written")
    func undocumentedFields() throws {
        var payload = richPayload
        let date = Timestamp(millisecondsSince1970: 1_650_000_000_000)
        payload.preorderDate = date
        for (number, ownership) in [(0, .purchased), (1, .familyShared)]
            as [(Int64, InAppPurchase.Ownership)]
        {
            payload.purchases = [PurchaseTemplate(productIdentifier: "com.example.pro")]
            payload.purchases[0].ownership = number
            let receipt = try validator(Self.mint).validate(Self.mint.receipt(payload))
            #expect(receipt.preorderDate == date)
            #expect(receipt.inAppPurchases.map(\.ownership) == [ownership])
        }
    }

    @Test("the device hash is valid for its own device only")
    func deviceHash() throws {
        let bytes = Self.mint.receipt(richPayload)
        let device = try #require(DeviceIdentifier([0x02, 0, 0, 0, 0, 0x01]))
        _ = try validator(Self.mint, deviceIdentifiers: [device]).validate(bytes)
        let error = try #require(throws: ReceiptError.self) {
            try validator(Self.mint, deviceIdentifiers: [.server]).validate(bytes)
        }
        #expect(error.step == .deviceHash)
        let plain = Self.mint.receipt(bundleIdentifier: "com.example.rich") { $0.appVersion = "1.2.3" }
        _ = try validator(Self.mint, deviceIdentifiers: [.server]).validate(plain)
    }

    @Test("attributes are written in the order of the array or of DER")
    func order() {
        let attributes = [AttributeTemplate.integer(3, 1), .integer(1, 300), .integer(2, 1)]
        let (one, two, three) = (
            "300c 020101 020101 0404 0202012c", "300b 020102 020101 0403 020101",
            "300b 020103 020101 0403 020101"
        )
        #expect(attributes.encodedSet(sorted: false) == hex("3128" + three + one + two))
        #expect(attributes.encodedSet() == hex("3128" + two + three + one))
    }

    @Test("tasks that share a mint get the same receipt")
    func tasks() async {
        let mint = Self.mint
        let expected = sha256(mint.receipt(richPayload))
        await withTaskGroup(of: String.self) { group in
            for _ in 0..<4 { group.addTask { sha256(mint.receipt(richPayload)) } }
            for await digest in group { #expect(digest == expected) }
        }
    }

    @Test("the same seeds make the same receipts")
    func determinism() {
        #expect(String(sha256(richPayload.encoded()).prefix(16)) == "987c29b5af7ad62a")
        #expect(
            MintCase.good.map { String(sha256($0.mint.receipt(richPayload)).prefix(16)) } == [
                "0395392e5b784d24", "810c1ee43d2b93db", "8626d3e81cd071d3", "dc814f713257c8f9",
                "06e4443b03c85f43", "2a90898e46d4a0f5", "1323af6938e9d097", "0d45ecedba250d52",
                "4ac6b2b79b01d34a", "64ef49727680cc4e", "8efc24e56e938b3c", "8bcdef969dabf57a",
                "7aac8b2218ceac68", "3b9973ffcd4c1174", "91c5b6dd66bbbdb8",
            ]
        )
    }

    @Test("the default mint is the mint of seed 1")
    func seed() {
        let mint = ReceiptMint()
        #expect(mint.root == ReceiptMint(seed: 1).root)
        #expect(mint.root == PrivatePKI(PrivatePKI.Keys(seed: 1)).root.certificate)
        #expect(
            String(sha256(mint.receipt(bundleIdentifier: "com.example.app")).prefix(16)) == "5619cc669f53ac34"
        )
    }

    @Test("only Xcode's policy under its own root accepts an Xcode-like receipt")
    func xcodeLike() throws {
        let mint = ReceiptMint.xcodeLike(Keys.bits2048)
        let bytes = mint.receipt(bundleIdentifier: "com.example.app") { $0.environment = "Xcode" }
        let anchor = try TrustAnchor(certificate: mint.root)
        func validator(_ trust: TrustPolicy) -> ReceiptValidator {
            ReceiptValidator(ReceiptPolicy(environments: .only(.xcode), bundleIdentifier: .any, trust: trust))
        }
        let receipt = try validator(.xcodeTesting(pinned: [anchor])).validate(bytes)
        #expect(receipt.environment == .xcode)
        for trust in [TrustPolicy.xcodeTesting, .appStore, .pinned([anchor])] {
            #expect(throws: ReceiptError.self) { try validator(trust).validate(bytes) }
        }
        #expect(Array(bytes.prefix(2)) == [0x30, 0x80])
    }
}

@Suite("Receipts, checked by openssl", .enabled(if: OpenSSL.isExpected, "openssl is not installed"))
struct ReceiptOpenSSLTests {
    @Test("openssl verifies a good receipt and returns the signed content", arguments: MintCase.good)
    func good(_ minted: MintCase) async throws {
        let payload = richPayload.encoded()
        let message = minted.mint.message.signed(payload: payload)
        let outcome = try await OpenSSL.verify(message, root: minted.mint.root)
        #expect(outcome.status == 0, "\(outcome.text)")
        #expect(outcome.output == payload)
    }

    @Test("openssl verifies an Xcode-like receipt and returns the signed content")
    func xcodeLike() async throws {
        let mint = ReceiptMint.xcodeLike(Keys.bits2048)
        let payload = richPayload.encoded()
        let outcome = try await OpenSSL.verify(mint.message.signed(payload: payload), root: mint.root)
        #expect(outcome.status == 0, "\(outcome.text)")
        #expect(outcome.output == payload)
    }

    @Test(
        "openssl verifies the accepted receipts, except those marked otherwise",
        arguments: Forgery.all.filter(\.isAccepted)
    )
    func accepted(_ forgery: Forgery) async throws {
        let minted = try forgery.minted()
        let outcome = try await OpenSSL.verify(minted.receipt, root: minted.root)
        #expect((outcome.status == 0) == forgery.isGoodToOpenSSL, "\(outcome.text)")
    }

    @Test("openssl refuses a look-alike's receipt under the genuine root")
    func lookAlike() async throws {
        let pki = CertificateTests.pki
        let mint = ReceiptMint(pki.lookAlike(Keys.impostors))
        let outcome = try await OpenSSL.verify(mint.receipt(richPayload), root: pki.root.certificate)
        #expect(outcome.status != 0 && outcome.output.isEmpty)
    }
}
