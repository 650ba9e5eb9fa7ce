import Processor
import SHA

/// Checks the hash functions. The digest is the same for any cutting of the message and any instructions.
///
/// The first four bytes choose how the rest is cut.
func fuzzSHA(_ input: [UInt8]) {
    let cuts = input.prefix(4).map(Int.init)
    let message = Array(input.dropFirst(4))
    for algorithm in HashAlgorithm.allCases { check(algorithm, message, cuts) }
}

private func check(_ algorithm: HashAlgorithm, _ message: [UInt8], _ cuts: [Int]) {
    let bytes = message.span
    let whole = algorithm.digest(of: bytes)
    require(
        whole.algorithm == algorithm && whole.count == algorithm.digestByteCount,
        "a digest has its length"
    )
    for acceleration in [.none] + accelerations {
        let oneShot = algorithm.digest(of: bytes, acceleration: acceleration)
        require(oneShot == whole, "\(algorithm) with \(acceleration)")
        var function = HashFunction(algorithm, acceleration: acceleration)
        var start = 0
        var turn = 0
        while start < bytes.count {
            let cut = cuts.isEmpty ? 1 : cuts[turn % cuts.count]
            turn += 1
            // An empty piece is allowed, but not endlessly.
            let size = min(bytes.count - start, turn > 2 * cuts.count ? max(1, cut) : cut)
            function.update(bytes.extracting(start..<(start + size)))
            start += size
            let soFar = function.finalize()
            guard turn == 2 else { continue }
            require(soFar == algorithm.digest(of: bytes.extracting(0..<start)), "a digest in the middle")
        }
        require(function.finalize() == whole, "\(algorithm) in pieces with \(acceleration)")

        // The message is hashed together with eight of its beginnings.
        let messages = (0..<9).map { message[..<(message.count - message.count * $0 / 9)] }
        let digests = algorithm.digests(of: messages, acceleration: acceleration)
        require(digests[0] == whole, "\(algorithm) among others with \(acceleration)")
        let last = algorithm.digest(of: bytes.extracting(0..<messages[8].count))
        require(digests[8] == last, "\(algorithm) of the last of nine with \(acceleration)")
    }
}
