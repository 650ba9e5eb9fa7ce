import Bytes

/// Writes DER (X.690 §10, §11).
///
/// It writes what tests and minted receipts need. Validation does not use it.
public struct Writer: Sendable {
    /// The encodings written so far, in their order.
    public private(set) var bytes: [UInt8] = []

    /// Creates a writer without any output.
    public init() {}

    /// Writes an element with these contents.
    public mutating func write(_ tag: Tag, _ contents: [UInt8]) {
        bytes.appendTag(tag)
        bytes.appendLength(contents.count)
        bytes += contents
    }

    /// Writes a constructed element whose contents the body writes.
    ///
    /// - Throws: the error of the body. The element is then not written.
    public mutating func nest<Failure: Error>(
        _ tag: Tag,
        _ body: (inout Writer) throws(Failure) -> Void
    ) throws(Failure) {
        var inner = Writer()
        try body(&inner)
        write(tag, inner.bytes)
    }

    /// Writes an encoding unchanged.
    public mutating func writeEncoded(_ encoding: [UInt8]) { bytes += encoding }

    /// Writes a SET OF with the encodings in ascending order (X.690 §11.6).
    public mutating func writeSet(of encodings: [[UInt8]], tag: Tag = .set) {
        let sorted = encodings.sorted { one, other in
            let both = one + other
            return !both.borrowedSpan.isAscending(one.count..<both.count, 0..<one.count)
        }
        write(tag, sorted.flatMap { $0 })
    }

    /// Writes an INTEGER in two's complement, in as few octets as the value needs (X.690 §8.3.2).
    public mutating func writeInteger(_ value: Int64) {
        var octets = (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
        while octets.count > 1, octets[0] == (octets[1] & 0x80 == 0 ? 0x00 : 0xFF) { octets.removeFirst() }
        write(.integer, octets)
    }

    /// Writes an INTEGER that is zero or positive.
    ///
    /// - Parameter magnitude: the value, most significant octet first. Leading zeros are allowed.
    public mutating func writeUnsignedInteger(_ magnitude: [UInt8]) {
        let octets = [UInt8](magnitude.drop { $0 == 0 })
        write(.integer, octets.first.map { $0 & 0x80 == 0 } ?? false ? octets : [0] + octets)
    }

    /// Writes a BOOLEAN, FF for true (X.690 §11.1). The caller omits a `DEFAULT FALSE` that is false.
    public mutating func writeBoolean(_ value: Bool) { write(.boolean, [value ? 0xFF : 0x00]) }
    /// Writes a NULL (X.690 §8.8).
    public mutating func writeNull() { write(.null, []) }
    /// Writes a primitive OCTET STRING (X.690 §8.7).
    public mutating func writeOctetString(_ octets: [UInt8]) { write(.octetString, octets) }
    /// Writes a primitive BIT STRING (X.690 §8.6).
    ///
    /// - Parameter unusedBits: how many low bits of the last octet are unused, from 0 to 7. The caller has
    ///   set them to zero (§11.2.1).
    public mutating func writeBitString(_ octets: [UInt8], unusedBits: UInt8 = 0) {
        write(.bitString, [unusedBits] + octets)
    }
    /// Writes an OBJECT IDENTIFIER (X.690 §8.19).
    public mutating func writeObjectIdentifier(_ identifier: ObjectIdentifier) {
        write(.objectIdentifier, identifier.octets)
    }
    /// Writes a UTF8String (X.690 §8.23).
    public mutating func writeUTF8String(_ string: String) { write(.utf8String, [UInt8](string.utf8)) }
    /// Writes an IA5String (X.690 §8.23). Precondition, not checked: the characters are ASCII. Others are
    /// written as UTF-8, which IA5String does not allow.
    public mutating func writeIA5String(_ string: String) { write(.ia5String, [UInt8](string.utf8)) }

    /// Writes a Time of RFC 5280 §4.1.2.5: a UTCTime for the years 1950 to 2049, otherwise a GeneralizedTime.
    ///
    /// Milliseconds are dropped. Precondition, not checked: the year is one of 0 to 9999.
    public mutating func writeTime(_ time: Timestamp) {
        // The digits of "2023-02-22T14:30:15Z" are the DER form. A UTCTime omits the century.
        let digits = time.description.utf8.prefix(19).filter { (0x30...0x39).contains($0) } + [0x5A]
        let year = digits.prefix(4).reduce(0) { $0 * 10 + Int($1 - 0x30) }
        if (1950..<2050).contains(year) {
            write(.utcTime, [UInt8](digits.dropFirst(2)))
        } else {
            write(.generalizedTime, digits)
        }
    }
}

extension Array<UInt8> {
    /// Appends identifier octets (X.690 §8.1.2).
    mutating func appendTag(_ tag: Tag) {
        guard !tag.isLow else { return append(tag.lowOctet) }
        append(UInt8(truncatingIfNeeded: tag.packed) | 0x1F)
        var shift = 28
        while tag.number >> shift == 0 { shift -= 7 }
        while shift > 0 {
            append(0x80 | UInt8(truncatingIfNeeded: tag.number >> shift))
            shift -= 7
        }
        append(UInt8(truncatingIfNeeded: tag.number & 0x7F))
    }

    /// Appends length octets in the shortest definite form (X.690 §10.1). The length must not be negative.
    mutating func appendLength(_ length: Int) {
        guard length >= 0x80 else { return append(UInt8(truncatingIfNeeded: length)) }
        let count = (Int.bitWidth - length.leadingZeroBitCount + 7) / 8
        append(0x80 | UInt8(truncatingIfNeeded: count))
        for index in (0..<count).reversed() { append(UInt8(truncatingIfNeeded: length >> (8 * index))) }
    }
}
