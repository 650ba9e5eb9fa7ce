import DER

/// What reading a corpus refuses besides.
extension Refusal.Code {
    package static var truncatedRecord: Self {
        .init(901, "record.truncated", "The source ends inside the record.", kind: .unreadable)
    }
    package static var notJSON: Self {
        .init(902, "record.not-json", "The record is no JSON text in UTF-8 (RFC 8259).", kind: .unreadable)
    }
    package static var missingField: Self {
        .init(903, "record.missing-field", "The record has no such field, or it is null.", kind: .unreadable)
    }
    package static var notHexadecimal: Self {
        .init(
            904,
            "record.not-hexadecimal",
            "The text is not pairs of hexadecimal digits.",
            kind: .unreadable
        )
    }
    package static var unclosedQuote: Self {
        .init(
            905,
            "record.unclosed-quote",
            "A field is quoted, and the quote does not end.",
            kind: .unreadable
        )
    }
    package static var noExpectation: Self {
        .init(
            906,
            "record.no-expectation",
            "The field that says what to expect is missing, or makes no sense.",
            kind: .unreadable
        )
    }

    package static var carriageReturn: Self {
        .init(
            907,
            "record.carriage-return",
            "Lines end in carriage returns alone, and so are one record.",
            kind: .unreadable
        )
    }

    package static var allOfCorpus: [Self] {
        [
            .truncatedRecord, .notJSON, .missingField, .notHexadecimal, .unclosedQuote, .noExpectation,
            .carriageReturn,
        ]
    }
}
