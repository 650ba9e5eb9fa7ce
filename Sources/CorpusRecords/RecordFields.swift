/// A field that an option names: a path in JSON, a column by name or by number.
package struct FieldName: Sendable {
    package let text: String
    /// The names on the way to a member, outermost first.
    package let path: [[UInt8]]
    /// Counted from 0; nil where it is not known, or not a column's.
    package var column: Int?

    package init(_ text: String) {
        self.text = text
        path = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Array.init)
        column = Int(text).flatMap { $0 > 0 ? $0 - 1 : nil }
    }

    /// Finds the column in a header. A name that is there goes before a number.
    mutating func resolve(in header: [[UInt8]?]) -> Bool {
        if let index = header.firstIndex(where: { $0?.elementsEqual(text.utf8) ?? false }) { column = index }
        return column.map { $0 < header.count } ?? false
    }
}

/// Which fields of a record are wanted.
package struct RecordFields: Sendable {
    /// Where the receipt is; nil for the names that are usual.
    package var receipt: FieldName?
    package var bundleIdentifier: FieldName?
    package var deviceIdentifier: FieldName?
    package var kept: [FieldName] = []

    package init() {}

    /// Under which a receipt is looked for in JSON where nobody says, in this order.
    static let usualNames = ["receipt", "receipt_data", "receipt-data", "latest_receipt"].map {
        FieldName($0)
    }

    package var isEmpty: Bool {
        receipt == nil && bundleIdentifier == nil && deviceIdentifier == nil && kept.isEmpty
    }

    /// Finds the columns.
    ///
    /// - Parameter header: nil where there is none; then all go by number, and the receipt is the first by
    ///   default.
    /// - Returns: what is not there, for a sentence; nil if all is.
    package mutating func resolve(in header: [[UInt8]?]?) -> String? {
        func resolve(_ field: inout FieldName) -> String? {
            let isThere = header.map { field.resolve(in: $0) } ?? (field.column != nil)
            return isThere ? nil : "column \(field.text)"
        }
        if receipt == nil {
            receipt =
                Self.usualNames.lazy.compactMap { name in
                    var name = name
                    return header.flatMap { name.resolve(in: $0) } ?? false ? name : nil
                }.first
        }
        // A line that is no header would be lost if it were taken for one.
        guard receipt != nil || header == nil else {
            let names = Self.usualNames.map(\.text).joined(separator: ", ")
            return "column \(names): --field says which it is, --no-header that the first line is a record"
        }
        var field = receipt ?? FieldName("1")
        if let missing = resolve(&field) { return missing }
        receipt = field
        if var field = bundleIdentifier {
            if let missing = resolve(&field) { return missing }
            bundleIdentifier = field
        }
        if var field = deviceIdentifier {
            if let missing = resolve(&field) { return missing }
            deviceIdentifier = field
        }
        for index in kept.indices {
            if let missing = resolve(&kept[index]) { return missing }
        }
        return nil
    }
}
