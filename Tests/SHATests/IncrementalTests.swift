import Processor
import SHA
import TestSupport
import Testing

@Suite("Hashing a message in pieces")
struct IncrementalTests {
    @Test(
        "two pieces give the digest of the whole, for lengths 0 to 300 and every cut",
        arguments: HashAlgorithm.allCases
    )
    func twoPieces(_ algorithm: HashAlgorithm) {
        let message = message(300)
        let whole = (0...300).map { algorithm.digest(of: message.span.extracting(first: $0)) }
        for cut in 0...300 {
            var first = HashFunction(algorithm, acceleration: acceleration)
            first.update(message.span.extracting(0..<cut))
            for count in cut...300 {
                var both = first
                both.update(message.span.extracting(cut..<count))
                let digest = both.finalize()
                if digest != whole[count] { Issue.record("\(count) bytes, cut at \(cut): \(digest)") }
            }
        }
    }

    @Test("single bytes give the digest of the whole", arguments: HashAlgorithm.allCases)
    func bytewise(_ algorithm: HashAlgorithm) {
        let message = message(700)
        let chunks = [Int](repeating: 1, count: 700)
        #expect(digest(algorithm, of: message, inChunks: chunks) == algorithm.digest(of: message))
    }

    @Test(
        "random pieces give the digest of the whole, also empty pieces and whole blocks",
        arguments: HashAlgorithm.allCases
    )
    func randomPieces(_ algorithm: HashAlgorithm) {
        var generator = SplitMix64(state: 2012)
        for _ in 0..<200 {
            let message = message(Int.random(in: 0...3000, using: &generator))
            let chunks = (0..<12).map { _ in
                switch UInt8.random(in: 0..<4, using: &generator) {
                case 0: 0
                case 1: 64 * Int.random(in: 1...4, using: &generator)
                case 2: Int.random(in: 1...16, using: &generator)
                default: Int.random(in: 1...400, using: &generator)
                }
            }
            #expect(
                digest(algorithm, of: message, inChunks: chunks) == algorithm.digest(of: message),
                "\(message.count) bytes as \(chunks)"
            )
        }
    }

    @Test("two spans have the digest of their concatenation", arguments: HashAlgorithm.allCases)
    func twoSpans(_ algorithm: HashAlgorithm) {
        let message = message(260)
        let whole = algorithm.digest(of: message)
        for cut in 0...260 {
            let (first, second) = (Array(message[..<cut]), Array(message[cut...]))
            let digest = algorithm.digest(of: first.span, second.span, acceleration: acceleration)
            #expect(digest == whole, "cut at \(cut)")
        }
    }

    @Test("the order of two spans matters", arguments: HashAlgorithm.allCases)
    func order(_ algorithm: HashAlgorithm) {
        let (one, other): ([UInt8], [UInt8]) = ([1], [2])
        let digest = algorithm.digest(of: one.span, other.span)
        let reversed = algorithm.digest(of: other.span, one.span)
        #expect(digest != reversed)
    }

    @Test(
        "the digest does not depend on the alignment of the bytes",
        arguments: HashAlgorithm.allCases
    )
    func unaligned(_ algorithm: HashAlgorithm) {
        let wanted = algorithm.digest(of: message(257))
        for shift in 0..<16 {
            let shifted = [UInt8](repeating: 0xFF, count: shift) + message(257) + [0xFF]
            let digest = algorithm.digest(
                of: shifted.span.extracting(shift..<(shift + 257)),
                acceleration: acceleration
            )
            #expect(digest == wanted, "\(shift) bytes further")
        }
    }

    @Test(
        "neither an intermediate digest nor a copy changes the computation",
        arguments: HashAlgorithm.allCases
    )
    func goingOn(_ algorithm: HashAlgorithm) {
        let message = message(400)
        var function = HashFunction(algorithm, acceleration: acceleration)
        for count in 0...400 {
            let span = message.span
            let wanted = algorithm.digest(of: span.extracting(0..<count))
            #expect(function.finalize() == wanted)
            #expect(function.finalize() == wanted)
            var copy = function
            copy.update(span)
            #expect(copy.finalize() != wanted)
            if count < 400 { function.update(span.extracting(count..<(count + 1))) }
        }
    }
}

extension HashAlgorithm {
    /// The digest of a message that is taken in two pieces.
    func digest(
        of first: Span<UInt8>,
        _ second: Span<UInt8>,
        acceleration: Acceleration = .none
    ) -> Digest {
        var function = HashFunction(self, acceleration: acceleration)
        function.update(first)
        function.update(second)
        return function.finalize()
    }
}
