import DER

/// Consecutive records that one task judges together.
package struct RecordBatch: Sendable {
    package struct Record: Sendable {
        /// The bytes of one read. Several records share the buffer, and none copies it.
        package let buffer: [UInt8]
        /// The record's bytes in ``buffer``.
        package let range: Range<Int>
        package let origin: RecordOrigin
        package let number: Int
        /// The offset of the record's first byte in the source.
        package let offset: Int
        /// A fault found before the record is judged.
        package let fault: Refusal.Code?
        /// The number of records: more than 1 for a run of blank lines, and 1 otherwise.
        package fileprivate(set) var count = 1
        /// Whether the record is the rest of a run of blank lines whose first line is in an earlier batch.
        package var isContinuation = false
    }

    package private(set) var records: ContiguousArray<Record> = []
    /// The size of the buffers that the records share, each counted once.
    package private(set) var byteCount = 0
    /// The number of records, each blank line counted.
    package private(set) var count = 0
    /// The offset in the source of the first byte of the buffer given last; nil if the current source gave
    /// none.
    private var bufferOffset: Int?
    /// The origin given last, and the copy of it that the batch's records refer to.
    private var origin: (given: RecordOrigin, own: RecordOrigin)?

    // A batch is full with this many records or bytes of buffers. Its records are judged together, and a long
    // receipt must not be left alone when the others are hashed: batches of half the bytes, in groups of 64
    // records, take 1.04 times as long, and 1.08 times without SHA extensions. About 140 ordinary records of
    // base64 fill a batch.
    private static let maximumCount = 256
    static let maximumByteCount = 3 << 19
    /// The number of blank lines after which other tasks of a run get a turn.
    private static let maximumBlankCount = 1 << 22

    package var isFull: Bool {
        records.count >= Self.maximumCount || byteCount >= Self.maximumByteCount
            || count >= Self.maximumBlankCount
    }

    package init() {}

    package mutating func append(
        _ buffer: [UInt8],
        in range: Range<Int>,
        _ origin: RecordOrigin,
        number: Int,
        offset: Int,
        fault: Refusal.Code? = nil
    ) {
        let known = self.origin.flatMap { $0.given === origin ? $0.own : nil }
        let own = known ?? RecordOrigin(copying: origin)
        if known == nil { (self.origin, bufferOffset) = ((origin, own), nil) }
        // Two buffers of one source differ in where they begin. A blank line or a fault has no buffer.
        if !buffer.isEmpty, bufferOffset != offset - range.lowerBound {
            bufferOffset = offset - range.lowerBound
            byteCount += buffer.count
        }
        count += 1
        records.append(
            Record(
                buffer: buffer,
                range: range,
                origin: own,
                number: number,
                offset: offset,
                fault: fault
            )
        )
    }

    /// Appends a run of blank lines as one record without bytes, or extends the run that the batch ends with.
    ///
    /// - Parameters:
    ///   - number: the number of the first line.
    ///   - count: the number of lines, at least 1.
    ///   - isContinuation: whether the line before is blank, too.
    mutating func appendBlankLines(
        _ origin: RecordOrigin,
        number: Int,
        offset: Int,
        count: Int,
        isContinuation: Bool
    ) {
        if isContinuation, !records.isEmpty, self.origin?.given === origin {
            records[records.count - 1].count += count
            self.count += count
            return
        }
        append([], in: 0..<0, origin, number: number, offset: offset)
        records[records.count - 1].count = count
        records[records.count - 1].isContinuation = isContinuation
        self.count += count - 1
    }

    /// Drops records from the end until at most a number of records is left.
    package mutating func truncate(to limit: Int) {
        while count > limit, let last = records.last {
            let excess = min(count - limit, last.count)
            records[records.count - 1].count -= excess
            count -= excess
            if excess == last.count { records.removeLast() }
        }
    }
}

/// The facts that all records of one source share.
///
/// Each batch has a copy. Several threads that change the reference count of one object wait for each other.
package final class RecordOrigin: Sendable {
    package let source: String
    package let layout: RecordLayout
    package let fields: RecordFields
    /// The names of the members that a JSON record is searched for.
    let memberNames: [[UInt8]]

    package init(source: String, layout: RecordLayout, fields: RecordFields) {
        self.source = source
        self.layout = layout
        self.fields = fields
        memberNames = layout.format == .ndjson ? fields.memberNames : []
    }

    /// Copies an origin with its source's name. The names of fields stay shared.
    convenience init(copying other: RecordOrigin) {
        let source = String(decoding: Array(other.source.utf8), as: UTF8.self)
        self.init(source: source, layout: other.layout, fields: other.fields)
    }

    package var format: CorpusFormat { layout.format }
}
