import Basics
import DER
import PKIX
import Processor
import SHA

/// A decoded message together with the buffer that it was decoded from.
///
/// A ``SignedData`` holds ranges. This view pairs them with their bytes. A view copies no bytes and cannot
/// outlive the buffer.
public struct SignedDataView: ~Escapable {
    /// The whole buffer that the message was decoded from.
    @usableFromInline package let bytes: Span<UInt8>
    /// The decoded message. Its ranges count from the start of ``bytes``.
    @usableFromInline package let fields: SignedData

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
    /// BER is decoded from ``Envelope/der`` instead of the input.
    @_lifetime(copy bytes)
    public func view(in bytes: Span<UInt8>) -> SignedDataView {
        precondition(signer.range.upperBound <= bytes.count, "a message is viewed in the buffer it came from")
        return SignedDataView(self, bytes)
    }
}

// MARK: Certificates

extension SignedDataView {
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

    /// Whether the SignerInfo's `sid` identifies this certificate. The fields are compared as bytes.
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
    /// - Throws: `Refusal` unless the algorithms are supported, and content, attributes and signature agree.
    @inlinable
    public func verifySignature<Key: SignatureKey>(
        by key: Key,
        acceleration: Acceleration = .none
    ) throws(Refusal) {
        let algorithm = try fields.signer.algorithm(for: Key.self)
        let content = bytes.extracting(fields.content)
        try verifySignature(
            by: key,
            algorithm,
            contentDigest: algorithm.hash.digest(of: content, acceleration: acceleration),
            acceleration: acceleration
        )
    }

    /// Verifies the signer's signature over the content by `key`. Throws `Refusal` unless it holds.
    ///
    /// - Parameters:
    ///   - algorithm: the signer's algorithm, as ``SignerInfo/algorithm(for:)`` gives it.
    ///   - contentDigest: the digest of the content by the signer's hash algorithm.
    @inlinable
    package func verifySignature<Key: SignatureKey>(
        by key: Key,
        _ algorithm: Key.Algorithm,
        contentDigest: Digest,
        acceleration: Acceleration
    ) throws(Refusal) {
        let digest = try signedDigest(contentDigest: contentDigest, acceleration: acceleration)
        do throws(Refusal) {
            try key.verify(signature, of: digest, by: algorithm, acceleration: acceleration)
        } catch {
            let start = fields.signer.signature.lowerBound
            throw error.moved(to: start + error.offset)
        }
    }

    /// The octets of the signer's signature.
    @usableFromInline package var signature: Span<UInt8> {
        @_lifetime(copy self)
        get { bytes.extracting(fields.signer.signature) }
    }

    /// The digest that the signer must have signed (RFC 5652 §5.4): of the signed attributes, which are
    /// checked against the content first, or of the content if there are none.
    ///
    /// Until the signature is verified, the result proves nothing.
    ///
    /// - Parameter contentDigest: the digest of the content by the signer's hash algorithm, which the caller
    ///   computed.
    /// - Throws: `Refusal` if the attributes are refused or do not agree with the content, or if there are
    ///   no attributes and the content may not be signed without them.
    @usableFromInline
    package func signedDigest(
        contentDigest: Digest,
        acceleration: Acceleration
    ) throws(Refusal) -> Digest {
        guard let attributes = fields.signer.signedAttributes else {
            try checkContentWithoutAttributes()
            return contentDigest
        }
        try checkAttributes(attributes, contentDigest)
        // The signature covers the encoding with the tag of a SET instead of [0] (§5.4).
        let tag: [UInt8] = [0x31]
        var hash = HashFunction(contentDigest.algorithm, acceleration: acceleration)
        hash.update(tag.borrowedSpan)
        hash.update(bytes.extracting((attributes.lowerBound + 1)..<attributes.upperBound))
        return hash.finalize()
    }

