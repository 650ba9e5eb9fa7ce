import Processor

/// A hash algorithm of FIPS 180-4, for code that learns the algorithm from a message.
public enum HashAlgorithm: UInt8, Sendable, Hashable, CaseIterable {
    /// SHA-1 (§6.1). Collisions can be made, so it must not protect anything new.
    case sha1
    /// SHA-256 (§6.2).
    case sha256
    /// SHA-384 (§6.5).
    case sha384
    /// SHA-512 (§6.4).
    case sha512

    /// The length of a digest, in bytes (FIPS 180-4 §1, figure 1).
    public var digestByteCount: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// Hashes a message.
    ///
    /// - Parameters:
    ///   - message: the whole message.
    ///   - acceleration: the processor instructions to use. The digest does not depend on them.
    public func digest(of message: Span<UInt8>, acceleration: Acceleration = .none) -> Digest {
        switch self {
        case .sha1: SHA1.digest(of: message, acceleration: acceleration)
        case .sha256: SHA256.digest(of: message, acceleration: acceleration)
        case .sha384: SHA384.digest(of: message, acceleration: acceleration)
        case .sha512: SHA512.digest(of: message, acceleration: acceleration)
        }
    }

    /// Hashes a message that lies in two pieces.
    ///
    /// - Parameters:
    ///   - first: the first piece.
    ///   - second: the second piece, which ends the message.
    ///   - acceleration: the processor instructions to use. The digest does not depend on them.
    public func digest(
        of first: Span<UInt8>,
        _ second: Span<UInt8>,
        acceleration: Acceleration = .none
    ) -> Digest {
        switch self {
        case .sha1: Self.digest(SHA1(acceleration: acceleration), first, second)
        case .sha256: Self.digest(SHA256(acceleration: acceleration), first, second)
        case .sha384: Self.digest(SHA384(acceleration: acceleration), first, second)
        case .sha512: Self.digest(SHA512(acceleration: acceleration), first, second)
        }
    }

    /// Hashes two pieces with a hash function.
    private static func digest(
        _ function: some HashFunction,
        _ first: Span<UInt8>,
        _ second: Span<UInt8>
    ) -> Digest {
        var function = function
        function.update(first)
        function.update(second)
        return function.finalize()
    }
}
