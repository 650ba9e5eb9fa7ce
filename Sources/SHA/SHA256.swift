import Bytes
import Processor

/// SHA-256 (FIPS 180-4 §6.2): a digest of 32 bytes, from blocks of 64.
public struct SHA256: HashFunction {
    private var computation: HashComputation<SHA256State>

    /// Starts a computation with an empty message; the hash value is H(0) (FIPS 180-4 §5.3.3).
    ///
    /// - Parameter acceleration: the processor instructions to use. The digest does not depend on them.
    public init(acceleration: Acceleration) {
        self.init(computation: HashComputation(SHA256State(), acceleration))
    }

    /// Hashes many messages.
    ///
    /// On a processor with the SHA extensions of x86-64, two messages are hashed at once, which takes less
    /// time than one after the other.
    ///
    /// - Parameters:
    ///   - messages: the messages.
    ///   - acceleration: the processor instructions to use. The digests do not depend on them.
    /// - Returns: a digest for each message, in the order of the messages.
    public static func digests(
        of messages: [ArraySlice<UInt8>],
        acceleration: Acceleration = .none
    ) -> [Digest] {
        // The span lends each message. A subscript of the array would copy it.
        let shared = ContiguousArray(messages)
        let messages = shared.borrowedSpan
        var states = [SHA256State](repeating: SHA256State(), count: messages.count)
        var byteCounts = [Int](repeating: 0, count: messages.count)
        var current = 0
        for next in messages.indices.dropFirst() {
            var (state, nextState) = (states[current], states[next])
            let byteCount = state.compress(
                messages[current].borrowedSpan.extracting(droppingFirst: byteCounts[current]),
                with: &nextState,
                messages[next].borrowedSpan,
                acceleration
            )
            (states[current], states[next]) = (state, nextState)
            byteCounts[current] += byteCount
            byteCounts[next] = byteCount
            // The message with more bytes left is paired with the next message.
            if messages[current].count - byteCounts[current] < messages[next].count - byteCount {
                current = next
            }
        }
        var digests: [Digest] = []
        digests.reserveCapacity(messages.count)
        for index in messages.indices {
            let byteCount = byteCounts[index]
            let computation = HashComputation(states[index], after: UInt64(byteCount), acceleration)
            var function = Self(computation: computation)
            function.update(messages[index].borrowedSpan.extracting(droppingFirst: byteCount))
            digests.append(function.finalize())
        }
        return digests
    }

    /// Continues a computation.
    private init(computation: HashComputation<SHA256State>) { self.computation = computation }

    /// Takes the next bytes of the message. There may be none.
    public mutating func update(_ bytes: Span<UInt8>) { computation.update(bytes) }

    /// The digest of all bytes so far, 32 bytes. The computation does not change and can take more bytes.
    public func finalize() -> Digest {
        var copy = computation
        return Digest(.sha256, copy.finish().words)
    }
}
