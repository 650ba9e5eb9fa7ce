import Processor

/// The computation of a digest: cuts a message into blocks and pads it at the end (FIPS 180-4 §5).
///
/// The padding is one bit 1, then bits 0, then the length of the message in bits as two words. The padded
/// message is a multiple of the block length. Whole blocks are compressed in place. Only the bytes of an
/// incomplete block are copied here, until more bytes complete the block.
struct HashComputation<State: HashState>: Sendable {
    private typealias Word = State.Word

    private var state: State
    private let acceleration: Acceleration
    /// The start of an incomplete block: ``pendingByteCount`` bytes, then zeros. A vector of integers has no
    /// padding, and every bit pattern is an integer, so its raw bytes may be read and written.
    private var pending = SIMD16<State.Word>.zero
    /// The length of the message so far in bytes, modulo 2^64.
    private var byteCount: UInt64

    /// The length of a block in bytes: sixteen words.
    private static var blockByteCount: Int { MemoryLayout<SIMD16<Word>>.size }
    /// The number of bytes in ``pending``.
    private var pendingByteCount: Int { Int(truncatingIfNeeded: byteCount) & (Self.blockByteCount - 1) }

    /// Starts from H(0) (§5.3), or from the hash value that whole blocks have left.
    ///
    /// - Parameter byteCount: the length of those blocks in bytes, a multiple of the block length.
    init(_ state: State, after byteCount: UInt64 = 0, _ acceleration: Acceleration) {
        self.state = state
        self.byteCount = byteCount
        self.acceleration = acceleration
    }

    /// Takes the next bytes of the message.
    mutating func update(_ bytes: Span<UInt8>) {
        // A byte has no padding, so all raw bytes of the span are initialised.
        var rest = unsafe bytes.bytes
        let pendingByteCount = pendingByteCount
        byteCount &+= UInt64(bytes.count)
        if pendingByteCount > 0 {
            let missing = Self.blockByteCount - pendingByteCount
            // In bounds: at most `missing` bytes, which end the block.
            unsafe append(rest.extracting(first: missing), at: pendingByteCount)
            guard rest.byteCount >= missing else { return }
            compressPending()
            rest = rest.extracting(droppingFirst: missing)
        }
        state.compress(rest, acceleration)
        // In bounds: fewer bytes than a block.
        unsafe append(rest.extracting(last: rest.byteCount & (Self.blockByteCount - 1)), at: 0)
    }

    /// Pads the message (§5.1) and returns the final hash value.
    mutating func finish() -> State {
        let end = pendingByteCount
        // In bounds: an incomplete block has room for a byte, and every block for the length at its end.
        unsafe store(0x80 as UInt8, at: end)
        let lengthOffset = Self.blockByteCount - 2 * MemoryLayout<Word>.size
        if end >= lengthOffset { compressPending() }
        // Two words hold the length in bits: 64 bits of it if a word has 32 bits, 128 if a word has 64.
        let (high, low) = UInt64(8).multipliedFullWidth(by: byteCount)
        if Word.bitWidth == 64 { unsafe store(high.bigEndian, at: Self.blockByteCount - 16) }
        unsafe store(low.bigEndian, at: Self.blockByteCount - 8)
        compressPending()
        return state
    }

    /// Compresses the pending block and clears it.
    private mutating func compressPending() {
        unsafe withUnsafeBytes(of: pending) { block in
            // The bytes live until the closure returns.
            state.compress(unsafe RawSpan(_unsafeBytes: block), acceleration)
        }
        pending = .zero
    }

    /// Copies bytes into the pending block at an offset.
    ///
    /// Unsafe: the block must have room for the bytes from the offset on. Release builds do not check this.
    @unsafe
    private mutating func append(_ bytes: RawSpan, at offset: Int) {
        unsafe bytes.withUnsafeBytes { source in
            unsafe withUnsafeMutableBytes(of: &pending) { block in
                unsafe UnsafeMutableRawBufferPointer(rebasing: block[offset...]).copyMemory(from: source)
            }
        }
    }

    /// Writes an integer into the pending block, in the machine's byte order.
    ///
    /// Unsafe: the block must have room for the integer at the offset. Release builds do not check this.
    @unsafe @inline(__always)
    private mutating func store<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value, at offset: Int) {
        unsafe withUnsafeMutableBytes(of: &pending) { block in
            unsafe block.storeBytes(of: value, toByteOffset: offset, as: Value.self)
        }
    }
}
