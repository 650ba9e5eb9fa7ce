import Basics
import DER
import SHA

/// A SignerInfo to make (RFC 5652 §5.3).
///
/// Every field can be set to any value. The defaults make a valid SignerInfo for content of the type data.
/// Content of any other type needs signed attributes.
public struct SignerTemplate: Sendable {
    /// The field `sid`: how a SignerInfo identifies the signer's certificate.
    public enum Identifier: Sendable, Hashable {
        /// The issuer's name, and the serial number as the contents octets of an INTEGER.
        case issuerAndSerialNumber(NameTemplate, serialNumber: [UInt8])
        /// The octets of the key identifier in the certificate's subjectKeyIdentifier extension.
        case subjectKeyIdentifier([UInt8])
    }

    /// The signer's private key. It makes the signature. If ``forgery`` is set, that closure gets this key
    /// and makes the signature in any way.
    public var key: PrivateKey
    /// The identifier of the signer's certificate. All of Apple's receipts use issuer and serial number.
    public var identifier: Identifier
    /// The version of the SignerInfo. Nil stands for 1 with issuer and serial number, otherwise for 3.
    public var version: Int64?
    /// The hash algorithm that is applied to the content and to the signed attributes.
    public var digest: HashAlgorithm
    /// The field `digestAlgorithm`. Nil stands for the identifier of ``digest``.
    public var digestAlgorithm: AlgorithmTemplate?
    /// The field `signatureAlgorithm`; rsaEncryption by default, as in all receipts of the App Store.
    public var signatureAlgorithm = AlgorithmTemplate.rsaEncryption
    /// The signed attributes. If it is nil, the field is left out and the content itself is signed.
    public var signedAttributes: [SignedAttribute]?
    /// Whether the signed attributes are in the order of DER (X.690 §11.6), as RFC 5652 §5.3 requires, or
    /// else in the order of the array.
    public var sortsSignedAttributes = true
    /// The encoded unsigned attributes in the order of writing. If it is empty, the field is left out.
    public var unsignedAttributes: [[UInt8]] = []
    /// Makes the signature in place of ``PrivateKey/sign(_:)``, if set. The closure receives the digest to
    /// sign and the signer's key. It can sign another message, use another form or use another key.
    public var forgery: (@Sendable (_ digest: Digest, _ key: PrivateKey) -> [UInt8])?

    /// Makes a signer with this certificate and key, without attributes. The certificate is identified by
    /// issuer and serial number.
    public init(_ identity: Identity, digest: HashAlgorithm = .sha256) {
        key = identity.key
        identifier = .issuerAndSerialNumber(
            identity.template.issuer,
            serialNumber: identity.template.serialNumber
        )
        self.digest = digest
    }

    /// The field `digestAlgorithm`: the one the caller set, or the identifier of ``digest``.
    var statedDigestAlgorithm: AlgorithmTemplate { digestAlgorithm ?? .digest(digest) }

    /// The field `version`: the one the caller set, or 1 with issuer and serial number and 3 otherwise.
    var statedVersion: Int64 {
        if let version { return version }
        return switch identifier {
        case .issuerAndSerialNumber: 1
        case .subjectKeyIdentifier: 3
        }
    }

    /// Signs a content and returns the encoded SignerInfo.
    ///
    /// - Parameters:
    ///   - content: the octets of the content.
    ///   - contentType: the content's type, for the signed attribute of that name.
    func encoded(_ content: [UInt8], contentType: ObjectIdentifier) -> [UInt8] {
        let contentDigest = digest.digest(of: content.borrowedSpan)
        return Writer.sequence { signer in
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
                signer.writeSet(of: encodings, tag: .constructed(0), sorted: sortsSignedAttributes)
                // The signature is over the attributes with the tag of a SET (RFC 5652 §5.4).
                var set = Writer()
                set.writeSet(of: encodings, sorted: sortsSignedAttributes)
                signedDigest = digest.digest(of: set.bytes.borrowedSpan)
            }
            signer.writeEncoded(signatureAlgorithm.encoded())
            signer.writeOctetString(forgery.map { $0(signedDigest, key) } ?? key.sign(signedDigest))
            if !unsignedAttributes.isEmpty {
                signer.write(.constructed(1), unsignedAttributes.flatMap { $0 })
            }
        }
    }
}

/// A signed attribute of a signer (RFC 5652 §11).
public enum SignedAttribute: Sendable, Hashable {
    /// The attribute content-type (§11.1). Nil stands for the message's content type.
    case contentType(ObjectIdentifier? = nil)
    /// The attribute message-digest (§11.2). Nil stands for the correct digest of the content.
    case messageDigest([UInt8]? = nil)
    /// The attribute signing-time (§11.3), written in whole seconds.
    case signingTime(Timestamp)
    /// Any attribute, already encoded: the octets are written unchanged.
    case encoded([UInt8])

    /// Makes an attribute with these encoded values, in their order. Their number is not checked.
    public static func attribute(_ type: ObjectIdentifier, values: [[UInt8]]) -> Self {
        .encoded(encode(type) { $0.writeEncoded(values.flatMap { $0 }) })
    }

    /// The encoded attribute. The parameters replace values that are nil: the content's digest and type.
    func encoded(_ contentDigest: Digest, _ contentType: ObjectIdentifier) -> [UInt8] {
        switch self {
        case .contentType(let other):
            Self.encode(ObjectIdentifier(1, 2, 840, 113549, 1, 9, 3)) {
                $0.writeObjectIdentifier(other ?? contentType)
            }
        case .messageDigest(let other):
            Self.encode(ObjectIdentifier(1, 2, 840, 113549, 1, 9, 4)) {
                $0.writeOctetString(other ?? contentDigest.bytes)
            }
        case .signingTime(let time):
            Self.encode(ObjectIdentifier(1, 2, 840, 113549, 1, 9, 5)) { $0.writeTime(time) }
        case .encoded(let encoding): encoding
        }
    }

    /// Encodes an Attribute of a type (RFC 5652 §5.3). The closure writes the values, without the SET around
    /// them.
    private static func encode(_ type: ObjectIdentifier, _ values: (inout Writer) -> Void) -> [UInt8] {
        Writer.sequence { attribute in
            attribute.writeObjectIdentifier(type)
            attribute.nest(.set, values)
        }
    }
}

extension [SignedAttribute] {
    /// The two attributes that RFC 5652 §5.3 requires: the content type and the message digest.
    public static var standard: Self { [.contentType(), .messageDigest()] }
}
