// Hashing many messages at once.
//
// A processor can hash several messages in about the time that one takes, because the messages do not wait
// for each other. The digests are the same as for one message after the other.
import Basics
import Processor

#if Accelerated && arch(x86_64)
    import AVX2
    import AVX512VL
    import SHAExtensions
#endif

extension HashAlgorithm {
    /// Hashes many messages.
    ///
    /// In x86-64 builds with the trait `Accelerated`, SHA-256 hashes up to sixteen messages at once with
    /// AVX-512 VL, and two at once with the SHA extensions. If neither is allowed, it hashes up to eight at
    /// once with AVX2. All other messages are hashed one after the other.
    ///
    /// - Parameters:
    ///   - messages: whole messages. There may be none.
    ///   - acceleration: the processor instructions that may be used. They do not change the digests.
    /// - Returns: a digest for each message, in the order of the messages.
    public func digests(
        of messages: [ArraySlice<UInt8>],
        acceleration: Acceleration = .none
    ) -> [Digest] {
        let messages = ContiguousArray(messages)
        #if Accelerated && arch(x86_64)
            if self == .sha256, let hashes = ManyMessages(messages.count, acceleration)?.hashes(of: messages)
            {
                return hashes.map { Digest(self, SIMD8(truncatingIfNeeded: $0)) }
            }
        #endif
        // The span lends each message. An iterator would copy it.
        let span = messages.borrowedSpan
        return span.indices.map { digest(of: span[$0].borrowedSpan, acceleration: acceleration) }
    }
}

