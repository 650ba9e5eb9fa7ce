import DER

/// The codes of this module: numbers 700 to 799.
extension Refusal.Code {
    /// The body is not a JSON object in UTF-8 (RFC 8259), or it nests values more than 64 deep.
    public static var requestNotAnObject: Self {
        .init(
            700,
            "request.not-an-object",
            "The body is not a JSON object in UTF-8 (RFC 8259), or it nests values more than 64 deep.",
            kind: .unreadable
        )
    }
    /// The body is longer than Apple's endpoint accepts.
    public static var requestTooLarge: Self {
        .init(
            701,
            "request.too-large",
            "The body is longer than Apple's endpoint accepts, 3,145,728 bytes.",
            kind: .unsupported
        )
    }
    /// The request has no member receipt-data with a string.
    public static var missingReceiptData: Self {
        .init(
            702,
            "request.missing-receipt-data",
            "The request has no member receipt-data with a string.",
            kind: .unreadable
        )
    }
    /// The member receipt-data is not base64 in the form that Apple's endpoint requires.
    public static var receiptDataNotBase64: Self {
        .init(
            703,
            "request.not-base64",
            "The member receipt-data is not base64 in the form that Apple's endpoint requires.",
            kind: .unreadable
        )
    }
    /// The endpoint requires a password, and the request has none.
    public static var missingPassword: Self {
        .init(704, "request.missing-password", "The endpoint requires a password, and the request has none.")
    }
    /// The password is none of the endpoint's shared secrets.
    public static var wrongPassword: Self {
        .init(705, "request.wrong-password", "The password is none of the endpoint's shared secrets.")
    }
    /// The subscription of the transaction receipt had expired.
    public static var subscriptionExpired: Self {
        .init(706, "answer.subscription-expired", "The subscription of the transaction receipt had expired.")
    }

    /// All codes of this module, in the order of their numbers.
    public static var verifyReceipt: [Self] {
        [
            .requestNotAnObject, .requestTooLarge, .missingReceiptData, .receiptDataNotBase64,
            .missingPassword, .wrongPassword, .subscriptionExpired,
        ]
    }
}
