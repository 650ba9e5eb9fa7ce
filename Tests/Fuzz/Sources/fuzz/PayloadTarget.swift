import AppReceipt
import Basics
import DER

/// Checks a payload. Its attributes equal the attributes that a walk by the strict reader finds, element by
/// element. Each purchase is decoded or malformed exactly if plain decoding agrees. Each field equals its
/// attribute.
func fuzzPayload(_ input: [UInt8]) {
    let plain = outcome { () throws(Refusal) in
        try plainAttributes(input, in: plainSet(input, in: 0..<input.count))
    }
    let receipt: UnverifiedReceipt
    do throws(ReceiptError) {
        receipt = try UnverifiedReceipt(unverifiedPayload: input)
    } catch {
        require(error, liesIn: input.count)
        return require(
            !isPlainReceipt(input, plain.value),
            "plain decoding refuses the payload, too: \(error)"
        )
    }
    guard case .success(let attributes) = plain else {
        return require(false, "the strict reader accepts the payload: \(input)")
    }
    require(isPlainReceipt(input, attributes), "plain decoding accepts the payload")
    check(receipt.attributes, attributes, input)
    checkFields(receipt, input, attributes)
    checkPurchases(receipt, input, attributes.filter { $0.type == 17 })
    _ = receipt.description
    _ = receipt.environment
}

/// One attribute, read by the plain decoder.
private struct PlainAttribute {
    let type: Int64
    let version: Int64
    let value: Range<Int>
}

/// The contents of the SET, taken out of the one known wrapping.
private func plainSet(_ input: [UInt8], in range: Range<Int>) throws(Refusal) -> Range<Int> {
    var reader = Reader(input.span, in: range)
    let element = try reader.readElement("payload")
    try reader.finish("payload")
    if element.tag == .set { return element.contents }
    guard element.tag == .octetString else {
        throw Refusal(.unexpectedTag, at: element.start, reading: "payload")
    }
    return try plainOnly(.set, input, element.contents)
}

private func plainAttributes(_ input: [UInt8], in set: Range<Int>) throws(Refusal) -> [PlainAttribute] {
    var attributes: [PlainAttribute] = []
    var reader = Reader(input.span, in: set)
    while !reader.isAtEnd {
        let sequence = try reader.readElement("attribute")
        var parts = Reader(input.span, in: sequence.contents)
        guard sequence.tag == .sequence else {
            throw Refusal(.unexpectedTag, at: sequence.start, reading: "attribute")
        }
        let type = try parts.readInteger("type")
        let version = try parts.readInteger("version")
        let value = try parts.read(.octetString, "value")
        try parts.finish("attribute")
        attributes.append(PlainAttribute(type: type, version: version, value: value))
    }
    guard attributes.count <= Limits.standard.attributes else {
        throw Refusal(.tooManyElements, at: set.lowerBound, reading: "attributes")
    }
    return attributes
}

/// The contents of the one element with this tag that fills a range.
private func plainOnly(_ tag: Tag, _ input: [UInt8], _ range: Range<Int>) throws(Refusal) -> Range<Int> {
    var reader = Reader(input.span, in: range)
    let element = try reader.readElement("value")
    try reader.finish("value")
    guard element.tag == tag else { throw Refusal(.unexpectedTag, at: element.start, reading: "value") }
    return element.contents
}

/// The value as a string of well-formed UTF-8. Nil if it is not one.
private func plainString(_ input: [UInt8], _ range: Range<Int>) -> String? {
    guard let contents = try? plainOnly(.utf8String, input, range) else { return nil }
    let text = String(decoding: input[contents], as: UTF8.self)
    return text.utf8.elementsEqual(input[contents]) ? text : nil
}

private func plainNumber(_ input: [UInt8], _ range: Range<Int>) -> Int64? {
    var reader = Reader(input.span, in: range)
    guard let number = try? reader.readInteger("number"), reader.isAtEnd, number >= 0 else { return nil }
    return number
}

