import Basics

// swift-format-ignore
extension Refusal.Code {
    /// The code for a text that is not JSON, or nests too deep. ``JSONReader`` throws no other code.
    package static var notJSON: Self { .init(902, "record.not-json",
        "The record is not a JSON text in UTF-8 (RFC 8259), or it nests values more than 64 deep.", kind: .unreadable) }
}
