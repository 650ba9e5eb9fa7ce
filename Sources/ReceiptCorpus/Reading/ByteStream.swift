import Bytes
import SHA
import SystemCalls

/// Reads a descriptor into a window of bytes.
struct ByteStream {
    private let descriptor: Int32
    /// The bytes that were read and not yet consumed.
    var window = ByteWindow()
    /// The beginning of the input; nil if ``digestHead()`` is not needed.
    private var head: [UInt8]?
    private var headDigest: (count: Int, text: String)?

    /// The number of bytes of one read: large enough that the cost of the system call does not matter.
    private static let chunk = 1 << 18

    /// Whether another process feeds the descriptor. One key press may interrupt both processes.
    private let isFed: Bool

    /// - Parameter keepsHead: whether ``digestHead()`` is needed.
    init(_ descriptor: Int32, isFed: Bool, keepsHead: Bool) {
        self.descriptor = descriptor
        self.isFed = isFed
        head = keepsHead ? [] : nil
    }

    /// Whether a read would return at once. Waits up to a time for that.
    ///
    /// - Parameter milliseconds: the maximum time to wait.
    func isReady(milliseconds: Int32) -> Bool {
        window.isAtEnd || System.isReadable(descriptor, milliseconds: milliseconds)
    }

    /// Reads more bytes, or finds the end of the input. An interrupt counts as the end, and the caller must
    /// ask ``System/isInterrupted``.
    mutating func fill() throws(System.Failure) {
        while !isReady(milliseconds: Self.patience) {
            guard !System.isInterrupted else { return window.append([]) }
        }
        let count = window.count
        if window.isUsed {
            window.replace(with: try System.readSome(descriptor, limit: Self.chunk, after: window.rest))
        } else {
            window.append(try System.readSome(descriptor, limit: Self.chunk))
        }
        // Processes that one key press interrupts do not receive the signal at the same moment. The end of
        // the input may be the end of an interrupted feeder.
        if isFed, window.isAtEnd { System.awaitInterrupt(milliseconds: Self.patience) }
        if let kept = head?.count, kept < SourceIdentity.namedHead {
            head?.append(contentsOf: window.rest.dropFirst(count).prefix(SourceIdentity.namedHead - kept))
        }
    }

    /// How long to wait between two checks for an interrupt, in milliseconds.
    private static let patience: Int32 = 100

    /// SHA-256 of the first consumed bytes, at most ``SourceIdentity/namedHead``; nil if they were not kept.
    mutating func digestHead() -> String? {
        guard let head else { return nil }
        let count = min(window.offset, head.count)
        if let headDigest, headDigest.count == count { return headDigest.text }
        let text = "\(SHA256.digest(of: Array(head.prefix(count)).borrowedSpan))"
        headDigest = (count, text)
        return text
    }

    /// Consumes all bytes before an offset.
    ///
    /// - Parameter isSeekable: whether the descriptor is a file that was read from its first byte.
    /// - Returns: false if bytes from the offset on are consumed already, or if an input that is not seekable
    ///   ends before the offset, or after an interrupt.
    mutating func skip(to target: Int, isSeekable: Bool) throws(System.Failure) -> Bool {
        guard target >= window.offset else { return false }
        if isSeekable {
            try System.seek(descriptor, to: target)
            window = ByteWindow(at: target)
            return true
        }
        while window.offset < target {
            guard !System.isInterrupted else { return false }
            if window.count == 0 {
                guard !window.isAtEnd else { return false }
                try fill()
            }
            window.consume(min(window.count, target - window.offset))
        }
        return true
    }
}
