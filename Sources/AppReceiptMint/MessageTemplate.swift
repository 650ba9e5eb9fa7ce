import DER

/// A signed message to make (RFC 5652 §5.1; PKCS #7).
///
/// Every field can be set to any value. The defaults resemble a genuine receipt.
public struct MessageTemplate: Sendable {
    /// The encoding of the elements that contain the content, the certificates and the signers.
    public enum Encoding: Sendable, Hashable {
        /// DER, as in genuine receipts, except that the sets of digest algorithms, certificates, revocation
        /// lists and signers are not sorted.
        case der
        /// BER, as in Xcode's receipts (X.690 §8.1.3.6, §8.7.3).
        ///
        /// ContentInfo, its content [0], SignedData and EncapsulatedContentInfo have an indefinite length. So
        /// do eContent [0] and its OCTET STRING, unless the message is detached. The segments of the OCTET
        /// STRING have at most `segmentByteCount` octets; values below 1 count as 1.
        case ber(segmentByteCount: Int)
    }

    /// The field `contentType` of the outer ContentInfo; signedData by default.
    public var messageType = ObjectIdentifier(1, 2, 840, 113549, 1, 7, 2)
    /// The version of the SignedData. Nil stands for 3 if the content's type is not data or a signer has
    /// version 3, and otherwise for 1 (RFC 5652 §5.1).
    public var version: Int64?
    /// The digest algorithms that the message lists. Nil stands for each of the signers' algorithms once.
    public var digestAlgorithms: [AlgorithmTemplate]?
    /// The type of the content, in the field `eContentType`; data by default.
    public var contentType = ObjectIdentifier(1, 2, 840, 113549, 1, 7, 1)
    /// Whether to leave the content out of the message. The signature covers the content in either case.
    public var isDetached = false
    /// The encoded certificates in the order of writing. If it is empty, the field is left out.
    public var certificates: [[UInt8]]
    /// The encoded revocation lists in the order of writing. If it is empty, the field is left out.
    public var revocationLists: [[UInt8]] = []
    /// The signers. Each one signs the payload. A receipt has one; a template can have any number.
    public var signers: [SignerTemplate]
    /// The encoding of the elements that contain the content, the certificates and the signers; DER by
    /// default.
    public var encoding = Encoding.der

    /// Makes a message with these certificates in this order, signed by these signers.
    public init(certificates: [[UInt8]], signers: [SignerTemplate]) {
        self.certificates = certificates
        self.signers = signers
    }

    /// Signs a payload and returns the encoded message.
    ///
    /// - Parameter payload: the content, such as the result of ``PayloadTemplate/encoded()``.
    public func signed(payload: [UInt8]) -> [UInt8] {
        let data = ObjectIdentifier(1, 2, 840, 113549, 1, 7, 1)
        let isVersion3 = contentType != data || signers.contains { $0.statedVersion == 3 }
        var parts = Writer()
        parts.writeInteger(version ?? (isVersion3 ? 3 : 1))
        parts.write(.set, listedDigestAlgorithms.flatMap { $0.encoded() })
        parts.writeEncoded(encapsulatedContentInfo(payload))
        if !certificates.isEmpty { parts.write(.constructed(0), certificates.flatMap { $0 }) }
        if !revocationLists.isEmpty { parts.write(.constructed(1), revocationLists.flatMap { $0 }) }
        parts.nest(.set) { set in
            for signer in signers {
                set.writeEncoded(signer.encoded(payload, contentType: contentType))
            }
        }
        var contentInfo = Writer()
        contentInfo.writeObjectIdentifier(messageType)
        contentInfo.writeEncoded(envelope(.constructed(0), envelope(.sequence, parts.bytes)))
        return envelope(.sequence, contentInfo.bytes)
    }

    /// The digest algorithms to list: each of the signers' algorithms once, unless the caller set others.
    private var listedDigestAlgorithms: [AlgorithmTemplate] {
        if let digestAlgorithms { return digestAlgorithms }
        var listed: [AlgorithmTemplate] = []
        for signer in signers where !listed.contains(signer.statedDigestAlgorithm) {
            listed.append(signer.statedDigestAlgorithm)
        }
        return listed
    }

    /// The encoded EncapsulatedContentInfo (RFC 5652 §5.2). It lacks the payload if ``isDetached``.
    private func encapsulatedContentInfo(_ payload: [UInt8]) -> [UInt8] {
        var writer = Writer()
        writer.writeObjectIdentifier(contentType)
        if !isDetached { writer.writeEncoded(envelope(.constructed(0), content(payload))) }
        return envelope(.sequence, writer.bytes)
    }

    /// The encoded OCTET STRING of a payload: primitive in DER, constructed of segments in BER.
    private func content(_ payload: [UInt8]) -> [UInt8] {
        guard case .ber(let segmentByteCount) = encoding else {
            return Writer.element(.octetString, payload)
        }
        var writer = Writer()
        for start in stride(from: 0, to: payload.count, by: max(1, segmentByteCount)) {
            let rest = payload.count - start
            writer.writeOctetString([UInt8](payload[start..<(start + min(rest, max(1, segmentByteCount)))]))
        }
        return envelope(Tag(.universal, 4, constructed: true), writer.bytes)
    }

    /// The encoding of an element with these contents: of definite length in DER, of indefinite in BER.
    private func envelope(_ tag: Tag, _ contents: [UInt8]) -> [UInt8] {
        guard encoding != .der else { return Writer.element(tag, contents) }
        return [UInt8](Writer.element(tag, []).dropLast()) + [0x80] + contents + [0x00, 0x00]
    }
}
