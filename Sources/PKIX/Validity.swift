import Basics
import DER

/// The period in which a certificate is valid, both ends included (RFC 5280 §4.1.2.5).
///
/// ```
/// Validity ::= SEQUENCE { notBefore Time, notAfter Time }
/// Time ::= CHOICE { utcTime UTCTime, generalTime GeneralizedTime }
/// ```
public struct Validity: Sendable, Hashable {
    /// The first moment of the certificate's validity.
    public let notBefore: Timestamp
    /// The start of the last second in which the certificate is valid. That second counts to its end.
    public let notAfter: Timestamp
    /// The range in the buffer of the whole Validity, header included.
    package let range: Range<Int>

    init(_ reader: inout Reader) throws(Refusal) {
        let start = reader.offset
        var sequence = try reader.nested(.sequence, "validity")
        notBefore = try sequence.readTime("validity.notBefore")
        notAfter = try sequence.readTime("validity.notAfter")
        try sequence.finish("validity")
        range = start..<reader.offset
    }

    /// Checks that a time lies within the period.
    ///
    /// - Throws: `.notYetValid` if the time is earlier, or `.expired` if it is later.
    package func check(_ time: Timestamp) throws(Refusal) {
        guard !holds(at: time) else { return }
        throw Refusal(time < notBefore ? .notYetValid : .expired, at: range.lowerBound, reading: "validity")
    }

    /// Whether a time lies within the period. Both ends are whole seconds, and the last second counts to its
    /// end.
    package func holds(at time: Timestamp) -> Bool {
        time >= notBefore && time.millisecondsSince1970 < notAfter.millisecondsSince1970 + 1000
    }
}

extension Reader {
    /// Reads a Time (RFC 5280 §4.1.2.5, RFC 5652 §11.3). A GeneralizedTime must have whole seconds
    /// (RFC 5280 §4.1.2.5.2).
    ///
    /// A GeneralizedTime in a year from 1950 to 2049 is accepted, although both RFCs ask for a UTCTime there.
    /// PKITS expects validators to accept such a GeneralizedTime in a certificate (4.2.4).
    @_lifetime(self: copy self)
    package mutating func readTime(_ reading: StaticString) throws(Refusal) -> Timestamp {
        guard isNext(.generalizedTime) else { return try readUTCTime(reading) }
        let start = offset
        let time = try readGeneralizedTime(reading)
        guard offset - start == 17 else { throw Refusal(.invalidTime, at: start, reading: reading) }
        return time
    }
}
