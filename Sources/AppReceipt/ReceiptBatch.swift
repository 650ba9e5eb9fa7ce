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
/// What takes less time together are the signatures over their contents, where the certificates came before:
/// see ``SignatureBatch``. A value without locks: each worker keeps its own.
public struct ReceiptBatch: Sendable {
    private enum Member {
        case judged(Result<Receipt, ReceiptError>)
        /// All holds but the signature, which is not verified yet, and what comes after it.
        case waiting(Validation, Validation.SignedContent, bytes: [UInt8])
    }

    private var members: [Member] = []
    /// Of those that wait, in their order.
    private var signatures: SignatureBatch

    /// Without a receipt.
    ///
    /// - Parameter acceleration: by what signatures are verified together; it changes no verdict.
    public init(acceleration: Acceleration = .none) {
        signatures = SignatureBatch(acceleration: acceleration)
    }

    /// How many receipts there are.
    public var count: Int { members.count }

    /// Adds a receipt, in DER or in Xcode's BER. What comes before a signature that is left for later is
    /// checked at once, or all of it.
    ///
    /// - Parameters:
    ///   - bytes: the container; kept.
    ///   - cache: what earlier receipts taught, as with ``ReceiptValidator/validate(_:cache:)``.
    public mutating func append(
        _ bytes: [UInt8],
        for validator: ReceiptValidator,
        cache: inout ValidationCache
    ) {
        var validation = validator.validation(.leavingSignature, &cache)
        do throws(Refusal) {
            let content = try validation.verify(bytes, &cache)
            if let left = validation.leftSignature {
                signatures.append(left.octets.span, digest: left.digest, by: left.key)
                members.append(.waiting(validation, content, bytes: bytes))
            } else {
                members.append(.judged(.success(try validation.receipt(content))))
            }
        } catch {
            members.append(.judged(.failure(validation.explain(error))))
        }
    }

    /// The verdicts, in the order of the receipts. After that there are none.
    ///
    /// - Parameter cache: as for ``append(_:for:cache:)``.
    public mutating func judge(cache: inout ValidationCache) -> [Result<Receipt, ReceiptError>] {
        let signaturesAreRight = signatures.verify()
        var next = 0
        var verdicts: [Result<Receipt, ReceiptError>] = []
        verdicts.reserveCapacity(members.count)
        for member in members {
            switch member {
            case .judged(let verdict): verdicts.append(verdict)
            case .waiting(var validation, let content, let bytes):
                do throws(Refusal) {
                    if signaturesAreRight[next] {
                        verdicts.append(.success(try validation.receipt(content)))
                    } else {
                        // Under another path it might be right, and where it is not, the step is to be told
                        // at which that is found.
                        validation = validation.validator.validation(.withoutRemembered, &cache)
                        let content = try validation.verify(bytes, &cache)
                        verdicts.append(.success(try validation.receipt(content)))
                    }
                } catch {
                    verdicts.append(.failure(validation.explain(error)))
                }
                next += 1
            }
        }
        members = []
        return verdicts
    }
}
