/// A hash algorithm of FIPS 180-4, chosen by what a message says.
public enum HashAlgorithm: UInt8, Sendable, Hashable, CaseIterable {
    case sha1, sha256, sha384, sha512

    /// The length of a digest, in bytes (FIPS 180-4 §1, figure 1).
    public var digestByteCount: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// The digest of a message.
    public func digest(of message: Span<UInt8>, acceleration: Acceleration = .none) -> Digest {
        switch self {
        case .sha1: SHA1.digest(of: message, acceleration: acceleration)
        case .sha256: SHA256.digest(of: message, acceleration: acceleration)
        case .sha384: SHA384.digest(of: message, acceleration: acceleration)
        case .sha512: SHA512.digest(of: message, acceleration: acceleration)
        }
    }

    /// The digest of a message that lies in two pieces.
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
