import Basics
import SHA
import SystemCalls

/// A source that is being read.
struct OpenSource {
    let name: FileName
    let descriptor: Int32
    /// The decompressor whose output is read, or nil.
    let child: System.Child?
    /// The size in bytes of a regular file that is not decompressed, when it was opened; nil for standard
    /// input and any other source.
    let size: Int?
    var cutter: RecordCutter
    /// The first bytes of the source, at most 65,536; nil if ``digestHead()`` need not return a digest.
    private(set) var head: [UInt8]?
    /// The bytes of the source that were read and not yet consumed.
    var window = ByteWindow()
    private(set) var headDigest: (count: Int, text: String)?
    /// Whether the window may hold a whole record: the last batch was full before all bytes were used, or
    /// ``skip(to:)`` left bytes in the window.
    private(set) var hasMore = false

    /// The maximum number of bytes of one read.
    private static let chunk = 1 << 18
    /// How long a read waits between two checks for an interrupt, in milliseconds. The end of standard input,
    /// or of a pipe or a device that is not decompressed, waits as long for an interrupt.
    private static let patience: Int32 = 100

    /// Whether a read may wait for another process: true unless ``size`` is known.
    var mayWait: Bool { size == nil }

    /// Whether ``read(into:)`` may have records to append. Waits up to a time for that.
    ///
    /// - Parameter milliseconds: the maximum time to wait.
    func isReady(milliseconds: Int32) -> Bool { !mayWait || hasMore || canFill(milliseconds: milliseconds) }

    /// Whether ``fill()`` would not wait for bytes. Waits up to a time for that.
    private func canFill(milliseconds: Int32) -> Bool {
        window.isAtEnd || System.isReadable(descriptor, milliseconds: milliseconds)
    }

    /// Appends the window's records. If there is none, reads once if that does not wait, and tries again.
    mutating func read(into batch: inout RecordBatch) throws(CorpusFailure) {
        let count = batch.count
        cut(&batch)
        guard batch.count == count, !cutter.isAtEnd, !window.isAtEnd, canFill(milliseconds: 0) else { return }
        try fill()
        cut(&batch)
    }

    private mutating func cut(_ batch: inout RecordBatch) {
        cutter.cut(&window, into: &batch)
        hasMore = batch.isFull && window.count > 0
    }

    /// Waits for more bytes and reads them, or finds the end of the source. An interrupt counts as the end,
    /// and the caller must ask ``System/isInterrupted``. Throws `CorpusFailure` if the read fails.
    mutating func fill() throws(CorpusFailure) {
        while !canFill(milliseconds: Self.patience) {
            guard !System.isInterrupted else { return window.append([]) }
        }
        let count = window.count
        do throws(System.Failure) {
            if window.isUsed {
                window.replace(with: try System.readSome(descriptor, limit: Self.chunk, after: window.rest))
            } else {
                window.append(try System.readSome(descriptor, limit: Self.chunk))
            }
        } catch {
            throw .cannotRead(name, error)
        }
        // Another process may feed the source, and one key press may interrupt both. They do not receive the
        // signal at the same moment, so the end of the source may be the end of an interrupted feeder.
        if mayWait, child == nil, window.isAtEnd { System.awaitInterrupt(milliseconds: Self.patience) }
        if let kept = head?.count, kept < SourceIdentity.namedHead {
            head?.append(contentsOf: window.rest.dropFirst(count).prefix(SourceIdentity.namedHead - kept))
        }
    }

    /// Throws `CorpusFailure` if the source ends inside a length prefix or the record after it, or if a file
    /// has become shorter.
    ///
    /// Call this function after the last record. After the end marker of COPY the function reads on, and
    /// throws at a further byte above 0x20. It also throws if a read fails.
    mutating func checkEnd() throws(CorpusFailure) {
        guard !cutter.lacksBytes else {
            throw .unreadable(name, "ends inside its last record: the record's length says more")
        }
        var marker = Array("\\.".utf8)[...]
        while cutter.hasMetEndMarker {
            for byte in window.rest where byte > 0x20 {
                guard byte == marker.popFirst() else {
                    throw .unreadable(name, "has data after the end marker of COPY (\\.), which was not read")
                }
            }
            window.consume(window.count)
            if window.isAtEnd { break }
            try fill()
        }
        if let size, window.isAtEnd, window.offset < size {
            throw .unreadable(name, "became shorter while it was read")
        }
    }

    // MARK: Resuming

    /// The position of the next record; nil if a later run cannot begin here.
    mutating func place() -> SourcePosition.Place? {
        guard cutter.isBetweenRecords else { return nil }
        return SourcePosition.Place(record: cutter.number, offset: window.offset, head: digestHead())
    }

    /// Moves to the beginning of a record.
    ///
    /// - Returns: false if the source's header ends after the record's offset. For a stream or decompressed
    ///   bytes, also false if they are fewer than the offset, if they begin otherwise than before, or if an
    ///   interrupt comes before the offset is reached.
    mutating func skip(to place: SourcePosition.Place) throws(CorpusFailure) -> Bool {
        guard place.offset >= window.offset else { return false }
        if !mayWait {
            do throws(System.Failure) {
                try System.seek(descriptor, to: place.offset)
            } catch {
                throw .cannotRead(name, error)
            }
            window = ByteWindow(at: place.offset)
        }
        while window.offset < place.offset {
            guard !System.isInterrupted, window.count > 0 || !window.isAtEnd else { return false }
            if window.count == 0 { try fill() }
            window.consume(min(window.count, place.offset - window.offset))
        }
        cutter.number = place.record
        hasMore = window.count > 0
        return digestHead() == place.head
    }

    /// SHA-256 of the source's first consumed bytes, at most 65,536, in hexadecimal; nil if ``head`` is nil.
    private mutating func digestHead() -> String? {
        guard let head else { return nil }
        let count = min(window.offset, head.count)
        if let headDigest, headDigest.count == count { return headDigest.text }
        let text = "\(HashAlgorithm.sha256.digest(of: Array(head.prefix(count)).borrowedSpan))"
        headDigest = (count, text)
        return text
    }
}
