import AppReceipt
import AppReceiptMint
import Basics
import DER
import PKIX
import TransactionReceipt
import VerifyReceipt

/// Checks answers to requests. An answer is JSON in one line that holds its status. The status is the one
/// that plain rules give, and is 0 exactly if the validator accepts the receipt for this environment. The
/// members of a valid answer have the receipt's values.
///
/// The first byte chooses the environment, whether base64 is repaired, whether passwords are compared, and
/// whether the rest is a body or a payload to sign and to send.
func fuzzAnswer(_ input: [UInt8]) {
    guard let choice = input.first else { return }
    let rest = Array(input.dropFirst())
    let environment: ReceiptEndpoint.Environment = choice & 1 == 0 ? .production : .sandbox
    let isRepairing = choice & 2 != 0
    let hasSecret = choice & 4 != 0
    let endpoint = Endpoint.all[Int(choice & 7)]
    var body = rest
    if choice & 8 != 0 {
        body = Array("{\"password\":\"p\",\"receipt-data\":\"".utf8)
        body.append(base64: Endpoint.mint.message.signed(payload: rest)[...])
        body += Array("\"}".utf8)
    }
    let now = Timestamp(millisecondsSince1970: Int64(choice) << 33)
    let answer = endpoint.answer(body, at: now)
    var cache = ValidationCache()
    require(endpoint.answer(body, at: now, cache: &cache) == answer, "the cache does not matter")
    require(endpoint.answer(body, at: now, cache: &cache) == answer, "nor does a cache that knows the path")

    require(answer.body.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "one line of printable characters")
    guard let json = PlainJSON(answer.body) else { return require(false, "an answer is JSON") }
    require(
        json.member(Array("status".utf8))?.text == Array("\(answer.status.rawValue)".utf8),
        "the status in the answer"
    )
    require((answer.error == nil) == (answer.status == .valid), "a reason for each other status")
    if case .request(let refusal)? = answer.error { require(refusal, liesIn: body.count) }

    let request = PlainJSON(body)
    guard case .object? = request else {
        return require(answer.status == .unreadableRequest, "a body that is no object")
    }
    require(answer.status != .unreadableRequest, "a body that is an object")
    let text = request?.member(Array("receipt-data".utf8))?.value.text
    let password = request?.member(Array("password".utf8))?.value.text
    if hasSecret, answer.status == .valid || answer.status == .expiredSubscription {
        require(password == Endpoint.secret, "an answer to a right password alone")
    }
    guard let text, let decoded = plainBase64(text) else {
        // The target base64 tests the repairs.
        return require(isRepairing || answer.status == .invalidReceipt, "no base64 as Apple requires it")
    }
    guard decoded.first != UInt8(ascii: "{") else { return }
    check(answer, json, of: decoded, environment, password: hasSecret ? password : Endpoint.secret, now)
}

/// Checks the answer about a container that was sent in canonical base64.
private func check(
    _ answer: Answer,
    _ json: PlainJSON,
    of decoded: [UInt8],
    _ environment: ReceiptEndpoint.Environment,
    password: [UInt8]?,
    _ now: Timestamp
) {
    var reader = Reader(decoded.span)
    let end = (try? reader.read(.sequence, "ContentInfo"))?.upperBound ?? decoded.count
    guard let receipt = try? Endpoint.validator.validate(Array(decoded[..<end])) else {
        return require(answer.status == .invalidReceipt, "a receipt that the validator refuses")
    }
    let expected: AnswerStatus
    switch (receipt.environmentName.map { Array($0.utf8) } ?? [], environment) {
    case (Array("Production".utf8), .sandbox), (Array("ProductionVPP".utf8), .sandbox):
        expected = .productionReceipt
    case (Array("ProductionSandbox".utf8), .production), (Array("ProductionVPPSandbox".utf8), .production),
        (Array("Xcode".utf8), .production):
        expected = .sandboxReceipt
    case (Array("Production".utf8), _), (Array("ProductionVPP".utf8), _),
        (Array("ProductionSandbox".utf8), _), (Array("ProductionVPPSandbox".utf8), _),
        (Array("Xcode".utf8), _):
        expected =
            password == nil ? .notAuthenticated : password == Endpoint.secret ? .valid : .wrongPassword
    default: expected = .invalidReceipt
    }
    require(answer.status == expected, "\(answer.status), not \(expected)")
    guard answer.status == .valid, let object = json.member(Array("receipt".utf8))?.value else { return }
    func text(_ name: String, _ object: PlainJSON) -> String? {
        object.member(Array(name.utf8))?.value.text.map { String(decoding: $0, as: UTF8.self) }
    }
    func same(_ found: String?, _ expected: String?) -> Bool {
        found.map { Array($0.utf8) } == expected.map { Array($0.utf8) }
    }
    require(same(text("bundle_id", object), receipt.bundleIdentifier), "bundle_id")
    require(same(text("application_version", object), receipt.appVersion), "application_version")
    require(text("request_date_ms", object) == "\(now.millisecondsSince1970)", "request_date_ms")
    require(
        text("original_purchase_date_ms", object)
            == receipt.originalPurchaseDate.map { "\($0.millisecondsSince1970)" },
        "original_purchase_date_ms"
    )
    guard case .array(let purchases)? = object.member(Array("in_app".utf8))?.value else {
        return require(false, "in_app is an array")
    }
    let expectedPurchases = Array(receipt.inAppPurchases)
    require(purchases.count == expectedPurchases.count, "the number of purchases")
    for (found, purchase) in zip(purchases, expectedPurchases) {
        require(same(text("product_id", found), purchase.productIdentifier), "product_id")
        require(same(text("transaction_id", found), purchase.transactionIdentifier), "transaction_id")
        require(
            text("expires_date_ms", found) == purchase.expiresDate.map { "\($0.millisecondsSince1970)" },
            "expires_date_ms"
        )
        require(text("quantity", found) == purchase.quantity.map { "\($0)" }, "quantity")
    }
}

/// The bytes of base64 with the standard alphabet and the exact padding; nil for any other text.
private func plainBase64(_ text: [UInt8]) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
    var bits: UInt32 = 0
    var bytes: [UInt8] = []
    for (index, character) in text.dropLast(padding).enumerated() {
        guard let value = alphabet.firstIndex(of: character) else { return nil }
        bits = bits << 6 | UInt32(value)
        if index % 4 > 0 { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(6 - 2 * (index % 4)))) }
    }
    return bytes
}

/// The mint and its trust.
private enum Endpoint {
    static let mint = ReceiptMint(seed: 1)
    static let trust = TrustPolicy.pinned([try? TrustAnchor(certificate: mint.root)].compactMap { $0 })
    static let validator = ReceiptValidator(
        ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: trust)
    )
    static let secret = Array("p".utf8)
    /// An endpoint for each of the three lowest bits of the choice.
    static let all = (0..<8).map { choice in
        ReceiptEndpoint(
            choice & 1 == 0 ? .production : .sandbox,
            ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: trust),
            sharedSecrets: choice & 4 != 0 ? [secret] : nil,
            base64: choice & 2 != 0 ? .repairing : .strict
        )
    }
}
