import DER

/// A signed message to be made (RFC 5652 §5.1; PKCS #7). Every field may say anything; what is not
/// touched is right, and in the likeness of genuine receipts.
public struct MessageTemplate: Sendable {
    /// How the envelope is encoded.
    public enum Encoding: Sendable, Hashable {
        /// In DER, as genuine receipts but for the order of their certificates.
        case der
        /// As Xcode does: six elements of indefinite length, the content among them in segments of at
        /// most so many octets, one at least (X.690 §8.1.3.6, §8.7.3).
        case ber(segmentByteCount: Int)
    }

    /// The type of the message itself: signedData.
    public var messageType = ObjectIdentifier(1, 2, 840, 113549, 1, 7, 2)
    /// Nil for the one that RFC 5652 §5.1 gives: 1, or 3 where the content is not data or a signer has
    /// version 3.
    public var version: Int64?
    /// Nil for those of the signers.
    public var digestAlgorithms: [AlgorithmTemplate]?
    /// `eContentType`: data.
    public var contentType = ObjectIdentifier(1, 2, 840, 113549, 1, 7, 1)
    /// Whether the content is left out.
    public var isDetached = false
    /// The encodings of the certificates, in the order in which they are written; none at all where it is
    /// empty.
    public var certificates: [[UInt8]]
    /// The encodings of revocation lists; none at all where it is empty.
    public var revocationLists: [[UInt8]] = []
    /// One in a receipt; any number here.
    public var signers: [SignerTemplate]
    /// DER by default.
    public var encoding = Encoding.der

    /// A message with these certificates in this order, signed by these.
    public init(certificates: [[UInt8]], signers: [SignerTemplate]) {
        self.certificates = certificates
        self.signers = signers
    }

    /// The message, signed.
    ///
    /// - Parameter payload: the content, such as ``PayloadTemplate/encoded()``.
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

    private var listedDigestAlgorithms: [AlgorithmTemplate] {
        if let digestAlgorithms { return digestAlgorithms }
        var listed: [AlgorithmTemplate] = []
        for signer in signers where !listed.contains(signer.statedDigestAlgorithm) {
            listed.append(signer.statedDigestAlgorithm)
        }
        return listed
    }

    private func encapsulatedContentInfo(_ payload: [UInt8]) -> [UInt8] {
        var writer = Writer()
        writer.writeObjectIdentifier(contentType)
        if !isDetached { writer.writeEncoded(envelope(.constructed(0), content(payload))) }
        return envelope(.sequence, writer.bytes)
    }

    private func content(_ payload: [UInt8]) -> [UInt8] {
        var writer = Writer()
        guard case .ber(let segmentByteCount) = encoding else {
            writer.writeOctetString(payload)
            return writer.bytes
        }
        for start in stride(from: 0, to: payload.count, by: max(1, segmentByteCount)) {
            let rest = payload.count - start
            writer.writeOctetString([UInt8](payload[start..<(start + min(rest, max(1, segmentByteCount)))]))
        }
        return envelope(Tag(.universal, 4, constructed: true), writer.bytes)
    }

    /// An element of the envelope, whose length is indefinite in BER.
    private func envelope(_ tag: Tag, _ contents: [UInt8]) -> [UInt8] {
        var writer = Writer()
        guard encoding != .der else {
            writer.write(tag, contents)
            return writer.bytes
        }
        writer.write(tag, [])
        return [UInt8](writer.bytes.dropLast()) + [0x80] + contents + [0x00, 0x00]
    }
}
