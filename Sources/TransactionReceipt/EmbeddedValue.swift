import AppReceipt
import Basics
import Processor

/// The decoded base64 of one value of the outer property list, and its offset in the list.
struct EmbeddedValue: Sendable {
    /// The decoded bytes.
    let bytes: [UInt8]
    /// The offset of the base64 text in the list.
    private let start: Int

    /// Decodes a value.
    ///
    /// The text of a string cannot contain line breaks, and spaces are refused, so that four characters stand
    /// for three bytes throughout.
    ///
    /// - Throws: `.valueNotBase64`, with an offset in the list.
    init(
        _ list: Span<UInt8>,
        in range: Range<Int>,
        _ reading: StaticString,
        _ acceleration: Acceleration
    ) throws(Refusal) {
        do throws(Refusal) {
            bytes = try Base64.decode(list, in: range, space: .refused, acceleration: acceleration)
        } catch {
            throw Refusal(.valueNotBase64, at: error.offset, reading: reading)
        }
        start = range.lowerBound
    }

    /// The offset in the list of the character with the first bits of a decoded byte.
    func offset(of index: Int) -> Int { start + index / 3 * 4 + index % 3 }

    /// Reads the decoded bytes. The offset of a refusal is counted in the list.
    func read<Result>(_ body: (Span<UInt8>) throws(Refusal) -> Result) throws(Refusal) -> Result {
        do throws(Refusal) { return try body(bytes.borrowedSpan) } catch { throw mapped(error) }
    }

    /// A refusal with its offset counted in the list instead of in the decoded bytes.
    func mapped(_ refusal: Refusal) -> Refusal {
        refusal.moved(to: offset(of: refusal.offset))
    }
}
