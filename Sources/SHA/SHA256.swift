/// SHA-256 (FIPS 180-4 §6.2): 32 bytes, blocks of 64.
public struct SHA256: HashFunction {
    private var computation: HashComputation<SHA256State>

    /// Before the first byte of a message: the hash value is H(0) (FIPS 180-4 §5.3.3).
    public init(acceleration: Acceleration) {
        computation = HashComputation(SHA256State(), acceleration)
    }

    /// Takes the next bytes of the message, any number of them.
    public mutating func update(_ bytes: Span<UInt8>) { computation.update(bytes) }

    /// The 32 bytes of the digest so far. The computation is left as it is, and may go on.
    public func finalize() -> Digest {
        var copy = computation
        return Digest(.sha256, copy.finish().words)
    }
}
