import Basics
import JSONText

/// Consecutive records that one task judges together.
package struct RecordBatch: Sendable {
    package struct Record: Sendable {
        /// The bytes that hold the record. Several records share the buffer of one read, and none copies it.
        package var buffer: [UInt8] = []
        /// The record's bytes in ``buffer``; empty for a record with a fault, and for blank lines.
        package var range = 0..<0
        package fileprivate(set) var origin: RecordOrigin
        package let number: Int
        /// The offset of the record's first byte, or of the length before it: bytes from the start of the
        /// source after decompression, plus the option `firstOffset`. That option alone if the record stands
        /// for a whole source in which no record was found.
        package let offset: Int
        /// The code of a fault that was found before the record is judged; nil if there is none.
        package var fault: Refusal.Code?
        /// The number of records: for a run of blank lines the number of these lines, and 1 otherwise.
        package internal(set) var count = 1
        /// Whether the record is blank lines that continue the blank lines before them. If it is the first
        /// record of its batch, the blank lines began in an earlier batch.
        package var isContinuation = false
    }

    package private(set) var records: ContiguousArray<Record> = []
    /// The number of bytes in the sources from the first record to the last, with those between records of
    /// one source. The bytes of blank lines and of a record with a fault count once another record of the
    /// source follows.
    ///
    /// The records keep whole buffers in memory, which are not counted. Neighbouring batches may share a long
    /// buffer; if it counted, each of its records would fill a batch.
    package private(set) var byteCount = 0
    /// The number of records, each blank line counted as one.
    package private(set) var count = 0
    /// The offset of the last appended record plus the length of its ``Record/range``; nil if the batch is
    /// empty.
    private var end: Int?
    /// The origin of the last appended record, and the copy of it that the batch's records refer to.
    private var origin: (given: RecordOrigin, own: RecordOrigin)?

    // A batch is full with this many records or bytes. Its records are judged together, and a long
    // receipt must not be left alone when the others are hashed: batches of half the bytes, in groups of 64
    // records, take 1.04 times as long, and 1.08 times without SHA extensions. About 140 ordinary records of
    // base64 fill a batch.
    private static let maximumCount = 256
    static let maximumByteCount = 3 << 19
    /// A batch with this many records, blank lines counted, is full, so that other tasks get a turn.
    private static let maximumBlankCount = 1 << 22

    package var isFull: Bool {
        records.count >= Self.maximumCount || byteCount >= Self.maximumByteCount
            || count >= Self.maximumBlankCount
    }

    package init() {}

    /// Appends a record. If it continues the blank lines that the batch ends with, extends them instead.
    mutating func append(_ record: Record) {
        count += record.count
        if record.isContinuation, !records.isEmpty, origin?.given === record.origin {
            return records[records.count - 1].count += record.count
        }
        let known = origin.flatMap { $0.given === record.origin ? $0.own : nil }
        let own = known ?? RecordOrigin(copying: record.origin)
        if known == nil { (origin, end) = ((record.origin, own), nil) }
        byteCount += record.offset - (end ?? record.offset) + record.range.count
        end = record.offset + record.range.count
        records.append(record)
        records[records.count - 1].origin = own
    }
}

/// The facts that all records of one source share.
///
/// Each batch has a copy. Several threads that change the reference count of one object wait for each other.
package final class RecordOrigin: Sendable {
    package let source: String
    package let layout: RecordLayout
    package let fields: RecordFields
    /// The names of the members that a JSON record is searched for; none for other formats.
    let memberNames: JSONNames

    package init(source: String, layout: RecordLayout, fields: RecordFields) {
        (self.source, self.layout, self.fields) = (source, layout, fields)
        memberNames = JSONNames(layout.format == .ndjson ? fields.memberNames : [])
    }

    /// Copies an origin and the text of its source's name. The names of fields stay shared.
    convenience init(copying other: RecordOrigin) {
        let source = String(decoding: Array(other.source.utf8), as: UTF8.self)
        self.init(source: source, layout: other.layout, fields: other.fields)
    }

    package var format: CorpusFormat { layout.format }
}
