import SHA
import TestSupport
import Testing

@Suite(
    "NIST's CAVP vectors",
    .enabled(if: SharedData.isExpected, "../shared is not beside this checkout")
)
struct CAVPTests {
    private static func algorithm(_ row: Row) throws -> HashAlgorithm {
        try #require(HashAlgorithm.allCases.first { "\($0)" == row["hash"] })
    }

    @Test("every short and long message has its digest, in one piece and in random pieces")
    func messages() throws {
        let suite = try VectorSuite("cavp-msg")
        var generator = SplitMix64(state: 180_4)
        let judgements = try suite.rows().map { row in
            let algorithm = try Self.algorithm(row)
            let message = hex(row["msg_hex"])
            #expect(message.count == Int(row["len_bytes"]))
            let chunks = (0..<8).map { _ in Int.random(in: 0...(message.count / 4 + 1), using: &generator) }
            let digests = [
                algorithm.digest(of: message).description,
                digest(algorithm, of: message, inChunks: chunks).description,
            ]
            return VectorSuite.Judgement(
                "\(row["hash"])/\(row["kind"])/\(row["len_bytes"])",
                demanded: .accept,
                decided: digests.allSatisfy { $0 == row["md_hex"] } ? .accept : .reject,
                why: "\(digests), in chunks of \(chunks)"
            )
        }
        suite.judge(judgements)
    }

    @Test("the Monte Carlo test reaches its hundred checkpoints")
    func monteCarlo() throws {
        let suite = try VectorSuite("cavp-monte")
        let judgements = try suite.rows().map { row in
            let checkpoints = row["checkpoints"].split(separator: ",").map { hex($0) }
            #expect(checkpoints.count == 100)
            let found = Self.checkpoints(try Self.algorithm(row), seed: hex(row["seed_hex"]))
            return VectorSuite.Judgement(
                row["hash"],
                demanded: .accept,
                decided: found == checkpoints ? .accept : .reject,
                why: "other checkpoints"
            )
        }
        suite.judge(judgements)
    }

    /// The Monte Carlo test (SHAVS §6.4): MD(i) is the digest of MD(i − 3) ‖ MD(i − 2) ‖ MD(i − 1). The first
    /// three are the seed. Every thousandth digest is a checkpoint and the next seed.
    private static func checkpoints(_ algorithm: HashAlgorithm, seed: [UInt8]) -> [[UInt8]] {
        var seed = seed
        let count = algorithm.digestByteCount
        return (0..<100).map { _ in
            var window = seed + seed + seed
            for _ in 0..<1000 {
                let next = algorithm.digest(of: window)
                for index in 0..<(2 * count) { window[index] = window[index + count] }
                for index in 0..<count { window[2 * count + index] = next[index] }
            }
            seed = Array(window.suffix(count))
            return seed
        }
    }
}
