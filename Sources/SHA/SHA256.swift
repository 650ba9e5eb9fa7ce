import Bytes
import Processor

/// SHA-256 (FIPS 180-4 §6.2): a digest of 32 bytes, from blocks of 64.
public struct SHA256: HashFunction {
    private var computation: HashComputation<SHA256State>

    /// Starts a computation with an empty message; the hash value is H(0) (FIPS 180-4 §5.3.3).
    ///
    /// - Parameter acceleration: the processor instructions to use. The digest does not depend on them.
    public init(acceleration: Acceleration) {
        computation = HashComputation(SHA256State(), acceleration)
    }

    /// Takes the next bytes of the message. There may be none.
    public mutating func update(_ bytes: Span<UInt8>) { computation.update(bytes) }

    /// The digest of all bytes so far, 32 bytes. The computation does not change and can take more bytes.
    public func finalize() -> Digest {
        var copy = computation
        return Digest(.sha256, copy.finish().words)
    }
}
