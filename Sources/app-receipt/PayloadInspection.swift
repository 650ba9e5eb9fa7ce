import AppReceipt
import Basics
import DER
import ReceiptResults

/// Shows the payload of a receipt to a person.
extension Output {
    mutating func show(payload content: Outline.Content, _ isVerified: Bool) {
        let claim = isVerified ? "" : ", as the bytes claim"
        do throws(ReceiptError) {
            let receipt = try UnverifiedReceipt(unverifiedPayload: content.bytes)
            heading("Payload\(claim)")
            show(receipt)
        } catch {
            heading("Payload\(claim), as far as it can be read")
            broken(error.code, at: content.inputOffset(of: error.offset), reading: error.reading)
            showAttributes(content.bytes)
        }
    }

    // MARK: Decoded

    private mutating func show(_ receipt: UnverifiedReceipt) {
        for one in ReceiptAttribute.allCases {
            field("\(one.row.name)", receipt.values.text(one.row) ?? "-")
        }
        for attribute in receipt.attributes {
            guard let observed = ObservedAttribute(rawValue: attribute.type) else { continue }
            let text =
                observed.text(of: attribute.value) ?? Hexadecimal.digits(of: attribute.value.borrowedSpan)
            field("\(observed.name)", "\(text), by observation")
        }
        let unnamed = receipt.attributes.filter { AppReceipt.Attribute.name(ofType: $0.type) == nil }
        if !unnamed.isEmpty {
            field("undocumented attributes", unnamed.map { "\($0.type)" }.joined(separator: ", "))
        }
        let purchases = receipt.unverifiedInAppPurchases
        heading("In-app purchases: \(purchases.count)")
        for (index, purchase) in purchases.enumerated() {
            write("  \(index + 1). ")
            line(purchase.productIdentifier.printable, .bold)
            for one in PurchaseAttribute.allCases where one != .productIdentifier {
                guard let text = purchase.values.text(one.row) else { continue }
                // The width of the longest label, and two spaces.
                field("   \(one.row.name)", text, width: 36)
            }
        }
        for malformed in receipt.malformedInAppPurchases {
            let code = malformed.refusal.code
            field("malformed", "\(code.meaning) (\(code.name)) It grants nothing.", .bad)
        }
    }

    // MARK: Raw

    /// Shows the attributes of a payload that the library refuses, up to the first that cannot be read.
    private mutating func showAttributes(_ bytes: [UInt8]) {
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
                show(attribute, bytes)
            else { return }
            offset = attribute.end
        }
    }

    /// Shows an attribute as one line: its type, its name and its value.
    ///
    /// - Returns: false, without a line, if the element is no attribute.
    private mutating func show(_ attribute: BERElement, _ bytes: [UInt8]) -> Bool {
        var reader = Reader(bytes.borrowedSpan, in: attribute.contents)
        guard let type = try? reader.readInteger("type"), (try? reader.readInteger("version")) != nil,
            let value = try? reader.read(.octetString, "value")
        else { return false }
        let name = AppReceipt.Attribute.name(ofType: type).map { "\($0)" } ?? "undocumented"
        var text = ASN1Value(.octetString, bytes, value, limit: 30).text
        var inner = Reader(bytes.borrowedSpan, in: value)
        if let element = try? inner.readElement("value"), inner.isAtEnd, !element.tag.isConstructed {
            text = ASN1Value(element.tag, bytes, element.contents, limit: 60).text
        }
        field("\(type) \(name)", text)
        return true
    }
}

extension AttributeValues {
    /// The value of an attribute for people; nil if there is none. If a number has a known meaning, the
    /// text has the number and then the meaning.
    fileprivate func text(_ row: AttributeRow) -> String? {
        switch row.kind {
        case .text, .ascii: string(row)
        case .flag: flag(row).map { $0 ? "yes" : "no" }
        case .date: date(row)?.description
        case .octets: octets(row).map { Hexadecimal.digits(of: $0.borrowedSpan) }
        case .number, .identifier, .ownership:
            number(row).map { number in row.meaning(of: number).map { "\(number), \($0)" } ?? "\(number)" }
        }
    }
}

extension ObservedAttribute {
    /// The value as text for people, such as `13.4.1` for a version; nil if it is no INTEGER from 0 to
    /// 2^63 - 1.
    fileprivate func text(of value: ArraySlice<UInt8>) -> String? {
        var reader = Reader(value.borrowedSpan)
        guard let number = try? reader.readInteger("value"), reader.isAtEnd, number >= 0 else { return nil }
        switch self {
        case .toolVersion: return String(decoding: value.dropFirst(2), as: UTF8.self)
        case .systemVersion:
            let patch = number % 100
            return "\(number / 10_000).\(number / 100 % 100)" + (patch == 0 ? "" : ".\(patch)")
        case .counter: return "\(number)"
        }
    }
}
