import AppReceipt
import Basics
import SignedPayloads

/// The reason why an input was refused, or why it could not be read.
package struct Fault: Error {
    private let refusal: Refusal
    /// The step of a receipt's validation; `input` also for a token's record that could not be read. Nil if
    /// the fault was made from a `SignedPayloadError`.
    package let step: ReceiptError.Step?
    /// The published name of the step at which the input was refused. Never nil, also if ``step`` is.
    package let stepName: String
    /// The index of the certificate that the fault concerns, from 0 in the order of the container or of the
    /// token's `x5c`; nil if there is none. `ReceiptError.certificateIndex` and
    /// `SignedPayloadError.certificateIndex` have exceptions. For a transaction receipt, 0 is the signer's
    /// certificate, and the validator's own certificates follow.
    package let certificate: Int?
    /// If a token inside a notification was refused, the member that holds it, such as
    /// `signedTransactionInfo`; otherwise nil.
    package let nestedToken: String?
    /// The message that the fault was made with, which says why the input could not be read; nil for a fault
    /// that was made without a message.
    private let failure: String?

    package init(_ error: ReceiptError) { self.init(error, failure: nil) }

    /// A fault of the step `input` with the code, the offset and the element of a refusal.
    package init(_ refusal: Refusal) { self.init(ReceiptError(.input, refusal)) }

    /// A fault of the step `input` for an input that could not be read. It has no offset and no element.
    package init(_ code: Refusal.Code, message: String) {
        self.init(ReceiptError(.input, Refusal(code, at: 0, reading: "file")), failure: message)
    }

    private init(_ error: ReceiptError, failure: String?) {
        (refusal, step, stepName) = (error.refusal, error.step, error.step.rawValue)
        (certificate, nestedToken, self.failure) = (error.certificateIndex, nil, failure)
    }

    /// A fault with the name of the step, the code, the offset, the certificate and the nested token of a
    /// token's refusal. The fault's ``step`` is nil.
    package init(_ error: SignedPayloadError) {
        (refusal, step, stepName) = (error.refusal, nil, error.step.rawValue)
        (certificate, nestedToken, failure) = (error.certificateIndex, error.nestedToken?.rawValue, nil)
    }

    package var code: Refusal.Code { refusal.code }
    /// The offset of the fault in bytes: in the input at the step `input`, otherwise in the decoded container
    /// or in the token, the nested one if ``nestedToken`` names one. At the step `input` of a record of a
    /// corpus, the code decides where the offset counts from. Nil if the fault was made with a message.
    package var offset: Int? { failure == nil ? refusal.offset : nil }
    /// One sentence: the message that the fault was made with, or else the meaning of the code.
    package var message: String { failure ?? code.meaning.description }
    /// The name of the element that was being read; nil if the fault was made with a message.
    package var reading: String? { failure == nil ? refusal.reading.description : nil }

    /// Where the fault is: `byte 9, reading …`. If ``nestedToken`` or ``certificate`` is not nil, it stands
    /// before `reading`, as in `byte 9, in certificate 0, reading …`. Empty if the fault was made with a
    /// message.
    package var place: String {
        guard let offset, let reading else { return "" }
        let certificate = certificate.map { ", in certificate \($0)" } ?? ""
        let token = nestedToken.map { ", in \($0)" } ?? ""
        return "byte \(offset)\(token)\(certificate), reading \(reading)"
    }

    /// The status that results give an input with this fault: `invalid`, `unsupported` or `unreadable`.
    package var status: String { code.kind.name }
}

extension Refusal.Code.Kind {
    /// The status in results for codes of this kind: `invalid`, `unsupported` or `unreadable`.
    package var name: String {
        switch self {
        case .invalid: "invalid"
        case .unsupported: "unsupported"
        case .unreadable: "unreadable"
        }
    }
}
