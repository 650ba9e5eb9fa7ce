import DER

// What a log shows of a receipt: who and when in one line, never its bytes, which a dump would. Whoever made
// the receipt wrote the text in it, so nothing of that ends the line or controls a terminal.

extension Receipt: CustomStringConvertible {
    /// Such as `com.example.app 42, ProductionSandbox, created 2025-06-15T12:00:00Z`.
    public var description: String { payload.description }
}

extension UnverifiedReceipt: CustomStringConvertible {
    /// The same as of a receipt, and that it is unverified.
    public var description: String { "unverified: \(payload)" }
}

extension Payload: CustomStringConvertible {
    public var description: String {
        let app = buffer.string(bundleIdentifier)?.printable ?? "no bundle identifier"
        let version = buffer.string(appVersion).map { " \($0.printable)" } ?? ""
        let environment = buffer.string(environment).map { ", \($0.printable)" } ?? ""
        let created = creationDate.map { ", created \($0)" } ?? ""
        return app + version + environment + created
    }
}

extension InAppPurchase: CustomStringConvertible {
    /// Such as `com.example.pro, transaction 1000000000000001, bought 2024-05-01T12:00:00Z`.
    public var description: String {
        let transaction = transactionIdentifier.map { ", transaction \($0.printable)" } ?? ""
        let bought = purchaseDate.map { ", bought \($0)" } ?? ""
        return productIdentifier.printable + transaction + bought
    }
}

extension MalformedInAppPurchase: CustomStringConvertible {
    public var description: String { "malformed: \(refusal)" }
}

extension Attribute: CustomStringConvertible {
    public var description: String { "attribute \(type), \(value.count) bytes" }
}

extension String {
    /// The same text for a terminal or a log: whatever would end a line, move a cursor, colour text or turn
    /// the writing direction is spelt out.
    package var printable: String {
        func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.value {
            case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
            default: false
            }
        }
        guard unicodeScalars.contains(where: isHarmful) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if isHarmful(scalar) {
                text += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
