import AppReceipt
import DER

/// The reason why an input was refused, or why it could not be read.
///
/// The library gives the reason for a refusal. The system gives the reason why a file could not be read.
package struct Fault: Error {
    private enum Reason {
        case refused(ReceiptError)
        case notRead(Refusal.Code, message: String)
    }

    private let reason: Reason

    package init(_ error: ReceiptError) { reason = .refused(error) }

    /// A fault of the step `input`.
    package init(_ refusal: Refusal) { self.init(ReceiptError(.input, refusal)) }

    /// A fault of the step `input` without a place in the input.
    package init(_ code: Refusal.Code, message: String) { reason = .notRead(code, message: message) }

    package var step: ReceiptError.Step {
        if case .refused(let error) = reason { error.step } else { .input }
    }

    package var code: Refusal.Code {
        switch reason {
        case .refused(let error): error.code
        case .notRead(let code, _): code
        }
    }

    /// The offset of the fault in the input; nil if the input could not be read.
    package var offset: Int? { if case .refused(let error) = reason { error.offset } else { nil } }

    /// One sentence.
    package var message: String {
        switch reason {
        case .refused(let error): error.code.meaning.description
        case .notRead(_, let message): message
        }
    }

    /// The element that was being read, and its offset. Empty if the input could not be read.
    package var place: String {
        guard case .refused(let error) = reason else { return "" }
        let certificate = error.certificateIndex.map { ", in certificate \($0)" } ?? ""
        return "byte \(error.offset)\(certificate), reading \(error.reading)"
    }

    /// The record's status in results: invalid, unsupported or unreadable.
    package var status: String { code.kind.name }
}

extension Refusal.Code.Kind {
    /// The name in results.
    package var name: String {
        switch self {
        case .invalid: "invalid"
        case .unsupported: "unsupported"
        case .unreadable: "unreadable"
        }
    }
}
