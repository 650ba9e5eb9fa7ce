import CMS
import RSA
import SHA

/// Receipts that are judged together, each with the verdict that its validator has for it alone, whatever its
/// neighbours are.
///
/// ```swift
/// var batch = ReceiptBatch(acceleration: .detected())
/// for bytes in receipts { batch.append(bytes, for: validator, cache: &cache) }
/// let verdicts = batch.judge(cache: &cache)
/// ```
///
/// What takes less time together are the digests of their contents and the signatures over them, where the
/// certificates came before: see ``SHA256/digests(of:acceleration:)`` and ``SignatureBatch``. It keeps every
/// receipt until they are judged, so some hundred at a time. A value without locks: each worker keeps its
/// own.
public struct ReceiptBatch: Sendable {
    /// A receipt as far as it is checked: up to its content, or to what is wrong with it.
    private struct Member {
        let bytes: [UInt8]
        private var validation: Validation
        let content: Result<Validation.Content, ReceiptError>

        init(
            _ bytes: [UInt8],
            _ validator: ReceiptValidator,
            _ mode: Validation.Mode,
            _ cache: inout ValidationCache
        ) {
            self.bytes = bytes
            validation = validator.validation(mode, &cache)
            do throws(Refusal) {
                content = .success(try validation.verify(bytes, &cache))
            } catch {
                content = .failure(validation.explain(error))
            }
        }

        /// What waits for content and signature to be verified, and by which key.
        var waiting: (content: Validation.Content, key: PublicKey)? {
            guard case .success(let content) = content, let key = content.keyOfLeftSignature else {
                return nil
            }
            return (content, key)
        }

        /// The same without what is remembered: under another path the signature might be right, and where it
        /// is not, the step is told at which that is found.
        mutating func judgeAgain(_ cache: inout ValidationCache) {
            self = Member(bytes, validation.validator, .withoutRemembered, &cache)
        }

        /// To be asked for when nothing waits.
        mutating func verdict() -> Result<Receipt, ReceiptError> {
            switch content {
            case .failure(let error): return .failure(error)
            case .success(let content):
                do throws(Refusal) {
                    return .success(try validation.receipt(content))
                } catch {
                    return .failure(validation.explain(error))
                }
            }
        }
    }

    private var members: [Member] = []
    private var signatures: SignatureBatch

    /// Without a receipt.
    ///
    /// - Parameter acceleration: by what contents are digested and signatures verified; it changes no
    ///   verdict.
    public init(acceleration: Acceleration = .none) {
        signatures = SignatureBatch(acceleration: acceleration)
    }

    /// How many receipts there are.
    public var count: Int { members.count }

    /// Adds a receipt, in DER or in Xcode's BER. Container and certificates are checked at once, content and
    /// signature too where the certificates are new; all else in ``judge(cache:)``.
    ///
    /// - Parameters:
    ///   - bytes: the container; kept.
    ///   - cache: what earlier receipts taught, as with ``ReceiptValidator/validate(_:cache:)``.
    public mutating func append(
        _ bytes: [UInt8],
        for validator: ReceiptValidator,
        cache: inout ValidationCache
    ) {
        members.append(Member(bytes, validator, .leavingSignature, &cache))
    }

    /// The verdicts, in the order of the receipts. After that there are none.
    ///
    /// - Parameter cache: as for ``append(_:for:cache:)``.
    public mutating func judge(cache: inout ValidationCache) -> [Result<Receipt, ReceiptError>] {
        for index in findWrong() { members[index].judgeAgain(&cache) }
        var verdicts: [Result<Receipt, ReceiptError>] = []
        verdicts.reserveCapacity(members.count)
        for index in members.indices { verdicts.append(members[index].verdict()) }
        members = []
        return verdicts
    }

    /// Digests and verifies what waits.
    ///
    /// - Returns: the indices of those whose content or signature is not right.
    private mutating func findWrong() -> [Int] {
        let acceleration = signatures.acceleration
        let waiting = members.indices.compactMap { index in
            members[index].waiting.map { (index: index, content: $0.content, key: $0.key) }
        }
        let digests = SHA256.digests(
            of: waiting.filter { $0.content.digestAlgorithm == .sha256 }
                .map { $0.content.buffer.bytes[$0.content.message.content] },
            acceleration: acceleration
        )
        var nextDigest = digests.makeIterator()
        /// Those with a signature among those that are verified.
        var signed: [Int] = []
        for (index, content, key) in waiting {
            let bytes = content.buffer.bytes.span
            // A refusal is told by the validation that comes again.
            let digest = try? content.message.signedDigest(
                in: bytes,
                contentDigest: content.digestAlgorithm == .sha256 ? nextDigest.next() : nil,
                acceleration: acceleration
            )
            guard let digest else { continue }
            signatures.append(bytes.extracting(content.message.signer.signature), digest: digest, by: key)
            signed.append(index)
        }
        // Whatever is not known to be right is wrong.
        var isRight = [Bool](repeating: false, count: members.count)
        for (index, verdict) in zip(signed, signatures.verify()) { isRight[index] = verdict }
        return waiting.map { $0.index }.filter { !isRight[$0] }
    }
}
