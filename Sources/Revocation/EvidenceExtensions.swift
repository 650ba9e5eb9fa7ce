import Basics
import DER
import PKIX

extension Reader {
    /// Reads `Extensions ::= SEQUENCE SIZE (1..MAX) OF Extension` (RFC 5280 §4.1) and leaves the reader after
    /// the SEQUENCE.
    ///
    /// - Parameters:
    ///   - reading: the name of the field, for errors.
    ///   - limit: the maximum number of extensions.
    ///   - decode: takes an extension, and returns whether the module acts on it.
    /// - Throws: what `decode` throws; `.duplicateExtension`; `.tooManyEvidenceElements` beyond the limit;
    ///   `.unknownCriticalExtension` if `decode` returns false for a critical extension; the codes of `DER`,
    ///   also for an empty SEQUENCE.
    @_lifetime(self: copy self)
    mutating func readExtensions(
        _ reading: StaticString,
        limit: Int,
        _ decode: (Extension) throws(Refusal) -> Bool
    ) throws(Refusal) {
        var sequence = try nested(.sequence, reading)
        let start = sequence.offset
        var count = 0
        var seen: UInt64 = 0
        repeat {
            let next = try Extension(&sequence)
            let offset = next.range.lowerBound
            count += 1
            guard count <= limit else {
                throw Refusal(.tooManyEvidenceElements, at: offset, reading: reading)
            }
            try Certificate.checkUnique(next, bytes, among: start..<offset, &seen)
            guard try decode(next) || !next.isCritical else {
                throw Refusal(.unknownCriticalExtension, at: offset, reading: reading)
            }
        } while !sequence.isAtEnd
    }

    /// Reads a GeneralizedTime of whole seconds (RFC 5280 §4.1.2.5.2). Throws `.unexpectedTag` for any other
    /// element, such as a UTCTime, and the codes of `DER` for a malformed time.
    @_lifetime(self: copy self)
    mutating func readWholeSeconds(_ reading: StaticString) throws(Refusal) -> Timestamp {
        guard isNext(.generalizedTime) else {
            throw Refusal(.unexpectedTag, at: offset, reading: reading)
        }
        return try readTime(reading)
    }

    /// Reads the INTEGER of a serial number (RFC 5280 §4.1.2.2). Returns the range of the INTEGER's contents
    /// octets. Throws `.serialNumberTooLong` if there are more than 20, and the codes of `DER` for anything
    /// but a well-formed INTEGER.
    @_lifetime(self: copy self)
    mutating func readSerialNumber(_ reading: StaticString) throws(Refusal) -> Range<Int> {
        let start = offset
        let contents = try readIntegerContents(reading)
        guard contents.count <= 20 else { throw Refusal(.serialNumberTooLong, at: start, reading: reading) }
        return contents
    }
}
