import Basics
import JSONText
import ReceiptCorpus
import SystemCalls
import VerifyReceipt

/// Cuts an input into the bodies of requests: one on each line, or the whole input.
///
/// The first line decides. If it is the beginning of a JSON text that goes on after the line, as in an
/// indented object, the whole input is one body. Otherwise every line is one. Blank lines are skipped.
///
/// A line that ends inside a string has a line break in the string. Such a body takes all lines up to the
/// one that ends its text, or up to a line that begins with an opening brace: no base64 does, so that line
/// is another request.
///
/// If the first line of a body ends with a closing brace, or is too long, it is the whole body.
///
/// If the caller says that every line is a body, none of these rules holds, and blank lines are bodies, too.
///
/// If a body is too long, the reader keeps one byte more than a body may have, and skips the rest.
struct RequestReader {
    private enum Form { case lines, whole }

    private let descriptor: Int32
    private var buffer: [UInt8] = []
    /// The index in `buffer` of the first byte that is not consumed.
    private var start = 0
    /// The index in `buffer` up to which the bytes from `start` on are known to hold no line feed. Not
    /// used once the whole input is the body.
    private var scanned = 0
    private var isAtEnd = false
    /// Whether lines or the whole input are bodies. Nil until the first line that is not blank decides;
    /// never nil if the caller says that every line is a body.
    private var form: Form?
    /// Whether the next bytes, up to a line feed, belong to a line that was too long, and are skipped.
    private var isInLongLine = false

    /// The largest number of bytes of one read, 256 KiB, as in `corpus verify`.
    private static let chunk = 1 << 18
    /// The most bytes kept of a body: one more than a body may have, which shows that it is too long.
    private static let limit = ReceiptEndpoint.bodyBytes + 1

    /// Whether every line is a body, whatever it holds, blank lines included.
    private let isLinesOnly: Bool

    init(_ descriptor: Int32, isLinesOnly: Bool) {
        self.descriptor = descriptor
        self.isLinesOnly = isLinesOnly
        form = isLinesOnly ? .lines : nil
    }

    /// Returns the next body, cut to `limit` bytes; nil at the end of the input.
    ///
    /// - Parameter beforeReading: called before each read, which may wait for another process.
    mutating func next(beforeReading: () -> Void) throws(System.Failure) -> [UInt8]? {
        while true {
            if form == .whole { return try whole(beforeReading) }
            guard let line = try line(beforeReading) else { return nil }
            guard !isLinesOnly else { return line.bytes }
            guard let last = line.bytes.last(where: { !Self.isSpace($0) }) else { continue }
            // The line of a whole object needs no closer look.
            let rest = !line.hasEnd || last == UInt8(ascii: "}") ? .none : Self.rest(of: line.bytes)
            if form == nil, rest == .text {
                form = .whole
                start -= line.bytes.count + 1
                continue
            }
            form = .lines
            return rest == .string ? try withRest(of: line.bytes, beforeReading) : line.bytes
        }
    }

    /// Joins a line that ends inside a string with the next lines, up to the end of its JSON text, or
    /// until the next line begins with an opening brace. The result is cut to `limit` bytes.
    private mutating func withRest(
        of first: [UInt8],
        _ beforeReading: () -> Void
    ) throws(System.Failure) -> [UInt8] {
        var body = first
        var extent = JSONExtent()
        extent.read(first)
        while !extent.isAtEnd, try !isObjectNext(beforeReading), let next = try line(beforeReading) {
            extent.read([UInt8(ascii: "\n")])
            extent.read(next.bytes)
            // The end of a body that is too long is found, too.
            guard body.count < Self.limit else { continue }
            body.append(UInt8(ascii: "\n"))
            body += next.bytes.prefix(Self.limit - body.count)
        }
        return body
    }

    /// Whether the next line begins with an opening brace. White space before the brace does not count.
    /// False if there is no line, or if only white space is found in `limit` bytes.
    private mutating func isObjectNext(_ beforeReading: () -> Void) throws(System.Failure) -> Bool {
        var seen = 0
        while true {
            let rest = buffer[(start + seen)...]
            let blank = rest.prefix { Self.isSpace($0) && $0 != UInt8(ascii: "\n") }
            if blank.endIndex < rest.endIndex { return rest[blank.endIndex] == UInt8(ascii: "{") }
            seen += blank.count
            guard !isAtEnd, seen < Self.limit else { return false }
            try fill(beforeReading)
        }
    }

    /// The next line without its line feed, cut to `limit` bytes; nil at the end. `hasEnd` is false if the
    /// line has `limit` bytes or more, or if the input ends without a line feed after it.
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

    /// The rest of the input, cut to `limit` bytes; nil if no byte is left.
    private mutating func whole(_ beforeReading: () -> Void) throws(System.Failure) -> [UInt8]? {
        while !isAtEnd {
            try fill(beforeReading)
            // The bytes beyond the limit are skipped. Another process may still be writing them.
            buffer.removeLast(max(0, buffer.count - Self.limit))
        }
        let body = take(min(buffer.count - start, Self.limit), upTo: buffer.count)
        return body.isEmpty ? nil : body
    }

    /// Returns the first `count` bytes of `buffer` that are not consumed, and consumes all before `end`.
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

    /// The body to which the bytes after a line belong.
    private enum Rest {
        /// The bytes after the line belong to another body: the line is a body of its own.
        case none
        /// The bytes after the line belong to the body that the line begins: a JSON text that goes on.
        case text
        /// The bytes after the line belong to the body that the line begins: a string has the line feed.
        case string
    }

    private static func rest(of bytes: [UInt8]) -> Rest {
        let line = bytes + [UInt8(ascii: "\n")]
        var text = JSONReader(line, in: 0..<line.count)
        do throws(Refusal) {
            _ = try text.members(named: JSONNames([]))
            return .none
        } catch {
            // The line may end in a carriage return and a line feed.
            let length = bytes.last == UInt8(ascii: "\r") ? bytes.count - 1 : bytes.count
            if let lineBreak = text.lineBreak { return lineBreak >= length ? .string : .none }
            return error.offset == line.count ? .text : .none
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
