import Basics
import DER
import SHA

/// An algorithm and its parameters (RFC 5280 §4.1.1.2).
///
/// ```
/// AlgorithmIdentifier ::= SEQUENCE {
///     algorithm   OBJECT IDENTIFIER,
///     parameters  ANY DEFINED BY algorithm OPTIONAL }
/// ```
public struct AlgorithmIdentifier: Sendable {
    /// The kind of the field `parameters`: absent, NULL, or any other element.
    @usableFromInline package enum Parameters: Sendable, Hashable {
        /// The field is absent.
        case absent
        /// The field is NULL.
        case null
        /// The field is any element but NULL. It is well formed, and its type is not checked.
        case other
    }

    /// The range in the buffer of the whole AlgorithmIdentifier, header included.
    package let range: Range<Int>
    /// The range in the buffer of the contents octets of `algorithm`.
    package let algorithmRange: Range<Int>
    /// `algorithm`; nil if it has more than the sixteen octets that an `ObjectIdentifier` can hold.
    public let algorithm: ObjectIdentifier?
    /// Whether the field `parameters` is absent, NULL, or another element.
    package let parameters: Parameters

    /// Decodes one AlgorithmIdentifier and leaves the reader after it.
    ///
    /// - Parameter reading: the name of the field, for errors.
    /// - Throws: `Refusal` with codes of `DER`.
    package init(_ reader: inout Reader, _ reading: StaticString) throws(Refusal) {
        let start = reader.offset
        var sequence = try reader.nested(.sequence, reading)
        algorithmRange = try sequence.readObjectIdentifier(reading)
        algorithm = ObjectIdentifier(reader.bytes, in: algorithmRange)
        if sequence.isAtEnd {
            parameters = .absent
        } else if sequence.isNext(.null) {
            try sequence.readNull(reading)
            parameters = .null
        } else {
            _ = try sequence.readWellFormedElement(reading)
            parameters = .other
        }
        try sequence.finish(reading)
        range = start..<reader.offset
    }
}

extension HashAlgorithm {
    /// The hash algorithm with this identifier: SHA-1 (RFC 3370 §2.1), SHA-256, SHA-384 or SHA-512 (RFC 5754
    /// §2). Nil for any other identifier, and nil if the identifier is nil.
    package init?(digestAlgorithm identifier: ObjectIdentifier?) {
        guard let known = Self.allCases.first(where: { $0.digestIdentifier == identifier }) else {
            return nil
        }
        self = known
    }

    /// The object identifier of this hash algorithm (RFC 3370 §2.1, RFC 5754 §2).
    package var digestIdentifier: ObjectIdentifier {
        switch self {
        case .sha1: ObjectIdentifier(1, 3, 14, 3, 2, 26)
        case .sha256: ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 2, 1)
        case .sha384: ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 2, 2)
        case .sha512: ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 2, 3)
        }
    }
}
