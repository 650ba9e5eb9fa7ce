import DER

// What a receipt and a purchase keep of a field, in eight bytes each: purchases come by the hundred, and both
// are copied on their way.

/// A range below 2^32, or none.
///
/// Whoever sets it has made sure that the bounds fit: ``Payload`` refuses what reaches beyond.
@propertyWrapper
struct CompactRange {
    private var lowerBound: UInt32 = 1
    private var upperBound: UInt32 = 0

    var wrappedValue: Range<Int>? {
        get { lowerBound <= upperBound ? Int(lowerBound)..<Int(upperBound) : nil }
        set {
            lowerBound = UInt32(truncatingIfNeeded: newValue?.lowerBound ?? 1)
            upperBound = UInt32(truncatingIfNeeded: newValue?.upperBound ?? 0)
        }
    }
}

/// A number, or none, for which `Int64.min` stands: receipts hold no negative numbers.
@propertyWrapper
struct CompactNumber {
    private var value = Int64.min

    var wrappedValue: Int64? {
        get { value == .min ? nil : value }
        set { value = newValue ?? .min }
    }
}

/// A time, or none, for which `Int64.min` stands: no date whose year has four digits is that.
@propertyWrapper
struct CompactTime {
    private var value = Int64.min

    var wrappedValue: Timestamp? {
        get { value == .min ? nil : Timestamp(millisecondsSince1970: value) }
        set { value = newValue?.millisecondsSince1970 ?? .min }
    }
}
