/// The bytes of a source that were read and not yet consumed: a window that moves along.
package struct ByteWindow {
    /// What was read; what lies before ``start`` is consumed.
    package private(set) var buffer: [UInt8] = []
    package private(set) var start = 0
    /// How many bytes of the source lie before the window.
    package private(set) var offset: Int
    package private(set) var isAtEnd = false

    /// Begins at an offset of the source, with nothing read.
    package init(at offset: Int = 0) { self.offset = offset }

    /// How many bytes are there to be consumed.
    package var count: Int { buffer.count - start }

    /// Appends what was read next; nothing at the end of the source.
    package mutating func append(_ bytes: [UInt8]) {
        // Only where less is left than was consumed, so that no byte is moved more than once in the mean.
        if start > count || start == buffer.count {
            buffer.removeFirst(start)
            start = 0
        }
        isAtEnd = bytes.isEmpty
        buffer += bytes
    }

    /// - Parameter count: no more than there is.
    package mutating func consume(_ count: Int) {
        start += count
        offset += count
    }
}
