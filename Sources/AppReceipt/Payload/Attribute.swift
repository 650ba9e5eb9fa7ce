/// An attribute of a receipt or of a purchase, with the octets of its value. Use it to read attributes that
/// are undocumented.
///
/// Two attributes are equal when their types, their versions and the octets of their values are equal.
public struct Attribute: Sendable, Hashable {
    /// The number that says what the value means: one of Apple's, or any other.
    public let type: Int64
    /// The version, 1 in nearly all attributes. Its meaning is undocumented.
    public let version: Int64
    /// The octets of the value. The slice shares the receipt's bytes, so its indices do not begin at zero.
    public let value: ArraySlice<UInt8>
}
