/// A string literal, stored in one word: the address of its bytes, which a zero byte follows.
///
/// A `StaticString` takes three words. An error holds texts, and each function that passes the error on moves
/// them. The length of a text is counted only when the text is read.
///
/// Why it is safe:
/// - A literal is part of the program. Its bytes never change, and they live as long as the program does.
///   Therefore every thread may read them.
/// - The compiler ends the bytes of a literal with a zero byte, so that C can read them.
/// - No other pointer can be stored: the initialiser takes only a `StaticString`.
@safe
@usableFromInline
package struct Literal: Sendable {
    @usableFromInline
    nonisolated(unsafe) let start: UnsafePointer<UInt8>

    /// Stores the address of a literal's bytes.
    ///
    /// Precondition: the literal is no single Unicode scalar, which a `StaticString` may hold without an
    /// address, and it has no zero byte.
    @inlinable @inline(__always)
    package init(_ text: StaticString) {
        unsafe start = text.utf8Start
    }

    /// The stored literal. Its length is counted here, up to the zero byte.
    ///
    /// `StaticString` has no initialiser that takes an address, so a bit cast makes one from its words. Its
    /// layout is frozen: the address, the number of bytes, and flags. Bit 0 would say that the first word is
    /// a Unicode scalar instead of an address. Bit 1 says that all bytes are ASCII. `unsafeBitCast` ends the
    /// program if the sizes differ, and the tests compare the text with its literal.
    package var text: StaticString {
        var (count, isASCII) = (0, true)
        while case let byte = unsafe start[count], byte != 0 {
            if byte >= 0x80 { isASCII = false }
            count &+= 1
        }
        let flags: UInt8 = isASCII ? 2 : 0
        return unsafe unsafeBitCast((UInt(bitPattern: start), count, flags), to: StaticString.self)
    }
}

extension Literal: Hashable {
    /// Whether two literals have the same bytes.
    @usableFromInline
    package static func == (one: Literal, other: Literal) -> Bool {
        var index = 0
        // The loop reads past no zero byte: it ends if both have one here, and if only one has.
        while unsafe one.start[index] == other.start[index] {
            if unsafe one.start[index] == 0 { return true }
            index &+= 1
        }
        return false
    }

    /// Hashes the bytes of the literal and the zero byte after them.
    @usableFromInline
    package func hash(into hasher: inout Hasher) {
        var index = 0
        while case let byte = unsafe start[index], byte != 0 {
            hasher.combine(byte)
            index &+= 1
        }
        hasher.combine(0 as UInt8)
    }
}
