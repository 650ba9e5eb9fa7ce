import DER
import PKIX
import SHA

extension SignedData {
    /// Checks the signer's signature over the content (RFC 5652 §5.4, §5.6).
    ///
    /// - Parameters:
    ///   - bytes: the buffer that the message was read from, which is not the input where that was BER:
    ///     another one may trap.
    ///   - certificate: the signer's, read from `certificateBytes`, which may be another buffer. That it can
    ///     be trusted is the path's matter.
    /// - Throws: `Refusal` unless the signature is right; its offset is in `bytes`, or in `certificateBytes`
    ///   where it is the key that is refused.
    public func verifySignature(
        in bytes: Span<UInt8>,
        by certificate: Certificate,
        in certificateBytes: Span<UInt8>,
        verifier: inout some SignatureVerifier
    ) throws(Refusal) {
        try verifier.verify(
            signer.signature,
            in: bytes,
            of: signedDigest(in: bytes, acceleration: verifier.acceleration),
            by: certificate.subjectPublicKeyInfo,
            in: certificateBytes
        )
    }

    /// The digest that the signer's signature has to be over, once the content is what the signed attributes
    /// say, if there are any (RFC 5652 §5.4). Nothing is known to be signed before the signature is verified.
    ///
    /// - Parameter bytes: the buffer that the message was read from: another one may trap.
    /// - Throws: `Refusal` where content and attributes do not agree, or are not allowed together.
    public func signedDigest(
        in bytes: Span<UInt8>,
        acceleration: Acceleration = .none
    ) throws(Refusal) -> Digest {
        try signedDigest(in: bytes, contentDigest: nil, acceleration: acceleration)
    }

    /// The same where the digest of the content may be known already, which is the caller's word.
    ///
    /// - Parameter contentDigest: by the hash algorithm of the signer; by another one it is not looked at.
    package func signedDigest(
        in bytes: Span<UInt8>,
        contentDigest known: Digest?,
        acceleration: Acceleration
    ) throws(Refusal) -> Digest {
        let hash = try signer.hashAlgorithm()
        let contentDigest: Digest
        if let known, known.algorithm == hash {
            contentDigest = known
        } else {
            contentDigest = hash.digest(of: bytes.extracting(content), acceleration: acceleration)
        }
        guard let attributes = signer.signedAttributes else {
            try checkContentWithoutAttributes(bytes)
            return contentDigest
        }
        try checkAttributes(attributes, contentDigest, bytes)
        // What is signed is the encoding with the tag of a SET in place of [0] (§5.4).
        let tag: [UInt8] = [0x31]
        return hash.digest(
            of: tag.span,
            bytes.extracting((attributes.lowerBound + 1)..<attributes.upperBound),
            acceleration: acceleration
        )
    }

    /// Attributes are required for any type but data. And content that looks like attributes is refused: it
    /// may be those of another message, whose signature would then hold for it.
    private func checkContentWithoutAttributes(_ bytes: Span<UInt8>) throws(Refusal) {
        guard contentType == .data else {
            throw Refusal(.signedAttributesRequired, at: signer.range.lowerBound, reading: "signedAttrs")
        }
        var reader = Reader(bytes, in: content)
        guard let set = try? reader.read(.set, "eContent"), reader.isAtEnd else { return }
        var first = Reader(bytes, in: set)
        guard let attribute = try? first.read(.sequence, "eContent") else { return }
        if Reader(bytes, in: attribute).isNext(.objectIdentifier) {
            throw Refusal(.contentIsSignedAttributes, at: content.lowerBound, reading: "eContent")
        }
    }

    /// contentType and messageDigest, once each, with one value each, and right (RFC 5652 §11.1, §11.2); the
    /// SET and those of values in DER order, because their encoding was signed (§5.4).
    private func checkAttributes(
        _ range: Range<Int>,
        _ contentDigest: Digest,
        _ bytes: Span<UInt8>
    ) throws(Refusal) {
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
                guard bytes.holds(value, sameAs: bytes, contentTypeRange) else {
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

    /// The values of an attribute that nobody here reads: elements, in DER order like the attributes around
    /// them.
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
