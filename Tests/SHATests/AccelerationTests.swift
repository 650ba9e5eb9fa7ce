import Foundation
import Processor
import SHA
import TestSupport
import Testing

/// How many random messages a test hashes. Each of the 1,001 lengths comes four times in debug builds, and at
/// least 999 times in optimised builds, which `.ci/long` tests.
#if DEBUG
    private let randomMessageCount = 4004
#else
    private let randomMessageCount = 1_000_000
#endif

@Suite(
    "SHA-1 and SHA-256 instructions compute the digests of the portable code",
    .enabled(if: !HashAlgorithm.sha256.accelerations.isEmpty, noInstructions)
)
struct SHA256InstructionTests {
    static let algorithms: [HashAlgorithm] = [.sha1, .sha256]
    static let kernels = HashAlgorithm.sha256.accelerations

    @Test("for random messages of 0 to 1000 bytes, in one piece and in two", arguments: algorithms, kernels)
    func random(_ algorithm: HashAlgorithm, _ acceleration: Acceleration) {
        compareRandomMessages(algorithm, acceleration)
    }

    @Test("for long messages, in one piece and in random pieces", arguments: algorithms, kernels)
    func long(_ algorithm: HashAlgorithm, _ acceleration: Acceleration) {
        compareLongMessages(algorithm, acceleration)
    }

    @Test("for messages of one repeated byte, in which carries travel far", arguments: algorithms)
    func uniform(_ algorithm: HashAlgorithm) { compareUniformMessages(algorithm) }
}

private func compareRandomMessages(_ algorithm: HashAlgorithm, _ acceleration: Acceleration) {
    var generator = SplitMix64(state: 180)
    let bytes = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &generator) }
    for round in 0..<randomMessageCount {
        let start = Int.random(in: 0..<3000, using: &generator)
        // The length counts through 0 to 1000.
        let message = bytes.span.extracting(start..<(start + round % 1001))
        let wanted = algorithm.digest(of: message)
        let whole = algorithm.digest(of: message, acceleration: acceleration)
        let cut = Int.random(in: 0...message.count, using: &generator)
        let pieces = algorithm.digest(
            of: message.extracting(first: cut),
            message.extracting(droppingFirst: cut),
            acceleration: acceleration
        )
        if whole != wanted || pieces != wanted {
            Issue.record(
                "\(message.count) bytes from \(start), cut at \(cut): \(whole), \(pieces), not \(wanted)"
            )
            return
        }
    }
}

private func compareLongMessages(_ algorithm: HashAlgorithm, _ acceleration: Acceleration) {
    var generator = SplitMix64(state: 1995)
    for _ in 0..<4 {
        let message = message(Int.random(in: 100_000...200_000, using: &generator))
        let wanted = digest(algorithm, of: message, inChunks: [], acceleration: .none)
        let chunks = (0..<20).map { _ in Int.random(in: 0...10_000, using: &generator) }
        #expect(algorithm.digest(of: message) == wanted)
        #expect(
            digest(algorithm, of: message, inChunks: chunks, acceleration: acceleration) == wanted,
            "\(chunks)"
        )
    }
}

private func compareUniformMessages(_ algorithm: HashAlgorithm) {
    for byte: UInt8 in [0x00, 0x01, 0x7F, 0x80, 0xFF] {
        for count in 0...260 {
            // This overload compares the digest with and without instructions.
            _ = algorithm.digest(of: [UInt8](repeating: byte, count: count))
        }
    }
}

