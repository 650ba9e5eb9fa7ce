import DER
import PKIX

/// An extension to write (RFC 5280 §4.2).
///
/// Static members make six extensions of RFC 5280, and Apple's markers; the initialiser makes any other.
public struct ExtensionTemplate: Sendable, Hashable {
    /// The object identifier of the extension: the field `extnID`.
    public var identifier: ObjectIdentifier
    /// Whether a validator that does not know the extension must refuse the certificate.
    public var isCritical: Bool
    /// The contents octets of the field `extnValue`: the encoding of the extension's value.
    public var value: [UInt8]

    /// Makes an extension with any identifier and any octets in `extnValue`.
    public init(_ identifier: ObjectIdentifier, isCritical: Bool = false, value: [UInt8]) {
        self.identifier = identifier
        self.isCritical = isCritical
        self.value = value
    }

    /// Makes an extension whose value is a SEQUENCE with the contents that the closure writes.
    private static func sequence(
        _ identifier: ObjectIdentifier,
        isCritical: Bool = false,
        _ contents: (inout Writer) -> Void
    ) -> Self {
        Self(identifier, isCritical: isCritical, value: Writer.sequence(contents))
    }

    /// The encoded Extension, in DER. A false `critical` is left out: it is the default (X.690 §11.5).
    public func encoded() -> [UInt8] {
        Writer.sequence { writer in
            writer.writeObjectIdentifier(identifier)
            if isCritical { writer.writeBoolean(true) }
            writer.writeOctetString(value)
        }
    }
}

// MARK: Extensions of RFC 5280 §4.2.1

extension ExtensionTemplate {
    /// Makes BasicConstraints (RFC 5280 §4.2.1.9). A false `cA` and a nil path length are left out.
    public static func basicConstraints(
        isCertificateAuthority: Bool,
        pathLengthConstraint: Int64? = nil,
        isCritical: Bool = true
    ) -> Self {
        sequence(ObjectIdentifier(2, 5, 29, 19), isCritical: isCritical) { writer in
            if isCertificateAuthority { writer.writeBoolean(true) }
            if let pathLengthConstraint { writer.writeInteger(pathLengthConstraint) }
        }
    }

    /// The uses that a certificate allows for its key: the bits of KeyUsage (RFC 5280 §4.2.1.3).
    public struct KeyUsage: OptionSet, Sendable {
        /// The bits of KeyUsage as a number, in which bit n of the standard has the value 2^n.
        public let rawValue: UInt16

        /// Makes a set of any bits of KeyUsage, named here or not.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// Bit 0: the key may sign data such as receipts, but not certificates or revocation lists.
        public static var digitalSignature: Self { Self(rawValue: 1 << 0) }
        /// Bit 2: the key may encrypt keys.
        public static var keyEncipherment: Self { Self(rawValue: 1 << 2) }
        /// Bit 5: the key may sign certificates.
        public static var keyCertSign: Self { Self(rawValue: 1 << 5) }
        /// Bit 6: the key may sign revocation lists.
        public static var cRLSign: Self { Self(rawValue: 1 << 6) }
    }

    /// Makes KeyUsage (RFC 5280 §4.2.1.3), a named bit list without trailing zeros (X.690 §11.2.2).
    public static func keyUsage(_ usage: KeyUsage, isCritical: Bool = true) -> Self {
        let bitCount = UInt16.bitWidth - usage.rawValue.leadingZeroBitCount
        var octets = [UInt8](repeating: 0, count: (bitCount + 7) / 8)
        for bit in 0..<bitCount where usage.rawValue & 1 << bit != 0 { octets[bit / 8] |= 0x80 >> (bit % 8) }
        let bits = Writer.element(.bitString, [UInt8(8 * octets.count - bitCount)] + octets)
        return Self(ObjectIdentifier(2, 5, 29, 15), isCritical: isCritical, value: bits)
    }

    /// Makes the extension for the extended key usage, with these purposes (RFC 5280 §4.2.1.12).
    public static func extendedKeyUsage(_ purposes: [ObjectIdentifier], isCritical: Bool = false) -> Self {
        sequence(ObjectIdentifier(2, 5, 29, 37), isCritical: isCritical) { writer in
            for purpose in purposes { writer.writeObjectIdentifier(purpose) }
        }
    }

    /// Makes SubjectKeyIdentifier, not critical, with any octets (RFC 5280 §4.2.1.2).
    public static func subjectKeyIdentifier(_ keyIdentifier: [UInt8]) -> Self {
        Self(ObjectIdentifier(2, 5, 29, 14), value: Writer.element(.octetString, keyIdentifier))
    }

    /// Makes AuthorityKeyIdentifier, not critical, with only a key identifier (RFC 5280 §4.2.1.1).
    public static func authorityKeyIdentifier(_ keyIdentifier: [UInt8]) -> Self {
        sequence(ObjectIdentifier(2, 5, 29, 35)) { $0.write(.primitive(0), keyIdentifier) }
    }

    /// Makes CertificatePolicies with these policies, without qualifiers (RFC 5280 §4.2.1.4).
    public static func certificatePolicies(_ policies: [ObjectIdentifier], isCritical: Bool = false) -> Self {
        sequence(ObjectIdentifier(2, 5, 29, 32), isCritical: isCritical) { writer in
            for policy in policies {
                writer.nest(.sequence) { $0.writeObjectIdentifier(policy) }
            }
        }
    }
}

// MARK: Apple's extensions

extension ExtensionTemplate {
    /// Makes an extension with the value NULL, as Apple's markers have it. Only its presence has a meaning.
    public static func marker(_ identifier: ObjectIdentifier, isCritical: Bool = false) -> Self {
        Self(identifier, isCritical: isCritical, value: Writer.element(.null, []))
    }

    /// The marker extension of Apple's Worldwide Developer Relations intermediates, not critical.
    public static var intermediateMarker: Self { marker(.intermediateMarker) }
    /// The marker extension of a certificate that signs app receipts or tokens (the leaf), not critical.
    public static var leafMarker: Self { marker(.receiptSigningMarker) }
    /// The marker extension of Apple's iTunes Store intermediate, for transaction receipts of version 2.
    public static var iTunesStoreMarker: Self { marker(.iTunesStoreMarker) }
    /// The marker extension of a certificate that signs transaction receipts of version 2 (the leaf).
    public static var purchaseReceiptMarker: Self { marker(.purchaseReceiptMarker) }
}
