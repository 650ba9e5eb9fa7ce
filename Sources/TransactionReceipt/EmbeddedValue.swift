import AppReceipt
import Basics
import Processor

/// The decoded base64 of one value of a transaction receipt's outer property list, and the offset of the
/// base64 in the list.
struct EmbeddedValue: Sendable {
    /// The bytes that the base64 of the value stands for.
    let bytes: [UInt8]
    /// The offset in the outer property list of this value's first base64 character.
    private let start: Int

    /// Decodes the base64 at a range of the outer property list. `reading` is the entry's name for errors.
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

    /// The offset in the outer list of the base64 character with the first bits of the decoded byte `index`.
    func offset(of index: Int) -> Int { start + index / 3 * 4 + index % 3 }

    /// Calls `body` with the decoded bytes. If `body` throws, the error's offset is mapped to the outer list.
    func read<Result>(_ body: (Span<UInt8>) throws(Refusal) -> Result) throws(Refusal) -> Result {
        do throws(Refusal) { return try body(bytes.borrowedSpan) } catch { throw mapped(error) }
    }

    /// A refusal whose offset counts in the outer list, from one whose offset counts in the decoded bytes.
    func mapped(_ refusal: Refusal) -> Refusal {
        refusal.moved(to: offset(of: refusal.offset))
    }
}
