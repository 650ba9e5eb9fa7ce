import DER

// Optional values in eight bytes each. A receipt may have hundreds of purchases, and decoding copies their
// fields, so the fields are kept small.

/// An optional range with bounds below 2^32.
///
/// The setter drops higher bits of the bounds. ``Payload`` refuses buffers that are too large for 32 bits.
@propertyWrapper
package struct CompactRange {
    private var lowerBound: UInt32 = 1
    private var upperBound: UInt32 = 0

    package init() {}

    package var wrappedValue: Range<Int>? {
        get { lowerBound <= upperBound ? Int(lowerBound)..<Int(upperBound) : nil }
        set {
            lowerBound = UInt32(truncatingIfNeeded: newValue?.lowerBound ?? 1)
            upperBound = UInt32(truncatingIfNeeded: newValue?.upperBound ?? 0)
        }
    }
}

/// An optional number. `Int64.min` stands for nil, because receipts hold no negative numbers.
@propertyWrapper
package struct CompactNumber {
    private var value = Int64.min

    package init() {}

    package var wrappedValue: Int64? {
        get { value == .min ? nil : value }
        set { value = newValue ?? .min }
    }
}

/// An optional time. `Int64.min` milliseconds stand for nil, because no date with a year of four digits is so
/// early.
@propertyWrapper
package struct CompactTime {
    private var value = Int64.min

    package init() {}

    package var wrappedValue: Timestamp? {
        get { value == .min ? nil : Timestamp(millisecondsSince1970: value) }
        set { value = newValue?.millisecondsSince1970 ?? .min }
    }
}