#if Accelerated && arch(x86_64)
    /// Hashes messages with SHA-256 in the lanes of vectors and in pairs.
    private struct ManyMessages {
        private let acceleration: Acceleration
        /// The number of messages that vectors hash at once: 16 if AVX-512 VL is allowed, else 0 if the SHA
        /// extensions are allowed, else 8, with AVX2.
        private let laneCount: Int
        /// The smallest number of messages that vectors hash: 8 if the SHA extensions are allowed, else 3.
        private let worthwhileCount: Int
        /// The hash value of each message after the blocks that were compressed so far.
        private var hashes: [SIMD8<UInt32>]

        /// Prepares to hash `count` messages. Nil if none of AVX-512 VL, the SHA extensions and AVX2 is
        /// allowed.
        init?(_ count: Int, _ acceleration: Acceleration) {
            let hasSHAExtensions = acceleration.allows(.shaExtensions)
            let hasAVX2 = acceleration.allows(.avx2) && !hasSHAExtensions
            laneCount = acceleration.allows(.avx512VL) ? 16 : hasAVX2 ? 8 : 0
            guard laneCount > 0 || hasSHAExtensions else { return nil }
            self.acceleration = acceleration
            worthwhileCount = hasSHAExtensions ? 8 : 3
            hashes = Array(repeating: SHA256.initialHashValue, count: count)
        }

        /// The final hash value of each message. Compresses whole blocks first, and then the padded ends.
        consuming func hashes(of messages: ContiguousArray<ArraySlice<UInt8>>) -> [SIMD8<UInt32>] {
            compress(messages)
            compress(Self.paddedEnds(of: messages))
            return hashes
        }

        /// Updates each message's hash value with its whole blocks. Takes many messages at once in vectors,
        /// if there are lanes and enough messages. Takes the blocks that are left in pairs of messages, if
        /// the SHA extensions are allowed, and one by one. Ignores bytes after the last block.
        private mutating func compress(_ messages: ContiguousArray<ArraySlice<UInt8>>) {
            /// How many bytes of each message were compressed: multiples of 64.
            var byteCounts = [Int](repeating: 0, count: messages.count)
            // The span lends each message. A subscript of the array would copy it.
            let messages = messages.borrowedSpan
            compressInLanes(messages, &byteCounts)
            compressInPairs(messages, &byteCounts)
            for index in messages.indices {
                let rest = messages[index].borrowedSpan.extracting(droppingFirst: byteCounts[index])
                guard rest.count >= 64 else { continue }
                // A byte has no padding, so all raw bytes of the span are initialised.
                HashAlgorithm.sha256.compress(&hashes[index], unsafe rest.bytes, acceleration)
            }
        }

        /// For each message, the bytes after its last whole block with the padding (FIPS 180-4 §5.1.1): one
        /// block or two.
        private static func paddedEnds(
            of messages: ContiguousArray<ArraySlice<UInt8>>
        ) -> ContiguousArray<ArraySlice<UInt8>> {
            let messages = messages.borrowedSpan
            var bytes: [UInt8] = []
            bytes.reserveCapacity(128 * messages.count)
            var starts = [0]
            starts.reserveCapacity(messages.count + 1)
            for index in messages.indices {
                let byteCount = messages[index].count
                bytes.append(copying: messages[index].borrowedSpan.extracting(last: byteCount & 63))
                bytes.append(0x80)
                // The length takes eight bytes at the end of a block.
                bytes.append(contentsOf: repeatElement(0, count: (56 &- bytes.count) & 63))
                let bitCount = UInt64(byteCount) &* 8
                for shift in stride(from: 56 as UInt64, through: 0, by: -8) {
                    bytes.append(UInt8(truncatingIfNeeded: bitCount &>> shift))
                }
                starts.append(bytes.count)
            }
            return ContiguousArray(zip(starts, starts.dropFirst()).lazy.map { bytes[$0..<$1] })
        }

        /// Compresses the whole blocks after the first `byteCounts` bytes, two messages at a time, and adds
        /// their bytes to `byteCounts`. Does nothing unless the SHA extensions are allowed. Blocks of one
        /// message may be left.
        private mutating func compressInPairs(
            _ messages: Span<ArraySlice<UInt8>>,
            _ byteCounts: inout [Int]
        ) {
            guard acceleration.allows(.shaExtensions) else { return }
            var current = 0
            for next in messages.indices.dropFirst() {
                var (hash, nextHash) = (hashes[current], hashes[next])
                let rest = messages[current].borrowedSpan.extracting(droppingFirst: byteCounts[current])
                let nextRest = messages[next].borrowedSpan.extracting(droppingFirst: byteCounts[next])
                // The processor has these instructions. A byte has no padding, so all raw bytes of the spans
                // are initialised.
                unsafe SHAExtensions.compressSHA256(&hash, rest.bytes, &nextHash, nextRest.bytes)
                (hashes[current], hashes[next]) = (hash, nextHash)
                let byteCount = min(rest.count, nextRest.count) & ~63
                byteCounts[current] += byteCount
                byteCounts[next] += byteCount
                // The message with more bytes left is paired with the next message.
                if rest.count < nextRest.count { current = next }
            }
        }

        /// Compresses whole blocks of several messages at a time, one in each lane, while at least
        /// ``worthwhileCount`` messages have blocks left. Does nothing without lanes. The messages with the
        /// most blocks come first. When a message has no block left, the next one takes its lane.
        private mutating func compressInLanes(
            _ messages: Span<ArraySlice<UInt8>>,
            _ byteCounts: inout [Int]
        ) {
            let ends = messages.indices.map { index in messages[index].count & ~63 }
            /// The indices of the messages that have blocks and no lane yet, the one with most blocks last.
            var waiting = ends.indices.filter { ends[$0] > 0 }.sorted { ends[$0] < ends[$1] }
            guard laneCount > 0, waiting.count >= worthwhileCount else { return }
            /// The index of the message in each lane; nil if the lane has none.
            var lanes = [Int?](repeating: nil, count: laneCount)
            /// The first word of the hash value in each lane, then the second of each, and so on.
            var words = [UInt32](repeating: 0, count: 8 * laneCount)
            var addresses: [UnsafeRawPointer] = unsafe []
            while true {
                for lane in lanes.indices where lanes[lane] == nil {
                    guard let index = waiting.popLast() else { break }
                    lanes[lane] = index
                    for word in 0..<8 { words[word * laneCount + lane] = hashes[index][word] }
                }
                var (count, byteCount, anyMessage) = (0, Int.max, 0)
                for case let index? in lanes {
                    count += 1
                    byteCount = min(byteCount, ends[index] - byteCounts[index])
                    anyMessage = index
                }
                guard count >= worthwhileCount else { break }
                unsafe addresses.removeAll(keepingCapacity: true)
                for lane in lanes {
                    // Lanes without a message hash another lane's message, and nothing reads the result.
                    let index = lane ?? anyMessage
                    let rest = messages[index].borrowedSpan.extracting(droppingFirst: byteCounts[index])
                    // The rest is not empty, so it has an address. The message stays there, unchanged, until
                    // this function returns, because the span borrows it.
                    unsafe addresses.append(rest.withUnsafeBytes { unsafe $0.baseAddress.unsafelyUnwrapped })
                }
                unsafe compress(&words, addresses, blockCount: byteCount / 64)
                for lane in lanes.indices {
                    guard let index = lanes[lane] else { continue }
                    byteCounts[index] += byteCount
                    guard byteCounts[index] == ends[index] else { continue }
                    setHash(of: index, from: words, lane)
                    lanes[lane] = nil
                }
            }
            for lane in lanes.indices {
                if let index = lanes[lane] { setHash(of: index, from: words, lane) }
            }
        }

        /// Sets the hash value of the message at `index` to the hash value in a lane of `words`.
        private mutating func setHash(of index: Int, from words: [UInt32], _ lane: Int) {
            for word in 0..<8 { hashes[index][word] = words[word * laneCount + lane] }
        }

        /// Updates each lane's hash value in `words` with `blockCount` 64-byte blocks at the lane's address.
        ///
        /// Unsafe: each lane must have eight words and an address with that many blocks. This is not checked.
        @unsafe
        private func compress(_ words: inout [UInt32], _ addresses: [UnsafeRawPointer], blockCount: Int) {
            // The processor has the instructions. Neither array is empty, so both have an address.
            unsafe words.withUnsafeMutableBytes { words in
                unsafe addresses.withUnsafeBufferPointer { addresses in
                    let words = unsafe words.baseAddress.unsafelyUnwrapped
                    let addresses = unsafe addresses.baseAddress.unsafelyUnwrapped
                    if laneCount == 16 {
                        unsafe AVX512VL.compressSHA256(lanes: words, addresses, blockCount: blockCount)
                    } else {
                        unsafe AVX2.compressSHA256(lanes: words, addresses, blockCount: blockCount)
                    }
                }
            }
        }
    }
#endif
