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

    /// What is there to be consumed.
    package var rest: ArraySlice<UInt8> { buffer[start...] }

    /// Whether the buffer had better be replaced than appended to: of what was consumed somebody may keep it,
    /// and nobody needs it all.
    package var isUsed: Bool { start > 0 || buffer.isEmpty }

    /// Takes another buffer, with what is left of this one before what was read next; nothing at the end of
    /// the source. So each byte is moved once at the most where records are shorter than what is read.
    package mutating func replace(with buffer: [UInt8]) {
        isAtEnd = buffer.count == count
        self.buffer = buffer
        start = 0
    }

    /// Appends what was read next; nothing at the end of the source.
    package mutating func append(_ bytes: [UInt8]) {
        guard !isUsed else { return replace(with: rest + bytes) }
        isAtEnd = bytes.isEmpty
        buffer += bytes
    }

    /// - Parameter count: no more than there is.
    package mutating func consume(_ count: Int) {
        start += count
        offset += count
    }
}
