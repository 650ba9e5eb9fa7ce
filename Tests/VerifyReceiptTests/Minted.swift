import AppReceipt
import AppReceiptMint
import Basics
import Foundation
import TestSupport
import Testing
import VerifyReceipt

/// The mint of these tests, and endpoints that trust it.
enum Minted {
    static let pki = PrivatePKI(Keys.pki)
    static let mint = ReceiptMint(pki)
    static let trust = TrustPolicy.pinned([mint.root].compactMap { try? TrustAnchor(certificate: $0) })
    static let production = ReceiptEndpoint(
        .production,
        ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: trust)
    )
    static let sandbox = ReceiptEndpoint(
        .sandbox,
        ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: trust)
    )
    /// 2024-06-01T12:34:56.789Z
    static let now = Timestamp(millisecondsSince1970: 1_717_245_296_789)

    static let receipt = mint.receipt(bundleIdentifier: "com.example.app")
    static let sandboxReceipt = mint.receipt(bundleIdentifier: "com.example.app") {
        $0.environment = "ProductionSandbox"
    }
}

/// The body of a request with a receipt, in canonical base64.
func request(_ receipt: [UInt8], _ others: String = "") -> [UInt8] {
    request(text: Data(receipt).base64EncodedString(), others)
}

/// The body of a request whose `receipt-data` has this text between its quotes.
func request(text: String, _ others: String = "") -> [UInt8] {
    Array("{\"receipt-data\":\"\(text)\"\(others)}".utf8)
}

extension ReceiptEndpoint {
    /// The answer with a new cache, at the time of these tests.
    func answer(_ body: [UInt8]) -> Answer {
        var cache = ValidationCache()
        return answer(body, at: Minted.now, cache: &cache)
    }

    /// The answer to a request with a receipt.
    func answer(receipt: [UInt8], _ others: String = "") -> Answer { answer(request(receipt, others)) }
}

extension Answer {
    /// The body, read by the plain reader of these tests.
    var json: OrderedJSON { get throws { try OrderedJSON(body) } }
    var text: String { String(decoding: body, as: UTF8.self) }
    /// The object `receipt` of the body.
    var receipt: OrderedJSON { get throws { try #require(try json["receipt"]) } }
}

/// The object `receipt` of the answer about a minted receipt.
func answered(_ change: (inout PayloadTemplate) -> Void = { _ in }) throws -> OrderedJSON {
    let answer = Minted.production.answer(
        receipt: Minted.mint.receipt(bundleIdentifier: "com.example.app", change)
    )
    #expect(answer.status == .valid, "\(answer.text)")
    return try answer.receipt
}

/// The first purchase of the answer about a minted receipt with one purchase.
func answeredPurchase(_ change: (inout PurchaseTemplate) -> Void = { _ in }) throws -> OrderedJSON {
    var purchase = PurchaseTemplate(productIdentifier: "com.example.pro")
    change(&purchase)
    let receipt = try answered { $0.purchases = [purchase] }
    return try #require(receipt["in_app"]?.elements.first)
}
