import CorpusRecords
import SHA

/// The bytes of a descriptor, in a window that moves along.
struct ByteStream {
    private let descriptor: Int32
    /// What was read and not yet consumed.
    var window = ByteWindow()
    /// How it began; nil where nobody asks.
    private var head: [UInt8]?
    private var headDigest: (count: Int, text: String)?

    /// Large enough that the calls do not matter.
    private static let chunk = 1 << 18

    /// Whether somebody else feeds it, whom the same key interrupts.
    private let isFed: Bool

    /// - Parameter keepsHead: whether ``digestHead()`` is to be had.
    init(_ descriptor: Int32, isFed: Bool, keepsHead: Bool) {
        self.descriptor = descriptor
        self.isFed = isFed
        head = keepsHead ? [] : nil
    }

    /// Whether reading more would not wait.
    func isReady(milliseconds: Int32) -> Bool {
        window.isAtEnd || System.isReadable(descriptor, milliseconds: milliseconds)
    }

    /// Reads some more, or meets the end. An interrupt is an end, too: whoever reads looks for it afterwards.
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
        // Those who are interrupted together are not told at one moment: this may be the end of one of them.
        if isFed, window.isAtEnd { System.awaitInterrupt(milliseconds: Self.patience) }
        if let kept = head?.count, kept < SourceIdentity.namedHead {
            head?.append(contentsOf: window.rest.dropFirst(count).prefix(SourceIdentity.namedHead - kept))
        }
    }

    /// How long to wait before looking whether somebody interrupted, in milliseconds.
    private static let patience: Int32 = 100

    /// SHA-256 of how it began, as far as it is consumed; nil where that was not kept.
    mutating func digestHead() -> String? {
        guard let head else { return nil }
        let count = min(window.offset, head.count)
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
        guard target >= window.offset else { return false }
        if isSeekable {
            try System.seek(descriptor, to: target)
            window = ByteWindow(at: target)
            return true
        }
        while window.offset < target {
            if window.count == 0 {
                guard !window.isAtEnd else { return false }
                try fill()
            }
            window.consume(min(window.count, target - window.offset))
        }
        return true
    }
}
