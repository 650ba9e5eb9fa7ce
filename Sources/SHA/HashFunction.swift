import Processor

/// A hash function that takes a message in pieces (FIPS 180-4 §5, §6).
///
/// A piece may have any length, zero included. The digest does not depend on how the message is cut. Hashing
/// allocates nothing, and no input traps.
///
/// Bytes are counted modulo 2^64. Digests of SHA-1 and SHA-256 are right up to the bound of FIPS 180-4 §1:
/// 2^64 − 1 bits, or 2^61 − 1 whole bytes. Digests of SHA-384 and SHA-512, whose bound is 2^128 − 1 bits, are
/// right up to 2^64 − 1 bytes, which is more than any message has.
package struct HashFunction: Sendable {
    private let algorithm: HashAlgorithm
    private let acceleration: Acceleration
    /// The hash value after the whole blocks taken so far. Words of 32 bits are zero-extended.
    private var hash: SIMD8<UInt64>
    /// The start of an incomplete block: ``pendingByteCount`` bytes, then zeros. A block is all 128 bytes, or
    /// the first 64 for SHA-1 and SHA-256. A vector of integers has no padding, and every bit pattern is an
    /// integer, so its raw bytes may be read and written.
    private var pending = SIMD16<UInt64>.zero
    /// The length of the message so far in bytes, modulo 2^64.
    private var byteCount: UInt64 = 0

    /// The number of bytes of the message in ``pending``: fewer than a block has.
    private var pendingByteCount: Int {
        Int(truncatingIfNeeded: byteCount) & (algorithm.blockByteCount - 1)
    }

    /// Starts to hash a message. No bytes are taken yet.
    ///
    /// - Parameter acceleration: the processor instructions that may be used. They do not change the digest.
    package init(_ algorithm: HashAlgorithm, acceleration: Acceleration = .none) {
        self.algorithm = algorithm
        self.acceleration = acceleration
        hash = algorithm.initialHashValue
    }

    /// Takes the next bytes of the message, which may be none, and hashes every block that is then whole.
    package mutating func update(_ bytes: Span<UInt8>) {
        // A byte has no padding, so all raw bytes of the span are initialised.
        var rest = unsafe bytes.bytes
        let pendingByteCount = pendingByteCount
        byteCount &+= UInt64(bytes.count)
        if pendingByteCount > 0 {
            let missing = algorithm.blockByteCount - pendingByteCount
            // In bounds: at most `missing` bytes, which end the block.
            unsafe append(rest.extracting(first: missing), at: pendingByteCount)
            guard rest.byteCount >= missing else { return }
            compressPending()
            rest = rest.extracting(droppingFirst: missing)
        }
        algorithm.compress(&hash, rest, acceleration)
        // In bounds: fewer bytes than a block.
        unsafe append(rest.extracting(last: rest.byteCount & (algorithm.blockByteCount - 1)), at: 0)
    }

    /// The digest of all bytes taken. A variable that this is called on keeps its state.
    package consuming func finalize() -> Digest {
        pad()
        return Digest(algorithm, hash)
    }

    /// Pads the message (§5.1) and compresses its last block or two. The padding is one bit 1, then bits 0,
    /// then the length of the message in bits as two words at the end of a block.
    private mutating func pad() {
        let (end, blockByteCount) = (pendingByteCount, algorithm.blockByteCount)
        // In bounds: an incomplete block has room for a byte, and every block for the length at its end.
        unsafe store(0x80 as UInt8, at: end)
        if end >= blockByteCount - blockByteCount / 8 { compressPending() }
        // Two words hold the length in bits: 64 bits of it if a word has 32 bits, 128 if a word has 64.
        let (high, low) = UInt64(8).multipliedFullWidth(by: byteCount)
        if blockByteCount == 128 { unsafe store(high.bigEndian, at: blockByteCount - 16) }
        unsafe store(low.bigEndian, at: blockByteCount - 8)
        compressPending()
    }

    /// Updates the hash value with the block in ``pending``, and sets ``pending`` to zeros.
    ///
    /// The block is not copied first: a copy would wait for the stores that have just filled the block.
    private mutating func compressPending() {
        var hash = hash
        let (algorithm, acceleration) = (algorithm, acceleration)
        unsafe withUnsafeMutableBytes(of: &pending) { block in
            // The bytes live until the closure returns.
            let bytes = unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(block))
            algorithm.compress(&hash, bytes.extracting(first: algorithm.blockByteCount), acceleration)
        }
        self.hash = hash
        pending = .zero
    }

    /// Copies bytes into ``pending`` at an offset in bytes.
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

    /// Writes an integer into ``pending`` at an offset in bytes, in the machine's byte order.
    ///
    /// Unsafe: the block must have room for the integer at the offset. Release builds do not check this.
    @unsafe @inline(__always)
    private mutating func store<Value: FixedWidthInteger & BitwiseCopyable>(
        _ value: Value,
        at offset: Int
    ) {
        unsafe withUnsafeMutableBytes(of: &pending) { block in
            unsafe block.storeBytes(of: value, toByteOffset: offset, as: Value.self)
        }
    }
}
