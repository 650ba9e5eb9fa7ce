import SystemCalls

/// Reads the records of one source.
struct RecordReader {
    private var stream: ByteStream
    private var cutter: RecordCutter
    /// Whether the window may hold a whole record: the last batch was full before all bytes were used.
    private var hasMore = false

    init(_ stream: ByteStream, _ origin: RecordOrigin, firstRecord: Int, firstOffset: Int) {
        self.stream = stream
        cutter = RecordCutter(origin, firstRecord: firstRecord, firstOffset: firstOffset)
    }

    var byteCount: Int { stream.window.offset }
    var isAtEnd: Bool { cutter.isAtEnd }

    /// The place of the next record, or nil if a later run cannot begin here.
    mutating func place() -> SourcePosition.Place? {
        guard cutter.isBetweenRecords else { return nil }
        return SourcePosition.Place(
            record: cutter.number,
            offset: stream.window.offset,
            head: stream.digestHead()
        )
    }

    /// Moves to the beginning of a record.
    ///
    /// - Parameter isSeekable: whether the source is a file that is not decompressed.
    /// - Returns: false if the source is shorter, or begins with other bytes than before.
    mutating func skip(to place: SourcePosition.Place, isSeekable: Bool) throws(System.Failure) -> Bool {
        cutter.number = place.record
        let isThere = try stream.skip(to: place.offset, isSeekable: isSeekable)
        hasMore = stream.window.count > 0
        return isThere && stream.digestHead() == place.head
    }

    /// Returns a phrase about what is wrong with the end of the source, or nil if the end is right.
    ///
    /// Call it after the last record. After the end marker of COPY it reads on, until it meets a byte of text
    /// or the end of the source.
    mutating func problemAtEnd() throws(System.Failure) -> String? {
        guard !cutter.lacksBytes else { return "ends inside its last record: the record's length says more" }
        guard cutter.hasMetEndMarker else { return nil }
        var marker = Array("\\.".utf8)[...]
        while true {
            for byte in stream.window.rest where byte > 0x20 {
                guard byte == marker.popFirst() else {
                    return "has data after the end marker of COPY (\\.), which was not read"
                }
            }
            stream.window.consume(stream.window.count)
            guard !isWhollyRead else { return nil }
            try stream.fill()
        }
    }

    /// Whether the source was read to its end, and not only to its end marker.
    var isWhollyRead: Bool { stream.window.isAtEnd }

    /// Whether ``read(into:)`` may have records to append. Waits up to a time for that.
    ///
    /// - Parameter milliseconds: the maximum time to wait.
    func isReady(milliseconds: Int32) -> Bool { hasMore || stream.isReady(milliseconds: milliseconds) }

    /// Appends the records that are in the window. If there is none, reads once, unless that would wait.
    mutating func read(into batch: inout RecordBatch) throws(System.Failure) {
        let count = batch.count
        cut(&batch)
        guard batch.count == count, !isAtEnd, !isWhollyRead, stream.isReady(milliseconds: 0) else { return }
        try stream.fill()
        cut(&batch)
    }

    private mutating func cut(_ batch: inout RecordBatch) {
        cutter.cut(&stream.window, into: &batch)
        hasMore = batch.isFull && stream.window.count > 0
    }
}
