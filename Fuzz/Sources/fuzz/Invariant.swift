import DER

/// Ends the program unless an invariant holds: libFuzzer then keeps the input.
func require(
    _ condition: Bool,
    _ invariant: @autoclosure () -> String,
    file: StaticString = #file,
    line: UInt = #line
) {
    if !condition { fatalError("broken invariant: \(invariant())", file: file, line: line) }
}

/// A refusal says where: inside the input, or right behind it.
func require(_ refusal: Refusal, liesIn count: Int, file: StaticString = #file, line: UInt = #line) {
    require(
        refusal.offset >= 0 && refusal.offset <= count,
        "\(refusal) lies outside of \(count) bytes",
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
        "\(name) at \(part) lies outside of \(whole)",
        file: file,
        line: line
    )
}

/// What a body gives, or why it was refused.
func outcome<Value>(_ body: () throws(Refusal) -> Value) -> Result<Value, Refusal> {
    do throws(Refusal) { return .success(try body()) } catch { return .failure(error) }
}

extension Result where Failure == Refusal {
    var refusal: Refusal? {
        if case .failure(let refusal) = self { refusal } else { nil }
    }
    var value: Success? {
        if case .success(let value) = self { value } else { nil }
    }
}
