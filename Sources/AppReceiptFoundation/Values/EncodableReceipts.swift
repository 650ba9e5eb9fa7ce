import AppReceipt
import Basics

// Receipts and purchases for JSONEncoder, in the schema of the command line: the object `receipt` in
// Vectors/schema/result.schema.json. Names are from the answers of Apple's verifyReceipt, if an answer has
// the value. Absent and empty values are null.

extension Receipt: Encodable {
    /// Encodes the values of the receipt, as `app-receipt verify --json` writes them. Absent and malformed
    /// attributes are null. Purchases that do not decode are in `malformed_in_app`.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode(self, contentDigest: contentDigest.description, inAppPurchases)
    }
}

extension UnverifiedReceipt: Encodable {
    /// Encodes the values that an unverified receipt claims, as `app-receipt inspect --json` writes them.
    /// Absent and malformed attributes are null. Purchases that do not decode are in `malformed_in_app`.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode(self, contentDigest: nil, unverifiedInAppPurchases)
    }
}

extension InAppPurchase: Encodable {
    /// Encodes the values of the purchase. A value that an answer of `verifyReceipt` also has is encoded
    /// under Apple's name. Absent values are null, and so is an ownership that is unknown, malformed or
    /// repeated.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(self) }
}

extension UnverifiedInAppPurchase: Encodable {
    /// Encodes the values of the purchase. A value that an answer of `verifyReceipt` also has is encoded
    /// under Apple's name. Absent values are null, and so is an ownership that is unknown, malformed or
    /// repeated.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(self) }
}

extension MalformedInAppPurchase: Encodable {
    private enum Key: String, CodingKey { case code, value }

    /// Encodes a purchase that does not decode: the name of the error code, and the purchase's octets as a
    /// hexadecimal string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode("\(refusal.code.name)", forKey: .code)
        try container.encode(hex: value, forKey: .value)
    }
}

extension AppReceipt.Attribute: Encodable {
    private enum Key: String, CodingKey { case type, version, value }

    /// Encodes an attribute: the type and the version as numbers, and the value's octets as a hexadecimal
    /// string. A number outside of -(2^53 - 1) to 2^53 - 1 is a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(number: type, forKey: .type)
        try container.encode(number: version, forKey: .version)
        try container.encode(hex: value, forKey: .value)
    }
}

/// The name of a member of a JSON object. Numbers are no names.
private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: StaticString) { stringValue = "\(name)" }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
}

extension Encoder {
    /// Encodes a receipt as an object: its attributes, the digest or null, `purchases` as `in_app`, and the
    /// malformed purchases.
    fileprivate func encode(
        _ receipt: some ReceiptContents,
        contentDigest: String?,
        _ purchases: [some Encodable]
    ) throws {
        var container = container(keyedBy: Name.self)
        for one in ReceiptAttribute.allCases { try container.encode(one.row, of: receipt.values) }
        try container.encode(contentDigest, forKey: Name("content_sha256"))
        try container.encode(receipt.malformedInAppPurchases, forKey: Name("malformed_in_app"))
        let others = receipt.attributes.filter { !$0.hasRow }
        try container.encode(others, forKey: Name("undocumented_attributes"))
        try container.encode(purchases, forKey: Name("in_app"))
    }

    /// Encodes a purchase as an object. Attributes whose types have no row in the attribute table (not
    /// `hasRow`) are in `undocumented_attributes`.
    fileprivate func encode(_ purchase: some InAppPurchaseContents) throws {
        var container = container(keyedBy: Name.self)
        for one in PurchaseAttribute.allCases { try container.encode(one.row, of: purchase.values) }
        let others = purchase.attributes.filter { !$0.hasRow }
        try container.encode(others, forKey: Name("undocumented_attributes"))
    }
}

extension KeyedEncodingContainer where Key == Name {
    /// Encodes the value that `values` has for a row, under the row's JSON name; null if there is none, and
    /// for an ownership of unknown number.
    fileprivate mutating func encode(_ row: AttributeRow, of values: AttributeValues) throws {
        let name = Name(row.json)
        switch row.kind {
        case .text, .ascii: try encode(values.string(row), forKey: name)
        case .number: try encode(number: values.number(row), forKey: name)
        case .identifier: try encode(values.number(row).map { String($0) }, forKey: name)
        case .ownership: try encode(values.ownership(row).map { "\($0.answerName)" }, forKey: name)
        case .flag: try encode(values.flag(row), forKey: name)
        case .date: try encode(values.date(row)?.description, forKey: name)
        case .octets: try encode(hex: values.octets(row), forKey: name)
        }
    }
}

extension KeyedEncodingContainer {
    /// Encodes octets as a string of hexadecimal digits in lower case, and nil as null.
    fileprivate mutating func encode(hex octets: ArraySlice<UInt8>?, forKey key: Key) throws {
        try encode(octets.map { Hexadecimal.digits(of: $0.borrowedSpan) }, forKey: key)
    }

    /// Encodes a number, or null for nil.
    ///
    /// A number outside of -(2^53 - 1) to 2^53 - 1 is a string: most JSON readers hold numbers in binary64
    /// and would change its last digits (RFC 8259 §6).
    fileprivate mutating func encode(number: Int64?, forKey key: Key) throws {
        if let number, number.magnitude >= 1 << 53 {
            try encode(String(number), forKey: key)
        } else {
            try encode(number, forKey: key)
        }
    }
}
