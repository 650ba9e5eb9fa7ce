import SHA

/// The bytes of a descriptor, in a window that moves along.
struct ByteStream {
    private let descriptor: Int32
    /// What was read; what lies before ``start`` is consumed.
    private(set) var buffer: [UInt8] = []
    private(set) var start = 0
    /// How many bytes were consumed.
    private(set) var offset = 0
    private(set) var isAtEnd = false
    /// How it began; nil where nobody asks.
    private var head: [UInt8]?
    private var headDigest: (count: Int, text: String)?

    /// Large enough that the calls do not matter.
    private static let chunk = 1 << 18

    /// - Parameter keepsHead: whether ``digestHead()`` is to be had.
    init(_ descriptor: Int32, keepsHead: Bool) {
        self.descriptor = descriptor
        head = keepsHead ? [] : nil
    }

    /// How many bytes are there to be consumed.
    var count: Int { buffer.count - start }

    /// Whether reading more would not wait.
    func isReady(milliseconds: Int32) -> Bool {
        isAtEnd || System.isReadable(descriptor, milliseconds: milliseconds)
    }

    /// Reads some more, or meets the end. An interrupt is an end, too: whoever reads looks for it afterwards.
    mutating func fill() throws(System.Failure) {
        while !isReady(milliseconds: Self.patience) {
            guard !System.isInterrupted else { return isAtEnd = true }
        }
        // Only where less is left than was consumed, so that no byte is moved more than once in the mean.
        if start > count || start == buffer.count {
            buffer.removeFirst(start)
            start = 0
        }
        let bytes = try System.readSome(descriptor, limit: Self.chunk)
        isAtEnd = bytes.isEmpty
        buffer += bytes
        if let count = head?.count, count < SourceIdentity.namedHead {
            head?.append(contentsOf: bytes.prefix(SourceIdentity.namedHead - count))
        }
    }

    /// How long to wait before looking whether somebody interrupted, in milliseconds.
    private static let patience: Int32 = 100

    mutating func consume(_ count: Int) {
        start += count
        offset += count
    }

    /// SHA-256 of how it began, as far as it is consumed; nil where that was not kept.
    mutating func digestHead() -> String? {
        guard let head else { return nil }
        let count = min(offset, head.count)
        if let headDigest, headDigest.count == count { return headDigest.text }
        let text = "\(SHA256.digest(of: Array(head.prefix(count)).span))"
        headDigest = (count, text)
        return text
    }

    /// Consumes all up to an offset that is not behind.
    ///
    /// - Parameter isSeekable: whether the descriptor is that of a file, which was read from its first byte.
    /// - Returns: whether there is so much.
    mutating func skip(to target: Int, isSeekable: Bool) throws(System.Failure) -> Bool {
        guard target >= offset else { return false }
        if isSeekable {
            try System.seek(descriptor, to: target)
            (buffer, start, offset, isAtEnd) = ([], 0, target, false)
            return true
        }
        while offset < target {
            if count == 0 {
                guard !isAtEnd else { return false }
                try fill()
            }
            consume(min(count, target - offset))
        }
        return true
    }
}
