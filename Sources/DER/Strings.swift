import Basics

/// Reading IA5String: the contents are checked in place and not converted (X.690 §8.23, X.680 §41).
extension Reader {
    /// Reads an IA5String: the 128 characters of ASCII.
    ///
    /// - Returns: the range of its contents in the buffer, without the header.
    /// - Throws: `.invalidCharacter` at the first octet above 7F, and the refusals of ``read(_:_:)``.
    @_lifetime(self: copy self)
    package mutating func readIA5String(_ reading: StaticString) throws(Refusal) -> Range<Int> {
        let contents = try read(.ia5String, reading)
        for index in contents where bytes[index] >= 0x80 {
            throw Refusal(.invalidCharacter, at: index, reading: reading)
        }
        return contents
    }
}
