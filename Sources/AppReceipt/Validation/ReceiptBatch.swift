import Basics
import Processor

/// Receipts that are validated together. Each receipt gets the verdict that its validator gives it alone.
///
/// ```swift
/// var batch = ReceiptBatch(acceleration: .detected())
/// for bytes in receipts { batch.append(bytes, for: validator, cache: &cache) }
/// let verdicts = batch.judge(cache: &cache)
/// ```
///
/// The batch saves time on receipts whose certificates are known from earlier receipts: it computes the
/// digests of their contents together, and verifies their signatures together. See
/// `HashAlgorithm.digests(of:acceleration:)` and `SignatureBatch`. The batch keeps receipts until they are
/// judged, so add some hundred receipts at a time. A batch is a value without locks: each worker has its own.
public struct ReceiptBatch: Sendable {
    /// The state of a receipt's validation.
    private enum Progress {
        /// The receipt is refused with this error.
        case refused(ReceiptError)
        /// The certificates are known. The signature is not verified yet: it is an element of `pending`.
        case pending
        /// The signature is verified. The attributes are not decoded yet.
        case verified(VerifiedContent)
    }

    private struct Member {
        var validation: Validation
        var progress: Progress
    }

    private var members: [Member] = []
    /// The signatures that are not verified yet, in the order of the receipts.
    private var pending: ContiguousArray<PendingSignature> = []
    private var signatures: SigningKeyBatch

    /// Creates an empty batch.
    ///
    /// - Parameter acceleration: the instruction sets used to compute digests and verify signatures together.
    ///   They do not change the verdicts.
    public init(acceleration: Acceleration = .none) {
        signatures = SigningKeyBatch(acceleration: acceleration)
    }

    /// The number of receipts in the batch, refused ones included.
    public var count: Int { members.count }

    /// Adds a receipt, in DER or in Xcode's BER. If it is refused, ``judge(cache:)`` returns the error.
    ///
    /// The container and the certificates are checked at once. If the cache has no path that can be used for
    /// the certificates, the signature is verified at once too. ``judge(cache:)`` does the rest.
    ///
    /// - Parameters:
    ///   - bytes: the container. The batch may keep it, or the DER made from BER, until ``judge(cache:)``.
    ///   - validator: the validator whose verdict the receipt gets.
    ///   - cache: the cache for earlier receipts, as for `ReceiptValidator.validate(_:cache:)`.
    public mutating func append(
        _ bytes: [UInt8],
        for validator: ReceiptValidator,
        cache: inout ValidationCache
    ) {
        cache.prepare(for: validator.cacheRules)
        var validation = Validation(validator)
        let progress: Progress
        do throws(Refusal) {
            let message = try validation.open(bytes)
            if let signature = validation.acceptRememberedCertificates(of: message, cache) {
                pending.append(signature)
                progress = .pending
            } else {
                progress = .verified(try validation.authenticate(message, &cache))
            }
        } catch {
            progress = .refused(validation.explain(error))
        }
        members.append(Member(validation: consume validation, progress: progress))
    }

    /// Finishes the validations and empties the batch.
    ///
    /// - Parameter cache: the cache that ``append(_:for:cache:)`` was given. It may gain keys, verdicts
    ///   about revocation, and paths.
    /// - Returns: the receipt or the error for each ``append(_:for:cache:)``, in their order.
    public mutating func judge(cache: inout ValidationCache) -> [Result<Receipt, ReceiptError>] {
        var verified = PendingSignature.verify(pending, with: &signatures)
        var next = 0
        var verdicts: [Result<Receipt, ReceiptError>] = []
        verdicts.reserveCapacity(members.count)
        for index in members.indices {
            do throws(Refusal) {
                let content: VerifiedContent
                switch members[index].progress {
                case .refused(let error):
                    verdicts.append(.failure(error))
                    continue
                case .verified(let known): content = known
                case .pending:
                    defer { next += 1 }
                    // Taken out of the array, the content keeps its reference count.
                    if let known = verified[next].take() {
                        content = known
                    } else {
                        // Under another path the signature may hold. If it does not, the error names the step
                        // that fails.
                        cache.prepare(for: members[index].validation.validator.cacheRules)
                        let message = pending[next].message
                        content = try members[index].validation.authenticate(message, &cache)
                    }
                }
                verdicts.append(.success(try members[index].validation.receipt(content)))
            } catch {
                verdicts.append(.failure(members[index].validation.explain(error)))
            }
        }
        members = []
        pending = []
        return verdicts
    }
}
