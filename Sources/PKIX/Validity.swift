import DER

/// The period in which a certificate is valid, both ends included (RFC 5280 §4.1.2.5).
///
/// ```
/// Validity ::= SEQUENCE { notBefore Time, notAfter Time }
/// Time ::= CHOICE { utcTime UTCTime, generalTime GeneralizedTime }
/// ```
public struct Validity: Sendable, Hashable {
    /// The first moment of the period.
    public let notBefore: Timestamp
    /// The start of the period's last second. The whole second belongs to the period.
    public let notAfter: Timestamp
    /// The place of the whole encoding in the buffer.
    public let range: Range<Int>

    init(_ reader: inout Reader) throws(Refusal) {
        let start = reader.offset
        var sequence = try reader.nested(.sequence, "validity")
        notBefore = try Self.readTime(&sequence, "validity.notBefore")
        notAfter = try Self.readTime(&sequence, "validity.notAfter")
        try sequence.finish("validity")
        range = start..<reader.offset
    }

    /// Reads a Time. A GeneralizedTime must have whole seconds (§4.1.2.5.2).
    ///
    /// The rule that years before 2050 are encoded as UTCTime binds issuers only. PKITS expects validators to
    /// accept a GeneralizedTime there (4.2.3, 4.2.8).
    private static func readTime(_ reader: inout Reader, _ reading: StaticString) throws(Refusal) -> Timestamp
    {
        guard reader.isNext(.generalizedTime) else { return try reader.readUTCTime(reading) }
        let start = reader.offset
        let time = try reader.readGeneralizedTime(reading)
        guard reader.offset - start == 17 else { throw Refusal(.invalidTime, at: start, reading: reading) }
        return time
    }

    /// Checks that a time lies within the period.
    ///
    /// - Throws: `.notYetValid` or `.expired`.
    func check(_ time: Timestamp) throws(Refusal) {
        guard !holds(at: time) else { return }
        throw Refusal(time < notBefore ? .notYetValid : .expired, at: range.lowerBound, reading: "validity")
    }

    /// Whether a time lies within the period. Both ends are whole seconds, and the last second counts to its
    /// end.
    func holds(at time: Timestamp) -> Bool {
        time >= notBefore && time.millisecondsSince1970 < notAfter.millisecondsSince1970 + 1000
    }
}
