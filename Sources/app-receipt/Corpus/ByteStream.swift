/// The bytes of a descriptor, in a window that moves along.
struct ByteStream {
    private let descriptor: Int32
    /// What was read; what lies before ``start`` is consumed.
    private(set) var buffer: [UInt8] = []
    private(set) var start = 0
    /// How many bytes were consumed.
    private(set) var offset = 0
    private(set) var isAtEnd = false

    /// Large enough that the calls do not matter.
    private static let chunk = 1 << 18

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// How many bytes are there to be consumed.
    var count: Int { buffer.count - start }

    /// Whether reading more would not wait.
    func isReady(milliseconds: Int32) -> Bool {
        isAtEnd || System.isReadable(descriptor, milliseconds: milliseconds)
    }

    /// Reads some more, or meets the end.
    mutating func fill() throws(System.Failure) {
        // Only where less is left than was consumed, so that no byte is moved more than once in the mean.
        if start > count || start == buffer.count {
            buffer.removeFirst(start)
            start = 0
        }
        let bytes = try System.readSome(descriptor, limit: Self.chunk)
        isAtEnd = bytes.isEmpty
        buffer += bytes
    }

    mutating func consume(_ count: Int) {
        start += count
        offset += count
    }
}
