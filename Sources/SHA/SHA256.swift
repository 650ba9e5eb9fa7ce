/// SHA-256 (FIPS 180-4 §6.2): 32 bytes, blocks of 64.
public struct SHA256: HashFunction {
    private var computation: HashComputation<SHA256State>

    /// Before the first byte of a message: the hash value is H(0) (FIPS 180-4 §5.3.3).
    public init(acceleration: Acceleration) {
        self.init(computation: HashComputation(SHA256State(), acceleration))
    }

    /// The digests of two messages that lie in one piece each. Together they take less time than one after
    /// the other, where there are instructions for it.
    public static func digests(
        of first: Span<UInt8>,
        _ second: Span<UInt8>,
        acceleration: Acceleration = .none
    ) -> (Digest, Digest) {
        var state = SHA256State()
        var otherState = SHA256State()
        let count = state.compress(first, with: &otherState, second, acceleration)
        func digest(_ state: SHA256State, _ message: Span<UInt8>) -> Digest {
            var function = Self(computation: HashComputation(state, after: UInt64(count), acceleration))
            function.update(message.extracting(droppingFirst: count))
            return function.finalize()
        }
        return (digest(state, first), digest(otherState, second))
    }

    private init(computation: HashComputation<SHA256State>) { self.computation = computation }

    /// Takes the next bytes of the message, any number of them.
    public mutating func update(_ bytes: Span<UInt8>) { computation.update(bytes) }

    /// The 32 bytes of the digest so far. The computation is left as it is, and may go on.
    public func finalize() -> Digest {
        var copy = computation
        return Digest(.sha256, copy.finish().words)
    }
}
