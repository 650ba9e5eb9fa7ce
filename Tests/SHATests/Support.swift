import Processor
import SHA
import TestSupport
import Testing

/// The digest of a message that is hashed in chunks of these lengths, followed by the rest of the message.
func digest(
    _ algorithm: HashAlgorithm,
    of message: [UInt8],
    inChunks lengths: [Int],
    acceleration: Acceleration = acceleration
) -> Digest {
    var function = HashFunction(algorithm, acceleration: acceleration)
    var rest = message[...]
    for length in lengths {
        let chunk = rest.prefix(length)
        function.update(chunk.span)
        rest = rest.dropFirst(length)
    }
    function.update(rest.span)
    return function.finalize()
}

/// A message of `count` bytes that repeat after 256 bytes, so that a misplaced byte changes the digest.
func message(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: 7 * $0 + 3) } }

/// SplitMix64, a random number generator that gives the same numbers in each run.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

// Overloads for arrays: `#expect` captures its operands and cannot capture a span.

extension HashAlgorithm {
    /// The digest by portable code. Records an issue if the instructions of a processor give another digest.
    func digest(of message: [UInt8]) -> Digest {
        let portable = digest(of: message.span)
        for acceleration in accelerations {
            let digest = digest(of: message.span, acceleration: acceleration)
            if digest != portable {
                Issue.record("\(message.count) bytes, \(acceleration): \(digest), not \(portable)")
            }
        }
        return portable
    }
}

/// Why tests that compare instructions with portable code are skipped.
let noInstructions: Comment = "this build or this processor has no instructions for these algorithms"

extension HashAlgorithm {
    /// The instructions of this machine and of older ones with which a kernel computes the algorithm.
    var accelerations: [Acceleration] {
        guard self == .sha1 || self == .sha256 else { return [] }
        return TestSupport.accelerations.filter { acceleration in
            #if Accelerated && arch(x86_64)
                acceleration.allows(.shaExtensions) || acceleration.allows(.avx2)
            #elseif Accelerated && arch(arm64)
                acceleration.allows(.sha256)
            #else
                false
            #endif
        }
    }
}

extension Digest {
    init?(_ algorithm: HashAlgorithm, bytes: [UInt8]) { self.init(algorithm, bytes: bytes.span) }

    func equals(_ bytes: [UInt8]) -> Bool { equals(bytes.span) }
}