    /// Checks content that is signed without attributes, and throws if it is refused.
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
    /// (RFC 5652 §11.1, §11.2). signingTime may be present once, with one value (§11.3), and countersignature
    /// must be absent (§11.4). Other types may be present. The attributes and the values of each must be in
    /// the order of a DER SET OF, because the signature covers their DER encoding (§5.4).
    private func checkAttributes(_ range: Range<Int>, _ contentDigest: Digest) throws(Refusal) {
        var outer = Reader(bytes, in: range)
        var attributes = try outer.nested(.constructed(0), "signedAttrs")
        var previous: Range<Int>?
        var (hasContentType, hasMessageDigest, hasSigningTime) = (false, false, false)
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
                try Self.setOnce(&hasContentType, at: start, "contentType")
                let value = try Self.onlyValue(&values, .objectIdentifier, "contentType")
                guard bytes.holds(value, sameAs: bytes, fields.contentTypeRange) else {
                    throw Refusal(.contentTypeMismatch, at: value.lowerBound, reading: "contentType")
                }
            case .messageDigest?:
                try Self.setOnce(&hasMessageDigest, at: start, "messageDigest")
                let value = try Self.onlyValue(&values, .octetString, "messageDigest")
                guard contentDigest.equals(bytes.extracting(value)) else {
                    throw Refusal(.messageDigestMismatch, at: value.lowerBound, reading: "messageDigest")
                }
            case .signingTime?:
                try Self.setOnce(&hasSigningTime, at: start, "signingTime")
                try Self.checkSigningTime(&values)
            case .countersignature?:
                throw Refusal(.misplacedAttribute, at: start, reading: "countersignature")
            default: try Self.checkValues(&values, bytes)
            }
        }
        guard hasContentType && hasMessageDigest else {
            throw Refusal(.missingAttribute, at: range.lowerBound, reading: "signedAttrs")
        }
    }

    /// Sets `isFound`. Throws `.duplicateAttribute` if it was set, because an attribute appears twice.
    private static func setOnce(
        _ isFound: inout Bool,
        at offset: Int,
        _ reading: StaticString
    ) throws(Refusal) {
        guard !isFound else { throw Refusal(.duplicateAttribute, at: offset, reading: reading) }
        isFound = true
    }

    /// Checks that signingTime has one value, a Time (RFC 5652 §11.3). Its moment is not used.
    ///
    /// A UTCTime has seconds, a GeneralizedTime has no fraction of a second, and both are in UTC. Times of
    /// the years 1950 to 2049 are UTCTime.
    @_lifetime(values: copy values)
    private static func checkSigningTime(_ values: inout Reader) throws(Refusal) {
        let start = values.offset
        let isGeneralizedTime = values.isNext(.generalizedTime)
        let value = try onlyValue(&values, isGeneralizedTime ? .generalizedTime : .utcTime, "signingTime")
        var reader = Reader(values.bytes, in: start..<value.upperBound)
        let time = try reader.readTime("signingTime")
        guard !isGeneralizedTime || !(1950...2049).contains(time.calendarDate.year) else {
            throw Refusal(.signingTimeType, at: start, reading: "signingTime")
        }
    }

    /// Checks the values of an attribute that has no meaning here: they must be elements in DER order, well
    /// formed all the way down.
    @_lifetime(values: copy values)
    private static func checkValues(_ values: inout Reader, _ bytes: Span<UInt8>) throws(Refusal) {
        var previous: Range<Int>?
        while !values.isAtEnd {
            let value = try values.readWellFormedElement("attrValues").range
            if let previous, !bytes.isAscending(previous, value) {
                throw Refusal(.unsortedSet, at: value.lowerBound, reading: "attrValues")
            }
            previous = value
        }
    }

    /// The contents' range of an attribute's only value. Throws unless there is exactly one, with this tag.
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
    /// `id-contentType`, the type of the attribute that repeats the content's type (RFC 5652 §11.1).
    static var contentType: Self { Self(1, 2, 840, 113549, 1, 9, 3) }
    /// `id-messageDigest`, the type of the attribute that holds the content's digest (RFC 5652 §11.2).
    static var messageDigest: Self { Self(1, 2, 840, 113549, 1, 9, 4) }
    /// `id-signingTime`, the type of the attribute that says when the message was signed (RFC 5652 §11.3).
    static var signingTime: Self { Self(1, 2, 840, 113549, 1, 9, 5) }
    /// `id-countersignature`, the type of the attribute that signs a signature (RFC 5652 §11.4).
    static var countersignature: Self { Self(1, 2, 840, 113549, 1, 9, 6) }
}
