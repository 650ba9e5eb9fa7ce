import Basics

// swift-format-ignore
/// The codes of refusals by the module VerifyReceipt, numbers 700 to 799. The sentence in each row documents
/// its code. A program acts on the status of an answer, and finds the codes in `verifyReceipt`.
extension Refusal.Code {
    package static var requestNotAnObject: Self { .init(700, "request.not-an-object",
        "The body is not a JSON object in UTF-8 (RFC 8259), or it nests values more than 64 deep.", kind: .unreadable) }
    package static var requestTooLarge: Self { .init(701, "request.too-large",
        "The body is longer than Apple's endpoint accepts, 3,145,728 bytes.", kind: .unsupported) }
    package static var missingReceiptData: Self { .init(702, "request.missing-receipt-data",
        "The request has no member receipt-data with a string.", kind: .unreadable) }
    package static var receiptDataNotBase64: Self { .init(703, "request.not-base64",
        "The member receipt-data is not base64 in the form that Apple's endpoint requires.", kind: .unreadable) }
    package static var missingPassword: Self { .init(704, "request.missing-password",
        "The endpoint requires a password, and the request has none.") }
    package static var wrongPassword: Self { .init(705, "request.wrong-password",
        "The password is none of the endpoint's shared secrets.") }
    package static var subscriptionExpired: Self { .init(706, "answer.subscription-expired",
        "The subscription of the transaction receipt had expired.") }
    package static var lineBreak: Self { .init(707, "request.line-break",
        "A string of the body holds a line break, which has to be escaped (RFC 8259 §7).", kind: .unreadable) }
}

extension Refusal.Code {
    /// All codes of refusals by the module VerifyReceipt, in the order of their numbers.
    public static var verifyReceipt: [Self] {
        [
            .requestNotAnObject, .requestTooLarge, .missingReceiptData, .receiptDataNotBase64,
            .missingPassword, .wrongPassword, .subscriptionExpired, .lineBreak,
        ]
    }
}
