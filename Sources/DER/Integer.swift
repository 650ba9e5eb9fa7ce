/// INTEGER and BOOLEAN (X.690 §8.2, §8.3).
extension Reader {
    /// BOOLEAN: one octet, 00 for false and FF for true (X.690 §11.1).
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

    /// `BOOLEAN DEFAULT FALSE`, which DER leaves out where it is false (X.690 §11.5).
    @_lifetime(self: copy self)
    public mutating func readBooleanDefaultFalse(_ reading: StaticString) throws(Refusal) -> Bool {
        guard isNext(.boolean) else { return false }
        let start = offset
        guard try readBoolean(reading) else { throw Refusal(.invalidBoolean, at: start, reading: reading) }
        return true
    }

    /// INTEGER with a value of at most 64 bits, two's complement, most significant octet first.
    ///
    /// - Throws: `.integerOutOfRange` where it is longer, and what ``readIntegerContents(_:)`` throws.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func readInteger(_ reading: StaticString) throws(Refusal) -> Int64 {
        let contents = try readIntegerContents(reading)
        guard contents.count <= 8 else { throw integerOutOfRange(contents, reading) }
        let octets = bytes.extracting(contents)
        var value = Int64(Int8(bitPattern: octets[0]))
        for index in 1..<octets.count { value = value << 8 | Int64(octets[index]) }
        return value
    }

    /// INTEGER that is not negative, of any size.
    ///
    /// - Returns: where its magnitude lies: at least one octet, and no leading zero octet but for zero
    ///   itself.
    /// - Throws: `.negativeInteger`, and what ``readIntegerContents(_:)`` throws.
    @_lifetime(self: copy self)
    public mutating func readUnsignedInteger(_ reading: StaticString) throws(Refusal) -> Range<Int> {
        let contents = try readIntegerContents(reading)
        guard bytes[contents.lowerBound] & 0x80 == 0 else {
            throw Refusal(.negativeInteger, at: contents.lowerBound, reading: reading)
        }
        let hasSignOctet = bytes[contents.lowerBound] == 0 && contents.count > 1
        return hasSignOctet ? (contents.lowerBound + 1)..<contents.upperBound : contents
    }

    /// INTEGER of any size and sign, as its contents octets: two's complement, the fewest that hold the value
    /// (X.690 §8.3.2).
    ///
    /// - Returns: where they lie: at least one octet.
    /// - Throws: `.emptyContents`, `.nonMinimalInteger`, and what ``read(_:_:)`` throws.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func readIntegerContents(_ reading: StaticString) throws(Refusal) -> Range<Int> {
        let contents = try read(.integer, reading)
        if contents.count != 1 {
            guard contents.count > 1, !isRedundant(contents) else {
                throw invalidInteger(contents, reading)
            }
        }
        return contents
    }

    /// Whether the first of two or more octets only repeats the second one's sign.
    @inlinable
    func isRedundant(_ contents: Range<Int>) -> Bool {
        let first = bytes[contents.lowerBound]
        let second = bytes[contents.lowerBound + 1]
        return second & 0x80 == 0 ? first == 0x00 : first == 0xFF
    }

    @usableFromInline
    @inline(never)
    func invalidInteger(_ contents: Range<Int>, _ reading: StaticString) -> Refusal {
        let code: Refusal.Code = contents.isEmpty ? .emptyContents : .nonMinimalInteger
        return Refusal(code, at: contents.lowerBound, reading: reading)
    }

    @usableFromInline
    @inline(never)
    func integerOutOfRange(_ contents: Range<Int>, _ reading: StaticString) -> Refusal {
        Refusal(.integerOutOfRange, at: contents.lowerBound, reading: reading)
    }
}
