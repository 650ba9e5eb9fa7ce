/// Limits on the work that one encoding may cause its reader.
public struct EncodingLimits: Sendable, Hashable {
    /// The maximum length of the input, in bytes.
    ///
    /// The largest genuine receipt seen has 79 KB and 187 purchases. 8 MiB leaves room for twenty thousand
    /// purchases and bounds hashing to about 25 milliseconds.
    public var inputBytes = 8 << 20
    /// The maximum depth of nested elements.
    ///
    /// A certificate in a receipt reaches level 9, counted from the ContentInfo; names and policies of RFC
    /// 5280 add a few. The limit applies where the input decides how deep it goes: to BER, and to whole
    /// messages and certificates. Structures with a fixed shape inside them cannot nest deeper. The BER
    /// normaliser uses one stack frame for each level, of 1.1 KiB on x86-64, or 3.6 KiB without optimisation,
    /// so consider the stack of the smallest thread before you raise this limit.
    public var depth = 32
    /// The maximum number of elements in BER input that is normalised, and inside each value in a part of the
    /// message that is skipped. In the first case, an element that is copied byte for byte, such as a
    /// certificate, counts as one. A part may have many values. Other values of unknown type, such as
    /// parameters of algorithms, have the default limit whatever this property is, and so has a printed tree.
    ///
    /// An element has at least two bytes. The densest genuine receipt has one element for every five bytes.
    public var elements = 1 << 20

    /// The default limits: 8 MiB of input, 32 levels, and 2^20 elements.
    public static var standard: Self { Self() }
}
