import Basics
import CMS
import Processor
import SHA

// The only file in which the signature over a receipt's content is verified, and the only one that can make a
// `VerifiedContent`.

/// A receipt's content whose certificates are accepted and whose signature is not verified yet.
///
/// It is a class, so that a batch passes it on without a copy of its values.
final class PendingSignature: Sendable {
    /// The message with its unverified content.
    let message: OpenedMessage
    /// The signer's signature algorithm. Its hash algorithm also makes the content's digest.
    let algorithm: SigningKey.Algorithm
    /// The public key of the signer's certificate.
    let key: SigningKey
    /// The range of the signer's certificate in the message's buffer.
    let signer: Range<Int>
    /// The SHA-256 fingerprint of the trusted root's certificate.
    let rootFingerprint: Digest
    /// Whether evidence proves that no certificate of the path is revoked; the root's is not asked about.
    /// False if the policy does not check revocation.
    let isProvenUnrevoked: Bool
    /// The path for the cache to remember once the signature is found valid; nil if the path came from the
    /// cache.
    let newPath: FoundPath?

    /// The octets of the content, which are read without a copy of the message.
    var content: ArraySlice<UInt8> { message.buffer.bytes[message.fields.content] }

    init(
        message: consuming OpenedMessage,
        algorithm: SigningKey.Algorithm,
        key: SigningKey,
        signer: Range<Int>,
        rootFingerprint: Digest,
        isProvenUnrevoked: Bool,
        newPath: FoundPath?
    ) {
        self.message = message
        self.algorithm = algorithm
        self.key = key
        self.signer = signer
        self.rootFingerprint = rootFingerprint
        self.isProvenUnrevoked = isProvenUnrevoked
        self.newPath = newPath
    }
}

/// A receipt's content whose signature holds under an accepted certification path.
///
/// Only this file can make one, and only a verified content can produce a ``Receipt``.
struct VerifiedContent: Sendable {
    /// The signature, which holds, with the content that it covers.
    let signed: PendingSignature
    /// The digest of the content by the hash algorithm of the signature.
    let contentDigest: Digest

    fileprivate init(_ signed: PendingSignature, _ contentDigest: Digest) {
        (self.signed, self.contentDigest) = (signed, contentDigest)
    }
}

extension PendingSignature {
    /// Verifies the signature over the content.
    ///
    /// - Throws: `Refusal` unless the signature is valid. The refusal's offset counts in the message's
    ///   buffer.
    func verify(acceleration: Acceleration) throws(Refusal) -> VerifiedContent {
        let contentDigest = algorithm.hash.digest(of: content.borrowedSpan, acceleration: acceleration)
        // A span cannot borrow from a property of an object.
        let message = message
        try message.view.verifySignature(
            by: key,
            algorithm,
            contentDigest: contentDigest,
            acceleration: acceleration
        )
        return VerifiedContent(self, contentDigest)
    }

    /// Verifies several signatures together, and gives the same results as one by one.
    ///
    /// Contents are digested together, and RSA signatures verified together, where the batch's instruction
    /// sets allow this.
    ///
    /// - Parameter batch: an empty batch, which is empty afterwards.
    /// - Returns: one element for each signature, in order; nil for a signature that is refused for any
    ///   reason.
    static func verify(
        _ pending: ContiguousArray<PendingSignature>,
        with batch: inout SigningKeyBatch
    ) -> [VerifiedContent?] {
        let acceleration = batch.acceleration
        // The span lends each signature. An iterator would change its reference count.
        let signatures = pending.borrowedSpan
        let contentDigests = contentDigests(signatures, acceleration)
        /// The signatures in the batch, by index, and the digests of their contents.
        var added: [(index: Int, contentDigest: Digest)] = []
        added.reserveCapacity(signatures.count)
        for index in signatures.indices {
            let algorithm = signatures[index].algorithm
            // A span cannot borrow from a property of an object.
            let opened = signatures[index].message
            let message = opened.view
            // The caller finds the reason of a refusal by validating the receipt again.
            guard let contentDigest = contentDigests[index],
                let digest = try? message.signedDigest(
                    contentDigest: contentDigest,
                    acceleration: acceleration
                )
            else { continue }
            batch.append(message.signature, of: digest, by: algorithm, signatures[index].key)
            added.append((index, contentDigest))
        }
        var verified = [VerifiedContent?](repeating: nil, count: pending.count)
        for (signature, holds) in zip(added, batch.verify()) where holds {
            verified[signature.index] = VerifiedContent(pending[signature.index], signature.contentDigest)
        }
        return verified
    }

    /// The digest of each message's content, by the hash algorithm of its signature, in order. No element is
    /// nil.
    private static func contentDigests(
        _ signatures: Span<PendingSignature>,
        _ acceleration: Acceleration
    ) -> [Digest?] {
        var digests = [Digest?](repeating: nil, count: signatures.count)
        for hash in HashAlgorithm.allCases {
            var contents: [ArraySlice<UInt8>] = []
            for index in signatures.indices where signatures[index].algorithm.hash == hash {
                contents.append(signatures[index].content)
            }
            guard !contents.isEmpty else { continue }
            var next = hash.digests(of: contents, acceleration: acceleration).makeIterator()
            for index in signatures.indices where signatures[index].algorithm.hash == hash {
                digests[index] = next.next()
            }
        }
        return digests
    }
}
