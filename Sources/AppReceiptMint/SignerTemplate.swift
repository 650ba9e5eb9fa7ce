import DER
import SHA

/// A SignerInfo to be made (RFC 5652 §5.3). Every field may say anything; what is not touched is right.
public struct SignerTemplate: Sendable {
    /// How a signer names its certificate.
    public enum Identifier: Sendable, Hashable {
        /// The serial number as the contents octets of an INTEGER.
        case issuerAndSerialNumber(NameTemplate, serialNumber: [UInt8])
        /// The contents of the certificate's subjectKeyIdentifier extension.
        case subjectKeyIdentifier([UInt8])
    }

    /// Makes the signature.
    public var key: PrivateKey
    /// By issuer and serial number in all of Apple's.
    public var identifier: Identifier
    /// Nil for the one that goes with the identifier: 1 or 3.
    public var version: Int64?
    /// The hash over the content, and over the signed attributes.
    public var digest: HashAlgorithm
    /// What `digestAlgorithm` says; nil for the truth.
    public var digestAlgorithm: AlgorithmTemplate?
    /// rsaEncryption by default, as in all of Apple's.
    public var signatureAlgorithm = AlgorithmTemplate.rsaEncryption
    /// Nil for none: then the content itself is signed.
    public var signedAttributes: [SignedAttribute]?
    /// Whether the signed attributes are in the order of DER (X.690 §11.6), which RFC 5652 §5.3 asks for.
    public var sortsSignedAttributes = true
    /// The encodings of the unsigned attributes; none at all where it is empty.
    public var unsignedAttributes: [[UInt8]] = []
    /// Makes the signature in place of ``PrivateKey/sign(_:)``: of another message, in another form, by
    /// another key. It is given what should be signed and the key.
    public var forgery: (@Sendable (_ digest: Digest, _ key: PrivateKey) -> [UInt8])?

    /// A signer with this certificate and key, without attributes.
    public init(_ identity: Identity, digest: HashAlgorithm = .sha256) {
        key = identity.key
        identifier = .issuerAndSerialNumber(
            identity.template.issuer,
            serialNumber: identity.template.serialNumber
        )
        self.digest = digest
    }

    var statedDigestAlgorithm: AlgorithmTemplate { digestAlgorithm ?? .digest(digest) }

    /// The version that goes with the identifier, unless another one is given.
    var statedVersion: Int64 {
        if let version { return version }
        return switch identifier {
        case .issuerAndSerialNumber: 1
        case .subjectKeyIdentifier: 3
        }
    }

    func encoded(_ content: [UInt8], contentType: ObjectIdentifier) -> [UInt8] {
        let contentDigest = digest.digest(of: content.span)
        var writer = Writer()
        writer.nest(.sequence) { signer in
            signer.writeInteger(statedVersion)
            switch identifier {
            case .issuerAndSerialNumber(let issuer, let serialNumber):
                signer.nest(.sequence) { both in
                    both.writeEncoded(issuer.encoded())
                    both.write(.integer, serialNumber)
                }
            case .subjectKeyIdentifier(let keyIdentifier):
                signer.write(.primitive(0), keyIdentifier)
            }
            signer.writeEncoded(statedDigestAlgorithm.encoded())
            var signedDigest = contentDigest
            if let signedAttributes {
                let encodings = signedAttributes.map { $0.encoded(contentDigest, contentType) }
                signer.writeEncoded(attributeSet(encodings, .constructed(0)))
                // What is signed has the tag of a SET (RFC 5652 §5.4).
                signedDigest = digest.digest(of: attributeSet(encodings, .set).span)
            }
            signer.writeEncoded(signatureAlgorithm.encoded())
            signer.writeOctetString(forgery.map { $0(signedDigest, key) } ?? key.sign(signedDigest))
            if !unsignedAttributes.isEmpty {
                signer.write(.constructed(1), unsignedAttributes.flatMap { $0 })
            }
        }
        return writer.bytes
    }

    private func attributeSet(_ encodings: [[UInt8]], _ tag: Tag) -> [UInt8] {
        var writer = Writer()
        if sortsSignedAttributes {
            writer.writeSet(of: encodings, tag: tag)
        } else {
            writer.write(tag, encodings.flatMap { $0 })
        }
        return writer.bytes
    }
}

/// An attribute that is signed with the content's digest (RFC 5652 §11).
public enum SignedAttribute: Sendable, Hashable {
    /// Nil for the message's (§11.1).
    case contentType(ObjectIdentifier? = nil)
    /// Nil for the content's (§11.2).
    case messageDigest([UInt8]? = nil)
    /// (§11.3)
    case signingTime(Timestamp)
    /// Any other, encoded.
    case encoded([UInt8])

    /// An attribute with these encoded values, of which those of RFC 5652 §11 have exactly one.
    public static func attribute(_ type: ObjectIdentifier, values: [[UInt8]]) -> Self {
        var writer = Writer()
        writer.nest(.sequence) { attribute in
            attribute.writeObjectIdentifier(type)
            attribute.write(.set, values.flatMap { $0 })
        }
        return .encoded(writer.bytes)
    }

    func encoded(_ contentDigest: Digest, _ contentType: ObjectIdentifier) -> [UInt8] {
        var value = Writer()
        let type: ObjectIdentifier
        switch self {
        case .contentType(let other):
            type = ObjectIdentifier(1, 2, 840, 113549, 1, 9, 3)
            value.writeObjectIdentifier(other ?? contentType)
        case .messageDigest(let other):
            type = ObjectIdentifier(1, 2, 840, 113549, 1, 9, 4)
            value.writeOctetString(other ?? contentDigest.bytes)
        case .signingTime(let time):
            type = ObjectIdentifier(1, 2, 840, 113549, 1, 9, 5)
            value.writeTime(time)
        case .encoded(let encoding): return encoding
        }
        guard case .encoded(let encoding) = Self.attribute(type, values: [value.bytes]) else { return [] }
        return encoding
    }
}

extension [SignedAttribute] {
    /// The two that must be there (RFC 5652 §5.3).
    public static var standard: Self { [.contentType(), .messageDigest()] }
}
