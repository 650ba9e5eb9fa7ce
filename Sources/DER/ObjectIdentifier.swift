import Basics

/// An OBJECT IDENTIFIER of at most sixteen contents octets, stored without allocation (X.690 §8.19).
///
/// Sixteen octets are enough for every identifier that this package knows. A longer identifier in the input
/// is unknown. Two identifiers are equal if their octets are equal.
public struct ObjectIdentifier: Sendable, Hashable {
    /// Contents octets 1 to 8, the first in the most significant byte. Unused bytes are zero.
    @usableFromInline var high: UInt64 = 0
    /// Contents octets 9 to 16, the ninth in the most significant byte. Unused bytes are zero.
    @usableFromInline var low: UInt64 = 0
    /// The number of contents octets, 0 to 16.
    @usableFromInline var count: UInt8 = 0

    /// Creates an identifier without contents octets, to which `append` adds them.
    @inlinable
    init() {}

    /// Creates a constant from its arcs, such as `ObjectIdentifier(1, 2, 840, 113549, 1, 7, 2)`.
    ///
    /// The first two arcs share one subidentifier (§8.19.4). An argument that is nil adds no arc.
    ///
    /// Precondition: the first arc is 0 or 1 and the second below 40, or the first arc is 2 and the second
    /// below 2^32 - 80; the subidentifiers take at most sixteen octets. Only the number of octets is checked.
    ///
    /// The initialiser takes no array and is always inlined, so that the compiler can compute the octets.
    @inlinable @inline(__always)
    public init(
        _ root: UInt32,
        _ second: UInt32,
        _ third: UInt32? = nil,
        _ fourth: UInt32? = nil,
        _ fifth: UInt32? = nil,
        _ sixth: UInt32? = nil,
        _ seventh: UInt32? = nil,
        _ eighth: UInt32? = nil,
        _ ninth: UInt32? = nil,
        _ tenth: UInt32? = nil
    ) {
        self.init()
        append(root &* 40 &+ second)
        append(third)
        append(fourth)
        append(fifth)
        append(sixth)
        append(seventh)
        append(eighth)
        append(ninth)
        append(tenth)
    }

    /// Creates an identifier from contents octets that ``Reader/readObjectIdentifier(_:)`` accepted.
    ///
    /// Nil if there are more than sixteen contents octets: this package knows no such identifier.
    ///
    /// Precondition: the range lies inside the bytes.
    @inlinable
    public init?(_ bytes: Span<UInt8>, in range: Range<Int>) {
        guard range.count <= 16 else { return nil }
        self.init()
        for index in range { append(octet: bytes[index]) }
    }

    /// Appends a subidentifier in base 128, most significant digit first. Bit 8 is set in every octet except
    /// the last (§8.19.2). Nil appends nothing.
    ///
    /// Precondition: the identifier has at most sixteen octets afterwards.
    @inlinable @inline(__always)
    mutating func append(_ subidentifier: UInt32?) {
        guard let subidentifier else { return }
        if subidentifier >> 28 != 0 { append(octet: 0x80 | UInt8(truncatingIfNeeded: subidentifier >> 28)) }
        if subidentifier >> 21 != 0 { append(octet: 0x80 | UInt8(truncatingIfNeeded: subidentifier >> 21)) }
        if subidentifier >> 14 != 0 { append(octet: 0x80 | UInt8(truncatingIfNeeded: subidentifier >> 14)) }
        if subidentifier >> 7 != 0 { append(octet: 0x80 | UInt8(truncatingIfNeeded: subidentifier >> 7)) }
        append(octet: UInt8(truncatingIfNeeded: subidentifier & 0x7F))
    }

    /// Appends one contents octet after the present ones.
    ///
    /// Precondition: there are fewer than sixteen octets. Only a constant that is too long can break this:
    /// ``init(_:in:)`` checks the length first.
    @inlinable @inline(__always)
    mutating func append(octet: UInt8) {
        precondition(count < 16, "an object identifier has at most sixteen contents octets")
        if count < 8 {
            high |= UInt64(octet) &<< (56 &- 8 &* UInt64(count))
        } else {
            low |= UInt64(octet) &<< (120 &- 8 &* UInt64(count))
        }
        count &+= 1
    }

    /// The contents octets, without identifier and length octets.
    public var octets: [UInt8] {
        (0..<Int(count)).map { index in
            UInt8(truncatingIfNeeded: index < 8 ? high >> (56 - 8 * index) : low >> (120 - 8 * index))
        }
    }
}

extension ObjectIdentifier: CustomStringConvertible {
    /// The dotted form, such as `1.2.840.113549.1.7.2`. It is `?` if there are no octets, if the last
    /// subidentifier is cut short, or if a subidentifier does not fit in 64 bits.
    public var description: String {
        let octets = octets
        return Self.dotted(octets.borrowedSpan, in: 0..<octets.count) ?? "?"
    }

    /// The dotted form of contents octets, such as `1.2.840.113549.1.7.2` (X.690 §8.19.4).
    ///
    /// Nil if the octets are empty, if the last subidentifier is cut short, or if a subidentifier does not
    /// fit in 64 bits.
    ///
    /// Precondition: the range lies inside the bytes.
    package static func dotted(_ bytes: Span<UInt8>, in range: Range<Int>) -> String? {
        var text: [UInt8] = []
        var subidentifier: UInt64 = 0
        var isWithin = false
        for index in range {
            guard subidentifier >> 57 == 0 else { return nil }
            subidentifier = subidentifier << 7 | UInt64(bytes[index] & 0x7F)
            isWithin = bytes[index] & 0x80 != 0
            if isWithin { continue }
            if text.isEmpty {
                let root = min(subidentifier / 40, 2)
                text.append(UInt8(ascii: "0") + UInt8(root))
                subidentifier -= root * 40
            }
            text.append(UInt8(ascii: "."))
            text.append(utf8: String(subidentifier))
            subidentifier = 0
        }
        return isWithin || text.isEmpty ? nil : String(utf8: text.borrowedSpan)
    }
}

extension Reader {
    /// Reads an OBJECT IDENTIFIER (X.690 §8.19).
    ///
    /// - Returns: the range of its contents octets: one or more whole subidentifiers without padding.
    /// - Throws: `.invalidObjectIdentifier` if the contents are empty, or if a subidentifier is padded or cut
    ///   short, and the refusals of ``read(_:_:)``.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func readObjectIdentifier(_ reading: StaticString) throws(Refusal) -> Range<Int> {
        let contents = try read(.objectIdentifier, reading)
        var isFirst = true
        for index in contents {
            if isFirst && bytes[index] == 0x80 { throw invalidObjectIdentifier(at: index, reading) }
            isFirst = bytes[index] & 0x80 == 0
        }
        guard isFirst && !contents.isEmpty else {
            throw invalidObjectIdentifier(at: contents.lowerBound, reading)
        }
        return contents
    }
}
