import Basics

/// Reading INTEGER and BOOLEAN (X.690 §8.2, §8.3).
extension Reader {
    /// Reads a BOOLEAN: one octet, 00 for false and FF for true (X.690 §11.1).
    ///
    /// - Throws: `.invalidBoolean` for other contents, and the refusals of ``read(_:_:)``.
    @_lifetime(self: copy self)
    public mutating func readBoolean(_ reading: StaticString) throws(Refusal) -> Bool {
        let contents = try read(.boolean, reading)
        guard contents.count == 1 else {
            throw Refusal(.invalidBoolean, at: contents.lowerBound, reading: reading)
        }
        switch bytes[contents.lowerBound] {
        case 0x00: return false
        case 0xFF: return true
        default: throw Refusal(.invalidBoolean, at: contents.lowerBound, reading: reading)
        }
    }

    /// Reads a `BOOLEAN DEFAULT FALSE`, which DER omits if it is false (X.690 §11.5).
    ///
    /// - Returns: true for a BOOLEAN. If no BOOLEAN is next, false, and nothing is read.
    /// - Throws: `.invalidBoolean` for a BOOLEAN that is false or malformed, and the refusals of
    ///   ``read(_:_:)``.
    @_lifetime(self: copy self)
    package mutating func readBooleanDefaultFalse(_ reading: StaticString) throws(Refusal) -> Bool {
        guard isNext(.boolean) else { return false }
        let start = offset
        guard try readBoolean(reading) else { throw Refusal(.invalidBoolean, at: start, reading: reading) }
        return true
    }

    /// Reads an INTEGER of at most 64 bits: two's complement, most significant octet first (X.690 §8.3).
    ///
    /// - Throws: `.integerOutOfRange` for more than eight octets, and the refusals of
    ///   ``readIntegerContents(_:tag:)``.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func readInteger(_ reading: StaticString) throws(Refusal) -> Int64 {
        let contents = try readIntegerContents(reading)
        guard contents.count <= 8 else { throw invalidInteger(contents, reading) }
        let octets = bytes.extracting(contents)
        var value = Int64(Int8(bitPattern: octets[0]))
        for index in 1..<octets.count { value = value << 8 | Int64(octets[index]) }
        return value
    }

    /// Reads an INTEGER of any size that is zero or positive.
    ///
    /// - Returns: the range of its magnitude in the buffer, without a sign octet. It has at least one octet,
    ///   and a leading zero octet only if the number is zero.
    /// - Throws: `.negativeInteger` if it is negative, and the refusals of ``readIntegerContents(_:tag:)``.
    @_lifetime(self: copy self)
    public mutating func readUnsignedInteger(_ reading: StaticString) throws(Refusal) -> Range<Int> {
        let contents = try readIntegerContents(reading)
        guard bytes[contents.lowerBound] & 0x80 == 0 else {
            throw Refusal(.negativeInteger, at: contents.lowerBound, reading: reading)
        }
        let hasSignOctet = bytes[contents.lowerBound] == 0 && contents.count > 1
        return hasSignOctet ? (contents.lowerBound + 1)..<contents.upperBound : contents
    }

    /// Reads an INTEGER of any size and sign without converting it.
    ///
    /// - Parameter tag: the tag of an INTEGER that is tagged implicitly (X.690 §8.14); by default its own.
    /// - Returns: the range of its contents octets: two's complement, at least one octet, and no more octets
    ///   than the value needs (X.690 §8.3.2).
    /// - Throws: `.emptyContents`, `.nonMinimalInteger` for redundant octets, and what ``read(_:_:)`` throws.
    @inlinable
    @_lifetime(self: copy self)
    package mutating func readIntegerContents(
        _ reading: StaticString,
        tag: Tag = .integer
    ) throws(Refusal) -> Range<Int> {
        let contents = try read(tag, reading)
        if contents.count != 1 {
            guard contents.count > 1, !isRedundant(contents) else {
                throw invalidInteger(contents, reading)
            }
        }
        return contents
    }

    /// Whether the first of an INTEGER's two or more contents octets only repeats the sign bit of the second.
    @inlinable
    func isRedundant(_ contents: Range<Int>) -> Bool {
        let first = bytes[contents.lowerBound]
        let second = bytes[contents.lowerBound + 1]
        return second & 0x80 == 0 ? first == 0x00 : first == 0xFF
    }

    /// The refusal of an INTEGER that is empty, has a redundant first octet, or has more than 64 bits.
    @usableFromInline
    @inline(never)
    func invalidInteger(_ contents: Range<Int>, _ reading: StaticString) -> Refusal {
        let code: Refusal.Code =
            contents.isEmpty
            ? .emptyContents : isRedundant(contents) ? .nonMinimalInteger : .integerOutOfRange
        return Refusal(code, at: contents.lowerBound, reading: reading)
    }
}