/// The value as empty or a date. Nil if it is neither. A fraction is added to the usual form, so that the
/// general decoder reads it.
private func plainDate(_ input: [UInt8], _ range: Range<Int>) -> (time: Timestamp?, isDate: Bool) {
    guard let contents = try? plainOnly(.ia5String, input, range) else { return (nil, false) }
    guard !contents.isEmpty else { return (nil, true) }
    var text = Array(input[contents])
    if text.count == 20, text.last == UInt8(ascii: "Z") {
        text.insert(contentsOf: [UInt8(ascii: "."), UInt8(ascii: "0")], at: 19)
    }
    let time = Timestamp(rfc3339: text.span, in: 0..<text.count)
    if let time {
        // With an offset, year 0 may become negative, and year 9999 may get five digits.
        let isUsual = (0...253_402_300_799_999).contains(time.millisecondsSince1970 + 62_167_219_200_000)
        let again = Timestamp(rfc3339: time.description)
        require(
            again == time || !isUsual || time.millisecondsSince1970 < -62_167_219_200_000,
            "\(time) is \(text)"
        )
    }
    return (time, time != nil)
}

/// Whether a payload is a receipt by plain decoding: no documented type occurs twice, and the types that
/// checks need are sound.
private func isPlainReceipt(_ input: [UInt8], _ attributes: [PlainAttribute]?) -> Bool {
    guard let attributes else { return false }
    let once: Set<Int64> = [0, 1, 2, 3, 4, 5, 8, 10, 11, 12, 15, 16, 18, 19, 21, 25]
    var seen: Set<Int64> = []
    for attribute in attributes where once.contains(attribute.type) {
        guard seen.insert(attribute.type).inserted else { return false }
        switch attribute.type {
        case 0, 2, 3: if plainString(input, attribute.value) == nil { return false }
        case 12, 21: if !plainDate(input, attribute.value).isDate { return false }
        default: continue
        }
    }
    // Purchases may occur more than once.
    return true
}

/// The attributes of a value that is a purchase by plain decoding. Nil if it is not one.
private func plainPurchase(_ input: [UInt8], _ value: Range<Int>) -> [PlainAttribute]? {
    guard let set = try? plainOnly(.set, input, value), let attributes = try? plainAttributes(input, in: set)
    else { return nil }
    let documented: Set<Int64> = Set(1701...1708).union(1711...1713).union(1719...1721)
    var seen: Set<Int64> = []
    var hasProduct = false
    for attribute in attributes where documented.contains(attribute.type) {
        guard seen.insert(attribute.type).inserted else { return nil }
        switch attribute.type {
        case 1702, 1703, 1705, 1721:
            guard let text = plainString(input, attribute.value) else { return nil }
            if attribute.type == 1702 { hasProduct = !text.isEmpty }
        case 1704, 1706, 1708, 1712: if !plainDate(input, attribute.value).isDate { return nil }
        case 1713, 1719:
            guard let number = plainNumber(input, attribute.value), number <= 1 else { return nil }
        default: if plainNumber(input, attribute.value) == nil { return nil }
        }
    }
    return hasProduct ? attributes : nil
}

private func check(_ attributes: [Attribute], _ plain: [PlainAttribute], _ input: [UInt8]) {
    require(attributes.count == plain.count, "as many attributes")
    for (one, other) in zip(attributes, plain) {
        require(one.type == other.type && one.version == other.version, "attribute \(other.type)")
        require(one.value.elementsEqual(input[other.value]), "value of attribute \(other.type)")
    }
}

/// The values that plain decoding finds, by type.
private struct PlainFields {
    let input: [UInt8]
    let attributes: [PlainAttribute]

    func string(_ type: Int64) -> String? {
        let text = attributes.first { $0.type == type }.flatMap { plainString(input, $0.value) }
        return text?.isEmpty ?? true ? nil : text
    }
    func number(_ type: Int64) -> Int64? {
        attributes.first { $0.type == type }.flatMap { plainNumber(input, $0.value) }
    }
    func date(_ type: Int64) -> Timestamp? {
        attributes.first { $0.type == type }.flatMap { plainDate(input, $0.value).time }
    }
}

