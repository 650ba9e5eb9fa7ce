/// The bits of a BIT STRING: whole octets, of which the last leaves some bits unused (X.690 §8.6).
public struct BitString: Sendable {
    /// Where the octets lie; the one that counts the unused bits is not among them.
    public let octets: Range<Int>
    /// How many of the last octet's low bits mean nothing: 0 to 7, and zero in the encoding (§11.2.1).
    public let unusedBits: Int
}

extension Reader {
    /// BIT STRING, primitive.
    ///
    /// - Throws: `.emptyContents`, `.invalidBitString`, and what ``read(_:_:)`` throws.
    @_lifetime(self: copy self)
    public mutating func readBitString(_ reading: StaticString) throws(Refusal) -> BitString {
        let contents = try read(.bitString, reading)
        guard !contents.isEmpty else {
            throw Refusal(.emptyContents, at: contents.lowerBound, reading: reading)
        }
        let unusedBits = bytes[contents.lowerBound]
        let octets = (contents.lowerBound + 1)..<contents.upperBound
        guard unusedBits < (octets.isEmpty ? 1 : 8) else {
            throw Refusal(.invalidBitString, at: contents.lowerBound, reading: reading)
        }
        if unusedBits > 0 && bytes[octets.upperBound - 1] & ((1 << unusedBits) - 1) != 0 {
            throw Refusal(.invalidBitString, at: octets.upperBound - 1, reading: reading)
        }
        return BitString(octets: octets, unusedBits: Int(unusedBits))
    }

    /// BIT STRING of whole octets, as every key and signature is.
    ///
    /// - Returns: where the octets lie.
    @_lifetime(self: copy self)
    public mutating func readOctetAlignedBitString(_ reading: StaticString) throws(Refusal) -> Range<Int> {
        let string = try readBitString(reading)
        guard string.unusedBits == 0 else {
            throw Refusal(.invalidBitString, at: string.octets.lowerBound - 1, reading: reading)
        }
        return string.octets
    }

    /// OCTET STRING, primitive.
    ///
    /// - Returns: where the octets lie.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func readOctetString(_ reading: StaticString) throws(Refusal) -> Range<Int> {
        try read(.octetString, reading)
    }

    /// NULL (X.690 §8.8).
    @_lifetime(self: copy self)
    public mutating func readNull(_ reading: StaticString) throws(Refusal) {
        let contents = try read(.null, reading)
        guard contents.isEmpty else { throw Refusal(.invalidNull, at: contents.lowerBound, reading: reading) }
    }
}
