import Processor

/// SHA-1 (FIPS 180-4 §6.1): a digest of 20 bytes, from blocks of 64.
///
/// Collisions can be made. Use SHA-1 only to check old signatures, and never for anything new.
public struct SHA1: HashFunction {
    private var computation: HashComputation<SHA1State>

    /// Starts a computation with an empty message; the hash value is H(0) (FIPS 180-4 §5.3.1).
    ///
    /// - Parameter acceleration: the processor instructions to use. The digest does not depend on them.
    public init(acceleration: Acceleration) {
        computation = HashComputation(SHA1State(), acceleration)
    }

    /// Takes the next bytes of the message. There may be none.
    public mutating func update(_ bytes: Span<UInt8>) { computation.update(bytes) }

    /// The digest of all bytes so far, 20 bytes. The computation does not change and can take more bytes.
    public func finalize() -> Digest {
        var copy = computation
        return Digest(.sha1, copy.finish().words)
    }
}
