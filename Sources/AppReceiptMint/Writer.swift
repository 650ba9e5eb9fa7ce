import Basics
import DER

/// Writes DER (X.690 §10, §11).
public struct Writer: Sendable {
    /// The encodings written so far, in their order.
    public private(set) var bytes: [UInt8] = []

    /// Creates a writer without any output.
    public init() {}

    /// The encoding of a SEQUENCE whose contents the closure writes (X.690 §8.9).
    public static func sequence(_ body: (inout Writer) -> Void) -> [UInt8] {
        var writer = Writer()
        writer.nest(.sequence, body)
        return writer.bytes
    }

    /// The encoding of an element with these contents octets and a definite length.
    public static func element(_ tag: Tag, _ contents: [UInt8]) -> [UInt8] {
        var writer = Writer()
        writer.write(tag, contents)
        return writer.bytes
    }

    /// Writes an element with these contents octets and a definite length.
    public mutating func write(_ tag: Tag, _ contents: [UInt8]) {
        bytes.appendTag(tag)
        bytes.appendLength(contents.count)
        bytes += contents
    }

    /// Writes an element whose contents the closure writes. The tag should be constructed.
    public mutating func nest(_ tag: Tag, _ body: (inout Writer) -> Void) {
        var inner = Writer()
        body(&inner)
        write(tag, inner.bytes)
    }

    /// Writes octets that are encoded already, unchanged and unchecked.
    public mutating func writeEncoded(_ encoding: [UInt8]) { bytes += encoding }

    /// Writes a SET OF with these encodings: in ascending order (X.690 §11.6) if `sorted` is true, else in
    /// the given order.
    public mutating func writeSet(of encodings: [[UInt8]], tag: Tag = .set, sorted: Bool = true) {
        var encodings = encodings
        if sorted {
            encodings.sort { one, other in
                let both = one + other
                return !both.borrowedSpan.isAscending(one.count..<both.count, 0..<one.count)
            }
        }
        write(tag, encodings.flatMap { $0 })
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
    /// Writes a NULL, which has no contents (X.690 §8.8).
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

extension Tag {
    /// The tag of TeletexString, also called T61String (X.690 §8.23).
    public static var teletexString: Tag { Tag(.universal, 20) }
    /// The tag of BMPString (X.690 §8.23).
    public static var bmpString: Tag { Tag(.universal, 30) }
}

extension Array<UInt8> {
    /// Appends the identifier octets of a tag (X.690 §8.1.2): one octet for numbers up to 30, else more.
    fileprivate mutating func appendTag(_ tag: Tag) {
        guard tag.number >= 31 else { return append(tag.lowOctet) }
        append(tag.tagClass.rawValue | (tag.isConstructed ? 0x20 : 0) | 0x1F)
        var shift: UInt32 = 28
        while tag.number >> shift == 0 { shift -= 7 }
        while shift > 0 {
            append(0x80 | UInt8(truncatingIfNeeded: tag.number >> shift))
            shift -= 7
        }
        append(UInt8(truncatingIfNeeded: tag.number & 0x7F))
    }
}
