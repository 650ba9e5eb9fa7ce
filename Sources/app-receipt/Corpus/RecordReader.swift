import CorpusRecords

/// Reads the records of one source.
struct RecordReader {
    private var stream: ByteStream
    private var cutter: RecordCutter
    /// Whether the last batch was full before the bytes were used up.
    private var hasMore = false

    init(_ stream: ByteStream, _ origin: RecordOrigin, firstRecord: Int, firstOffset: Int) {
        self.stream = stream
        cutter = RecordCutter(origin, firstRecord: firstRecord, firstOffset: firstOffset)
    }

    var byteCount: Int { stream.window.offset }
    var isAtEnd: Bool { cutter.isAtEnd }

    /// Where the next record begins; nil inside of one that is passed over.
    mutating func place() -> SourcePosition.Place? {
        guard cutter.isBetweenRecords else { return nil }
        return SourcePosition.Place(
            record: cutter.number,
            offset: stream.window.offset,
            head: stream.digestHead()
        )
    }

    /// Goes to where a record begins.
    ///
    /// - Parameter isSeekable: whether the source is a file, to which nothing is done.
    /// - Returns: whether the source is so long, and begins as it did.
    mutating func skip(to place: SourcePosition.Place, isSeekable: Bool) throws(System.Failure) -> Bool {
        cutter.number = place.record
        return try stream.skip(to: place.offset, isSeekable: isSeekable) && stream.digestHead() == place.head
    }

    /// What is wrong with how the source ends, for a sentence; nil if nothing is.
    mutating func problemAtEnd() throws(System.Failure) -> String? {
        guard !cutter.lacksBytes else { return "ends inside of its last record, as long as that says it is" }
        guard cutter.hasMetEndMarker else { return nil }
        var marker = Array("\\.".utf8)[...]
        while true {
            for byte in stream.window.rest where byte > 0x20 {
                guard byte == marker.popFirst() else {
                    return "goes on behind the line that ends what was copied (\\.): that was not read"
                }
            }
            stream.window.consume(stream.window.count)
            guard !isWhollyRead else { return nil }
            try stream.fill()
        }
    }

    /// Whether all of the source was read, and not only as far as its end marker.
    var isWhollyRead: Bool { stream.window.isAtEnd }
    /// Whether reading would not wait. Waits that long for it.
    func isReady(milliseconds: Int32) -> Bool { hasMore || stream.isReady(milliseconds: milliseconds) }

    /// Appends the records that are there; where there is none, reads once.
    mutating func read(into batch: inout RecordBatch) throws(System.Failure) {
        let count = batch.records.count
        cut(&batch)
        guard batch.records.count == count, !isAtEnd, !isWhollyRead else { return }
        try stream.fill()
        cut(&batch)
    }

    private mutating func cut(_ batch: inout RecordBatch) {
        cutter.cut(&stream.window, into: &batch)
        hasMore = batch.isFull
    }
}
