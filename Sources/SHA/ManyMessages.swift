// Hashing many messages at once.
//
// A processor can hash several messages in about the time that one takes, because the messages do not wait
// for each other. The digests are those of one message after the other.
import Bytes
import Processor

extension HashAlgorithm {
    /// Hashes many messages.
    ///
    /// On x86-64, SHA-1 and SHA-256 hash sixteen messages at once with AVX-512 VL. Without it, SHA-256 hashes
    /// two at once with the SHA extensions, and without these, both hash eight at once with AVX2. Otherwise
    /// the messages are hashed one after the other.
    ///
    /// - Parameters:
    ///   - messages: the messages.
    ///   - acceleration: the processor instructions to use. The digests do not depend on them.
    /// - Returns: a digest for each message, in the order of the messages.
    public func digests(
        of messages: [ArraySlice<UInt8>],
        acceleration: Acceleration = .none
    ) -> [Digest] {
        guard !messages.isEmpty else { return [] }
        let messages = ContiguousArray(messages)
        switch self {
        case .sha1: return SHA1State.values(of: messages, acceleration).map { Digest(self, $0.words) }
        case .sha256: return SHA256State.values(of: messages, acceleration).map { Digest(self, $0.words) }
        case .sha384, .sha512:
            // The span lends each message. An iterator would copy it.
            let messages = messages.borrowedSpan
            return messages.indices.map { index in
                digest(of: messages[index].borrowedSpan, acceleration: acceleration)
            }
        }
    }
}

/// A hash value of a function that some processors compute for many messages at once.
protocol ManyMessagesState: HashState where Word == UInt32 {
    /// H(0).
    init()

    #if Accelerated && arch(x86_64)
        /// The words H0, H1, and so on, then zeros.
        var vector: SIMD8<UInt32> { get }

        /// Creates a hash value from its ``vector``.
        init(_ vector: SIMD8<UInt32>)

        /// Compresses the first blocks of as many messages as there are lanes.
        ///
        /// Unsafe: the processor must have the instructions. There must be eight words for each message, and
        /// each message must have that many whole blocks. This is not checked.
        ///
        /// - Parameters:
        ///   - hashes: the hash values: first H0 of each message, then H1 of each, and so on.
        ///   - messages: the address of each message.
        @unsafe
        static func compressLanes(
            _ hashes: UnsafeMutableRawPointer,
            _ messages: UnsafePointer<UnsafeRawPointer>,
            blockCount: Int,
            _ instructions: LaneInstructions
        )

        /// Compresses whole blocks of messages, two messages at a time. Does nothing without instructions for
        /// it.
        ///
        /// - Parameter byteCounts: how many bytes of each message were compressed: multiples of 64.
        static func compressInPairs(
            _ states: inout [Self],
            _ messages: ContiguousArray<ArraySlice<UInt8>>,
            _ byteCounts: inout [Int],
            _ acceleration: Acceleration
        )
    #endif
}

extension ManyMessagesState {
    /// The hash values of whole messages.
    fileprivate static func values(
        of messages: ContiguousArray<ArraySlice<UInt8>>,
        _ acceleration: Acceleration
    ) -> [Self] {
        var states = [Self](repeating: Self(), count: messages.count)
        /// How many bytes of each message were compressed: multiples of 64.
        var byteCounts = [Int](repeating: 0, count: messages.count)
        #if Accelerated && arch(x86_64)
            if let instructions = LaneInstructions(acceleration) {
                setValues(&states, of: messages, instructions, acceleration)
                return states
            }
            compressInPairs(&states, messages, &byteCounts, acceleration)
        #endif
        // The span lends each message. A subscript of the array would copy it.
        let messages = messages.borrowedSpan
        for index in messages.indices {
            let byteCount = byteCounts[index]
            var computation = HashComputation(states[index], after: UInt64(byteCount), acceleration)
            computation.update(messages[index].borrowedSpan.extracting(droppingFirst: byteCount))
            states[index] = computation.finish()
        }
        return states
    }
}

#if !Accelerated || !arch(x86_64)
    extension SHA1State: ManyMessagesState {}
    extension SHA256State: ManyMessagesState {}
#endif
