import TestSupport
import Testing

@testable import SHA

@Suite("The compression functions in few instructions compute what the unrolled ones compute")
struct CompactCompressionTests {
    /// H(0) of SHA-512 (FIPS 180-4 §5.3.5).
    private static let sha512 = SHA512State(
        h0: 0x6a09_e667_f3bc_c908,
        h1: 0xbb67_ae85_84ca_a73b,
        h2: 0x3c6e_f372_fe94_f82b,
        h3: 0xa54f_f53a_5f1d_36f1,
        h4: 0x510e_527f_ade6_82d1,
        h5: 0x9b05_688c_2b3e_6c1f,
        h6: 0x1f83_d9ab_fb41_bd6b,
        h7: 0x5be0_cd19_137e_2179
    )

    @Test("for the padded message abc, whose digest FIPS 180-4 states")
    func example() {
        expectABC(SHA1State(), "a9993e364706816aba3e25717850c26c9cd0d89d")
        expectABC(
            SHA256State(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        )
        expectABC(
            Self.sha512,
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        )
    }

    @Test("for blocks of random and of equal bytes, one or many at once, and ignore an incomplete block")
    func blocks() {
        compare(SHA1State())
        compare(SHA256State())
        compare(Self.sha512)
    }

    private func expectABC(_ state: some HashState, _ digest: String) {
        let count = blockByteCount(of: state)
        let block: [UInt8] = [0x61, 0x62, 0x63, 0x80] + [UInt8](repeating: 0, count: count - 5) + [24]
        let bytes = compactly(state, block).flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
        }
        #expect(Array(bytes.prefix(digest.utf8.count / 2)) == hex(digest))
    }

    private func compare(_ state: some HashState) {
        var generator = SplitMix64(state: 180_2)
        let count = blockByteCount(of: state)
        for blockCount in 0..<100 {
            // The last 99 bytes at most are an incomplete block.
            let rest = Int.random(in: 0..<min(count, 100), using: &generator)
            let random = (0..<(blockCount * count + rest)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let equal = random.map { _ in UInt8(truncatingIfNeeded: blockCount * 0x55) }
            for bytes in [random, equal] {
                var unrolled = state
                unrolled.compress(unsafe bytes.span.bytes)
                #expect(compactly(state, bytes) == words(unrolled), "\(blockCount) blocks, \(rest) bytes")
            }
        }
    }

    private func compactly(_ state: some HashState, _ bytes: [UInt8]) -> [UInt64] {
        var state = state
        state.compressCompactly(unsafe bytes.span.bytes)
        return words(state)
    }

    private func words(_ state: some HashState) -> [UInt64] { state.words.indices.map { state.words[$0] } }

    private func blockByteCount<State: HashState>(of state: State) -> Int {
        16 * MemoryLayout<State.Word>.size
    }
}
