import AppReceipt
import DER

/// The reason why an input was refused, or why it could not be read.
///
/// The library gives the reason for a refusal. The system gives the reason why a file could not be read.
package struct Fault: Error {
    package let step: ReceiptError.Step
    package let code: Refusal.Code
    /// The offset of the fault in the input; nil if the input could not be read.
    package let offset: Int?
    /// One sentence.
    package let message: String
    /// The element that was being read, and its offset.
    package let place: String

    package init(_ error: ReceiptError) {
        step = error.step
        code = error.code
        offset = error.offset
        message = "\(error.code.meaning)"
        let certificate = error.certificateIndex.map { ", in certificate \($0)" } ?? ""
        place = "byte \(error.offset)\(certificate), reading \(error.reading)"
    }

    /// A fault of the step `input`.
    package init(_ refusal: Refusal) {
        step = .input
        code = refusal.code
        offset = refusal.offset
        message = "\(refusal.code.meaning)"
        place = "byte \(refusal.offset), reading \(refusal.reading)"
    }

    /// A fault of the step `input` without a place in the input.
    package init(_ code: Refusal.Code, message: String) {
        step = .input
        self.code = code
        offset = nil
        self.message = message
        place = ""
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
