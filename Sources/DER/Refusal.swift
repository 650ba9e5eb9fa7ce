/// Why bytes were refused, and where.
///
/// The one type that every module of this package throws, or carries in the error that it throws; each adds
/// its own codes to the published list.
/// `offset` counts bytes from the start of the buffer that was handed in, whatever the nesting.
public struct Refusal: Error, Sendable {
    /// A stable code from a published list.
    public let code: Code
    /// Where in the input, in bytes from its start.
    public let offset: Int
    /// What was being read, in the words of the standard: `INTEGER`, `tbsCertificate.validity`.
    public let reading: StaticString

    /// - Parameters:
    ///   - offset: in bytes from the start of the buffer that was handed in.
    ///   - reading: what was being read, in the words of the standard.
    public init(_ code: Code, at offset: Int, reading: StaticString) {
        self.code = code
        self.offset = offset
        self.reading = reading
    }
}

extension Refusal {
    /// A kind of refusal: what it is called, what it means, whose fault it is.
    ///
    /// Each module lists its own in `Codes.swift`; numbers are unique over the package, names are for people
    /// and machines alike and do not change once published.
    public struct Code: Sendable, Hashable {
        /// What a refusal says of the input.
        public enum Kind: Sendable, Hashable {
            /// The input breaks its standard, or a check failed.
            case invalid
            /// The input may be right, but uses a format, an algorithm or a size beyond what is supported.
            case unsupported
            /// There was no input to judge: it could not be read or turned into bytes.
            case unreadable
        }

        /// Unique over the package: codes are equal where their numbers are.
        public let number: UInt16
        /// What a refusal with this code says of the input.
        public let kind: Kind
        /// The published name, such as `der.truncated`.
        public let name: StaticString
        /// One sentence for a person.
        public let meaning: StaticString

        /// A code for a module's published list. The number and the name must not be taken by another.
        public init(_ number: UInt16, _ name: StaticString, _ meaning: StaticString, kind: Kind = .invalid) {
            self.number = number
            self.kind = kind
            self.name = name
            self.meaning = meaning
        }

        public static func == (one: Code, other: Code) -> Bool { one.number == other.number }
        public func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }
}

extension Refusal: CustomStringConvertible {
    public var description: String { "\(code.name) at byte \(offset), reading \(reading): \(code.meaning)" }
}
