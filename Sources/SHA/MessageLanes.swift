// Hashing several messages at once, in the lanes of vectors, in builds that contain such kernels.
#if Accelerated && arch(x86_64)
    import AVX2
    import AVX512VL
    import Bytes
    import Processor

    /// The instructions that hash as many messages at once as a vector has lanes.
    struct LaneInstructions {
        enum Kernel {
            case avx2
            case avx512VL
        }

        let kernel: Kernel
        /// The smallest number of messages that takes less time together than otherwise, by measurement.
        let worthwhileCount: Int

        /// Chooses instructions that are allowed; nil if other instructions take less time.
        init?(_ acceleration: Acceleration) {
            let hasSHAExtensions = acceleration.allows(.shaExtensions)
            guard acceleration.allows(.avx512VL) || acceleration.allows(.avx2) && !hasSHAExtensions else {
                return nil
            }
            kernel = acceleration.allows(.avx512VL) ? .avx512VL : .avx2
            worthwhileCount = hasSHAExtensions ? 8 : 3
        }

        /// The number of lanes.
        var count: Int { kernel == .avx2 ? 8 : 16 }
    }

    extension ManyMessagesState {
        /// Computes the hash values of whole messages.
        ///
        /// The whole blocks of the messages come first, and then their padded ends.
        static func setValues(
            _ states: inout [Self],
            of messages: ContiguousArray<ArraySlice<UInt8>>,
            _ instructions: LaneInstructions,
            _ acceleration: Acceleration
        ) {
            compressWholeBlocks(&states, messages, instructions, acceleration)
            compressWholeBlocks(&states, paddedEnds(of: messages), instructions, acceleration)
        }

        /// Compresses the whole blocks of messages: in lanes, then the rest of the last few messages in pairs
        /// and one by one.
        private static func compressWholeBlocks(
            _ states: inout [Self],
            _ messages: ContiguousArray<ArraySlice<UInt8>>,
            _ instructions: LaneInstructions,
            _ acceleration: Acceleration
        ) {
            var byteCounts = [Int](repeating: 0, count: messages.count)
            compressInLanes(&states, messages, &byteCounts, instructions)
            compressInPairs(&states, messages, &byteCounts, acceleration)
            let messages = messages.borrowedSpan
            for index in messages.indices {
                let rest = messages[index].borrowedSpan.extracting(droppingFirst: byteCounts[index])
                guard rest.count >= 64 else { continue }
                // A byte has no padding, so all raw bytes of the span are initialised.
                states[index].compress(unsafe rest.bytes, acceleration)
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
            var ranges: [Range<Int>] = []
            ranges.reserveCapacity(messages.count)
            for index in messages.indices {
                let (start, byteCount) = (bytes.count, messages[index].count)
                bytes.append(copying: messages[index].borrowedSpan.extracting(last: byteCount & 63))
                bytes.append(0x80)
                // The length takes eight bytes at the end of a block.
                bytes.append(contentsOf: repeatElement(0, count: (56 &- bytes.count) & 63))
                let bitCount = UInt64(byteCount) &* 8
                for shift in stride(from: 56 as UInt64, through: 0, by: -8) {
                    bytes.append(UInt8(truncatingIfNeeded: bitCount &>> shift))
                }
                ranges.append(start..<bytes.count)
            }
            var ends: ContiguousArray<ArraySlice<UInt8>> = []
            ends.reserveCapacity(ranges.count)
            for range in ranges { ends.append(bytes[range]) }
            return ends
        }

        /// Compresses whole blocks of messages, as many messages at a time as there are lanes.
        ///
        /// The longest messages come first. When a message has no block left, the next one takes its lane.
        /// The rest of the last few messages is not compressed.
        ///
        /// - Parameter byteCounts: how many bytes of each message were compressed: zeros, and then multiples
        ///   of 64.
        private static func compressInLanes(
            _ states: inout [Self],
            _ messages: ContiguousArray<ArraySlice<UInt8>>,
            _ byteCounts: inout [Int],
            _ instructions: LaneInstructions
        ) {
            // The span lends each message. A subscript of the array would copy it.
            let messages = messages.borrowedSpan
            let laneCount = instructions.count
            let ends = messages.indices.map { index in messages[index].count & ~63 }
            /// The messages without a lane that have blocks, the longest last.
            var waiting = ends.indices.filter { ends[$0] > 0 }.sorted { ends[$0] < ends[$1] }
            guard waiting.count >= instructions.worthwhileCount else { return }
            /// The message in each lane; nil if there is none.
            var lanes = [Int?](repeating: nil, count: laneCount)
            var hashes = [UInt32](repeating: 0, count: 8 * laneCount)
            var addresses: [UnsafeRawPointer] = unsafe []
            /// A message in a lane.
            var anyMessage = waiting[0]
            func setMessage(in lane: Int) {
                lanes[lane] = waiting.popLast()
                guard let index = lanes[lane] else { return }
                let vector = states[index].vector
                for word in 0..<8 { hashes[word * laneCount + lane] = vector[word] }
            }
            func setState(from lane: Int) {
                guard let index = lanes[lane] else { return }
                var vector = SIMD8<UInt32>.zero
                for word in 0..<8 { vector[word] = hashes[word * laneCount + lane] }
                states[index] = Self(vector)
            }
            for lane in 0..<laneCount { setMessage(in: lane) }
            while true {
                var count = 0
                var byteCount = Int.max
                for case let index? in lanes {
                    count += 1
                    byteCount = min(byteCount, ends[index] - byteCounts[index])
                    anyMessage = index
                }
                guard count >= instructions.worthwhileCount else { break }
                unsafe addresses.removeAll(keepingCapacity: true)
                for lane in 0..<laneCount {
                    // Lanes without a message hash another lane's message, and nothing reads the result.
                    let index = lanes[lane] ?? anyMessage
                    let rest = messages[index].borrowedSpan.extracting(droppingFirst: byteCounts[index])
                    // The rest is not empty, so it has an address. The message stays there, unchanged, until
                    // this function returns, because the span borrows it.
                    unsafe addresses.append(rest.withUnsafeBytes { unsafe $0.baseAddress.unsafelyUnwrapped })
                }
                // The processor has the instructions. Each message has `byteCount` more bytes, a multiple of
                // 64. Neither array is empty, so both have an address.
                unsafe hashes.withUnsafeMutableBytes { hashes in
                    unsafe addresses.withUnsafeBufferPointer { addresses in
                        unsafe compressLanes(
                            hashes.baseAddress.unsafelyUnwrapped,
                            addresses.baseAddress.unsafelyUnwrapped,
                            blockCount: byteCount / 64,
                            instructions
                        )
                    }
                }
                for lane in 0..<laneCount {
                    guard let index = lanes[lane] else { continue }
                    byteCounts[index] += byteCount
                    guard byteCounts[index] == ends[index] else { continue }
                    setState(from: lane)
                    setMessage(in: lane)
                }
            }
            for lane in 0..<laneCount { setState(from: lane) }
        }
    }

    extension SHA1State: ManyMessagesState {
        var vector: SIMD8<UInt32> { SIMD8(h0, h1, h2, h3, h4, 0, 0, 0) }

        init(_ vector: SIMD8<UInt32>) {
            (h0, h1, h2, h3, h4) = (vector[0], vector[1], vector[2], vector[3], vector[4])
        }

        @unsafe
        static func compressLanes(
            _ hashes: UnsafeMutableRawPointer,
            _ messages: UnsafePointer<UnsafeRawPointer>,
            blockCount: Int,
            _ instructions: LaneInstructions
        ) {
            // The caller has checked that the processor has these instructions, and that the blocks exist.
            switch instructions.kernel {
            case .avx2: unsafe AVX2.compressSHA1(lanes: hashes, messages, blockCount: blockCount)
            case .avx512VL: unsafe AVX512VL.compressSHA1(lanes: hashes, messages, blockCount: blockCount)
            }
        }

        static func compressInPairs(
            _ states: inout [Self],
            _ messages: ContiguousArray<ArraySlice<UInt8>>,
            _ byteCounts: inout [Int],
            _ acceleration: Acceleration
        ) {}
    }

    extension SHA256State: ManyMessagesState {
        var vector: SIMD8<UInt32> { SIMD8(h0, h1, h2, h3, h4, h5, h6, h7) }

        init(_ vector: SIMD8<UInt32>) {
            (h0, h1, h2, h3) = (vector[0], vector[1], vector[2], vector[3])
            (h4, h5, h6, h7) = (vector[4], vector[5], vector[6], vector[7])
        }

        @unsafe
        static func compressLanes(
            _ hashes: UnsafeMutableRawPointer,
            _ messages: UnsafePointer<UnsafeRawPointer>,
            blockCount: Int,
            _ instructions: LaneInstructions
        ) {
            // The caller has checked that the processor has these instructions, and that the blocks exist.
            switch instructions.kernel {
            case .avx2: unsafe AVX2.compressSHA256(lanes: hashes, messages, blockCount: blockCount)
            case .avx512VL: unsafe AVX512VL.compressSHA256(lanes: hashes, messages, blockCount: blockCount)
            }
        }
    }
#endif
