import Processor

/// A hash algorithm of FIPS 180-4.
public enum HashAlgorithm: Sendable, CaseIterable {
    /// SHA-1 (FIPS 180-4 §6.1). Collisions can be made, so it must not protect anything new.
    case sha1
    /// SHA-256 (FIPS 180-4 §6.2), whose digests have 32 bytes.
    case sha256
    /// SHA-384 (FIPS 180-4 §6.5), whose digests have 48 bytes.
    case sha384
    /// SHA-512 (FIPS 180-4 §6.4), whose digests have 64 bytes.
    case sha512

    /// The length of the algorithm's digests, in bytes (FIPS 180-4 §1, figure 1).
    package var digestByteCount: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// Hashes a message and returns its digest.
    ///
    /// - Parameters:
    ///   - message: the whole message.
    ///   - acceleration: the processor instructions that may be used. The digest does not depend on them.
    public func digest(of message: Span<UInt8>, acceleration: Acceleration = .none) -> Digest {
        var function = HashFunction(self, acceleration: acceleration)
        function.update(message)
        return function.finalize()
    }
}
