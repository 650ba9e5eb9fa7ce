/// A message on its way through a hash function: cut into blocks, padded at its end (FIPS 180-4 §5).
///
/// The padding is a bit 1, as many bits 0 as needed, and the length of the message in bits, in two words, so
/// that the whole is a multiple of the block. Bytes that fill blocks are compressed where they lie; only what
/// a block lacks to be whole is copied, and waits here.
struct HashComputation<State: HashState>: Sendable {
    private typealias Word = State.Word

    private var state: State
    private let acceleration: Acceleration
    /// The beginning of a block that is not whole yet. After its ``pendingByteCount`` bytes all are zero.
    private var pending = CollectionOfOne(SIMD16<State.Word>.zero)
    /// The length of the message so far, modulo 2^64.
    private var byteCount: UInt64

    private static var blockByteCount: Int { MemoryLayout<SIMD16<Word>>.size }
    private var pendingByteCount: Int { Int(truncatingIfNeeded: byteCount) & (Self.blockByteCount - 1) }

    /// A computation that starts from H(0) (§5.3), or from the hash value behind so many bytes, which are
    /// whole blocks.
    init(_ state: State, after byteCount: UInt64 = 0, _ acceleration: Acceleration) {
        self.state = state
        self.byteCount = byteCount
        self.acceleration = acceleration
    }

    mutating func update(_ bytes: Span<UInt8>) {
        // A byte has no padding: the raw view of it is all initialised.
        var rest = unsafe bytes.bytes
        let pendingByteCount = pendingByteCount
        byteCount &+= UInt64(bytes.count)
        if pendingByteCount > 0 {
            let missing = Self.blockByteCount - pendingByteCount
            // At most as many as are missing.
            unsafe append(rest.extracting(first: missing), at: pendingByteCount)
            guard rest.byteCount >= missing else { return }
            compressPending()
            rest = rest.extracting(droppingFirst: missing)
        }
        state.compress(rest, acceleration)
        // Fewer than a block.
        unsafe append(rest.extracting(last: rest.byteCount & (Self.blockByteCount - 1)), at: 0)
    }

    /// Pads the message (§5.1) and gives the last hash value.
    mutating func finish() -> State {
        let end = pendingByteCount
        store(0x80 as UInt8, at: end)
        let lengthOffset = Self.blockByteCount - 2 * MemoryLayout<Word>.size
        if end >= lengthOffset { compressPending() }
        // Two words hold the length in bits: modulo 2^64 where a word has 32 bits, whole where it has 64.
        let (high, low) = UInt64(8).multipliedFullWidth(by: byteCount)
        if Word.bitWidth == 64 { store(high.bigEndian, at: Self.blockByteCount - 16) }
        store(low.bigEndian, at: Self.blockByteCount - 8)
        compressPending()
        return state
    }

    private mutating func compressPending() {
        // A vector of integers has no padding: the raw view of it is all initialised.
        state.compress(unsafe pending.span.bytes, acceleration)
        pending = CollectionOfOne(.zero)
    }

    /// Copies bytes to where pending ones end.
    ///
    /// Unsafe: from the offset on, the block must have room for them, which release builds do not check.
    @unsafe
    private mutating func append(_ bytes: RawSpan, at offset: Int) {
        var span = pending.mutableSpan
        var target = unsafe span.mutableBytes
        unsafe bytes.withUnsafeBytes { source in
            unsafe target.withUnsafeMutableBytes { target in
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset...]).copyMemory(from: source)
            }
        }
    }

    /// Puts an integer into the block, as it lies in memory.
    @inline(__always)
    private mutating func store<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value, at offset: Int) {
        // Any bits are an integer, so that raw bytes may be written; the store checks its bounds.
        var span = pending.mutableSpan
        var bytes = unsafe span.mutableBytes
        bytes.storeBytes(of: value, toByteOffset: offset, as: Value.self)
    }
}
