import Basics
import DER

/// One extension (RFC 5280 §4.2): of a certificate, of a revocation list or its entry, or of an OCSP
/// response.
///
/// ```
/// Extension ::= SEQUENCE {
///     extnID     OBJECT IDENTIFIER,
///     critical   BOOLEAN DEFAULT FALSE,
///     extnValue  OCTET STRING }
/// ```
public struct Extension: Sendable {
    /// The range in the buffer of the whole Extension, header included.
    package let range: Range<Int>
    /// The range in the buffer of the contents octets of `extnID`.
    package let identifierRange: Range<Int>
    /// `extnID`; nil if it has more than the sixteen octets that an `ObjectIdentifier` can hold.
    public let identifier: ObjectIdentifier?
    /// `critical`: whether a validator that does not know the extension must refuse what contains it, such
    /// as a certificate.
    public let isCritical: Bool
    /// The range in the buffer of the octets of `extnValue`, without their header.
    public let value: Range<Int>

    /// Decodes one Extension and leaves the reader after it. Throws `Refusal` with codes of `DER`.
    package init(_ reader: inout Reader) throws(Refusal) {
        let start = reader.offset
        var sequence = try reader.nested(.sequence, "extension")
        identifierRange = try sequence.readObjectIdentifier("extension.extnID")
        identifier = ObjectIdentifier(reader.bytes, in: identifierRange)
        isCritical = try sequence.readBooleanDefaultFalse("extension.critical")
        value = try sequence.read(.octetString, "extension.extnValue")
        try sequence.finish("extension")
        range = start..<reader.offset
    }
}

extension ObjectIdentifier {
    static var subjectKeyIdentifier: Self { Self(2, 5, 29, 14) }
    static var keyUsage: Self { Self(2, 5, 29, 15) }
    static var basicConstraints: Self { Self(2, 5, 29, 19) }
    package static var authorityKeyIdentifier: Self { Self(2, 5, 29, 35) }
    static var extendedKeyUsage: Self { Self(2, 5, 29, 37) }

    /// `anyExtendedKeyUsage`, the purpose that stands for every purpose (RFC 5280 §4.2.1.12).
    package static var anyExtendedKeyUsage: Self { Self(2, 5, 29, 37, 0) }
    /// `id-kp-codeSigning`, the purpose of a key that signs code (RFC 5280 §4.2.1.12).
    package static var codeSigning: Self { Self(1, 3, 6, 1, 5, 5, 7, 3, 3) }
}

/// Whether a certificate's key may sign certificates, and how many intermediates may follow
/// (RFC 5280 §4.2.1.9).
///
/// ```
/// BasicConstraints ::= SEQUENCE {
///     cA                 BOOLEAN DEFAULT FALSE,
///     pathLenConstraint  INTEGER (0..MAX) OPTIONAL }
/// ```
package struct BasicConstraints: Sendable, Hashable {
    /// `cA`: whether the key may verify signatures on certificates.
    package let isCertificateAuthority: Bool
    /// How many intermediates may stand between this certificate and the signer's, self-issued ones not
    /// counted. Nil for any number. Never negative.
    package let pathLengthConstraint: Int64?

    init(_ reader: inout Reader) throws(Refusal) {
        var sequence = try reader.nested(.sequence, "basicConstraints")
        isCertificateAuthority = try sequence.readBooleanDefaultFalse("basicConstraints.cA")
        if sequence.isAtEnd {
            pathLengthConstraint = nil
        } else {
            let offset = sequence.offset
            let length = try sequence.readInteger("basicConstraints.pathLenConstraint")
            guard length >= 0, isCertificateAuthority else {
                throw Refusal(.invalidExtension, at: offset, reading: "basicConstraints.pathLenConstraint")
            }
            pathLengthConstraint = length
        }
        try sequence.finish("basicConstraints")
    }
}

/// The operations that a certificate's key may be used for (RFC 5280 §4.2.1.3). In the BIT STRING bit 0 comes
/// first.
///
/// ```
/// KeyUsage ::= BIT STRING {
///     digitalSignature (0), nonRepudiation (1), keyEncipherment (2), dataEncipherment (3),
///     keyAgreement (4), keyCertSign (5), cRLSign (6), encipherOnly (7), decipherOnly (8) }
/// ```
package struct KeyUsage: Sendable, Hashable {
    /// The named bits. Bit n of the standard has the value 2^n here: digitalSignature 1, keyCertSign 32.
    package let bits: UInt16

    /// Whether bit 0 is set: the key may verify signatures other than those on certificates and CRLs.
    package var digitalSignature: Bool { bits & 1 << 0 != 0 }
    /// Whether bit 5 is set: the key may verify signatures on certificates.
    package var keyCertSign: Bool { bits & 1 << 5 != 0 }
    /// Whether bit 6 is set: the key may verify signatures on revocation lists.
    package var cRLSign: Bool { bits & 1 << 6 != 0 }

    init(_ reader: inout Reader) throws(Refusal) {
        let string = try reader.readBitString("keyUsage")
        guard (1...2).contains(string.octets.count) else {
            throw Refusal(.invalidExtension, at: string.octets.lowerBound, reading: "keyUsage")
        }
        var bits: UInt16 = 0
        for index in 0..<(8 * string.octets.count) {
            let octet = reader.bytes[string.octets.lowerBound + index / 8]
            if octet & (0x80 >> (index % 8)) != 0 { bits |= 1 << index }
        }
        // A named bit list ends with a set bit (X.690 §11.2.2), and at least one bit must be set
        // (RFC 5280 §4.2.1.3).
        let last = 8 * string.octets.count - string.unusedBits - 1
        guard bits & 1 << last != 0, last <= 8 else {
            throw Refusal(.invalidExtension, at: string.octets.lowerBound, reading: "keyUsage")
        }
        self.bits = bits
    }
}

