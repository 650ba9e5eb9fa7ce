/// SHA-1 (FIPS 180-4 §6.1): 20 bytes, blocks of 64.
///
/// Collisions can be made. It serves to check what was signed long ago, and nothing new.
public struct SHA1: HashFunction {
    private var computation: HashComputation<SHA1State>

    /// Before the first byte of a message: the hash value is H(0) (FIPS 180-4 §5.3.1).
    public init(acceleration: Acceleration) {
        computation = HashComputation(SHA1State(), acceleration)
    }

    /// Takes the next bytes of the message, any number of them.
    public mutating func update(_ bytes: Span<UInt8>) { computation.update(bytes) }

    /// The 20 bytes of the digest so far. The computation is left as it is, and may go on.
    public func finalize() -> Digest {
        var copy = computation
        return Digest(.sha1, copy.finish().words)
    }
}
