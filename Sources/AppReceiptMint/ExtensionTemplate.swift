import DER

/// An extension to be written (RFC 5280 §4.2): right ones by name, and any other.
public struct ExtensionTemplate: Sendable, Hashable {
    /// `extnID`.
    public var identifier: ObjectIdentifier
    /// Whether whoever does not know the extension must refuse the certificate.
    public var isCritical: Bool
    /// The octets of `extnValue`.
    public var value: [UInt8]

    /// Any extension.
    public init(_ identifier: ObjectIdentifier, isCritical: Bool = false, value: [UInt8]) {
        self.identifier = identifier
        self.isCritical = isCritical
        self.value = value
    }

    private init(
        _ identifier: ObjectIdentifier,
        isCritical: Bool = false,
        _ value: (inout Writer) -> Void
    ) {
        var writer = Writer()
        value(&writer)
        self.init(identifier, isCritical: isCritical, value: writer.bytes)
    }

    /// In DER; a false `critical` is left out, being the default (X.690 §11.5).
    public func encoded() -> [UInt8] {
        var writer = Writer()
        writer.nest(.sequence) { writer in
            writer.writeObjectIdentifier(identifier)
            if isCritical { writer.writeBoolean(true) }
            writer.writeOctetString(value)
        }
        return writer.bytes
    }
}

// MARK: Those of RFC 5280 §4.2.1

extension ExtensionTemplate {
    /// BasicConstraints (§4.2.1.9).
    public static func basicConstraints(
        isCertificateAuthority: Bool,
        pathLengthConstraint: Int64? = nil,
        isCritical: Bool = true
    ) -> Self {
        Self(ObjectIdentifier(2, 5, 29, 19), isCritical: isCritical) { writer in
            writer.nest(.sequence) { writer in
                if isCertificateAuthority { writer.writeBoolean(true) }
                if let pathLengthConstraint { writer.writeInteger(pathLengthConstraint) }
            }
        }
    }

    /// What a key may be used for: the bits of KeyUsage (§4.2.1.3), the first one being 1.
    public struct KeyUsage: OptionSet, Sendable {
        /// Bit 0 of the standard is the one of value 1.
        public let rawValue: UInt16

        /// Any bits.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// (0) Signatures over anything but certificates and revocation lists: a receipt's.
        public static var digitalSignature: Self { Self(rawValue: 1 << 0) }
        /// (2) Of no use here, but for a certificate that may not sign.
        public static var keyEncipherment: Self { Self(rawValue: 1 << 2) }
        /// (5) Signatures over certificates.
        public static var keyCertSign: Self { Self(rawValue: 1 << 5) }
        /// (6) Signatures over revocation lists.
        public static var cRLSign: Self { Self(rawValue: 1 << 6) }
    }

    /// KeyUsage (§4.2.1.3), a named bit list without zeros at its end (X.690 §11.2.2).
    public static func keyUsage(_ usage: KeyUsage, isCritical: Bool = true) -> Self {
        let bitCount = UInt16.bitWidth - usage.rawValue.leadingZeroBitCount
        var octets = [UInt8](repeating: 0, count: (bitCount + 7) / 8)
        for bit in 0..<bitCount where usage.rawValue & 1 << bit != 0 { octets[bit / 8] |= 0x80 >> (bit % 8) }
        return Self(ObjectIdentifier(2, 5, 29, 15), isCritical: isCritical) { writer in
            writer.writeBitString(octets, unusedBits: UInt8(8 * octets.count - bitCount))
        }
    }

    /// ExtKeyUsageSyntax (§4.2.1.12).
    public static func extendedKeyUsage(_ purposes: [ObjectIdentifier], isCritical: Bool = false) -> Self {
        Self(ObjectIdentifier(2, 5, 29, 37), isCritical: isCritical) { writer in
            writer.nest(.sequence) { writer in
                for purpose in purposes { writer.writeObjectIdentifier(purpose) }
            }
        }
    }

    /// SubjectKeyIdentifier (§4.2.1.2).
    public static func subjectKeyIdentifier(_ keyIdentifier: [UInt8]) -> Self {
        Self(ObjectIdentifier(2, 5, 29, 14)) { $0.writeOctetString(keyIdentifier) }
    }

    /// AuthorityKeyIdentifier with a key identifier alone (§4.2.1.1).
    public static func authorityKeyIdentifier(_ keyIdentifier: [UInt8]) -> Self {
        Self(ObjectIdentifier(2, 5, 29, 35)) { writer in
            writer.nest(.sequence) { $0.write(.primitive(0), keyIdentifier) }
        }
    }

    /// CertificatePolicies without qualifiers (§4.2.1.4).
    public static func certificatePolicies(_ policies: [ObjectIdentifier], isCritical: Bool = false) -> Self {
        Self(ObjectIdentifier(2, 5, 29, 32), isCritical: isCritical) { writer in
            writer.nest(.sequence) { writer in
                for policy in policies {
                    writer.nest(.sequence) { $0.writeObjectIdentifier(policy) }
                }
            }
        }
    }
}

// MARK: Apple's

extension ExtensionTemplate {
    /// An extension whose presence is its meaning, with the value NULL, as Apple's markers are.
    public static func marker(_ identifier: ObjectIdentifier, isCritical: Bool = false) -> Self {
        Self(identifier, isCritical: isCritical) { $0.writeNull() }
    }

    /// The marker of Apple's Worldwide Developer Relations intermediates.
    public static var intermediateMarker: Self { marker(intermediateMarkerIdentifier) }
    /// The marker of a certificate that signs receipts.
    public static var leafMarker: Self { marker(leafMarkerIdentifier) }

    static var intermediateMarkerIdentifier: ObjectIdentifier {
        ObjectIdentifier(1, 2, 840, 113635, 100, 6, 2, 1)
    }
    static var leafMarkerIdentifier: ObjectIdentifier { ObjectIdentifier(1, 2, 840, 113635, 100, 6, 11, 1) }
    /// The policy that Apple's receipt signing certificates name.
    static var applePolicyIdentifier: ObjectIdentifier { ObjectIdentifier(1, 2, 840, 113635, 100, 5, 6, 1) }
}
