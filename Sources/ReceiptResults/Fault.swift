import AppReceipt
import Basics

/// The reason why an input was refused, or why it could not be read.
package struct Fault: Error {
    private let error: ReceiptError
    /// Why the system could not read the input; nil if the library refused the input.
    private let failure: String?

    package init(_ error: ReceiptError) { (self.error, failure) = (error, nil) }

    /// A fault of the step `input` with the code, the offset and the element of a refusal.
    package init(_ refusal: Refusal) { self.init(ReceiptError(.input, refusal)) }

    /// A fault of the step `input` for an input that could not be read. It has no offset and no element.
    package init(_ code: Refusal.Code, message: String) {
        (error, failure) = (ReceiptError(.input, Refusal(code, at: 0, reading: "file")), message)
    }

    package var step: ReceiptError.Step { error.step }
    package var code: Refusal.Code { error.code }
    /// The offset of the fault in the input, in bytes; nil if the system could not read the input.
    package var offset: Int? { failure == nil ? error.offset : nil }
    /// One sentence: why the input could not be read, or the meaning of the code.
    package var message: String { failure ?? error.code.meaning.description }
    /// The index of the certificate that the fault concerns, from 0; nil if it concerns something else.
    package var certificate: Int? { error.certificateIndex }
    /// The name of the element that was being read; nil if the input could not be read.
    package var reading: String? { failure == nil ? error.reading.description : nil }

    /// Where the fault is: `byte 9, in certificate 0, reading …`. Empty if the input could not be read.
    package var place: String {
        guard let offset, let reading else { return "" }
        let certificate = certificate.map { ", in certificate \($0)" } ?? ""
        return "byte \(offset)\(certificate), reading \(reading)"
    }

    /// The status in results of an input with this fault: invalid, unsupported or unreadable.
    package var status: String { code.kind.name }
}

extension Refusal.Code.Kind {
    /// The name that results use for a status: `invalid`, `unsupported` or `unreadable`.
    package var name: String {
        switch self {
        case .invalid: "invalid"
        case .unsupported: "unsupported"
        case .unreadable: "unreadable"
        }
    }
}
