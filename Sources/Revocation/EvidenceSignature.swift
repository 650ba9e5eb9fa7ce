import Basics
import PKIX
import Processor
import SHA

/// The number of signature checks that the evidence about one certificate may still cost.
struct SignatureBudget {
    private var left: Int

    /// Allows a number of signature checks. A number below 0 counts as 0.
    init(_ checks: Int) { left = max(0, checks) }

    /// Takes some of the checks that are left. Throws `.tooManyEvidenceChecks` with the offset, and takes
    /// none, if fewer are left.
    mutating func spend(_ checks: Int, at offset: Int) throws(Refusal) {
        guard checks <= left else {
            throw Refusal(.tooManyEvidenceChecks, at: offset, reading: "signature")
        }
        left -= checks
    }
}

/// A signature in a piece of evidence, as ranges of the piece's bytes.
struct EvidenceSignature: Sendable {
    /// The range in the piece of evidence of the signed bytes.
    let signed: Range<Int>
    /// The algorithm of the signature.
    let algorithm: AlgorithmIdentifier
    /// The range in the piece of evidence of the octets of the signature.
    let value: Range<Int>

    /// Verifies the signature by a certificate's key. The hash must be SHA-256 or longer, because what a
    /// responder signs can be chosen in part by others.
    ///
    /// - Parameters:
    ///   - bytes: the piece of evidence that the ranges of this signature are in.
    ///   - signer: the certificate whose key verifies the signature.
    ///   - keys: decoded keys, which this function uses and adds to.
    ///   - budget: the checks that are left. The function takes as many as the signer's key counts for,
    ///     whether the signature is valid or not. If it throws for another reason, it takes one or none.
    ///   - acceleration: the instruction sets that may be used.
    /// - Throws: `Refusal` with an offset in `bytes`: `.weakEvidenceHash`, `.tooManyEvidenceChecks`, or why
    ///   the algorithm, the key or the signature is refused.
    func verify<Key: SignatureKey>(
        in bytes: Span<UInt8>,
        by signer: CertificateView,
        _ keys: inout KeyCache<Key>,
        _ budget: inout SignatureBudget,
        _ acceleration: Acceleration
    ) throws(Refusal) {
        let algorithm = try Key.Algorithm(ofCertificate: self.algorithm)
        guard algorithm.hash.digestByteCount >= HashAlgorithm.sha256.digestByteCount else {
            let offset = self.algorithm.range.lowerBound
            throw Refusal(.weakEvidenceHash, at: offset, reading: "signatureAlgorithm")
        }
        try budget.spend(1, at: value.lowerBound)
        let key: Key
        do throws(Refusal) {
            key = try keys.key(of: signer)
        } catch {
            throw error.moved(to: value.lowerBound)
        }
        try budget.spend(key.checkWeight - 1, at: value.lowerBound)
        let digest = algorithm.hash.digest(of: bytes.extracting(signed), acceleration: acceleration)
        do throws(Refusal) {
            try key.verify(bytes.extracting(value), of: digest, by: algorithm, acceleration: acceleration)
        } catch {
            throw error.moved(to: value.lowerBound + error.offset)
        }
    }
}
