import DER

/// Records in the order of their source, with the bytes they lie in: what one task judges at a time.
package struct RecordBatch: Sendable {
    package struct Record: Sendable {
        /// Inside of ``bytes``.
        package let bytes: Range<Int>
        package let origin: RecordOrigin
        package let number: Int
        /// Of the record's first byte in the source.
        package let offset: Int
        /// What is known to be wrong with it before it is judged.
        package let fault: Refusal.Code?
    }

    package private(set) var bytes: [UInt8] = []
    package private(set) var records: [Record] = []

    /// Enough for the cost of a task not to matter, few enough for every worker to have some.
    private static let maximumCount = 256
    private static let maximumByteCount = 1 << 18

    package var isFull: Bool { records.count >= Self.maximumCount || bytes.count >= Self.maximumByteCount }

    package init() {}

    package mutating func append(
        _ record: ArraySlice<UInt8>,
        _ origin: RecordOrigin,
        number: Int,
        offset: Int,
        fault: Refusal.Code? = nil
    ) {
        let start = bytes.count
        bytes += record
        records.append(
            Record(bytes: start..<bytes.count, origin: origin, number: number, offset: offset, fault: fault)
        )
    }
}

/// What the records of one source have in common.
package final class RecordOrigin: Sendable {
    package let source: String
    package let format: CorpusFormat
    package let fields: RecordFields

    package init(source: String, format: CorpusFormat, fields: RecordFields) {
        self.source = source
        self.format = format
        self.fields = fields
    }
}
