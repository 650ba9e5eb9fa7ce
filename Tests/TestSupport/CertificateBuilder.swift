import AppReceiptMint
import DER

/// Builds a certificate field by field (RFC 5280 §4.1), so that each field can be wrong by itself.
///
/// The certificate has no real key. The octets of the key are the key's name, and a signature is correct if
/// it is the name of the key that signs.
public struct CertificateBuilder: Sendable {
    /// The encoded number, which is the version minus one; nil to leave the field out.
    public var version: Int64? = 2
    /// The encoding of the version field; nil to encode ``version``.
    public var versionField: [UInt8]?
    /// The contents octets of the serial number.
    public var serialNumber: [UInt8] = [1]
    /// The encoding of the algorithm in the signed part.
    public var signature = algorithm(sha256WithRSAEncryption)
    /// The encoding of the algorithm outside the signed part; nil repeats the algorithm in the signed part.
    public var signatureAlgorithm: [UInt8]?
    /// The encoding of the issuer's Name.
    public var issuer: [UInt8]
    /// The encoding of the first second of the validity.
    public var notBefore = time("100101000000Z")
    /// The encoding of the last second of the validity.
    public var notAfter = time("291231235959Z")
    /// The encoding of the subject's Name.
    public var subject: [UInt8]
    /// The name of the subject's key.
    public var key: String
    /// The encoding of the SubjectPublicKeyInfo; nil for one that holds ``key``.
    public var subjectPublicKeyInfo: [UInt8]?
    /// The encodings between the key and the extensions.
    public var uniqueIDs: [UInt8] = []
    /// The encoded extensions; nil to leave the field out.
    public var extensions: [[UInt8]]?
    /// The octets of the signature: the name of the key that signs.
    public var signatureValue: [UInt8]

    /// Makes a certificate.
    ///
    /// - Parameters:
    ///   - subject: the subject's common name.
    ///   - issuer: the issuer's common name.
    ///   - key: the name of the subject's key; nil for `subject`.
    ///   - signedBy: the name of the key that signs; nil for `issuer`.
    ///   - extensions: the encoded extensions.
    public init(
        _ subject: String,
        issuer: String,
        key: String? = nil,
        signedBy: String? = nil,
        extensions: [[UInt8]]? = nil
    ) {
        self.subject = Self.name(subject)
        self.issuer = Self.name(issuer)
        self.key = key ?? subject
        self.extensions = extensions
        signatureValue = [UInt8]((signedBy ?? issuer).utf8)
    }

    /// Makes a certificate authority. Its basic constraints and its key usage are critical.
    public static func authority(
        _ subject: String,
        issuer: String,
        key: String? = nil,
        signedBy: String? = nil,
        pathLength: Int64? = nil,
        and others: [[UInt8]] = []
    ) -> Self {
        Self(
            subject,
            issuer: issuer,
            key: key,
            signedBy: signedBy,
            extensions: [basicConstraints(pathLength: pathLength), keyUsage([0x06], unusedBits: 1)] + others
        )
    }

    /// The encoded certificate.
    public var encoding: [UInt8] {
        var writer = Writer()
        writer.nest(.sequence) { certificate in
            certificate.nest(.sequence) { tbs in
                if let versionField {
                    tbs.writeEncoded(versionField)
                } else if let version {
                    tbs.nest(.constructed(0)) { $0.writeInteger(version) }
                }
                tbs.write(.integer, serialNumber)
                tbs.writeEncoded(signature)
                tbs.writeEncoded(issuer)
                tbs.nest(.sequence) { validity in
                    validity.writeEncoded(notBefore)
                    validity.writeEncoded(notAfter)
                }
                tbs.writeEncoded(subject)
                tbs.writeEncoded(subjectPublicKeyInfo ?? Self.keyInfo([UInt8](key.utf8)))
                tbs.writeEncoded(uniqueIDs)
                if let extensions {
                    tbs.nest(.constructed(3)) { explicit in
                        explicit.write(.sequence, extensions.flatMap { $0 })
                    }
                }
            }
            certificate.writeEncoded(signatureAlgorithm ?? signature)
            certificate.writeBitString(signatureValue)
        }
        return writer.bytes
    }

    /// Returns a changed copy.
    public func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}

// MARK: Parts

extension CertificateBuilder {
    /// The object identifier rsaEncryption.
    public static var rsaEncryption: ObjectIdentifier { ObjectIdentifier(1, 2, 840, 113549, 1, 1, 1) }
    /// The object identifier sha1WithRSAEncryption.
    public static var sha1WithRSAEncryption: ObjectIdentifier { ObjectIdentifier(1, 2, 840, 113549, 1, 1, 5) }
    /// The object identifier sha256WithRSAEncryption.
    public static var sha256WithRSAEncryption: ObjectIdentifier {
        ObjectIdentifier(1, 2, 840, 113549, 1, 1, 11)
    }

    /// Returns the encoding that a body writes.
    public static func encode(_ body: (inout Writer) -> Void) -> [UInt8] {
        var writer = Writer()
        body(&writer)
        return writer.bytes
    }

