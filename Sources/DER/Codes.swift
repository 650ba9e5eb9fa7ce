import Basics

// swift-format-ignore
/// The refusal codes of `DER`, numbers 100 to 199. The sentence in each row is also its documentation.
extension Refusal.Code {
    package static var truncated: Self { .init(100, "der.truncated",
        "The bytes end before the element does.") }
    package static var trailingBytes: Self { .init(101, "der.trailing-bytes",
        "Bytes follow the place where the element must end.") }
    package static var unexpectedTag: Self { .init(102, "der.unexpected-tag",
        "The tag is not the one that the standard requires here.") }
    package static var nonMinimalTag: Self { .init(103, "der.non-minimal-tag",
        "The tag number is not encoded in its shortest form (X.690 §8.1.2.4).") }
    package static var tagNumberTooLarge: Self { .init(104, "der.tag-number-too-large",
        "The tag number does not fit in 32 bits.", kind: .unsupported) }
    package static var indefiniteLength: Self { .init(105, "der.indefinite-length",
        "The length is indefinite, which DER forbids (X.690 §10.1).") }
    package static var nonMinimalLength: Self { .init(106, "der.non-minimal-length",
        "The length is not encoded in its shortest form (X.690 §10.1).") }
    package static var lengthTooLarge: Self { .init(107, "der.length-too-large",
        "The length has more than 32 bits or a reserved form (X.690 §8.1.3.5).") }
    package static var inputTooLarge: Self { .init(108, "der.input-too-large",
        "The input is longer than the limit on input bytes.", kind: .unsupported) }
    package static var tooDeep: Self { .init(109, "der.too-deep",
        "Elements are nested deeper than the limit on depth.", kind: .unsupported) }
    package static var tooManyElements: Self { .init(110, "der.too-many-elements",
        "There are more elements than the limit allows.", kind: .unsupported) }
    package static var emptyContents: Self { .init(111, "der.empty-contents",
        "The contents are empty, but at least one octet is required.") }
    package static var invalidBoolean: Self { .init(112, "der.invalid-boolean",
        "A BOOLEAN is not one octet of 00 or FF, or it encodes FALSE, the default (X.690 §11.1, §11.5).") }
    package static var nonMinimalInteger: Self { .init(113, "der.non-minimal-integer",
        "The INTEGER has a redundant leading octet (X.690 §8.3.2).") }
    package static var integerOutOfRange: Self { .init(114, "der.integer-out-of-range",
        "The INTEGER does not fit in 64 bits.", kind: .unsupported) }
    package static var negativeInteger: Self { .init(115, "der.negative-integer",
        "The INTEGER is negative, which is not allowed here.") }
    package static var invalidObjectIdentifier: Self { .init(116, "der.invalid-object-identifier",
        "A subidentifier is padded or cut short (X.690 §8.19.2).") }
    package static var invalidBitString: Self { .init(117, "der.invalid-bit-string",
        "The count of unused bits is wrong, or an unused bit is set (X.690 §8.6.2, §11.2).") }
    package static var invalidNull: Self { .init(118, "der.invalid-null",
        "A NULL has no contents (X.690 §8.8.2).") }
    package static var invalidUTF8: Self { .init(119, "der.invalid-utf8",
        "The bytes are not well-formed UTF-8 (RFC 3629).") }
    package static var invalidCharacter: Self { .init(120, "der.invalid-character",
        "A character is not in the string type's repertoire (X.680 §41).") }
    package static var invalidTime: Self { .init(121, "der.invalid-time",
        "The time is not in the one form that DER allows (X.690 §11.7, §11.8).") }
    package static var unsortedSet: Self { .init(122, "der.unsorted-set",
        "The elements of the SET OF are not in ascending order (X.690 §11.6).") }
    package static var invalidEndOfContents: Self { .init(123, "ber.invalid-end-of-contents",
        "End-of-contents octets are missing, or stand where none belong (X.690 §8.1.5).") }
    package static var invalidSegment: Self { .init(124, "ber.invalid-segment",
        "A constructed OCTET STRING holds an element that is not an OCTET STRING (X.690 §8.7.3).") }
}

extension Refusal.Code {
    /// All refusal codes of the module `DER`, in the order of their numbers.
    package static var der: [Self] {
        [
            .truncated, .trailingBytes, .unexpectedTag, .nonMinimalTag, .tagNumberTooLarge, .indefiniteLength,
            .nonMinimalLength, .lengthTooLarge, .inputTooLarge, .tooDeep, .tooManyElements, .emptyContents,
            .invalidBoolean, .nonMinimalInteger, .integerOutOfRange, .negativeInteger,
            .invalidObjectIdentifier, .invalidBitString, .invalidNull, .invalidUTF8, .invalidCharacter,
            .invalidTime, .unsortedSet, .invalidEndOfContents, .invalidSegment,
        ]
    }
}
