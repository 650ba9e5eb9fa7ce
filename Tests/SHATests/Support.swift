import SHA
import TestSupport
import Testing

/// The digest of a message that is handed over in chunks of these lengths, the rest as the last.
func digest(
    _ algorithm: HashAlgorithm,
    of message: [UInt8],
    inChunks lengths: [Int],
    acceleration: Acceleration = acceleration
) -> Digest {
    switch algorithm {
    case .sha1: digest(SHA1(acceleration: acceleration), of: message, inChunks: lengths)
    case .sha256: digest(SHA256(acceleration: acceleration), of: message, inChunks: lengths)
    case .sha384: digest(SHA384(acceleration: acceleration), of: message, inChunks: lengths)
    case .sha512: digest(SHA512(acceleration: acceleration), of: message, inChunks: lengths)
    }
}

private func digest(
    _ function: some HashFunction,
    of message: [UInt8],
    inChunks lengths: [Int]
) -> Digest {
    var function = function
    var rest = message[...]
    for length in lengths {
        let chunk = rest.prefix(length)
        function.update(chunk.span)
        rest = rest.dropFirst(length)
    }
    function.update(rest.span)
    return function.finalize()
}

/// Bytes that repeat only after 256, so that one in a wrong place is noticed.
func message(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: 7 * $0 + 3) } }

/// SplitMix64: chunkings that look random and are the same in each run.
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

// `#expect` takes its operands apart, and cannot hold a span: these borrow from an array on the other side.

extension HashAlgorithm {
    /// By portable code, after a comparison with what the processor's own instructions compute, if there are
    /// any.
    func digest(of message: [UInt8]) -> Digest {
        let portable = digest(of: message.span)
        if acceleration != .none {
            let digest = digest(of: message.span, acceleration: acceleration)
            if digest != portable { Issue.record("\(message.count) bytes: \(digest), not \(portable)") }
        }
        return portable
    }
}

extension Digest {
    init?(_ algorithm: HashAlgorithm, bytes: [UInt8]) { self.init(algorithm, bytes: bytes.span) }

    func equals(_ bytes: [UInt8]) -> Bool { equals(bytes.span) }
}
