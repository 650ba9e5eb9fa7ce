import Basics

/// A dictionary in the NeXT style whose keys and values are quoted strings: the ranges of its entries in a
/// buffer that the caller keeps.
///
/// ```
/// list   = space "{" *( space string space "=" space string space ";" ) space "}" space
/// string = %x22 *( %x20-21 / %x23-5B / %x5D-7E ) %x22      ; printable ASCII except " and \
/// space  = *( %x09 / %x0A / %x0D / %x20 )
/// ```
///
/// Genuine lists need no more. Unquoted strings, nested values, data in angle brackets, comments and escapes
/// are refused: with escapes a key could be spelled in several ways. Other readers of the format take bytes
/// beyond ASCII for different characters, so such bytes are refused too. An empty key is refused, and so is
/// a key that occurs twice, also if one has "-" where the other has "_".
package struct PropertyList: Sendable {
    /// The ranges of a key and its value in the buffer, without their quotation marks.
    package struct Entry: Sendable, Hashable {
        package let key: Range<Int>
        package let value: Range<Int>
    }

    /// The entries in the order of the list. No two keys are equal, even if "-" counts as "_".
    package let entries: [Entry]

    /// Reads a list, which must fill the buffer; white space may stand around it.
    ///
    /// - Parameter limit: the maximum number of entries. Genuine lists have up to 21. The search for
    ///   duplicate keys is quadratic.
    /// - Throws: `Refusal`, with an offset in the buffer.
    package init(_ bytes: Span<UInt8>, limit: Int = 128) throws(Refusal) {
        var reader = PropertyListReader(bytes)
        entries = try reader.readList(limit: limit)
    }

    /// The range of a key's value in `bytes`, the buffer of the list. Nil if no key of the list equals `key`
    /// byte for byte.
    package func value(of key: StaticString, in bytes: Span<UInt8>) -> Range<Int>? {
        entries.first { bytes.extracting($0.key).equals(key) }?.value
    }
}

/// Reads a property list from borrowed bytes, from front to back. Copies nothing.
private struct PropertyListReader: ~Escapable {
    private let bytes: Span<UInt8>
    private var offset = 0

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) { self.bytes = bytes }

    /// Reads the list and the white space around it, up to the end of the bytes, and returns its entries.
    /// Throws if there are more than `limit`.
    @_lifetime(self: copy self)
    mutating func readList(limit: Int) throws(Refusal) -> [PropertyList.Entry] {
        var entries: [PropertyList.Entry] = []
        try expect(UInt8(ascii: "{"))
        while try peek() != UInt8(ascii: "}") {
            let start = offset
            guard entries.count < limit else {
                throw Refusal(.tooManyEntries, at: start, reading: "property list")
            }
            let key = try readString("key")
            guard !key.isEmpty else { throw Refusal(.emptyKey, at: start, reading: "key") }
            for earlier in entries where isSame(key, earlier.key) {
                throw Refusal(.duplicateKey, at: key.lowerBound, reading: "key")
            }
            try expect(UInt8(ascii: "="))
            let value = try readString("value")
            try expect(UInt8(ascii: ";"))
            entries.append(PropertyList.Entry(key: key, value: value))
        }
        offset += 1
        skipSpace()
        guard offset == bytes.count else {
            throw Refusal(.bytesAfterPropertyList, at: offset, reading: "property list")
        }
        return entries
    }

    /// Whether the keys at two ranges are equal if a hyphen counts as an underscore. Apple's answers write
    /// underscores for hyphens, so that two such keys would become one.
    private func isSame(_ key: Range<Int>, _ other: Range<Int>) -> Bool {
        guard key.count == other.count else { return false }
        let (key, other) = (bytes.extracting(key), bytes.extracting(other))
        let (hyphen, underscore) = (UInt8(ascii: "-"), UInt8(ascii: "_"))
        for index in 0..<key.count {
            let byte = key[index] == hyphen ? underscore : key[index]
            guard byte == (other[index] == hyphen ? underscore : other[index]) else { return false }
        }
        return true
    }

    /// Skips white space and reads a string in quotation marks. Returns its range without the marks.
    @_lifetime(self: copy self)
    private mutating func readString(_ reading: StaticString) throws(Refusal) -> Range<Int> {
        guard try peek() == UInt8(ascii: "\"") else {
            throw Refusal(.notAQuotedString, at: offset, reading: reading)
        }
        offset += 1
        let start = offset
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte == UInt8(ascii: "\"") {
                offset += 1
                return start..<(offset - 1)
            }
            guard byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "\\") else {
                throw Refusal(.invalidStringCharacter, at: offset, reading: reading)
            }
            offset += 1
        }
        throw Refusal(.propertyListTruncated, at: offset, reading: reading)
    }

    /// Skips white space and reads the given byte. Throws `.unexpectedByte` for another byte, and
    /// `.propertyListTruncated` at the end.
    @_lifetime(self: copy self)
    private mutating func expect(_ byte: UInt8) throws(Refusal) {
        guard try peek() == byte else {
            throw Refusal(.unexpectedByte, at: offset, reading: "property list")
        }
        offset += 1
    }

    /// Skips white space and returns the next byte without consuming it. Throws at the end of the bytes.
    @_lifetime(self: copy self)
    private mutating func peek() throws(Refusal) -> UInt8 {
        skipSpace()
        guard offset < bytes.count else {
            throw Refusal(.propertyListTruncated, at: offset, reading: "property list")
        }
        return bytes[offset]
    }

    @_lifetime(self: copy self)
    private mutating func skipSpace() {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x09, 0x0A, 0x0D, 0x20: offset += 1
            default: return
            }
        }
    }
}
