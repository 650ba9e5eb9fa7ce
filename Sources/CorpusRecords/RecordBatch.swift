import DER

/// Records in the order of their source: what one task judges at a time.
package struct RecordBatch: Sendable {
    package struct Record: Sendable {
        /// What was read at once, this record among others; nobody copies it.
        package let buffer: [UInt8]
        /// Where the record lies in it.
        package let range: Range<Int>
        package let origin: RecordOrigin
        package let number: Int
        /// Of the record's first byte in the source.
        package let offset: Int
        /// What is known to be wrong with it before it is judged.
        package let fault: Refusal.Code?
    }

    package private(set) var records: [Record] = []
    /// Of what the records lie in, each buffer once.
    package private(set) var byteCount = 0

    /// Enough for the cost of a task not to matter, few enough for every worker to have some.
    private static let maximumCount = 256
    private static let maximumByteCount = 3 << 18

    package var isFull: Bool { records.count >= Self.maximumCount || byteCount >= Self.maximumByteCount }

    package init() {}

    package mutating func append(
        _ buffer: [UInt8],
        in range: Range<Int>,
        _ origin: RecordOrigin,
        number: Int,
        offset: Int,
        fault: Refusal.Code? = nil
    ) {
        // Where a buffer begins in its source tells it from others.
        let isOfLast = records.last.map {
            $0.origin === origin && $0.offset - $0.range.lowerBound == offset - range.lowerBound
        }
        if isOfLast != true { byteCount += buffer.count }
        records.append(
            Record(
                buffer: buffer,
                range: range,
                origin: origin,
                number: number,
                offset: offset,
                fault: fault
            )
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
