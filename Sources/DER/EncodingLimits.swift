/// Limits on the work that one encoding may cause its reader.
public struct EncodingLimits: Sendable, Hashable {
    /// The maximum length of the input, in bytes. The largest genuine receipt seen has 79 KB.
    public var inputBytes = 8 << 20
    /// The maximum depth of nested constructed elements.
    ///
    /// The limit applies to BER that is normalised, to a message, and to the certificates of a message, which
    /// are counted from the start of their set. Other parts that are read by themselves, such as signed
    /// attributes, `digestAlgorithms` and policy qualifiers, have the default limit instead.
    ///
    /// The BER normaliser calls itself for each level, so consider the stack of the smallest thread before
    /// you raise this limit.
    public var depth = 32
    /// The maximum number of elements in BER input that is normalised, and inside each value in a part of the
    /// message that is skipped. In the first case, an element that is copied byte for byte, such as a
    /// certificate, counts as one. A part may have many values. Other values of unknown type, such as
    /// parameters of algorithms, have the default limit whatever this property is, and so has a printed tree.
    public var elements = 1 << 20

    /// The default limits: 8 MiB of input, 32 levels, and 2^20 elements.
    public static var standard: Self { Self() }
}
