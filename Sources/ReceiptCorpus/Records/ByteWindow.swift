/// The bytes of a source that were read and not yet consumed.
package struct ByteWindow {
    /// Bytes that were read. Those before ``start`` are consumed, and the next read may drop them.
    package private(set) var buffer: [UInt8] = []
    package private(set) var start = 0
    /// The offset in the source of the first byte that is not consumed.
    package private(set) var offset: Int
    package private(set) var isAtEnd = false

    /// Makes an empty window that begins at an offset of the source, in bytes.
    package init(at offset: Int = 0) { self.offset = offset }

    /// The number of bytes that are not consumed.
    package var count: Int { buffer.count - start }

    /// The bytes that are not consumed.
    package var rest: ArraySlice<UInt8> { buffer[start...] }

    /// Whether to replace the buffer instead of appending to it: it is empty, or records may share it.
    package var isUsed: Bool { start > 0 || buffer.isEmpty }

    /// Replaces the buffer, and notes the end of the source if no bytes follow the ones not consumed.
    ///
    /// - Parameter buffer: the bytes that are not consumed, followed by the bytes that were read next.
    package mutating func replace(with buffer: [UInt8]) {
        isAtEnd = buffer.count == count
        self.buffer = buffer
        start = 0
    }

    /// Appends the bytes read next. No bytes mean that the source has ended.
    package mutating func append(_ bytes: [UInt8]) {
        guard !isUsed else { return replace(with: rest + bytes) }
        isAtEnd = bytes.isEmpty
        buffer += bytes
    }

    /// Consumes the first bytes of the window.
    ///
    /// - Parameter count: the number of bytes, at most ``count``.
    package mutating func consume(_ count: Int) {
        start += count
        offset += count
    }
}
