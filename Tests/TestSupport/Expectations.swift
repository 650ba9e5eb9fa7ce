import Basics
import Testing

/// Expects that a body throws a refusal with a code, and at an offset if one is given.
public func refuses<Value: ~Copyable>(
    _ code: Refusal.Code,
    at offset: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws(Refusal) -> Value
) {
    do throws(Refusal) {
        _ = try body()
        Issue.record("accepted, but \(code.name) was expected", sourceLocation: sourceLocation)
    } catch {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        if let offset { #expect(error.offset == offset, "\(error)", sourceLocation: sourceLocation) }
    }
}
