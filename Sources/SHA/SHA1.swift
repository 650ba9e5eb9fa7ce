/// SHA-1 (FIPS 180-4 §6.1): 20 bytes, blocks of 64.
///
/// Collisions can be made. It serves to check what was signed long ago, and nothing new.
public struct SHA1: HashFunction {
    private var computation = HashComputation(SHA1State())

    public init() {}

    public mutating func update(_ bytes: Span<UInt8>) { computation.update(bytes) }

    public func finalize() -> Digest {
        var copy = computation
        return Digest(.sha1, copy.finish().words)
    }
}
