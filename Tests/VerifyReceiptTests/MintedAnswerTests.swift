import AppReceipt
import AppReceiptMint
import Basics
import DER
import Foundation
import TestSupport
import Testing
import VerifyReceipt

/// Numbers that depend on a seed alone (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
/// Generators", 2014).
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }

    mutating func text() -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "Z", "0", ".", "\"", "\\", "\n", "é", "\u{2028}", "🧾", "/", "\u{1}",
        ]
        return String(
            String.UnicodeScalarView(
                (0..<Int.random(in: 1...40, using: &self)).map { _ in
                    scalars.randomElement(using: &self) ?? "a"
                }
            )
        )
    }

    mutating func date() -> Timestamp? {
        guard Int.random(in: 0..<5, using: &self) > 0 else { return nil }
        let seconds = Int64.random(in: 1_215_648_000...2_000_000_000, using: &self)
        return Timestamp(
            millisecondsSince1970: seconds * 1000
                + (Bool.random(using: &self) ? 0 : Int64.random(in: 0..<1000, using: &self))
        )
    }

    mutating func number() -> Int64? {
        switch Int.random(in: 0..<4, using: &self) {
        case 0: nil
        case 1: 0
        case 2: Int64.random(in: 0...1 << 59, using: &self)
        default: Int64.random(in: 0...1000, using: &self)
        }
    }
}

@Suite("Five hundred minted receipts")
struct MintedAnswerTests {
    /// The strings, numbers and dates that an answer holds. Dates are formatted by Foundation.
    private struct Expected: Equatable {
        var members: [String: JSONValue] = [:]

        mutating func add(_ name: String, _ value: String?) { members[name] = value.map { .string($0) } }

        mutating func add(_ name: String, date: Timestamp?) {
            guard let date else { return }
            let milliseconds = date.millisecondsSince1970
            add("\(name)_ms", "\(milliseconds)")
            for (suffix, zone) in [("", "Etc/GMT"), ("_pst", "America/Los_Angeles")] {
                var calendar = Calendar(identifier: .gregorian)
                calendar.timeZone = TimeZone(identifier: zone) ?? .gmt
                let whole = Date(timeIntervalSince1970: TimeInterval(milliseconds / 1000))
                let parts = calendar.dateComponents(
                    [.year, .month, .day, .hour, .minute, .second],
                    from: whole
                )
                let text = [parts.month, parts.day, parts.hour, parts.minute, parts.second].map {
                    String("0\($0 ?? -1)".suffix(2))
                }
                let day = "\(parts.year ?? -1)-\(text[0])-\(text[1])"
                add("\(name)\(suffix)", "\(day) \(text[2]):\(text[3]):\(text[4]) \(zone)")
            }
        }
    }

    private func purchase(_ random: inout SplitMix) -> (PurchaseTemplate, Expected) {
        var template = PurchaseTemplate(productIdentifier: random.text())
        template.transactionIdentifier = Bool.random(using: &random) ? random.text() : nil
        template.originalTransactionIdentifier = random.text()
        template.quantity = random.number()
        template.purchaseDate = random.date()
        template.originalPurchaseDate = random.date()
        template.expiresDate = random.date()
        template.cancellationDate = random.date()
        template.webOrderLineItemIdentifier = random.number()
        template.isTrialPeriod = [true, false, nil].randomElement(using: &random) ?? nil
        template.isInIntroductoryOfferPeriod = [true, false, nil].randomElement(using: &random) ?? nil
        template.cancellationReason = random.number()
        var expected = Expected()
        expected.add("product_id", template.productIdentifier)
        expected.add("transaction_id", template.transactionIdentifier)
        expected.add("original_transaction_id", template.originalTransactionIdentifier)
        expected.add("quantity", template.quantity.map { "\($0)" })
        expected.add("purchase_date", date: template.purchaseDate)
        expected.add("original_purchase_date", date: template.originalPurchaseDate)
        expected.add("expires_date", date: template.expiresDate)
        expected.add("cancellation_date", date: template.cancellationDate)
        let item = template.webOrderLineItemIdentifier
        expected.add("web_order_line_item_id", item == 0 ? nil : item.map { "\($0)" })
        expected.add("is_trial_period", template.isTrialPeriod.map { "\($0)" })
        expected.add("is_in_intro_offer_period", template.isInIntroductoryOfferPeriod.map { "\($0)" })
        expected.add("cancellation_reason", template.cancellationReason.map { "\($0)" })
        return (template, expected)
    }

    @Test("are answered with the values they were minted from, as Foundation's decoder reads them")
    func answers() throws {
        var random = SplitMix(state: 19)
        var cache = ValidationCache()
        for _ in 0..<500 {
            var expected = Expected()
            var purchases: [JSONValue] = []
            let receipt = Minted.mint.receipt(bundleIdentifier: random.text()) { payload in
                payload.appStoreIdentifier = random.number()
                payload.downloadIdentifier = random.number()
                payload.originalPurchaseDate = random.date()
                payload.appVersion = random.text()
                payload.originalAppVersion = nil
                payload.isSorted = false
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    let (template, expected) = purchase(&random)
                    payload.purchases.append(template)
                    purchases.append(.object(expected.members))
                }
                expected.add("receipt_type", "Production")
                expected.add("bundle_id", payload.bundleIdentifier)
                expected.add("application_version", payload.appVersion)
                expected.add("receipt_creation_date", date: payload.creationDate)
                expected.add("request_date", date: Minted.now)
                expected.add("original_purchase_date", date: payload.originalPurchaseDate)
                expected.members["adam_id"] = payload.appStoreIdentifier.map { .number($0) }
                expected.members["app_item_id"] = payload.appStoreIdentifier.map { .number($0) }
                expected.members["download_id"] = payload.downloadIdentifier.map { .number($0) } ?? .null
            }
            expected.members["in_app"] = .array(purchases)
            let answer = Minted.production.answer(request(receipt), at: Minted.now, cache: &cache)
            let found = try JSONValue.parse(answer.body)
            #expect(found["status"] == .number(0) && found["environment"] == .string("Production"))
            #expect(found["receipt"] == .object(expected.members))
        }
    }
}
