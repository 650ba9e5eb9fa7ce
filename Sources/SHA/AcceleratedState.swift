// Calls the kernels that use SHA or vector instructions of the processor, in builds that contain them. Hash
// values are passed as vectors. The kernel modules of all instruction sets have the same interface.
import Bytes
import Processor

#if Accelerated && arch(x86_64)
    import AVX2
    import AVX512VL
    import SHAExtensions
#elseif Accelerated && arch(arm64)
    import ArmSHA256
    import ArmSHA512
#endif

#if Accelerated && (arch(x86_64) || arch(arm64))
    extension Acceleration {
        /// Whether a kernel for SHA-1 and SHA-256 may run. On x86-64 the SHA extensions come before AVX2.
        @inline(__always)
        fileprivate var allowsSHA256: Bool {
            #if arch(x86_64)
                allows(.shaExtensions) || allows(.avx2)
            #else
                allows(.sha256)
            #endif
        }

        /// Whether a kernel for SHA-384 and SHA-512 may run. AVX-512 VL comes before AVX2.
        @inline(__always)
        fileprivate var allowsSHA512: Bool {
            #if arch(x86_64)
                allows(.avx512VL) || allows(.avx2)
            #else
                allows(.sha512)
            #endif
        }
    }

    extension SHA1State {
        /// Hashes whole blocks with the kernel if `acceleration` allows it, otherwise with portable code.
        mutating func compress(_ blocks: RawSpan, _ acceleration: Acceleration) {
            guard acceleration.allowsSHA256 else { return compress(blocks) }
            var h0to3 = SIMD4(h0, h1, h2, h3)
            // The processor has these instructions, and the system saves their registers.
            #if arch(x86_64)
                if acceleration.allows(.shaExtensions) {
                    unsafe SHAExtensions.compressSHA1(&h0to3, &h4, blocks)
                } else {
                    unsafe AVX2.compressSHA1(&h0to3, &h4, blocks)
                }
            #else
                unsafe compressSHA1(&h0to3, &h4, blocks)
            #endif
            (h0, h1, h2, h3) = (h0to3[0], h0to3[1], h0to3[2], h0to3[3])
        }
    }

    extension SHA256State {
        /// Hashes whole blocks with the kernel if `acceleration` allows it, otherwise with portable code.
        mutating func compress(_ blocks: RawSpan, _ acceleration: Acceleration) {
            guard acceleration.allowsSHA256 else { return compress(blocks) }
            var h0to3 = SIMD4(h0, h1, h2, h3)
            var h4to7 = SIMD4(h4, h5, h6, h7)
            // The processor has these instructions, and the system saves their registers.
            #if arch(x86_64)
                if acceleration.allows(.shaExtensions) {
                    unsafe SHAExtensions.compressSHA256(&h0to3, &h4to7, blocks)
                } else {
                    unsafe AVX2.compressSHA256(&h0to3, &h4to7, blocks)
                }
            #else
                unsafe compressSHA256(&h0to3, &h4to7, blocks)
            #endif
            set(h0to3, h4to7)
        }

        /// Sets the hash value from the vectors of a kernel.
        private mutating func set(_ h0to3: SIMD4<UInt32>, _ h4to7: SIMD4<UInt32>) {
            (h0, h1, h2, h3) = (h0to3[0], h0to3[1], h0to3[2], h0to3[3])
            (h4, h5, h6, h7) = (h4to7[0], h4to7[1], h4to7[2], h4to7[3])
        }
    }

    extension SHA512State {
        /// Hashes whole blocks with the kernel if `acceleration` allows it, otherwise with portable code.
        mutating func compress(_ blocks: RawSpan, _ acceleration: Acceleration) {
            guard acceleration.allowsSHA512 else { return compress(blocks) }
            var hash = words
            // The processor has these instructions, and the system saves their registers.
            #if arch(x86_64)
                if acceleration.allows(.avx512VL) {
                    unsafe AVX512VL.compressSHA512(&hash, blocks)
                } else {
                    unsafe AVX2.compressSHA512(&hash, blocks)
                }
            #else
                unsafe compressSHA512(&hash, blocks)
            #endif
            (h0, h1, h2, h3) = (hash[0], hash[1], hash[2], hash[3])
            (h4, h5, h6, h7) = (hash[4], hash[5], hash[6], hash[7])
        }
    }
#endif

#if Accelerated && arch(x86_64)
    extension SHA256State {
        static func compressInPairs(
            _ states: inout [Self],
            _ messages: ContiguousArray<ArraySlice<UInt8>>,
            _ byteCounts: inout [Int],
            _ acceleration: Acceleration
        ) {
            guard acceleration.allows(.shaExtensions) else { return }
            // The span lends each message. A subscript of the array would copy it.
            let messages = messages.borrowedSpan
            var current = 0
            for next in messages.indices.dropFirst() {
                var (state, nextState) = (states[current], states[next])
                let byteCount = state.compress(
                    messages[current].borrowedSpan.extracting(droppingFirst: byteCounts[current]),
                    with: &nextState,
                    messages[next].borrowedSpan.extracting(droppingFirst: byteCounts[next])
                )
                (states[current], states[next]) = (state, nextState)
                byteCounts[current] += byteCount
                byteCounts[next] += byteCount
                // The message with more bytes left is paired with the next message.
                let rest = messages[current].count - byteCounts[current]
                if rest < messages[next].count - byteCounts[next] { current = next }
            }
        }

        /// Compresses two messages at once: as many whole blocks of each as the shorter message has.
        ///
        /// Precondition, not checked: the SHA extensions are allowed.
        ///
        /// - Returns: how many bytes of each message were compressed: a multiple of 64.
        private mutating func compress(
            _ message: Span<UInt8>,
            with other: inout SHA256State,
            _ otherMessage: Span<UInt8>
        ) -> Int {
            var h0to3 = SIMD4(h0, h1, h2, h3)
            var h4to7 = SIMD4(h4, h5, h6, h7)
            var otherH0to3 = SIMD4(other.h0, other.h1, other.h2, other.h3)
            var otherH4to7 = SIMD4(other.h4, other.h5, other.h6, other.h7)
            // The processor has these instructions. A byte has no padding, so all raw bytes of the spans are
            // initialised.
            unsafe compressSHA256(
                &h0to3,
                &h4to7,
                message.bytes,
                &otherH0to3,
                &otherH4to7,
                otherMessage.bytes
            )
            set(h0to3, h4to7)
            other.set(otherH0to3, otherH4to7)
            return min(message.count, otherMessage.count) & ~63
        }
    }
#endif
