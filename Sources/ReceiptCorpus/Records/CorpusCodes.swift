import DER
import JSONText

/// The error codes of corpus records and of files (numbers 900 to 999). Number 902 is `notJSON`, which the
/// reader of JSON defines.
extension Refusal.Code {
    package static var cannotRead: Self {
        .init(900, "input.cannot-read", "The system could not open or read the file.", kind: .unreadable)
    }
    package static var truncatedRecord: Self {
        .init(901, "record.truncated", "The source ends inside the record.", kind: .unreadable)
    }
    package static var missingField: Self {
        .init(
            903,
            "record.missing-field",
            "The record lacks the field, or the field is null.",
            kind: .unreadable
        )
    }
    package static var notHexadecimal: Self {
        .init(
            904,
            "record.not-hexadecimal",
            "The text does not consist of pairs of hexadecimal digits.",
            kind: .unreadable
        )
    }
    package static var unclosedQuote: Self {
        .init(905, "record.unclosed-quote", "A quoted field lacks its closing quote.", kind: .unreadable)
    }
    package static var noExpectation: Self {
        .init(
            906,
            "record.no-expectation",
            "The field with the record's expectation is missing or malformed.",
            kind: .unreadable
        )
    }
    package static var carriageReturn: Self {
        .init(
            907,
            "record.carriage-return",
            "Lines end in carriage returns alone, so all of them form one record.",
            kind: .unreadable
        )
    }

    /// The error codes of corpus records: all codes of this file except ``cannotRead``, the code of files.
    package static var allOfCorpus: [Self] {
        [
            .truncatedRecord, .notJSON, .missingField, .notHexadecimal, .unclosedQuote, .noExpectation,
            .carriageReturn,
        ]
    }
}
