/// Limits on the work that a token may cause.
public struct TokenLimits: Sendable, Hashable {
    /// The maximum length of a token, in bytes. The longest genuine one seen, a notification with two nested
    /// tokens, has about 18,800 bytes.
    public var tokenBytes = 1 << 17
    /// The maximum number of members in an object that is decoded. A genuine transaction has up to 30. Names
    /// are compared pair by pair, and this limit bounds the work.
    public var members = 256

    /// The default limits. Change the properties of a copy for others.
    public static var standard: Self { Self() }
}
