import AppReceipt
import ReceiptResults

/// The name of a field, as an option gives it: a path in JSON, or the name or number of a column.
package struct FieldName: Sendable {
    package let text: String
    /// The parts of the text between dots: the names of JSON members from the outermost to the innermost.
    package let path: [[UInt8]]
    /// The column's index from 0: the index that ``resolve(in:)`` has found by name, or else the text as a
    /// positive number, minus 1. Nil if there is neither.
    package var column: Int?

    package init(_ text: String) {
        self.text = text
        path = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Array.init)
        column = Int(text).flatMap { $0 > 0 ? $0 - 1 : nil }
    }

    /// Looks up the column in a header: by name, else by number. Returns false if the header lacks it.
    mutating func resolve(in header: [[UInt8]?]) -> Bool {
        if let index = header.firstIndex(where: { $0?.elementsEqual(text.utf8) ?? false }) { column = index }
        return column.map { $0 < header.count } ?? false
    }
}

/// The fields that are read from each record.
package struct RecordFields: Sendable {
    /// The field with the receipt or token. If it is nil, ``names`` are searched for, or the first column is
    /// taken in a source of columns without a header.
    package var receipt: FieldName?
    /// The usual names of the field with the receipt or token, in the order in which they are tried.
    package var names = Self.usualNames
    package var environment: FieldName?
    package var bundleIdentifier: FieldName?
    package var deviceIdentifier: FieldName?
    /// The fields that are copied to the results, at most ``maximumKept``.
    package var kept: [FieldName] = []
    /// The indices from 0 of the columns of all fields to read, in ascending order; nil before
    /// ``resolve(in:)``, when every column is wanted.
    package private(set) var columns: [Int]?

    package init() {}

    /// Creates fields whose ``names`` are the usual ones for tokens of a kind, or for receipts if `kind` is
    /// nil.
    package init(for kind: SignedPayloadKind?) {
        if let kind { names = Self.usualNames(ofTokens: kind) }
    }

    /// The maximum number of fields that are copied. Each line of JSON results repeats their names, and
    /// each member of a JSON record is looked up among them.
    package static let maximumKept = 256

    /// The usual names of the field with the receipt, in the order in which they are tried.
    package static let usualNames = ReceiptInput.memberNames.map { FieldName($0) }
    /// The usual names of the field with a token, in the order in which they are tried. The first is the
    /// member in which Apple sends this kind of token.
    package static func usualNames(ofTokens kind: SignedPayloadKind) -> [FieldName] {
        [kind.memberName, "token", "jws", "jwsRepresentation"].map { FieldName($0) }
    }

    /// The names of ``usualNames`` as UTF-8, in the same order.
    static let usualMembers = ReceiptInput.memberNames.map { Array($0.utf8) }

    package var isEmpty: Bool { receipt == nil && !hasExpectations && kept.isEmpty }
    var hasExpectations: Bool { environment != nil || bundleIdentifier != nil || deviceIdentifier != nil }

    private var expectations: [FieldName] {
        [environment, bundleIdentifier, deviceIdentifier].compactMap { $0 }
    }

    private var all: [FieldName] { (receipt.map { [$0] } ?? names) + expectations + kept }

    /// The names of the top-level JSON members that hold the fields: for a path, its first name and its whole
    /// text.
    var memberNames: [[UInt8]] {
        all.flatMap { $0.path.count > 1 ? [$0.path[0], Array($0.text.utf8)] : [$0.path[0]] }
    }

    /// Looks up the columns of all fields. If no field is named for the receipt, the first of the
    /// ``names`` that the header has is taken, or the first column if there is no header.
    ///
    /// - Parameter header: nil if the source has no header. Then fields must be column numbers, from 1 on.
    /// - Returns: a phrase that names a missing column, or nil if all are found.
    package mutating func resolve(in header: [[UInt8]?]?) -> String? {
        func resolve(_ field: inout FieldName) -> String? {
            let isFound = header.map { field.resolve(in: $0) } ?? (field.column != nil)
            return isFound ? nil : "column \(field.text)"
        }
        if receipt == nil, let header {
            receipt = names.first { name in
                var name = name
                return name.resolve(in: header)
            }
            // The first line would be lost if a record were mistaken for a header.
            guard receipt != nil else {
                let names = names.map(\.text).joined(separator: ", ")
                return
                    "column \(names): --field names the column, --no-header says that the first line is a record"
            }
        }
        receipt = receipt ?? FieldName("1")
        for path in [\Self.receipt, \.environment, \.bundleIdentifier, \.deviceIdentifier] {
            guard var field = self[keyPath: path] else { continue }
            if let missing = resolve(&field) { return missing }
            self[keyPath: path] = field
        }
        for index in kept.indices {
            if let missing = resolve(&kept[index]) { return missing }
        }
        columns = Set(all.compactMap(\.column)).sorted()
        return nil
    }
}
