import DER
import JSONText
import ReceiptCorpus
import SystemCalls
import VerifyReceipt

/// Cuts an input into the bodies of requests: one on each line, or the whole input.
///
/// The first line decides. If it is the beginning of a JSON text that goes on after the line, as in an
/// indented object, the whole input is one body. Otherwise every line is one. Blank lines are skipped. If
/// the caller says that every line is a body, blank lines are bodies, too.
///
/// The reader holds one body and one read at a time. Of a body that is too long it keeps one byte more than
/// the limit, and skips the rest.
struct RequestReader {
    private enum Form { case lines, whole }

    private let descriptor: Int32
    private var buffer: [UInt8] = []
    /// The index of the first byte that is not consumed.
    private var start = 0
    /// The index before which there is no line feed from `start` on.
    private var scanned = 0
    private var isAtEnd = false
    /// Nil before the first line.
    private var form: Form?
    /// Whether the next bytes belong to a line that was too long.
    private var isInLongLine = false

    /// The number of bytes of one read, as in `corpus verify`.
    private static let chunk = 1 << 18
    /// One byte more than a body may have shows that it is too long.
    private static let limit = ReceiptEndpoint.bodyBytes + 1

    /// Whether every line is a body, whatever it holds.
    private let isLinesOnly: Bool

    init(_ descriptor: Int32, isLinesOnly: Bool) {
        self.descriptor = descriptor
        self.isLinesOnly = isLinesOnly
        form = isLinesOnly ? .lines : nil
    }

    /// Returns the next body, or nil at the end of the input.
    ///
    /// - Parameter beforeReading: called before each read, which may wait for another process.
    mutating func next(beforeReading: () -> Void) throws(System.Failure) -> [UInt8]? {
        while true {
            if form == .whole { return try whole(beforeReading) }
            guard let line = try line(beforeReading) else { return nil }
            guard isLinesOnly || line.bytes.contains(where: { !Self.isSpace($0) }) else { continue }
            if form == nil, line.hasEnd, Self.goesOn(line.bytes) {
                form = .whole
                start -= line.bytes.count + 1
                continue
            }
            form = .lines
            return line.bytes
        }
    }

    /// The next line without its line feed, or the part of it up to the limit.
    private mutating func line(
        _ beforeReading: () -> Void
    ) throws(System.Failure) -> (bytes: [UInt8], hasEnd: Bool)? {
        while true {
            let lineFeed = buffer[scanned...].firstIndex(of: UInt8(ascii: "\n"))
            let length = (lineFeed ?? buffer.count) - start
            scanned = lineFeed.map { $0 + 1 } ?? buffer.count
            if isInLongLine {
                isInLongLine = lineFeed == nil
                start = scanned
                if lineFeed != nil { continue }
            } else if length >= Self.limit {
                isInLongLine = lineFeed == nil
                return (take(Self.limit, upTo: scanned), false)
            } else if lineFeed != nil {
                return (take(length, upTo: scanned), true)
            }
            // The buffer has no further line feed.
            if isAtEnd {
                let rest = buffer.count - start
                return rest > 0 ? (take(rest, upTo: buffer.count), false) : nil
            }
            try fill(beforeReading)
        }
    }

    /// The rest of the input, or the part of it up to the limit.
    private mutating func whole(_ beforeReading: () -> Void) throws(System.Failure) -> [UInt8]? {
        while !isAtEnd, buffer.count - start <= Self.limit { try fill(beforeReading) }
        let count = min(buffer.count - start, Self.limit)
        let body = count > 0 ? take(count, upTo: buffer.count) : nil
        // What is left has no answer of its own. Another process may still be writing it.
        while !isAtEnd {
            (start, scanned) = (buffer.count, buffer.count)
            try fill(beforeReading)
        }
        (start, scanned) = (buffer.count, buffer.count)
        return body
    }

    /// Returns bytes from the first that is not consumed on, and consumes all up to an index.
    private mutating func take(_ count: Int, upTo end: Int) -> [UInt8] {
        defer { (start, scanned) = (end, end) }
        return Array(buffer[start..<(start + count)])
    }

    private mutating func fill(_ beforeReading: () -> Void) throws(System.Failure) {
        beforeReading()
        buffer.removeFirst(start)
        (start, scanned) = (0, scanned - start)
        let bytes = try System.readSome(descriptor, limit: Self.chunk)
        isAtEnd = bytes.isEmpty
        buffer += bytes
    }

    /// Whether a line is the beginning of a JSON text that goes on after the line feed. A string cannot.
    private static func goesOn(_ bytes: [UInt8]) -> Bool {
        let line = bytes + [UInt8(ascii: "\n")]
        var text = JSONReader(line, in: 0..<line.count)
        do throws(Refusal) {
            _ = try text.members(named: [])
            return false
        } catch {
            return error.offset == line.count
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