/// The purposes that a key is restricted to (RFC 5280 §4.2.1.12). ``CertificateView/permits(_:)`` reads them.
///
/// ```
/// ExtKeyUsageSyntax ::= SEQUENCE SIZE (1..MAX) OF OBJECT IDENTIFIER
/// ```
package struct ExtendedKeyUsage: Sendable {
    /// The range in the buffer of the contents of the SEQUENCE: one or more OBJECT IDENTIFIERs.
    let purposes: Range<Int>

    init(_ reader: inout Reader, limits: CertificateLimits) throws(Refusal) {
        var sequence = try reader.nested(.sequence, "extendedKeyUsage")
        purposes = sequence.offset..<sequence.end
        var count = 0
        repeat {
            let start = sequence.offset
            _ = try sequence.readObjectIdentifier("extendedKeyUsage")
            count += 1
            guard count <= limits.purposes else {
                throw Refusal(.tooManyPurposes, at: start, reading: "extendedKeyUsage")
            }
        } while !sequence.isAtEnd
    }
}

/// The identifiers of the issuer's key and of the issuer's certificate (RFC 5280 §4.2.1.1).
///
/// ```
/// AuthorityKeyIdentifier ::= SEQUENCE {
///     keyIdentifier              [0] OCTET STRING OPTIONAL,
///     authorityCertIssuer        [1] GeneralNames OPTIONAL,
///     authorityCertSerialNumber  [2] INTEGER OPTIONAL }
/// ```
package struct AuthorityKeyIdentifier: Sendable {
    /// The range in the buffer of the octets of the issuer's key identifier; nil if absent.
    package let keyIdentifier: Range<Int>?
    /// The range of the contents of the first `directoryName` in `authorityCertIssuer`: a Name, header
    /// included, whose form is not checked. Nil if there is none.
    package let issuer: Range<Int>?
    /// The range of the contents octets of the serial number of the issuer's certificate; nil if absent.
    package let serialNumber: Range<Int>?

    /// Decodes the value of an authority key identifier extension and leaves the reader after it. Throws
    /// codes of `DER`, and `.invalidExtension` if only one of authorityCertIssuer and
    /// authorityCertSerialNumber is present.
    package init(_ reader: inout Reader) throws(Refusal) {
        let start = reader.offset
        var sequence = try reader.nested(.sequence, "authorityKeyIdentifier")
        keyIdentifier = try sequence.readIfNext(.primitive(0), "authorityKeyIdentifier.keyIdentifier")
        var issuer: Range<Int>?
        let hasIssuer = sequence.isNext(.constructed(1))
        if hasIssuer {
            var names = try sequence.nested(.constructed(1), "authorityKeyIdentifier.authorityCertIssuer")
            repeat {
                let name = try Self.readGeneralName(&names)
                // directoryName [4] is tagged explicitly because Name is a CHOICE.
                if name.tag == .constructed(4), issuer == nil { issuer = name.contents }
            } while !names.isAtEnd
        }
        self.issuer = issuer
        serialNumber =
            sequence.isNext(.primitive(2))
            ? try sequence.readIntegerContents(
                "authorityKeyIdentifier.authorityCertSerialNumber",
                tag: .primitive(2)
            ) : nil
        guard hasIssuer == (serialNumber != nil) else {
            throw Refusal(.invalidExtension, at: start, reading: "authorityKeyIdentifier")
        }
        try sequence.finish("authorityKeyIdentifier")
    }

    /// Reads a GeneralName, one of nine choices (§4.2.1.6). The octets of a primitive one are not checked.
    private static func readGeneralName(_ names: inout Reader) throws(Refusal) -> Element {
        let name = try names.readWellFormedElement("authorityKeyIdentifier.authorityCertIssuer")
        // otherName, x400Address, directoryName and ediPartyName are constructed.
        let isConstructed = [0, 3, 4, 5].contains(name.tag.number)
        guard name.tag.number <= 8,
            name.tag == Tag(.contextSpecific, name.tag.number, constructed: isConstructed)
        else {
            throw Refusal(
                .unexpectedTag,
                at: name.start,
                reading: "authorityKeyIdentifier.authorityCertIssuer"
            )
        }
        return name
    }
}
