import DER

/// When a certificate may be relied on, both ends included (RFC 5280 §4.1.2.5).
///
/// ```
/// Validity ::= SEQUENCE { notBefore Time, notAfter Time }
/// Time ::= CHOICE { utcTime UTCTime, generalTime GeneralizedTime }
/// ```
public struct Validity: Sendable, Hashable {
    /// The first moment.
    public let notBefore: Timestamp
    /// The last second, which counts to its end.
    public let notAfter: Timestamp
    /// Where in the buffer it stands.
    public let range: Range<Int>

    init(_ reader: inout Reader) throws(Refusal) {
        let start = reader.offset
        var sequence = try reader.nested(.sequence, "validity")
        notBefore = try Self.readTime(&sequence, "validity.notBefore")
        notAfter = try Self.readTime(&sequence, "validity.notAfter")
        try sequence.finish("validity")
        range = start..<reader.offset
    }

    /// A GeneralizedTime has whole seconds (§4.1.2.5.2). That years before 2050 ought to be UTCTime binds
    /// those who issue, and PKITS accepts otherwise (4.2.3, 4.2.8).
    private static func readTime(_ reader: inout Reader, _ reading: StaticString) throws(Refusal) -> Timestamp
    {
        guard reader.isNext(.generalizedTime) else { return try reader.readUTCTime(reading) }
        let start = reader.offset
        let time = try reader.readGeneralizedTime(reading)
        guard reader.offset - start == 17 else { throw Refusal(.invalidTime, at: start, reading: reading) }
        return time
    }

    /// Says why a time does not lie within.
    func check(_ time: Timestamp) throws(Refusal) {
        guard !holds(at: time) else { return }
        throw Refusal(time < notBefore ? .notYetValid : .expired, at: range.lowerBound, reading: "validity")
    }

    /// Whether a time lies within. A validity names whole seconds, and the last one counts to its end.
    func holds(at time: Timestamp) -> Bool {
        time >= notBefore && time.millisecondsSince1970 < notAfter.millisecondsSince1970 + 1000
    }
}
