import AppReceipt
import AppReceiptMint
import Basics
import SHA

/// One receipt of a corpus, and the verdict that a validator must reach about it.
struct MintedRecord {
    /// The record's number, from 1.
    private let number: Int
    private let kind: MintedKind
    private let step: String
    /// The bundle identifier that a validator should expect. A receipt of the kind `wrongBundle` has another.
    private let bundleIdentifier: String
    private let base64: [UInt8]
    /// The SHA-256, in hexadecimal, of the bytes in the base64; empty for the kind `notBase64`.
    private let digest: String

    /// Makes the record of a plan with a number, from 1. Equal arguments make equal records.
    init(_ number: Int, of plan: CorpusPlan, _ chains: CorpusChains) {
        var random = RecordRandom(seed: plan.seed, record: number)
        let draft = plan.draft(&random)
        let lacksLeafMarker = random.number(in: 0...1) == 0
        let pki = chains.pki(draft.chain, draft.kind, lacksLeafMarker: lacksLeafMarker)
        var container = Self.container(draft, pki, &random)
        self.number = number
        kind = draft.kind
        step = kind.step(lacksLeafMarker: lacksLeafMarker)
        bundleIdentifier = draft.bundleIdentifier
        if kind == .truncated {
            container.removeLast(
                container.count - random.number(in: container.count / 4...container.count - 1)
            )
        }
        var text: [UInt8] = []
        text.append(base64: container[...])
        if kind == .notBase64 { text[random.number(in: 0...text.count - 1)] = UInt8(ascii: "!") }
        base64 = text
        digest = kind == .notBase64 ? "" : "\(HashAlgorithm.sha256.digest(of: container.borrowedSpan))"
    }

    /// The record as a line with its line feed. No value holds a character that JSON would escape.
    func line(as format: MintedFormat) -> [UInt8] {
        guard format == .ndjson else { return base64 + [UInt8(ascii: "\n")] }
        let head =
            "{\"id\":\(number),\"bundle_id\":\"\(bundleIdentifier)\",\"kind\":\"\(kind.rawValue)\","
            + "\"status\":\"\(kind.status)\",\"step\":\"\(step)\",\"sha256\":\"\(digest)\",\"receipt\":\""
        return [UInt8](head.utf8) + base64 + [UInt8]("\"}\n".utf8)
    }

    private static func container(
        _ draft: CorpusPlan.Draft,
        _ pki: PrivatePKI,
        _ random: inout RecordRandom
    ) -> [UInt8] {
        var mint = ReceiptMint(pki, digest: draft.digest)
        var payload = PayloadTemplate(draft: draft, &random)
        switch draft.kind {
        case .tamperedPayload:
            let signed = draft.digest.digest(of: payload.encoded().borrowedSpan)
            payload.purchases.append(PurchaseTemplate(productIdentifier: "com.example.everything"))
            mint.message.signers[0].forgery = { _, key in key.sign(signed) }
        case .wrongSignature:
            let bit = random.number(in: 0...8 * pki.leaf.key.modulusByteCount - 1)
            mint.message.signers[0].forgery = { digest, key in
                var signature = key.sign(digest)
                signature[bit / 8] ^= 0x80 >> UInt8(bit % 8)
                return signature
            }
        default: break
        }
        return mint.receipt(payload)
    }
}

// MARK: The contents of a receipt

extension PayloadTemplate {
    /// Makes a payload with attributes of the types that genuine receipts have, undocumented types included,
    /// and of similar length.
    fileprivate init(draft: CorpusPlan.Draft, _ random: inout RecordRandom) {
        let isForeign = draft.kind == .wrongBundle
        self.init(bundleIdentifier: isForeign ? "com.example.elsewhere" : draft.bundleIdentifier)
        let created = draft.creationDate.millisecondsSince1970 / 1000
        let originalPurchase = created - random.number(in: 3600...3 * Self.secondsPerYear)
        let environment: ReceiptEnvironment =
            draft.kind == .wrongEnvironment ? .productionSandbox : .production
        self.environment = environment.name
        appStoreIdentifier = random.number(in: 1_000_000_000...1_699_999_999)
        appVersion = "\(random.number(in: 1...9)).\(random.number(in: 0...20))"
        originalAppVersion = "1.\(random.number(in: 0...9))"
        opaqueValue = random.bytes(16)
        purchaseDate = CorpusPlan.date(originalPurchase...created, &random)
        originalPurchaseDate = Timestamp(millisecondsSince1970: originalPurchase * 1000)
        creationDate = draft.creationDate
        developerIdentifier = random.number(in: 100_000_000...1_699_999_999)
        downloadIdentifier = random.number(in: 1 << 58...1 << 59 - 1)
        versionExternalIdentifier = random.number(in: 800_000_000...899_999_999)
        platform = 3
        purchases = (0..<draft.purchaseCount).map { _ in
            PurchaseTemplate(draft.bundleIdentifier, originalPurchase..<created, &random)
        }
        rawAttributes = [
            AttributeTemplate(6, value: random.bytes(random.number(in: 50...80))),
            AttributeTemplate(7, value: random.bytes(random.number(in: 60...80))),
            .utf8String(9, "P\(random.number(in: 200...299))"), .integer(13, 130_401), .integer(14, 162),
            .utf8String(20, ""),
        ]
    }

    private static let secondsPerYear: Int64 = 31_536_000
}

extension PurchaseTemplate {
    /// Draws a purchase: a renewal of a subscription in six of ten cases, a consumable product in two, and a
    /// non-consumable product in two.
    fileprivate init(_ bundleIdentifier: String, _ dates: Range<Int64>, _ random: inout RecordRandom) {
        let bought = random.number(in: dates.lowerBound...dates.upperBound - 1)
        let kind = random.number(in: 1...10)
        let product = random.number(in: 1...5)
        let transaction = random.number(in: 100_000_000...999_999_999)
        let name = kind <= 6 ? "monthly" : kind <= 8 ? "coins" : "unlock"
        self.init(
            productIdentifier: "\(bundleIdentifier).\(name)\(product)",
            transactionIdentifier: "1000000\(transaction)",
            purchaseDate: Timestamp(millisecondsSince1970: bought * 1000)
        )
        isTrialPeriod = false
        isInIntroductoryOfferPeriod = false
        webOrderLineItemIdentifier = 0
        let empty: [UInt8] = [0x16, 0x00]
        if kind <= 6 {
            productType = InAppPurchase.ProductType.autoRenewableSubscription.rawValue
            originalTransactionIdentifier = "1000000\(transaction - random.number(in: 0...99_999_999))"
            originalPurchaseDate = CorpusPlan.date(dates.lowerBound...bought, &random)
            expiresDate = Timestamp(millisecondsSince1970: (bought + 30 * 86_400) * 1000)
            webOrderLineItemIdentifier = random.number(in: 1 << 49...1 << 50 - 1)
            isTrialPeriod = random.number(in: 1...10) == 1
        } else {
            let type: InAppPurchase.ProductType = kind <= 8 ? .consumable : .nonConsumable
            productType = type.rawValue
            rawAttributes.append(AttributeTemplate(1708, value: empty))
        }
        if random.number(in: 1...50) == 1 {
            cancellationDate = CorpusPlan.date(bought...dates.upperBound, &random)
        } else {
            rawAttributes.append(AttributeTemplate(1712, value: empty))
        }
        rawAttributes.append(.integer(1710, 0))
        for type: Int64 in [1709, 1714, 1715, 1716, 1717, 1718] {
            rawAttributes.append(.utf8String(type, ""))
        }
    }
}
