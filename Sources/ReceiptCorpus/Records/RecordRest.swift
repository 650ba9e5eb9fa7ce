import JSONText

extension RecordDecoder {
    /// Calls the body with the bytes of a record before and after its receipt.
    ///
    /// Nothing is left out if the receipt is not a string: then the whole record is one part. A record that
    /// consists of its receipt has no parts.
    ///
    /// - Parameters:
    ///   - range: the place of the record in its buffer.
    ///   - buffer: the buffer that the record was decoded from.
    package func forEachPartBesideReceipt(
        in range: Range<Int>,
        of buffer: [UInt8],
        _ fields: RecordFields,
        _ body: (ArraySlice<UInt8>) -> Void
    ) {
        let receipt: Range<Int>?
        switch self {
        case .whole: return
        case .columns(let columns):
            let column = fields.receipt?.column ?? 0
            receipt = columns.first { $0.index == column }?.range
        case .json(let bytes, let members): receipt = receiptString(fields, bytes, members)
        }
        guard let receipt else { return body(buffer[range]) }
        body(buffer[range.lowerBound..<receipt.lowerBound])
        body(buffer[receipt.upperBound..<range.upperBound])
    }

    /// The place of the string that holds the receipt; nil if the receipt is not a string.
    private func receiptString(
        _ fields: RecordFields,
        _ bytes: [UInt8],
        _ members: [JSONReader.Member]
    ) -> Range<Int>? {
        for name in fields.receipt.map({ [$0] }) ?? RecordFields.usualNames {
            guard let value = JSONReader.value(at: name.path, of: members, bytes) else { continue }
            if bytes[value].first == UInt8(ascii: "\"") { return value }
            // A null is skipped, because a later name may hold the receipt. An object may be the receipt
            // itself.
            guard bytes[value].elementsEqual("null".utf8) else { return nil }
        }
        return nil
    }
}
