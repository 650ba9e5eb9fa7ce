import SHA
import TestSupport
import Testing

@Suite(
    "NIST's CAVP vectors",
    .enabled(if: SharedData.isExpected, "../shared is not beside this checkout")
)
struct CAVPTests {
    @Test(
        "every short and long message has its digest, in one piece and in random ones",
        arguments: zip(HashAlgorithm.allCases, [129, 129, 257, 257])
    )
    func messages(_ algorithm: HashAlgorithm, _ expectedCount: Int) throws {
        var generator = SplitMix64(state: 180_4)
        let rows = try SharedData.table("vectors/sha/cavp-msg.tsv").filter { $0["hash"] == "\(algorithm)" }
        #expect(rows.count == expectedCount)
        for row in rows {
            let message = hex(row["msg_hex"])
            #expect(message.count == Int(row["len_bytes"]))
            #expect(algorithm.digest(of: message).description == row["md_hex"])
            let chunks = (0..<8).map { _ in Int.random(in: 0...(message.count / 4 + 1), using: &generator) }
            #expect(
                digest(algorithm, of: message, inChunks: chunks).description == row["md_hex"],
                "\(chunks)"
            )
        }
    }

    @Test("the Monte Carlo test passes its hundred checkpoints", arguments: HashAlgorithm.allCases)
    func monteCarlo(_ algorithm: HashAlgorithm) throws {
        let rows = try SharedData.table("vectors/sha/cavp-monte.tsv")
        let row = try #require(rows.first { $0["hash"] == "\(algorithm)" })
        let checkpoints = row["checkpoints"].split(separator: ",")
        #expect(checkpoints.count == 100)
        // SHAVS §6.4: MD(i) is the digest of MD(i − 3) ‖ MD(i − 2) ‖ MD(i − 1), all three the seed at first,
        // and every thousandth is a checkpoint and the next seed.
        var seed = hex(row["seed_hex"])
        let count = algorithm.digestByteCount
        for checkpoint in checkpoints {
            var window = seed + seed + seed
            for _ in 0..<1000 {
                let next = algorithm.digest(of: window)
                for index in 0..<(2 * count) { window[index] = window[index + count] }
                for index in 0..<count { window[2 * count + index] = next[index] }
            }
            seed = Array(window.suffix(count))
            #expect(seed == hex(checkpoint))
        }
    }
}
