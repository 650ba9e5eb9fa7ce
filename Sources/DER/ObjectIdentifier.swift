/// An OBJECT IDENTIFIER as its contents octets, up to sixteen of them, held inline (X.690 §8.19).
///
/// Sixteen octets are enough for every identifier this package knows; a longer one from the input is nobody's
/// and stays a range. Equality compares octets, never numbers.
public struct ObjectIdentifier: Sendable, Hashable {
    /// The octets, most significant first, left-aligned in two words; the rest is zero.
    @usableFromInline var high: UInt64
    @usableFromInline var low: UInt64
    /// How many octets count.
    @usableFromInline var count: UInt8

    @inlinable
    init() {
        high = 0
        low = 0
        count = 0
    }

    /// A constant of the program, from its arcs: the first two are joined in one subidentifier (§8.19.4).
    ///
    /// At most nine arcs, whose subidentifiers take at most sixteen octets: what is beyond is not kept, so
    /// that two longer identifiers could be equal.
    ///
    /// Written without an array and in line, so that a constant costs nothing where it is compared.
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
        _ ninth: UInt32? = nil
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
    }

    /// From contents octets that ``Reader/readObjectIdentifier(_:)`` accepted, which must lie inside.
    ///
    /// Nil where there are more than sixteen: nothing this package knows.
    @inlinable
    public init?(_ bytes: Span<UInt8>, in range: Range<Int>) {
        guard range.count <= 16 else { return nil }
        self.init()
        for index in range { append(octet: bytes[index]) }
    }

    /// Appends a subidentifier: base 128, most significant first, all octets but the last marked (§8.19.2).
    @inlinable @inline(__always)
    mutating func append(_ subidentifier: UInt32?) {
        guard let subidentifier else { return }
        if subidentifier >> 28 != 0 { append(octet: 0x80 | UInt8(truncatingIfNeeded: subidentifier >> 28)) }
        if subidentifier >> 21 != 0 { append(octet: 0x80 | UInt8(truncatingIfNeeded: subidentifier >> 21)) }
        if subidentifier >> 14 != 0 { append(octet: 0x80 | UInt8(truncatingIfNeeded: subidentifier >> 14)) }
        if subidentifier >> 7 != 0 { append(octet: 0x80 | UInt8(truncatingIfNeeded: subidentifier >> 7)) }
        append(octet: UInt8(truncatingIfNeeded: subidentifier & 0x7F))
    }

    /// A seventeenth octet, which only a constant too long to be one of ours could have, is dropped.
    @inlinable @inline(__always)
    mutating func append(octet: UInt8) {
        if count < 8 {
            high |= UInt64(octet) &<< (56 &- 8 &* UInt64(count))
        } else if count < 16 {
            low |= UInt64(octet) &<< (120 &- 8 &* UInt64(count))
        } else {
            return
        }
        count &+= 1
    }

    /// The contents octets.
    public var octets: [UInt8] {
        (0..<Int(count)).map { index in
            UInt8(truncatingIfNeeded: index < 8 ? high >> (56 - 8 * index) : low >> (120 - 8 * index))
        }
    }
}

extension ObjectIdentifier: CustomStringConvertible {
    public var description: String {
        let octets = octets
        return Self.dotted(octets.span, in: 0..<octets.count) ?? "?"
    }

    /// The dotted form of contents octets, which must lie inside, such as `1.2.840.113549.1.7.2`.
    ///
    /// Nil where a subidentifier is cut short, or does not fit in 64 bits, rather than a number that is
    /// wrong.
    public static func dotted(_ bytes: Span<UInt8>, in range: Range<Int>) -> String? {
        var text = ""
        var subidentifier: UInt64 = 0
        var isWithin = false
        for index in range {
            guard subidentifier >> 57 == 0 else { return nil }
            subidentifier = subidentifier << 7 | UInt64(bytes[index] & 0x7F)
            isWithin = bytes[index] & 0x80 != 0
            if isWithin { continue }
            if text.isEmpty {
                let root = min(subidentifier / 40, 2)
                text = "\(root).\(subidentifier - root * 40)"
            } else {
                text += ".\(subidentifier)"
            }
            subidentifier = 0
        }
        return isWithin || text.isEmpty ? nil : text
    }
}

extension Reader {
    /// OBJECT IDENTIFIER.
    ///
    /// - Returns: where its contents octets lie: whole subidentifiers, none of them padded.
    /// - Throws: `.invalidObjectIdentifier`, and what ``read(_:_:)`` throws.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func readObjectIdentifier(_ reading: StaticString) throws(Refusal) -> Range<Int> {
        let contents = try read(.objectIdentifier, reading)
        var isFirst = true
        for index in contents {
            if isFirst && bytes[index] == 0x80 {
                throw Refusal(.invalidObjectIdentifier, at: index, reading: reading)
            }
            isFirst = bytes[index] & 0x80 == 0
        }
        guard isFirst && !contents.isEmpty else {
            throw Refusal(.invalidObjectIdentifier, at: contents.lowerBound, reading: reading)
        }
        return contents
    }
}
