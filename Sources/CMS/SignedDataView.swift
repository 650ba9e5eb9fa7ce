import Bytes
import DER
import PKIX
import Processor
import SHA

/// A decoded message together with the buffer that it was decoded from.
///
/// A ``SignedData`` holds ranges. This view pairs them with their bytes, so that no function needs a buffer
/// beside a message and none can get the wrong one. A view copies nothing and cannot outlive the buffer.
public struct SignedDataView: ~Escapable {
    /// The whole buffer.
    public let bytes: Span<UInt8>
    /// The decoded message. Its ranges count from the start of ``bytes``.
    public let fields: SignedData

    @_lifetime(copy bytes)
    fileprivate init(_ fields: SignedData, _ bytes: Span<UInt8>) {
        self.bytes = bytes
        self.fields = fields
    }
}

extension SignedData {
    /// The message together with its buffer.
    ///
    /// Precondition: the message was decoded from `bytes`, or from a buffer with equal contents. A message in
    /// BER is decoded from the buffer of ``Envelope/normalised`` instead of the input.
    @_lifetime(copy bytes)
    public func view(in bytes: Span<UInt8>) -> SignedDataView {
        precondition(signer.range.upperBound <= bytes.count, "a message is viewed in the buffer it came from")
        return SignedDataView(self, bytes)
    }
}

// MARK: Certificates

extension SignedDataView {
    /// Decodes the message's certificates in their order. See
    /// ``SignedData/decodeCertificates(_:in:limits:into:)``.
    public func decodeCertificates(
        limits: MessageLimits = .standard,
        into certificates: inout [Certificate]
    ) throws(Refusal) {
        try SignedData.decodeCertificates(
            bytes,
            in: fields.certificates,
            limits: limits,
            into: &certificates
        )
    }

    /// The index of the signer's certificate: the one that the SignerInfo names (RFC 5652 §5.3).
    ///
    /// Identical copies of one certificate count as one, and the first index is returned.
    ///
    /// - Parameter certificates: the certificates to search. They may have a buffer of their own.
    /// - Throws: `.signerCertificateNotFound`; `.ambiguousSigner` if two different certificates match.
    public func signerIndex(among certificates: CertificateList) throws(Refusal) -> Int {
        let offset = fields.signer.range.lowerBound
        var found: Int?
        for index in certificates.indices where names(certificates[index]) {
            guard let first = found else {
                found = index
                continue
            }
            guard certificates[index].hasSameEncoding(as: certificates[first]) else {
                throw Refusal(.ambiguousSigner, at: offset, reading: "sid")
            }
        }
        guard let found else { throw Refusal(.signerCertificateNotFound, at: offset, reading: "sid") }
        return found
    }

    /// Whether the SignerInfo names a certificate.
    private func names(_ certificate: CertificateView) -> Bool {
        switch fields.signer.identifier {
        case .issuerAndSerialNumber(let issuer, let serialNumber):
            return bytes.holds(serialNumber, sameAs: certificate.bytes, certificate.fields.serialNumber)
                && bytes.holds(issuer, sameAs: certificate.bytes, certificate.fields.issuer.range)
        case .subjectKeyIdentifier(let wanted):
            guard let identifier = certificate.fields.subjectKeyIdentifier else { return false }
            return bytes.holds(wanted, sameAs: certificate.bytes, identifier)
        }
    }
}

// MARK: The signature over the content

extension SignedDataView {
    /// Verifies the signer's signature over the content (RFC 5652 §5.4, §5.6).
    ///
    /// - Parameters:
    ///   - key: the public key of the signer's certificate. The certification path decides whether this
    ///     certificate is trusted.
    ///   - acceleration: the instruction sets used for digests and the signature. They do not change the
    ///     result.
    /// - Throws: `Refusal` unless the signature holds.
    @inlinable
    public func verifySignature<Key: SignatureKey>(
        by key: Key,
        acceleration: Acceleration = .none
    ) throws(Refusal) {
        let algorithm = try fields.signer.algorithm(for: Key.self)
        let digest = try signedDigest(acceleration: acceleration)
        do throws(Refusal) {
            try key.verify(signature, of: digest, by: algorithm, acceleration: acceleration)
        } catch {
            let start = fields.signer.signature.lowerBound
            throw error.moved(to: start + error.offset)
        }
    }

    /// The octets of the signer's signature.
    public var signature: Span<UInt8> {
        @_lifetime(copy self)
        get { bytes.extracting(fields.signer.signature) }
    }

    /// The digest that the signer must have signed (RFC 5652 §5.4).
    ///
    /// If the message has signed attributes, they are checked against the content first. Until the signature
    /// is verified, the result proves nothing.
    ///
    /// - Throws: `Refusal` if content and attributes do not agree, or are not allowed together.
    public func signedDigest(acceleration: Acceleration = .none) throws(Refusal) -> Digest {
        try signedDigest(contentDigest: nil, acceleration: acceleration)
    }

