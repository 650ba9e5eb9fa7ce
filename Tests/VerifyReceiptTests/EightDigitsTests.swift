import Testing

@testable import VerifyReceipt

@Suite("Eight digits in one number")
struct EightDigitsTests {
    private func text(_ digits: EightDigits) -> String {
        String(decoding: (0..<8).map { UInt8(truncatingIfNeeded: digits.text >> (8 * $0)) }, as: UTF8.self)
    }

    @Test("are those of the number, at every fourth digit and at random")
    func numbers() {
        for number in 0..<10_000 as Range<UInt64> {
            for whole in [number, number * 10_000, number * 10_001, .random(in: 0..<100_000_000)] {
                let expected = String(String(100_000_000 + whole).dropFirst())
                if text(EightDigits(whole)) != expected { Issue.record("\(whole)") }
            }
        }
    }

    @Test("are those of four pairs, whatever the neighbours are", arguments: 0..<4)
    func pairs(_ lane: UInt64) {
        for number in 0..<100 as Range<UInt64> {
            for others in [0, 99, 99 << 16 | 99 << 48, 99 << 32 | 99] as [UInt64] {
                let mask: UInt64 = 0xFFFF << (16 * lane)
                let pairs: UInt64 = others & ~mask | number << (16 * lane)
                let expected = (0..<4).map { (lane: UInt64) in
                    let pair: UInt64 = (pairs >> (16 * lane)) & 0xFFFF
                    return String(String(100 + pair).dropFirst())
                }
                if text(EightDigits(pairs: pairs)) != expected.joined() { Issue.record("\(pairs)") }
            }
        }
    }

    @Test("have as many zeros before them as the number is short")
    func leadingZeros() {
        for number in [0, 1, 9, 10, 99, 100, 12_345, 9_999_999, 10_000_000, 99_999_999] as [UInt64] {
            let count = number == 0 ? 0 : String(number).count
            #expect(EightDigits(number).leadingZeros == 8 - count)
        }
    }
}
