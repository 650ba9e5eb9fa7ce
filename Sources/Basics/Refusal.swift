/// An error that says why an input was refused, and at which byte.
///
/// The modules that decode or validate receipts and tokens throw this type, or an error that carries it.
public struct Refusal: Error, Sendable, Hashable {
    /// The reason for the refusal: a published code, whose number and name do not change.
    public let code: Code
    /// Where the fault lies: bytes from the start of the whole buffer that was being read, also if the fault
    /// lies in a nested element. For an error that carries the refusal, the documentation of that error says
    /// which buffer that is.
    public let offset: Int
    /// What was being read, mostly a field in the words of the standard, such as `tbsCertificate.validity`.
    public var reading: StaticString { field.text }

    @usableFromInline let field: Literal

    /// Creates a refusal.
    ///
    /// - Parameters:
    ///   - code: a code of a module's published list.
    ///   - offset: bytes from the start of the whole buffer that was being read.
    ///   - reading: what was being read, mostly a field in the words of the standard. Precondition: the
    ///     literal is no single Unicode scalar, and it has no zero byte.
    @inlinable
    public init(_ code: Code, at offset: Int, reading: StaticString) {
        self.code = code
        self.offset = offset
        field = Literal(reading)
    }

    /// A copy of this refusal with another offset, in bytes from the start of the whole buffer.
    @usableFromInline
    package func moved(to offset: Int) -> Refusal { Refusal(code, at: offset, field) }

    private init(_ code: Code, at offset: Int, _ field: Literal) {
        (self.code, self.offset, self.field) = (code, offset, field)
    }
}

extension Refusal {
    /// A reason for a refusal: its number, its name, its meaning, and the state of the input.
    ///
    /// Each module that defines codes lists them in its file `Codes.swift` (`CorpusCodes.swift` in the module
    /// ReceiptCorpus), where ``meaning`` documents each code. `app-receipt errors` prints the codes. Numbers
    /// are unique over the package. Numbers and names do not change once they are published.
    public struct Code: Sendable, Hashable {
        /// Classifies refusals by the state of the input.
        public enum Kind: Sendable, Hashable {
            /// The input breaks its standard, or a check failed.
            case invalid
            /// The input may be right, but uses a format, an algorithm or a size that is not supported.
            case unsupported
            /// Nothing was judged: a receipt or token, or what a record expects of it, could not be found,
            /// read or decoded.
            case unreadable
        }

        /// The code's number, unique over the package. Two codes are equal if their numbers are equal.
        public let number: UInt16
        /// Whether an input that is refused with this code is invalid, unsupported or unreadable.
        public let kind: Kind
        /// The code's published name, such as `der.truncated`.
        public var name: StaticString { nameLiteral.text }
        @usableFromInline let nameLiteral: Literal
        // A microcontroller has no room for the sentences.
        #if os(none) && (arch(arm) || arch(riscv32))
            /// The code's name, because this build has no sentences.
            public var meaning: StaticString { name }
        #else
            /// One English sentence that explains the code. On a microcontroller, it is the code's name.
            public var meaning: StaticString { sentence.text }
            @usableFromInline let sentence: Literal
        #endif

        /// Creates a code for a module's published list.
        ///
        /// - Parameters:
        ///   - number: a number that no other code of the package has.
        ///   - name: a name that no other code of the package has.
        ///   - meaning: one sentence for a person.
        ///   - kind: the state of an input that is refused with this code.
        @inlinable
        package init(_ number: UInt16, _ name: StaticString, _ meaning: StaticString, kind: Kind = .invalid) {
            self.number = number
            self.kind = kind
            nameLiteral = Literal(name)
            #if !os(none) || !(arch(arm) || arch(riscv32))
                sentence = Literal(meaning)
            #endif
        }

        /// Whether two codes have the same number.
        public static func == (one: Code, other: Code) -> Bool { one.number == other.number }

        /// Hashes the number of the code.
        public func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }
}

extension Refusal.Code: CustomStringConvertible {
    /// The code's published name, such as `der.truncated`.
    public var description: String { "\(name)" }
}

extension Refusal: CustomStringConvertible {
    /// The code's name, the offset, the field and the code's meaning, in one line for a person.
    public var description: String { "\(code.name) at byte \(offset), reading \(reading): \(code.meaning)" }
}
