import Basics

/// The bits of a BIT STRING: octets, and a count of unused bits at the end of the last octet (X.690 §8.6).
package struct BitString: Sendable {
    /// The range in the buffer of the octets that hold the bits, without the one that counts unused bits.
    package let octets: Range<Int>
    /// How many low bits of the last octet are unused, from 0 to 7. DER requires them to be zero (§11.2.1).
    package let unusedBits: Int
}

extension Reader {
    /// Reads a primitive BIT STRING (X.690 §8.6, §10.2).
    ///
    /// - Parameter tag: the tag, which differs from the type's own if the type is tagged implicitly.
    /// - Throws: `.emptyContents` if the octet that counts the unused bits is missing; `.invalidBitString` if
    ///   the count exceeds 7, if it is not 0 for an empty string, or if an unused bit is set; and the
    ///   refusals of ``read(_:_:)``.
    @_lifetime(self: copy self)
    package mutating func readBitString(
        _ reading: StaticString,
        tag: Tag = .bitString
    ) throws(Refusal) -> BitString {
        let contents = try read(tag, reading)
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

    /// Reads a BIT STRING of whole octets, for example the signature in a certificate.
    ///
    /// - Returns: the range of the octets in the buffer, without the one that counts the unused bits.
    /// - Throws: `.invalidBitString` if a bit is unused, and the refusals of `readBitString`.
    @_lifetime(self: copy self)
    package mutating func readOctetAlignedBitString(_ reading: StaticString) throws(Refusal) -> Range<Int> {
        let string = try readBitString(reading)
        guard string.unusedBits == 0 else {
            throw Refusal(.invalidBitString, at: string.octets.lowerBound - 1, reading: reading)
        }
        return string.octets
    }

    /// Reads a NULL (X.690 §8.8).
    ///
    /// - Throws: `.invalidNull` if there are contents, and the refusals of ``read(_:_:)``.
    @_lifetime(self: copy self)
    public mutating func readNull(_ reading: StaticString) throws(Refusal) {
        let contents = try read(.null, reading)
        guard contents.isEmpty else { throw Refusal(.invalidNull, at: contents.lowerBound, reading: reading) }
    }
}
