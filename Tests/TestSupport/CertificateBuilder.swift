import DER

/// A certificate written field by field (RFC 5280 §4.1), so that each can be wrong by itself.
///
/// There are no keys: the octets of a key are its name, and a signature is right that is the name of the key.
public struct CertificateBuilder: Sendable {
    /// The number in the encoding, which is one less than the version; nil leaves it out.
    public var version: Int64? = 2
    /// The encoding of the field, in place of one of that number.
    public var versionField: [UInt8]?
    /// The contents octets.
    public var serialNumber: [UInt8] = [1]
    /// The encoding of the algorithm inside the signed part.
    public var signature = algorithm(sha256WithRSAEncryption)
    /// The encoding of the one outside; nil repeats the one inside.
    public var signatureAlgorithm: [UInt8]?
    /// The encoding of a Name.
    public var issuer: [UInt8]
    public var notBefore = time("100101000000Z")
    public var notAfter = time("291231235959Z")
    public var subject: [UInt8]
    public var key: String
    /// Encodings between key and extensions.
    public var uniqueIDs: [UInt8] = []
    /// Encodings; nil leaves the field out.
    public var extensions: [[UInt8]]?
    public var signatureValue: [UInt8]

    /// - Parameters:
    ///   - issuer: the common name, and, unless another is given, the name of the key that signs.
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

    /// A certificate authority, its basic constraints and key usage critical.
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
                tbs.nest(.sequence) { info in
                    info.writeEncoded(Self.algorithm(Self.rsaEncryption))
                    info.writeBitString([UInt8](key.utf8))
                }
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

    /// The same with something changed.
    public func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}

// MARK: Parts

extension CertificateBuilder {
    public static var rsaEncryption: ObjectIdentifier { ObjectIdentifier(1, 2, 840, 113549, 1, 1, 1) }
    public static var sha1WithRSAEncryption: ObjectIdentifier { ObjectIdentifier(1, 2, 840, 113549, 1, 1, 5) }
    public static var sha256WithRSAEncryption: ObjectIdentifier {
        ObjectIdentifier(1, 2, 840, 113549, 1, 1, 11)
    }

    /// An encoding made by a body.
    public static func encode(_ body: (inout Writer) -> Void) -> [UInt8] {
        var writer = Writer()
        body(&writer)
        return writer.bytes
    }

    /// An AlgorithmIdentifier; its parameters are an encoding, NULL if nothing is said.
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

    /// A Name of one common name; of none for an empty string.
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

    /// UTCTime of 13 characters, GeneralizedTime of any other number.
    public static func time(_ text: String) -> [UInt8] {
        encode { $0.write(text.utf8.count == 13 ? .utcTime : .generalizedTime, [UInt8](text.utf8)) }
    }

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

    public static func keyUsage(_ octets: [UInt8], unusedBits: UInt8) -> [UInt8] {
        let value = encode { $0.writeBitString(octets, unusedBits: unusedBits) }
        return `extension`(ObjectIdentifier(2, 5, 29, 15), critical: true, value)
    }

    public static func extendedKeyUsage(_ purposes: ObjectIdentifier..., critical: Bool = false) -> [UInt8] {
        let value = encode { writer in
            writer.nest(.sequence) { for purpose in purposes { $0.writeObjectIdentifier(purpose) } }
        }
        return `extension`(ObjectIdentifier(2, 5, 29, 37), critical: critical, value)
    }

    public static func subjectKeyIdentifier(_ octets: [UInt8]) -> [UInt8] {
        `extension`(ObjectIdentifier(2, 5, 29, 14), encode { $0.writeOctetString(octets) })
    }

    /// - Parameters:
    ///   - issuer: the common name of `authorityCertIssuer`.
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

    /// An extension that nobody knows.
    public static func unknownExtension(critical: Bool) -> [UInt8] {
        `extension`(ObjectIdentifier(1, 3, 6, 1, 4, 1, 55738, 666), critical: critical, [0x05, 0x00])
    }
}
