import AppReceipt
import Basics
import DER

/// Ends the program unless an invariant holds. libFuzzer then keeps the input.
func require(
    _ condition: Bool,
    _ invariant: @autoclosure () -> String,
    file: StaticString = #file,
    line: UInt = #line
) {
    if !condition { fatalError("broken invariant: \(invariant())", file: file, line: line) }
}

/// Requires that a refusal's offset lies in the input or directly after its last byte.
func require(_ refusal: Refusal, liesIn count: Int, file: StaticString = #file, line: UInt = #line) {
    require(
        refusal.offset >= 0 && refusal.offset <= count,
        "\(refusal) lies outside \(count) bytes",
        file: file,
        line: line
    )
}

/// Requires that an error's offset lies in the input or directly after its last byte.
func require(_ error: ReceiptError, liesIn count: Int, file: StaticString = #file, line: UInt = #line) {
    require(
        error.offset >= 0 && error.offset <= count,
        "\(error) lies outside \(count) bytes",
        file: file,
        line: line
    )
}

func require(
    _ part: Range<Int>,
    liesIn whole: Range<Int>,
    _ name: String,
    file: StaticString = #file,
    line: UInt = #line
) {
    require(
        part.lowerBound >= whole.lowerBound && part.upperBound <= whole.upperBound,
        "\(name) at \(part) lies outside \(whole)",
        file: file,
        line: line
    )
}

/// The result of a body: its value or its typed error.
func outcome<Value, Failure>(_ body: () throws(Failure) -> Value) -> Result<Value, Failure> {
    do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
}

extension Result {
    var refusal: Failure? {
        if case .failure(let refusal) = self { refusal } else { nil }
    }
    var value: Success? {
        if case .success(let value) = self { value } else { nil }
    }
}

/// A copy of the bytes at a range.
func octets(_ bytes: borrowing Span<UInt8>, in range: Range<Int>) -> [UInt8] {
    var copy: [UInt8] = []
    for index in range { copy.append(bytes[index]) }
    return copy
}
