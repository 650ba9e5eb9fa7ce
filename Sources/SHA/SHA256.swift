/// SHA-256 (FIPS 180-4 §6.2): 32 bytes, blocks of 64.
public struct SHA256: HashFunction {
    private var computation = HashComputation(SHA256State())

    public init() {}

    public mutating func update(_ bytes: Span<UInt8>) { computation.update(bytes) }

    public func finalize() -> Digest {
        var copy = computation
        return Digest(.sha256, copy.finish().words)
    }
}
