import Foundation
import SHA
import TestSupport
import Testing

@Suite("The processor's own instructions compute what the portable code defines")
struct AccelerationTests {
    /// Each length comes four times, and in optimised builds, which take less time for it, four hundred
    /// times.
    #if DEBUG
        private static let count = 4004
    #else
        private static let count = 400_000
    #endif

    @Test(
        "random messages of 0 to 1000 bytes, in one piece and in random ones",
        arguments: HashAlgorithm.allCases
    )
    func random(_ algorithm: HashAlgorithm) {
        var generator = SplitMix64(state: 180)
        let bytes = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &generator) }
        for round in 0..<Self.count {
            let start = Int.random(in: 0..<3000, using: &generator)
            // Every length comes, whatever the generator gives.
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

    @Test("messages together have the digests that they have alone, however many, whatever their lengths")
    func together() {
        var generator = SplitMix64(state: 256)
        let bytes = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &generator) }
        for round in 0..<Self.count {
            let messages = (0..<(round % 10)).map { index in
                let start = Int.random(in: 0..<3000, using: &generator)
                // Of the second and the third the lengths take their turns together.
                let count = index == 1 ? (round * 7 + round / 1001) % 1001 : index == 2 ? round % 1001 : nil
                return bytes[start..<(start + (count ?? Int.random(in: 0...1000, using: &generator)))]
            }
            let wanted = messages.map { SHA256.digest(of: Array($0).span) }
            for acceleration in [.none, acceleration] {
                let found = SHA256.digests(of: messages, acceleration: acceleration)
                if found != wanted {
                    Issue.record("\(messages.map(\.count)) bytes: \(found), not \(wanted)")
                    return
                }
            }
        }
    }

    @Test("messages together that end where blocks do, or padding begins another one")
    func edges() {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }
        let counts = [0, 1, 55, 56, 63, 64, 65, 127, 128, 129, 1000]
        let wanted = counts.map { SHA256.digest(of: bytes.span.extracting(first: $0)) }
        for first in counts.indices {
            for second in counts.indices {
                for third in counts.indices {
                    let indices = [first, second, third]
                    let messages = indices.map { bytes[..<counts[$0]] }
                    let found = SHA256.digests(of: messages, acceleration: acceleration)
                    #expect(found == indices.map { wanted[$0] }, "\(messages.map(\.count))")
                }
            }
        }
    }

    @Test("long messages, in one piece and in random ones", arguments: HashAlgorithm.allCases)
    func long(_ algorithm: HashAlgorithm) {
        var generator = SplitMix64(state: 1995)
        for _ in 0..<4 {
            let message = message(Int.random(in: 100_000...200_000, using: &generator))
            let wanted = digest(algorithm, of: message, inChunks: [], acceleration: .none)
            let chunks = (0..<20).map { _ in Int.random(in: 0...10_000, using: &generator) }
            #expect(algorithm.digest(of: message) == wanted)
            #expect(digest(algorithm, of: message, inChunks: chunks) == wanted, "\(chunks)")
        }
    }

    @Test(
        "any number of zeros or ones, in which a carry goes all the way",
        arguments: HashAlgorithm.allCases
    )
    func uniform(_ algorithm: HashAlgorithm) {
        for byte: UInt8 in [0x00, 0x01, 0x7F, 0x80, 0xFF] {
            for count in 0...260 {
                // It compares both roads.
                _ = algorithm.digest(of: [UInt8](repeating: byte, count: count))
            }
        }
    }

    @Test(
        "nothing before a message is read, nor after it: both are memory that ends the program",
        arguments: HashAlgorithm.allCases
    )
    func bounds(_ algorithm: HashAlgorithm) throws {
        let page = Int(getpagesize())
        guard let pages = unsafe mmap(nil, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANON, -1, 0),
            unsafe pages != MAP_FAILED
        else {
            Issue.record("no memory is mapped")
            return
        }
        defer { unsafe munmap(pages, 3 * page) }
        let isOpen = unsafe mprotect(pages + page, page, PROT_READ | PROT_WRITE) == 0
        try #require(isOpen)
        // The page in the middle, all of which may be read and written, and is zeros as the system gives it.
        let middle = unsafe UnsafeBufferPointer(
            start: (pages + page).assumingMemoryBound(to: UInt8.self),
            count: page
        )
        let zeros = [UInt8](repeating: 0, count: page)
        for count in Array(0...300) + [page] {
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

    @Test("nothing is used unless it is asked for and the build has it")
    func forcedOff() {
        #expect(Acceleration.none.description == "portable")
        #if !Accelerated || (!arch(x86_64) && !arch(arm64))
            #expect(acceleration == .none)
        #endif
    }

    #if Accelerated && os(Linux) && (arch(x86_64) || arch(arm64))
        /// What the system calls a processor's features, and what is used where it says all of them.
        #if arch(x86_64)
            private static let line = "flags"
            private static let names = [
                (["sha_ni", "sse4_1"], "SHA extensions"), (["avx512vl", "bmi1", "bmi2"], "AVX-512 VL"),
                (["avx512f", "avx512ifma"], "AVX-512 IFMA"),
                (["avx512bw", "avx512vbmi"], "AVX-512 VBMI"),
            ]
        #else
            private static let line = "Features"
            private static let names = [
                (["sha1", "sha2"], "FEAT_SHA256"), (["sha1", "sha2", "sha3", "sha512"], "FEAT_SHA512"),
                (["asimd"], "Advanced SIMD"),
            ]
        #endif

        private static var features: [Substring]? {
            let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
            return text?.split(separator: "\n").first { $0.hasPrefix(line) }?.split(separator: " ")
        }

        @Test(
            "what is detected is what the system says of the processor",
            .enabled(if: features != nil, "the system says nothing of it, as in some emulators")
        )
        func detected() throws {
            let features = try #require(Self.features)
            let names = Self.names.filter { needed, _ in
                needed.allSatisfy { features.contains(Substring($0)) }
            }.map(\.1)
            #expect(acceleration.description == (names.isEmpty ? "portable" : names.joined(separator: ", ")))
            #expect((acceleration == .none) == names.isEmpty)
        }
    #endif
}
