import AppReceipt
import Basics

/// The reason why an input was refused, or why it could not be read.
package struct Fault: Error {
    private let error: ReceiptError
    /// Why the system could not read the input; nil if the library refused it.
    private let failure: String?

    package init(_ error: ReceiptError) { (self.error, failure) = (error, nil) }

    /// A fault of the step `input`.
    package init(_ refusal: Refusal) { self.init(ReceiptError(.input, refusal)) }

    /// A fault of the step `input` without an offset in the input.
    package init(_ code: Refusal.Code, message: String) {
        (error, failure) = (ReceiptError(.input, Refusal(code, at: 0, reading: "file")), message)
    }

    package var step: ReceiptError.Step { error.step }
    package var code: Refusal.Code { error.code }
    /// The offset of the fault in the input; nil if the input could not be read.
    package var offset: Int? { failure == nil ? error.offset : nil }
    /// One sentence.
    package var message: String { failure ?? error.code.meaning.description }
    /// The index of the certificate that the fault concerns; nil if it concerns something else.
    package var certificate: Int? { error.certificateIndex }
    /// The element that was being read; nil if the input could not be read.
    package var reading: String? { failure == nil ? error.reading.description : nil }

    /// The element that was being read, and its offset. Empty if the input could not be read.
    package var place: String {
        guard let offset, let reading else { return "" }
        let certificate = certificate.map { ", in certificate \($0)" } ?? ""
        return "byte \(offset)\(certificate), reading \(reading)"
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
