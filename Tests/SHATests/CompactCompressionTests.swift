import TestSupport
import Testing

@testable import SHA

@Suite("The compression functions in few instructions compute what the unrolled ones compute")
struct CompactCompressionTests {
    private typealias Compression = (inout SIMD8<UInt32>, RawSpan) -> Void

    @Test("for the padded message abc, whose digest FIPS 180-4 states")
    func example() {
        let block: [UInt8] = [0x61, 0x62, 0x63, 0x80] + [UInt8](repeating: 0, count: 59) + [24]
        var (sha1, sha256) = (SHA1.initialHashValue, SHA256.initialHashValue)
        SHA1.compressCompactly(&sha1, unsafe block.span.bytes)
        SHA256.compressCompactly(&sha256, unsafe block.span.bytes)
        #expect(
            sha1 == SIMD8(0xa999_3e36, 0x4706_816a, 0xba3e_2571, 0x7850_c26c, 0x9cd0_d89d, 0, 0, 0)
        )
        #expect(
            sha256
                == SIMD8(
                    0xba78_16bf,
                    0x8f01_cfea,
                    0x4141_40de,
                    0x5dae_2223,
                    0xb003_61a3,
                    0x9617_7a9c,
                    0xb410_ff61,
                    0xf200_15ad
                )
        )
    }

    @Test(
        "for blocks of random and of equal bytes, one or many at once, and ignore an incomplete block"
    )
    func blocks() {
        compare(SHA1.initialHashValue, SHA1.compress, SHA1.compressCompactly)
        compare(SHA256.initialHashValue, SHA256.compress, SHA256.compressCompactly)
    }

    private func compare(_ start: SIMD8<UInt32>, _ unrolled: Compression, _ compact: Compression) {
        var generator = SplitMix64(state: 180_2)
        for blockCount in 0..<100 {
            let rest = Int.random(in: 0..<64, using: &generator)
            let random = (0..<(blockCount * 64 + rest)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let equal = random.map { _ in UInt8(truncatingIfNeeded: blockCount * 0x55) }
            for bytes in [random, equal] {
                var (found, wanted) = (start, start)
                compact(&found, unsafe bytes.span.bytes)
                unrolled(&wanted, unsafe bytes.span.bytes)
                #expect(found == wanted, "\(blockCount) blocks, \(rest) bytes")
            }
        }
    }
}
