import DER

/// One extension of a certificate (RFC 5280 §4.2).
///
/// ```
/// Extension ::= SEQUENCE {
///     extnID     OBJECT IDENTIFIER,
///     critical   BOOLEAN DEFAULT FALSE,
///     extnValue  OCTET STRING }
/// ```
public struct Extension: Sendable {
    /// The whole encoding.
    public let range: Range<Int>
    /// The contents octets of `extnID`.
    public let identifierRange: Range<Int>
    /// `extnID`; nil where it is too long to be one of those known here.
    public let identifier: ObjectIdentifier?
    /// Whether the certificate must be refused by those who do not know the extension.
    public let isCritical: Bool
    /// The octets of `extnValue`.
    public let value: Range<Int>

    init(_ reader: inout Reader) throws(Refusal) {
        let start = reader.offset
        var sequence = try reader.nested(.sequence, "extension")
        identifierRange = try sequence.readObjectIdentifier("extension.extnID")
        identifier = ObjectIdentifier(reader.bytes, in: identifierRange)
        isCritical = try sequence.readBooleanDefaultFalse("extension.critical")
        value = try sequence.readOctetString("extension.extnValue")
        try sequence.finish("extension")
        range = start..<reader.offset
    }
}

extension ObjectIdentifier {
    static var subjectKeyIdentifier: Self { Self(2, 5, 29, 14) }
    static var keyUsage: Self { Self(2, 5, 29, 15) }
    static var basicConstraints: Self { Self(2, 5, 29, 19) }
    static var authorityKeyIdentifier: Self { Self(2, 5, 29, 35) }
    static var extendedKeyUsage: Self { Self(2, 5, 29, 37) }

    /// `anyExtendedKeyUsage` (RFC 5280 §4.2.1.12).
    public static var anyExtendedKeyUsage: Self { Self(2, 5, 29, 37, 0) }
    /// `id-kp-codeSigning` (RFC 5280 §4.2.1.12).
    public static var codeSigning: Self { Self(1, 3, 6, 1, 5, 5, 7, 3, 3) }
}

/// Whether a key may sign certificates, and how many may follow (RFC 5280 §4.2.1.9).
///
/// ```
/// BasicConstraints ::= SEQUENCE {
///     cA                 BOOLEAN DEFAULT FALSE,
///     pathLenConstraint  INTEGER (0..MAX) OPTIONAL }
/// ```
public struct BasicConstraints: Sendable, Hashable {
    /// `cA`: whether the key may verify signatures of certificates.
    public let isCertificateAuthority: Bool
    /// How many intermediates that are not self-issued may stand between this certificate and the signer's;
    /// nil for any number. Never negative.
    public let pathLengthConstraint: Int64?

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

/// What a key may be used for (RFC 5280 §4.2.1.3): a BIT STRING whose bit 0 comes first.
///
/// ```
/// KeyUsage ::= BIT STRING {
///     digitalSignature (0), nonRepudiation (1), keyEncipherment (2), dataEncipherment (3),
///     keyAgreement (4), keyCertSign (5), cRLSign (6), encipherOnly (7), decipherOnly (8) }
/// ```
public struct KeyUsage: Sendable, Hashable {
    /// The named bits: bit n of the standard is bit n here.
    public let bits: UInt16

    /// Bit 0: the key verifies signatures, but for those of certificates and CRLs.
    public var digitalSignature: Bool { bits & 1 << 0 != 0 }
    /// Bit 5: the key verifies signatures of certificates.
    public var keyCertSign: Bool { bits & 1 << 5 != 0 }

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
        // A named bit list ends with a bit that is set (X.690 §11.2.2), and one must be (RFC 5280).
        let last = 8 * string.octets.count - string.unusedBits - 1
        guard bits & 1 << last != 0, last <= 8 else {
            throw Refusal(.invalidExtension, at: string.octets.lowerBound, reading: "keyUsage")
        }
        self.bits = bits
    }
}

/// The purposes that a key is confined to (RFC 5280 §4.2.1.12): where its identifiers lie.
///
/// ```
/// ExtKeyUsageSyntax ::= SEQUENCE SIZE (1..MAX) OF OBJECT IDENTIFIER
/// ```
public struct ExtendedKeyUsage: Sendable {
    let purposes: Range<Int>

    init(_ reader: inout Reader) throws(Refusal) {
        var sequence = try reader.nested(.sequence, "extendedKeyUsage")
        purposes = sequence.offset..<sequence.end
        repeat { _ = try sequence.readObjectIdentifier("extendedKeyUsage") } while !sequence.isAtEnd
    }

    /// Whether this purpose, or any, is among those named.
    ///
    /// - Parameter bytes: the buffer that the certificate was read from.
    public func permits(_ purpose: ObjectIdentifier, in bytes: Span<UInt8>) -> Bool {
        var reader = Reader(bytes, in: purposes)
        while let range = try? reader.readObjectIdentifier("extendedKeyUsage") {
            let identifier = ObjectIdentifier(bytes, in: range)
            if identifier == purpose || identifier == .anyExtendedKeyUsage { return true }
        }
        return false
    }
}

/// Which key signed, and whose (RFC 5280 §4.2.1.1).
///
/// ```
/// AuthorityKeyIdentifier ::= SEQUENCE {
///     keyIdentifier              [0] OCTET STRING OPTIONAL,
///     authorityCertIssuer        [1] GeneralNames OPTIONAL,
///     authorityCertSerialNumber  [2] INTEGER OPTIONAL }
/// ```
public struct AuthorityKeyIdentifier: Sendable {
    /// The octets of the issuer's KeyIdentifier; nil where absent.
    public let keyIdentifier: Range<Int>?
    /// The `directoryName` among the issuer's names; nil where there is none.
    public let issuer: Range<Int>?
    /// The contents octets of the serial number.
    public let serialNumber: Range<Int>?

    init(_ reader: inout Reader) throws(Refusal) {
        let start = reader.offset
        var sequence = try reader.nested(.sequence, "authorityKeyIdentifier")
        keyIdentifier = try sequence.readIfNext(.primitive(0), "authorityKeyIdentifier.keyIdentifier")
        var issuer: Range<Int>?
        let hasIssuer = sequence.isNext(.constructed(1))
        if hasIssuer {
            var names = try sequence.nested(.constructed(1), "authorityKeyIdentifier.authorityCertIssuer")
            repeat {
                let name = try names.readElement("authorityKeyIdentifier.authorityCertIssuer")
                // directoryName [4]: explicit, because Name is a CHOICE.
                if name.tag == .constructed(4), issuer == nil { issuer = name.contents }
            } while !names.isAtEnd
        }
        self.issuer = issuer
        serialNumber = try sequence.readIfNext(
            .primitive(2),
            "authorityKeyIdentifier.authorityCertSerialNumber"
        )
        guard hasIssuer == (serialNumber != nil) else {
            throw Refusal(.invalidExtension, at: start, reading: "authorityKeyIdentifier")
        }
        try sequence.finish("authorityKeyIdentifier")
    }
}