@Suite("Hashing many messages at once")
struct ManyMessagesTests {
    @Test(
        "gives each message the digest that it has alone, for 0 to 19 messages of any lengths",
        arguments: HashAlgorithm.allCases
    )
    func together(_ algorithm: HashAlgorithm) {
        var generator = SplitMix64(state: 256 + UInt64(algorithm.digestByteCount))
        let bytes = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &generator) }
        for round in 0..<randomMessageCount {
            let messages = (0..<(round % 20)).map { index in
                let start = Int.random(in: 0..<3000, using: &generator)
                // The lengths of the second and third message count through all pairs of lengths.
                let count = index == 1 ? (round * 7 + round / 1001) % 1001 : index == 2 ? round % 1001 : nil
                return bytes[start..<(start + (count ?? Int.random(in: 0...1000, using: &generator)))]
            }
            let wanted = messages.map { algorithm.digest(of: Array($0).span) }
            for acceleration in [.none] + accelerations {
                let found = algorithm.digests(of: messages, acceleration: acceleration)
                if found != wanted {
                    Issue.record("\(acceleration), \(messages.map(\.count)) bytes: \(found), not \(wanted)")
                    return
                }
            }
        }
    }

    @Test(
        "is right for messages that end at a block boundary or need another block for the padding",
        arguments: HashAlgorithm.allCases
    )
    func edges(_ algorithm: HashAlgorithm) {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }
        let counts = [0, 1, 55, 56, 63, 64, 65, 127, 128, 129, 1000]
        let wanted = counts.map { algorithm.digest(of: bytes.span.extracting(first: $0)) }
        for acceleration in [.none] + accelerations {
            for first in counts.indices {
                for second in counts.indices {
                    // Three messages are hashed alone or in pairs, nine in lanes.
                    for others in [1, 7] {
                        let indices =
                            [first, second] + (0..<others).map { (first + 3 * second + $0) % counts.count }
                        let messages = indices.map { bytes[..<counts[$0]] }
                        let found = algorithm.digests(of: messages, acceleration: acceleration)
                        #expect(
                            found == indices.map { wanted[$0] },
                            "\(acceleration), \(messages.map(\.count))"
                        )
                    }
                }
            }
        }
    }

    @Test("is right for long messages of different lengths, which take free lanes as others end")
    func long() {
        var generator = SplitMix64(state: 4096)
        let bytes = (0..<(1 << 17)).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let counts = [4032, 4095, 4096, 8191, 20_000, 65_536, 100_000] + (0..<40).map { 640 * $0 }
        let messages = counts.shuffled(using: &generator).map { bytes[..<$0] }
        for algorithm in [HashAlgorithm.sha1, .sha256] {
            let wanted = messages.map { algorithm.digest(of: Array($0).span) }
            for acceleration in [.none] + accelerations {
                let found = algorithm.digests(of: messages, acceleration: acceleration)
                #expect(found == wanted, "\(acceleration)")
            }
        }
    }

    @Test("keeps each message apart from the others, whichever lane it has")
    func lanes() {
        // A message of two blocks from FIPS 180-4's examples. sha1sum and sha256sum give these digests.
        let message = Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)
        let wanted: [(HashAlgorithm, String)] = [
            (.sha1, "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
            (.sha256, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
        ]
        for (algorithm, digest) in wanted {
            for lane in 0..<16 {
                // The others differ from it and from each other in every byte. Lanes are given by length, so
                // messages of one length have them in their order.
                let messages = (0..<16).map { index in
                    index == lane ? message[...] : message.map { ~$0 &+ UInt8(index) }[...]
                }
                for acceleration in [.none] + accelerations {
                    let found = algorithm.digests(of: messages, acceleration: acceleration)
                    #expect(
                        found[lane] == Digest(algorithm, bytes: hex(digest)),
                        "\(acceleration), lane \(lane)"
                    )
                    let alone = messages.map { algorithm.digest(of: Array($0).span) }
                    #expect(found == alone, "\(acceleration)")
                }
            }
        }
    }
}

@Suite("Hashing reads only the message")
struct BoundsTests {
    @Test(
        "with inaccessible memory directly before and after the message",
        arguments: HashAlgorithm.allCases
    )
    func bounds(_ algorithm: HashAlgorithm) throws {
        let page = Int(getpagesize())
        guard let pages = unsafe mmap(nil, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANON, -1, 0),
            unsafe pages != MAP_FAILED
        else {
            Issue.record("mmap maps no memory")
            return
        }
        defer { unsafe munmap(pages, 3 * page) }
        let isOpen = unsafe mprotect(pages + page, page, PROT_READ | PROT_WRITE) == 0
        try #require(isOpen)
        // The middle page. It is readable and writable, and the system has filled it with zeros.
        let middle = unsafe UnsafeBufferPointer(
            start: (pages + page).assumingMemoryBound(to: UInt8.self),
            count: page
        )
        let zeros = [UInt8](repeating: 0, count: page)
        for (count, acceleration) in (Array(0...300) + [page]).flatMap({ count in
            ([.none] + accelerations).map { (count, $0) }
        }) {
            let wanted = algorithm.digest(of: zeros.span.extracting(first: count))
            let first = unsafe algorithm.digest(
                of: middle.span.extracting(first: count),
                acceleration: acceleration
            )
            let last = unsafe algorithm.digest(
                of: middle.span.extracting(last: count),
                acceleration: acceleration
            )
            #expect(first == wanted && last == wanted, "\(count) bytes")
        }
    }
}
