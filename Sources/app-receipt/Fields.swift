import DER

/// What takes values with their names: an object of JSON, or a line of CSV and the header above it.
protocol Fields {
    mutating func member(_ name: String, _ value: String?)
    mutating func member(_ name: String, _ value: Int64?)
    mutating func member(_ name: String, _ value: Bool?)
    /// A value that is JSON text already.
    mutating func member(_ name: String, text: ArraySlice<UInt8>?)
    /// Values within a value, if that is there. Where names or empty cells are wanted, the body is called in
    /// any case.
    mutating func member(_ name: String, isThere: Bool, _ body: (inout Self) -> Void)
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
