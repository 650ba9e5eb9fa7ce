// The bytes of strings. The views of the standard library do the same in about three times the instructions.
//
// A pointer is valid during the closure, and nothing keeps it.

extension Array<UInt8> {
    /// Appends the UTF-8 bytes of a string.
    package mutating func append(utf8 text: String) {
        _ = unsafe text.withBytes { bytes in
            unsafe append(contentsOf: bytes)
            return true
        }
    }

    /// Creates an array of the UTF-8 bytes of a string.
    package init(utf8 text: String) {
        self = []
        append(utf8: text)
    }

    /// Appends the UTF-8 bytes of a string literal.
    @inlinable
    @inline(__always)
    package mutating func append(utf8 text: StaticString) {
        text.withUTF8Buffer { unsafe append(contentsOf: $0) }
    }
}

extension String {
    /// Creates a string from UTF-8 bytes. Each ill-formed sequence becomes U+FFFD.
    // One copy keeps small builds small.
    @inline(never)
    package init(utf8 bytes: Span<UInt8>) {
        #if hasFeature(Embedded)
            // `String(decoding:)` brings the standard library's code for changes within strings, which is
            // large.
            self = String(wellFormed: bytes) ?? String(wellFormed: bytes.repairedUTF8().borrowedSpan) ?? ""
        #else
            self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        #endif
    }

    #if hasFeature(Embedded)
        /// Creates a string from UTF-8 bytes. Nil if the bytes are ill-formed.
        private init?(wellFormed bytes: Span<UInt8>) {
            let text = unsafe bytes.withUnsafeBufferPointer { unsafe String(validating: $0, as: UTF8.self) }
            guard let text else { return nil }
            self = text
        }
    #endif

    /// Whether this string and another have the same UTF-8 bytes. `==` compares by Unicode equivalence.
    package func hasSameBytes(as other: String) -> Bool {
        unsafe withBytes { bytes in
            unsafe other.withBytes { others in unsafe bytes.elementsEqual(others) }
        }
    }

    /// Calls a function with the string's UTF-8 bytes and returns the function's result.
    ///
    /// Every string is contiguous UTF-8, except strings that are bridged from Objective-C. Without
    /// Objective-C, this function leaves out the standard library's code for other strings, which is large,
    /// and traps on them. The pointer is valid during the call only.
    func withBytes(_ use: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
        if let result = unsafe utf8.withContiguousStorageIfAvailable(use) { return result }
        #if canImport(ObjectiveC)
            var copy = self
            return unsafe copy.withUTF8(use)
        #else
            precondition(false, "a string has contiguous UTF-8")
            return false
        #endif
    }
}

extension Span<UInt8> {
    /// Whether the span's bytes are exactly the UTF-8 bytes of a string.
    package func isUTF8(of text: String) -> Bool {
        unsafe text.withBytes { unsafe isEqual(to: $0) }
    }

    /// Whether the span's bytes begin with the UTF-8 bytes of a literal.
    package func starts(with text: StaticString) -> Bool {
        text.withUTF8Buffer { prefix in
            unsafe prefix.count <= count && extracting(0..<prefix.count).isEqual(to: prefix)
        }
    }

    /// Whether the span's bytes are exactly the UTF-8 bytes of a literal. Nothing is allocated.
    package func equals(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { unsafe isEqual(to: $0) }
    }

    /// Whether this span and a buffer hold the same bytes. The buffer must live until the call returns.
    private func isEqual(to others: UnsafeBufferPointer<UInt8>) -> Bool {
        let others = unsafe Span(_unsafeElements: others)
        return holds(0..<count, sameAs: others, 0..<others.count)
    }
}