    /// Encodes an AlgorithmIdentifier.
    ///
    /// - Parameter parameters: the encoded parameters; NULL by default.
    public static func algorithm(
        _ identifier: ObjectIdentifier,
        parameters: [UInt8] = [0x05, 0x00]
    ) -> [UInt8] {
        encode { writer in
            writer.nest(.sequence) {
                $0.writeObjectIdentifier(identifier)
                $0.writeEncoded(parameters)
            }
        }
    }

    /// Encodes a SubjectPublicKeyInfo.
    ///
    /// - Parameter key: the octets in the BIT STRING.
    public static func keyInfo(
        _ key: [UInt8],
        algorithm: [UInt8] = algorithm(rsaEncryption)
    ) -> [UInt8] {
        encode { writer in
            writer.nest(.sequence) {
                $0.writeEncoded(algorithm)
                $0.writeBitString(key)
            }
        }
    }

    /// Encodes a Name with one common name. An empty string gives the empty Name.
    public static func name(_ commonName: String) -> [UInt8] {
        encode { writer in
            writer.nest(.sequence) { name in
                guard !commonName.isEmpty else { return }
                name.nest(.set) { relative in
                    relative.nest(.sequence) {
                        $0.writeObjectIdentifier(ObjectIdentifier(2, 5, 4, 3))
                        $0.writeUTF8String(commonName)
                    }
                }
            }
        }
    }

    /// Encodes a time: as UTCTime if the text has 13 characters, otherwise as GeneralizedTime.
    public static func time(_ text: String) -> [UInt8] {
        encode { $0.write(text.utf8.count == 13 ? .utcTime : .generalizedTime, [UInt8](text.utf8)) }
    }

    /// Encodes an extension with a value.
    public static func `extension`(
        _ identifier: ObjectIdentifier,
        critical: Bool = false,
        _ value: [UInt8]
    ) -> [UInt8] {
        encode { writer in
            writer.nest(.sequence) {
                $0.writeObjectIdentifier(identifier)
                if critical { $0.writeBoolean(true) }
                $0.writeOctetString(value)
            }
        }
    }

    /// Encodes the extension BasicConstraints (RFC 5280 §4.2.1.9).
    public static func basicConstraints(
        isAuthority: Bool = true,
        pathLength: Int64? = nil,
        critical: Bool = true
    ) -> [UInt8] {
        let value = encode { writer in
            writer.nest(.sequence) {
                if isAuthority { $0.writeBoolean(true) }
                if let pathLength { $0.writeInteger(pathLength) }
            }
        }
        return `extension`(ObjectIdentifier(2, 5, 29, 19), critical: critical, value)
    }

    /// Encodes the critical extension KeyUsage (RFC 5280 §4.2.1.3).
    public static func keyUsage(_ octets: [UInt8], unusedBits: UInt8) -> [UInt8] {
        let value = encode { $0.writeBitString(octets, unusedBits: unusedBits) }
        return `extension`(ObjectIdentifier(2, 5, 29, 15), critical: true, value)
    }

    /// Encodes the extension ExtendedKeyUsage (RFC 5280 §4.2.1.12).
    public static func extendedKeyUsage(_ purposes: ObjectIdentifier..., critical: Bool = false) -> [UInt8] {
        let value = encode { writer in
            writer.nest(.sequence) { for purpose in purposes { $0.writeObjectIdentifier(purpose) } }
        }
        return `extension`(ObjectIdentifier(2, 5, 29, 37), critical: critical, value)
    }

    /// Encodes the extension SubjectKeyIdentifier (RFC 5280 §4.2.1.2).
    public static func subjectKeyIdentifier(_ octets: [UInt8]) -> [UInt8] {
        `extension`(ObjectIdentifier(2, 5, 29, 14), encode { $0.writeOctetString(octets) })
    }

    /// Encodes the extension AuthorityKeyIdentifier (RFC 5280 §4.2.1.1). A part that is nil is left out.
    ///
    /// - Parameters:
    ///   - keyIdentifier: the octets of `keyIdentifier`.
    ///   - issuer: the common name in `authorityCertIssuer`.
    ///   - serialNumber: the contents octets of `authorityCertSerialNumber`.
    public static func authorityKeyIdentifier(
        _ keyIdentifier: [UInt8]? = nil,
        issuer: String? = nil,
        serialNumber: [UInt8]? = nil
    ) -> [UInt8] {
        let value = encode { writer in
            writer.nest(.sequence) {
                if let keyIdentifier { $0.write(.primitive(0), keyIdentifier) }
                if let issuer { $0.nest(.constructed(1)) { $0.write(.constructed(4), name(issuer)) } }
                if let serialNumber { $0.write(.primitive(2), serialNumber) }
            }
        }
        return `extension`(ObjectIdentifier(2, 5, 29, 35), value)
    }

    /// Encodes an extension that no validator knows.
    public static func unknownExtension(critical: Bool) -> [UInt8] {
        `extension`(ObjectIdentifier(1, 3, 6, 1, 4, 1, 55738, 666), critical: critical, [0x05, 0x00])
    }
}
