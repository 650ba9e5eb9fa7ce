import DER

/// Walks a SET of attributes from the first to the last.
///
/// The walk refuses more attributes than `Limits.attributes`. Its caller asks ``rejectDuplicate(_:number:)``
/// to refuse the second attribute of a type that may occur once.
struct AttributeWalk: ~Escapable {
    private let bytes: Span<UInt8>
    /// The offset of the next attribute.
    private var offset: Int
    /// The end of the SET.
    private let end: Int
    private let limit: Int
    /// The name of the SET, for errors.
    private let reading: StaticString
    private var count = 0
    /// One bit for each type that was met.
    private var seen: UInt64 = 0

    /// Creates a walk before the first attribute.
    ///
    /// - Parameter set: the range of the SET's contents.
    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, in set: Range<Int>, limits: Limits, _ reading: StaticString) {
        self.bytes = bytes
        offset = set.lowerBound
        end = set.upperBound
        limit = limits.attributes
        self.reading = reading
    }

    /// Reads the next attribute. Returns nil at the end of the SET.
    @inline(__always)
    mutating func next() throws(Refusal) -> AttributeRange? {
        guard offset < end else { return nil }
        let attribute = try AttributeRange(bytes, at: offset, before: end)
        offset = attribute.end
        count += 1
        guard count <= limit else {
            throw Refusal(.tooManyAttributes, at: attribute.start, reading: reading)
        }
        return attribute
    }

    /// Marks a type as met. Returns whether it was met before.
    ///
    /// - Parameter number: the type's own number within this walk, 0 to 63.
    @_lifetime(self: copy self)
    mutating func isRepeated(number: Int64) -> Bool {
        let bit: UInt64 = 1 << UInt64(number)
        defer { seen |= bit }
        return seen & bit != 0
    }

    /// Refuses the second attribute of a type that may occur once.
    ///
    /// - Parameter number: the type's own number within this walk, 0 to 63.
    @_lifetime(self: copy self)
    mutating func rejectDuplicate(_ attribute: AttributeRange, number: Int64) throws(Refusal) {
        guard !isRepeated(number: number) else {
            throw Refusal(.duplicateAttributeType, at: attribute.start, reading: reading)
        }
    }
}