private func checkFields(_ receipt: UnverifiedReceipt, _ input: [UInt8], _ attributes: [PlainAttribute]) {
    let plain = PlainFields(input: input, attributes: attributes)
    require(isSame(receipt.environmentName, plain.string(0)), "environment")
    require(isSame(receipt.bundleIdentifier, plain.string(2)), "bundle identifier")
    require(isSame(receipt.appVersion, plain.string(3)), "app version")
    require(isSame(receipt.originalAppVersion, plain.string(19)), "original app version")
    require(receipt.appStoreIdentifier == plain.number(1), "App Store item id")
    require(receipt.developerIdentifier == plain.number(11), "developer id")
    require(receipt.downloadIdentifier == plain.number(15), "download id")
    require(receipt.versionExternalIdentifier == plain.number(16), "version external identifier")
    require(receipt.platform == plain.number(25), "platform")
    require(receipt.purchaseDate == plain.date(8), "purchase date")
    require(receipt.creationDate == plain.date(12), "creation date")
    require(receipt.originalPurchaseDate == plain.date(18), "original purchase date")
    require(receipt.expirationDate == plain.date(21), "expiration date")
}

private func checkPurchases(_ receipt: UnverifiedReceipt, _ input: [UInt8], _ values: [PlainAttribute]) {
    var purchases = receipt.unverifiedInAppPurchases.makeIterator()
    var malformed = receipt.malformedInAppPurchases.makeIterator()
    for value in values {
        guard let plain = plainPurchase(input, value.value) else {
            guard let refused = malformed.next() else {
                return require(false, "plain decoding reads the purchase")
            }
            require(refused.refusal, liesIn: input.count)
            require(refused.value.elementsEqual(input[value.value]), "the malformed value")
            continue
        }
        guard let purchase = purchases.next() else {
            return require(false, "plain decoding refuses the malformed purchase")
        }
        check(purchase.attributes, plain, input)
        check(purchase, plain, input)
    }
    require(purchases.next() == nil, "no further purchase")
    require(malformed.next() == nil, "no further malformed purchase")
}

private func check(_ purchase: UnverifiedInAppPurchase, _ attributes: [PlainAttribute], _ input: [UInt8]) {
    let plain = PlainFields(input: input, attributes: attributes)
    require(isSame(purchase.productIdentifier, plain.string(1702)), "product identifier")
    require(
        purchase.values.holds(.productIdentifier, purchase.productIdentifier),
        "a purchase matches its product"
    )
    require(isSame(purchase.transactionIdentifier, plain.string(1703)), "transaction identifier")
    require(
        isSame(purchase.originalTransactionIdentifier, plain.string(1705)),
        "original transaction identifier"
    )
    require(isSame(purchase.promotionalOfferIdentifier, plain.string(1721)), "promotional offer identifier")
    require(purchase.quantity == plain.number(1701), "quantity")
    require(purchase.values.number(.productType) == plain.number(1707), "product type")
    require(purchase.webOrderLineItemIdentifier == plain.number(1711), "web order line item id")
    require(purchase.cancellationReason == plain.number(1720), "cancellation reason")
    require(purchase.isTrialPeriod == plain.number(1713).map { $0 == 1 }, "is in trial period")
    require(
        purchase.isInIntroductoryOfferPeriod == plain.number(1719).map { $0 == 1 },
        "is in introductory period"
    )
    require(purchase.purchaseDate == plain.date(1704), "purchase date")
    require(purchase.originalPurchaseDate == plain.date(1706), "original purchase date")
    require(purchase.expiresDate == plain.date(1708), "subscription expiration date")
    require(purchase.cancellationDate == plain.date(1712), "cancellation date")
}

/// Compares bytes, because String equality treats é and e with an accent as equal.
private func isSame(_ one: String?, _ other: String?) -> Bool {
    one.map { Array($0.utf8) } == other.map { Array($0.utf8) }
}
