/// A field that an option names: a path in JSON, or a column by its name or number.
package struct FieldName: Sendable {
    package let text: String
    /// The member names from the outermost to the innermost.
    package let path: [[UInt8]]
    /// The column's index from 0; nil if the text is not a number and no header was searched.
    package var column: Int?

    package init(_ text: String) {
        self.text = text
        path = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Array.init)
        column = Int(text).flatMap { $0 > 0 ? $0 - 1 : nil }
    }

    /// Looks up the column in a header. A matching name takes precedence over a number.
    mutating func resolve(in header: [[UInt8]?]) -> Bool {
        if let index = header.firstIndex(where: { $0?.elementsEqual(text.utf8) ?? false }) { column = index }
        return column.map { $0 < header.count } ?? false
    }
}

/// The fields that are read from each record.
package struct RecordFields: Sendable {
    /// The field with the receipt; nil to search for the usual names.
    package var receipt: FieldName?
    package var environment: FieldName?
    package var bundleIdentifier: FieldName?
    package var deviceIdentifier: FieldName?
    /// The fields that are copied to the results.
    package var kept: [FieldName] = []
    /// The indices of the columns of all fields above; nil before ``resolve(in:)``, when every column is
    /// wanted.
    private(set) var columns: [Int]?

    package init() {}

    /// The usual names of the field with the receipt, in the order in which they are tried.
    package static let usualNames = ["receipt", "receipt_data", "receipt-data", "latest_receipt"].map {
        FieldName($0)
    }

    package var isEmpty: Bool {
        receipt == nil && expectations.isEmpty && kept.isEmpty
    }

    private var expectations: [FieldName] {
        [environment, bundleIdentifier, deviceIdentifier].compactMap { $0 }
    }

    private var all: [FieldName] { (receipt.map { [$0] } ?? Self.usualNames) + expectations + kept }

    /// The names of the top-level members that hold the fields: for a path, its first name and its whole
    /// text.
    var memberNames: [[UInt8]] {
        Array(Set(all.flatMap { $0.path.count > 1 ? [$0.path[0], Array($0.text.utf8)] : [$0.path[0]] }))
    }

    /// Looks up the columns of all fields.
    ///
    /// - Parameter header: nil if the source has no header. Then columns are named by number, and the receipt
    ///   is in the first by default.
    /// - Returns: a phrase that names a missing column, or nil if all are found.
    package mutating func resolve(in header: [[UInt8]?]?) -> String? {
        func resolve(_ field: inout FieldName) -> String? {
            let isFound = header.map { field.resolve(in: $0) } ?? (field.column != nil)
            return isFound ? nil : "column \(field.text)"
        }
        if receipt == nil {
            receipt =
                Self.usualNames.lazy.compactMap { name in
                    var name = name
                    return header.flatMap { name.resolve(in: $0) } ?? false ? name : nil
                }.first
        }
        // The first line would be lost if a record were mistaken for a header.
        guard receipt != nil || header == nil else {
            let names = Self.usualNames.map(\.text).joined(separator: ", ")
            return
                "column \(names): --field names the column, --no-header says that the first line is a record"
        }
        var field = receipt ?? FieldName("1")
        if let missing = resolve(&field) { return missing }
        receipt = field
        for expectation in [\Self.environment, \.bundleIdentifier, \.deviceIdentifier] {
            guard var field = self[keyPath: expectation] else { continue }
            if let missing = resolve(&field) { return missing }
            self[keyPath: expectation] = field
        }
        for index in kept.indices {
            if let missing = resolve(&kept[index]) { return missing }
        }
        columns = Array(Set(all.compactMap(\.column)))
        return nil
    }
}
