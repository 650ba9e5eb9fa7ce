/// SHA-256 (FIPS 180-4 §6.2): 32 bytes, blocks of 64.
public struct SHA256: HashFunction {
    private var computation: HashComputation<SHA256State>

    /// Before the first byte of a message: the hash value is H(0) (FIPS 180-4 §5.3.3).
    public init(acceleration: Acceleration) {
        self.init(computation: HashComputation(SHA256State(), acceleration))
    }

    /// The digests of messages, in their order. Together they take less time than one after the other,
    /// where there are instructions for two at once.
    public static func digests(
        of messages: [ArraySlice<UInt8>],
        acceleration: Acceleration = .none
    ) -> [Digest] {
        var states = [SHA256State](repeating: SHA256State(), count: messages.count)
        var byteCounts = [Int](repeating: 0, count: messages.count)
        var current = 0
        for next in messages.indices.dropFirst() {
            let (message, nextMessage) = (messages[current], messages[next])
            var (state, nextState) = (states[current], states[next])
            let byteCount = state.compress(
                message.span.extracting(droppingFirst: byteCounts[current]),
                with: &nextState,
                nextMessage.span,
                acceleration
            )
            (states[current], states[next]) = (state, nextState)
            byteCounts[current] += byteCount
            byteCounts[next] = byteCount
            // Whichever has more left goes on with the next.
            if message.count - byteCounts[current] < nextMessage.count - byteCount { current = next }
        }
        return messages.enumerated().map { index, message in
            let byteCount = byteCounts[index]
            let computation = HashComputation(states[index], after: UInt64(byteCount), acceleration)
            var function = Self(computation: computation)
            function.update(message.span.extracting(droppingFirst: byteCount))
            return function.finalize()
        }
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
