import Processor

/// A hash function that takes a message in pieces (FIPS 180-4).
///
/// A piece may have any length, zero included. The digest does not depend on how the message is cut. Hashing
/// allocates nothing, and no input traps.
///
/// Bytes are counted modulo 2^64. Digests of SHA-1 and SHA-256 are right up to the bound of FIPS 180-4 §1:
/// 2^64 − 1 bits, or 2^61 − 1 whole bytes. Digests of SHA-384 and SHA-512, whose bound is 2^128 − 1 bits, are
/// right up to 2^64 − 1 bytes, which is more than any message has.
public protocol HashFunction: Sendable {
    /// Starts a computation with an empty message.
    ///
    /// - Parameter acceleration: the processor instructions to use. The digest does not depend on them.
    init(acceleration: Acceleration)

    /// Takes the next bytes of the message.
    mutating func update(_ bytes: Span<UInt8>)

    /// The digest of all bytes so far. The computation does not change and can take more bytes.
    func finalize() -> Digest
}

extension HashFunction {
    /// Starts a computation with an empty message that uses portable code.
    @inlinable
    public init() { self.init(acceleration: .none) }

    /// Hashes a message that lies in one piece.
    ///
    /// - Parameters:
    ///   - message: the whole message.
    ///   - acceleration: the processor instructions to use. The digest does not depend on them.
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
