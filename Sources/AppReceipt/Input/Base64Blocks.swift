import Basics

// Decodes blocks of 64 characters by loops without branches, which the compiler turns into vector
// instructions.

extension Base64 {
    /// Decodes blocks of 64 characters with portable code, up to the first block that holds a character
    /// outside of the accepted alphabets.
    ///
    /// - Parameters:
    ///   - range: the range of the characters in `text`.
    ///   - acceptsURLs: whether to accept the alphabet for URLs (RFC 4648 §5) beside the standard alphabet.
    ///   - byteCount: the number of bytes that `output` holds already. Precondition: `output` has room after
    ///     these for three bytes for every four characters of the range, and two bytes more.
    /// - Returns: the number of blocks that were decoded.
    @_lifetime(output: copy output)
    static func decodePortableBlocks(
        _ text: Span<UInt8>,
        in range: Range<Int>,
        acceptsURLs: Bool,
        _ output: inout MutableRawSpan,
        after byteCount: Int
    ) -> Int {
        guard range.count >= 64 else { return 0 }
        /// The six bits of each character of a block.
        var sixBits = ContiguousArray<UInt8>(repeating: 0, count: 64)
        let (plus, slash) = (UInt8(ascii: "+"), UInt8(ascii: "/"))
        let others = acceptsURLs ? (UInt8(ascii: "-"), UInt8(ascii: "_")) : (plus, slash)
        var blocks = 0
        while range.count - 64 * blocks >= 64 {
            let start = range.lowerBound + 64 * blocks
            let block = text.extracting(start..<(start + 64))
            guard readBlock(block, others, into: sixBits.mutableSpan) else { break }
            writeBlock(sixBits.span, to: &output, at: byteCount + 48 * blocks)
            blocks += 1
        }
        return blocks
    }

    /// Writes the six bits of each of 64 characters to `sixBits`. Returns false if a character has none.
    @inline(__always)
    private static func readBlock(
        _ block: Span<UInt8>,
        _ others: (UInt8, UInt8),
        into sixBits: consuming MutableSpan<UInt8>
    ) -> Bool {
        // The compiler then needs no check of the bounds within the loop.
        guard block.count == 64, sixBits.count == 64 else { return false }
        var all: UInt8 = 0
        for index in 0..<64 {
            let bits = Self.sixBits(block[index], others)
            sixBits[index] = bits
            all |= bits
        }
        return all < 64
    }

    /// Writes the 48 bytes that 64 characters stand for, and two zero bytes after them, from `start` on.
    @inline(__always)
    @_lifetime(output: copy output)
    private static func writeBlock(
        _ sixBits: Span<UInt8>,
        to output: inout MutableRawSpan,
        at start: Int
    ) {
        for group in 0..<8 {
            // Six bits in each octet, the first character's in the lowest octet.
            let octets = sixBits.word(at: 8 * group)
            let twelve = (octets & 0x003F_003F_003F_003F) << 6 | (octets >> 8) & 0x003F_003F_003F_003F
            let twentyFour = (twelve & 0x0000_0FFF_0000_0FFF) << 12 | (twelve >> 16) & 0x0000_0FFF_0000_0FFF
            let bytes = (twentyFour & 0xFF_FFFF) << 40 | (twentyFour >> 32) << 16
            output.storeBytes(of: bytes.bigEndian, toByteOffset: start + 6 * group, as: UInt64.self)
        }
    }

    /// The six bits of a character in the standard alphabet (RFC 4648 §4) or of one of two other characters,
    /// which stand for 62 and 63; 255 for any other character.
    @inline(__always)
    static func sixBits(_ character: UInt8, _ others: (UInt8, UInt8)) -> UInt8 {
        var bits: UInt8 = 255
        bits = character &- UInt8(ascii: "A") < 26 ? character &- UInt8(ascii: "A") : bits
        bits = character &- UInt8(ascii: "a") < 26 ? character &- UInt8(ascii: "a") &+ 26 : bits
        bits = character &- UInt8(ascii: "0") < 10 ? character &- UInt8(ascii: "0") &+ 52 : bits
        bits = character == UInt8(ascii: "+") || character == others.0 ? 62 : bits
        bits = character == UInt8(ascii: "/") || character == others.1 ? 63 : bits
        return bits
    }
}
