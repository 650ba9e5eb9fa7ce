import DER

/// What takes values with their names: an object of JSON, or a line of CSV and the header above it.
protocol Fields {
    mutating func member(_ name: String, _ value: String?)
    mutating func member(_ name: String, _ value: Int64?)
    mutating func member(_ name: String, _ value: Bool?)
    /// A value that is JSON text already.
    mutating func member(_ name: String, text: ArraySlice<UInt8>?)
    /// Values within a value. The body is called without one where names or empty cells are wanted.
    mutating func member<Value>(_ name: String, object value: Value?, _ body: (inout Self, Value?) -> Void)
    mutating func member<Elements: Sequence>(
        _ name: String,
        array elements: Elements?,
        _ body: (inout JSON, Elements.Element) -> Void
    )
}

extension Fields {
    mutating func member(_ name: String, _ value: Timestamp?) { member(name, value?.description) }
    mutating func member(_ name: String, hex value: ArraySlice<UInt8>?) { member(name, value?.hexadecimal) }
}
