import DER
import Testing

/// Expects that something is refused with a code, and, where it is given, at a place.
public func refuses<Value: ~Copyable>(
    _ code: Refusal.Code,
    at offset: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws(Refusal) -> Value
) {
    do throws(Refusal) {
        _ = try body()
        Issue.record("accepted, where \(code.name) was expected", sourceLocation: sourceLocation)
    } catch {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        if let offset { #expect(error.offset == offset, "\(error)", sourceLocation: sourceLocation) }
    }
}
