/// A hash function that takes its message piece by piece (FIPS 180-4).
///
/// Pieces may have any length, none included, and however the message is cut, the digest is the same. Nothing
/// is allocated, and no input traps. The bytes are counted modulo 2^64, so that digests are right up to the
/// bound of FIPS 180-4 §1 for SHA-1 and SHA-256, 2^64 − 1 bits or 2^61 − 1 whole bytes, and up to 2^64 − 1
/// bytes for SHA-384 and SHA-512, whose bound is 2^128 − 1 bits. No message can be as long.
public protocol HashFunction: Sendable {
    /// The computation before the first byte of a message, by what instructions there are for it.
    init(acceleration: Acceleration)

    /// Takes the next bytes of the message.
    mutating func update(_ bytes: Span<UInt8>)

    /// The digest of the bytes so far. The computation is left as it is, and may go on.
    func finalize() -> Digest
}

extension HashFunction {
    /// The computation before the first byte of a message, by portable code.
    @inlinable
    public init() { self.init(acceleration: .none) }

    /// The digest of a message that lies in one piece.
    @inlinable
    public static func digest(
        of message: Span<UInt8>,
        acceleration: Acceleration = .none
    ) -> Digest {
        var function = Self(acceleration: acceleration)
        function.update(message)
        return function.finalize()
    }
}
