import Basics

// One-line descriptions for logs. They name the app and the dates and never print the receipt's bytes, as a
// dump of the value would. The signer chose the text in a receipt, so characters that end a line or control a
// terminal are spelt out.

extension Receipt {
    /// One line for a log, such as `com.example.app 42, ProductionSandbox, created 2025-06-15T12:00:00Z`.
    public var description: String { unverified.line }
}

extension UnverifiedReceipt {
    /// One line for a log: `unverified: `, and then app, version, environment and creation date.
    public var description: String { "unverified: \(line)" }

    fileprivate var line: String {
        let app = values.string(.bundleIdentifier)?.printable ?? "no bundle identifier"
        let version = values.string(.appVersion).map { " \($0.printable)" } ?? ""
        let environment = values.string(.environment).map { ", \($0.printable)" } ?? ""
        let created = values.date(.creationDate).map { ", created \($0)" } ?? ""
        return app + version + environment + created
    }
}

extension InAppPurchaseContents {
    /// One line for a log, such as `com.example.pro, transaction 1000000000000001, bought
    /// 2024-05-01T12:00:00Z`.
    public var description: String {
        let transaction = transactionIdentifier.map { ", transaction \($0.printable)" } ?? ""
        let bought = purchaseDate.map { ", bought \($0)" } ?? ""
        return productIdentifier.printable + transaction + bought
    }
}

extension MalformedInAppPurchase: CustomStringConvertible {
    /// One line for a log: `malformed: `, and then the reason.
    public var description: String { "malformed: \(refusal)" }
}

extension Attribute: CustomStringConvertible {
    /// One line for a log, such as `attribute 6, 70 bytes`.
    public var description: String { "attribute \(type), \(value.count) bytes" }
}

extension String {
    /// The text for a terminal or a log. Control characters, U+2028 and U+2029 (line and paragraph
    /// separators), marks and controls of the writing direction, and U+FEFF are spelt out as `\u{…}`.
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
