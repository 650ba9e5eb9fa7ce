import AppReceipt
import Bytes
import DER
import ReceiptCorpus
import ReceiptResults

/// Shows the payload of a receipt to a person.
struct PayloadInspection {
    let content: Outline.Content
    let isVerified: Bool

    func write(to output: inout Output) {
        let claim = isVerified ? "" : ", as the bytes claim"
        do throws(ReceiptError) {
            let receipt = try UnverifiedReceipt(unverifiedPayload: content.bytes)
            Inspection.heading("Payload\(claim)", &output)
            show(receipt, &output)
        } catch {
            Inspection.heading("Payload\(claim), as far as it can be read", &output)
            let offset = content.inputOffset(of: error.offset)
            let place = "byte \(offset), reading \(error.reading)"
            Inspection.field(
                "broken",
                "\(error.code.meaning) (\(error.code.name) at \(place))",
                .bad,
                &output
            )
            showAttributes(&output)
        }
    }

    // MARK: Decoded

    private func show(_ receipt: UnverifiedReceipt, _ output: inout Output) {
        let fields: [(String, String?)] = [
            ("environment", receipt.environmentName),
            ("bundle identifier", receipt.bundleIdentifier),
            ("app version", receipt.appVersion),
            ("original app version", receipt.originalAppVersion),
            ("creation date", receipt.creationDate?.description),
            ("purchase date", receipt.purchaseDate?.description),
            ("original purchase date", receipt.originalPurchaseDate?.description),
            ("expiration date", receipt.expirationDate?.description),
            ("App Store id", receipt.appStoreIdentifier.map { "\($0)" }),
            ("developer id", receipt.developerIdentifier.map { "\($0)" }),
            ("download id", receipt.downloadIdentifier.map { "\($0)" }),
            ("version external id", receipt.versionExternalIdentifier.map { "\($0)" }),
            ("age rating", receipt.ageRating),
            ("platform", receipt.platform.map { "\($0)" }),
            ("opaque value", receipt.opaqueValue.map { Hexadecimal.digits(of: $0.borrowedSpan) }),
            ("SHA-1 hash", receipt.sha1Hash.map { Hexadecimal.digits(of: $0.borrowedSpan) }),
        ]
        for (label, value) in fields { Inspection.field(label, value ?? "-", &output) }
        let undocumented = receipt.attributes.filter { AttributeTypes.name(ofType: $0.type) == nil }
        if !undocumented.isEmpty {
            let types = undocumented.map { "\($0.type)" }.joined(separator: ", ")
            Inspection.field("undocumented attributes", types, &output)
        }
        let purchases = Array(receipt.unverifiedInAppPurchases)
        Inspection.heading("In-app purchases: \(purchases.count)", &output)
        for (index, purchase) in purchases.enumerated() { show(index, purchase, &output) }
        for malformed in receipt.malformedInAppPurchases {
            let reason = "\(malformed.refusal.code.meaning) (\(malformed.refusal.code.name))"
            Inspection.field("malformed", "\(reason) It grants nothing.", .bad, &output)
        }
    }

    private func show(_ index: Int, _ purchase: UnverifiedInAppPurchase, _ output: inout Output) {
        output.write("  \(index + 1). ")
        output.line(purchase.productIdentifier.printable, .bold)
        let kind =
            switch purchase.productType {
            case .nonConsumable?: "non-consumable"
            case .consumable?: "consumable"
            case .nonRenewingSubscription?: "non-renewing subscription"
            case .autoRenewableSubscription?: "auto-renewable subscription"
            case nil: purchase.productTypeNumber.map { "type \($0)" } ?? "type not said"
            }
        let fields: [(String, String?)] = [
            ("kind", kind),
            ("quantity", purchase.quantity.map { "\($0)" }),
            ("bought", purchase.purchaseDate?.description),
            ("originally bought", purchase.originalPurchaseDate?.description),
            ("expires", purchase.expiresDate?.description),
            ("cancelled", purchase.cancellationDate?.description),
            ("cancellation reason", purchase.cancellationReason.map { "\($0)" }),
            ("transaction", purchase.transactionIdentifier),
            ("original transaction", purchase.originalTransactionIdentifier),
            ("web order line item", purchase.webOrderLineItemIdentifier.map { "\($0)" }),
            ("trial period", purchase.isTrialPeriod.map { $0 ? "yes" : "no" }),
            ("introductory offer", purchase.isInIntroductoryOfferPeriod.map { $0 ? "yes" : "no" }),
            ("promotional offer", purchase.promotionalOfferIdentifier),
        ]
        for case (let label, let value?) in fields { Inspection.field("   \(label)", value, &output) }
    }

    // MARK: Raw

    /// Shows the attributes up to the first that cannot be read, of a payload that the library refuses.
    private func showAttributes(_ output: inout Output) {
        let bytes = content.bytes
        var range = 0..<bytes.count
        // Enters the SET, and the OCTET STRING that one emitter wraps around it.
        for _ in 0..<2 {
            guard let outer = try? BERElement(bytes.borrowedSpan, in: range) else { return }
            range = outer.contents
            if outer.tag == .set { break }
        }
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard let attribute = try? BERElement(bytes.borrowedSpan, in: offset..<range.upperBound),
                show(attribute, bytes, &output)
            else { return }
            offset = attribute.end
        }
    }

    /// Shows an attribute.
    ///
    /// - Returns: false if the element is no attribute.
    private func show(_ attribute: BERElement, _ bytes: [UInt8], _ output: inout Output) -> Bool {
        var reader = Reader(bytes.borrowedSpan, in: attribute.contents)
        guard let type = try? reader.readInteger("type"), (try? reader.readInteger("version")) != nil,
            let value = try? reader.readOctetString("value")
        else { return false }
        let name = AttributeTypes.name(ofType: type).map { "\($0)" } ?? "undocumented"
        var inner = Reader(bytes.borrowedSpan, in: value)
        if let element = try? inner.readElement("value"), inner.isAtEnd, !element.tag.isConstructed {
            let text = ASN1Value(element.tag, bytes, element.contents, limit: 60).text
            Inspection.field("\(type) \(name)", text, &output)
        } else {
            let text = ASN1Value(.octetString, bytes, value, limit: 30).text
            Inspection.field("\(type) \(name)", text, &output)
        }
        return true
    }
}