    /// The digest that the signer must have signed, computed from a known digest of the content.
    ///
    /// - Parameter contentDigest: the digest of the content, which the caller computed; nil if it is not
    ///   known. A digest by another hash algorithm than the signer's is ignored.
    package func signedDigest(
        contentDigest known: Digest?,
        acceleration: Acceleration
    ) throws(Refusal) -> Digest {
        let hash = try fields.signer.hashAlgorithm()
        let contentDigest: Digest
        if let known, known.algorithm == hash {
            contentDigest = known
        } else {
            contentDigest = hash.digest(of: bytes.extracting(fields.content), acceleration: acceleration)
        }
        guard let attributes = fields.signer.signedAttributes else {
            try checkContentWithoutAttributes()
            return contentDigest
        }
        try checkAttributes(attributes, contentDigest)
        // The signature covers the encoding with the tag of a SET instead of [0] (§5.4).
        let tag: [UInt8] = [0x31]
        return hash.digest(
            of: tag.borrowedSpan,
            bytes.extracting((attributes.lowerBound + 1)..<attributes.upperBound),
            acceleration: acceleration
        )
    }

    /// Checks content that is signed without attributes.
    ///
    /// Only content of type data may lack attributes. Content that looks like signed attributes is refused:
    /// it may be the attributes of another message, and the signature of that message would hold for it.
    private func checkContentWithoutAttributes() throws(Refusal) {
        guard fields.contentType == .data else {
            throw Refusal(
                .signedAttributesRequired,
                at: fields.signer.range.lowerBound,
                reading: "signedAttrs"
            )
        }
        let content = fields.content
        var reader = Reader(bytes, in: content)
        guard let set = try? reader.read(.set, "eContent"), reader.isAtEnd else { return }
        var first = Reader(bytes, in: set)
        guard let attribute = try? first.read(.sequence, "eContent") else { return }
        if Reader(bytes, in: attribute).isNext(.objectIdentifier) {
            throw Refusal(.contentIsSignedAttributes, at: content.lowerBound, reading: "eContent")
        }
    }

    /// Checks the signed attributes.
    ///
    /// contentType and messageDigest must be present once each, with one value each, and match the content
    /// (RFC 5652 §11.1, §11.2). The attributes and the values of each attribute must be in the order of a DER
    /// SET OF, because the signature covers their DER encoding (§5.4).
    private func checkAttributes(_ range: Range<Int>, _ contentDigest: Digest) throws(Refusal) {
        var outer = Reader(bytes, in: range)
        var attributes = try outer.nested(.constructed(0), "signedAttrs")
        var previous: Range<Int>?
        var hasContentType = false
        var hasMessageDigest = false
        while !attributes.isAtEnd {
            let start = attributes.offset
            var attribute = try attributes.nested(.sequence, "signedAttrs")
            if let previous, !bytes.isAscending(previous, start..<attributes.offset) {
                throw Refusal(.unsortedSet, at: start, reading: "signedAttrs")
            }
            previous = start..<attributes.offset
            let type = ObjectIdentifier(bytes, in: try attribute.readObjectIdentifier("attrType"))
            var values = try attribute.nested(.set, "attrValues")
            try attribute.finish("signedAttrs")
            switch type {
            case .contentType?:
                guard !hasContentType else {
                    throw Refusal(.duplicateAttribute, at: start, reading: "contentType")
                }
                hasContentType = true
                let value = try Self.onlyValue(&values, .objectIdentifier, "contentType")
                guard bytes.holds(value, sameAs: bytes, fields.contentTypeRange) else {
                    throw Refusal(.contentTypeMismatch, at: value.lowerBound, reading: "contentType")
                }
            case .messageDigest?:
                guard !hasMessageDigest else {
                    throw Refusal(.duplicateAttribute, at: start, reading: "messageDigest")
                }
                hasMessageDigest = true
                let value = try Self.onlyValue(&values, .octetString, "messageDigest")
                guard contentDigest.equals(bytes.extracting(value)) else {
                    throw Refusal(.messageDigestMismatch, at: value.lowerBound, reading: "messageDigest")
                }
            default: try Self.checkValues(&values, bytes)
            }
        }
        guard hasContentType && hasMessageDigest else {
            throw Refusal(.missingAttribute, at: range.lowerBound, reading: "signedAttrs")
        }
    }

    /// Checks the values of an attribute that has no meaning here: they must be elements in DER order.
    @_lifetime(values: copy values)
    private static func checkValues(_ values: inout Reader, _ bytes: Span<UInt8>) throws(Refusal) {
        var previous: Range<Int>?
        while !values.isAtEnd {
            let value = try values.readElement("attrValues").range
            if let previous, !bytes.isAscending(previous, value) {
                throw Refusal(.unsortedSet, at: value.lowerBound, reading: "attrValues")
            }
            previous = value
        }
    }

    /// Reads the only value of an attribute, which must have a tag.
    private static func onlyValue(
        _ values: inout Reader,
        _ tag: Tag,
        _ reading: StaticString
    ) throws(Refusal) -> Range<Int> {
        guard !values.isAtEnd else {
            throw Refusal(.attributeValueCount, at: values.offset, reading: reading)
        }
        let value = try values.read(tag, reading)
        guard values.isAtEnd else { throw Refusal(.attributeValueCount, at: values.offset, reading: reading) }
        return value
    }
}

extension ObjectIdentifier {
    /// `id-contentType` (RFC 5652 §11.1).
    static var contentType: Self { Self(1, 2, 840, 113549, 1, 9, 3) }
    /// `id-messageDigest` (RFC 5652 §11.2).
    static var messageDigest: Self { Self(1, 2, 840, 113549, 1, 9, 4) }
}
