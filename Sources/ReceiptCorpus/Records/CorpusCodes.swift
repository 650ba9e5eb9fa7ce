import Basics
import JSONText
import ReceiptResults
import SystemCalls

// swift-format-ignore
/// The codes of corpus records and of files, numbers 900 to 999. The sentence in each row is also its
/// documentation. Number 902 is `notJSON`, which the reader of JSON defines.
extension Refusal.Code {
    package static var cannotRead: Self { .init(900, "input.cannot-read",
        "The system could not open or read the file.", kind: .unreadable) }
    package static var truncatedRecord: Self { .init(901, "record.truncated",
        "The source ends inside the record.", kind: .unreadable) }
    package static var missingField: Self { .init(903, "record.missing-field",
        "The record lacks the field, or the field is null.", kind: .unreadable) }
    package static var recordNotHexadecimal: Self { .init(904, "record.not-hexadecimal",
        "The text does not consist of pairs of hexadecimal digits.", kind: .unreadable) }
    package static var unclosedQuote: Self { .init(905, "record.unclosed-quote",
        "A quoted field lacks its closing quote.", kind: .unreadable) }
    package static var noExpectation: Self { .init(906, "record.no-expectation",
        "The field with the record's expectation is missing or malformed.", kind: .unreadable) }
    package static var carriageReturn: Self { .init(907, "record.carriage-return",
        "Lines end in carriage returns alone, so all of them form one record.", kind: .unreadable) }
    package static var noAppReceipt: Self { .init(908, "app.no-receipt",
        "The app has no receipt at Contents/_MASReceipt/receipt, as apps from outside the App Store.", kind: .unreadable) }
    package static var sourceNotRead: Self { .init(909, "source.not-read",
        "The source has no form that can be read as records: see the message about it.", kind: .unreadable) }
}

extension Refusal.Code {
    /// The codes 900 to 909: all codes of this source file, and `notJSON` of the reader of JSON.
    package static var allOfCorpus: [Self] {
        [
            .cannotRead, .noAppReceipt, .truncatedRecord, .notJSON, .missingField, .recordNotHexadecimal,
            .unclosedQuote, .noExpectation, .carriageReturn, .sourceNotRead,
        ]
    }
}

extension Fault {
    /// A fault of the step `input` with the code `cannotRead`. Its message names the file and the failure.
    package init(cannotRead name: FileName, _ failure: System.Failure) {
        self.init(.cannotRead, message: "cannot read \(name.text): \(failure.message)")
    }
}
