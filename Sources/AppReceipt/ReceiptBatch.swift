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
    /// A receipt as far as it is checked: up to its signature, or to what is wrong with it.
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

        /// The signature that it waits for.
        var leftSignature: Validation.LeftSignature? {
            if case .success(let content) = content { content.leftSignature } else { nil }
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

    /// Adds a receipt, in DER or in Xcode's BER. Everything up to its signature is checked at once, what
    /// comes after that in ``judge(cache:)``.
    ///
    /// - Parameters:
    ///   - bytes: the container; kept.
    ///   - cache: what earlier receipts taught, as with ``ReceiptValidator/validate(_:cache:)``.
    public mutating func append(
        _ bytes: [UInt8],
        for validator: ReceiptValidator,
        cache: inout ValidationCache
    ) {
        let member = Member(bytes, validator, .leavingSignature, &cache)
        if case .success(let content) = member.content, let left = content.leftSignature {
            signatures.append(
                content.buffer.bytes.span.extracting(left.range),
                digest: left.digest,
                by: left.key
            )
        }
        members.append(member)
    }

    /// The verdicts, in the order of the receipts. After that there are none.
    ///
    /// - Parameter cache: as for ``append(_:for:cache:)``.
    public mutating func judge(cache: inout ValidationCache) -> [Result<Receipt, ReceiptError>] {
        let signaturesAreRight = signatures.verify()
        var next = 0
        var verdicts: [Result<Receipt, ReceiptError>] = []
        verdicts.reserveCapacity(members.count)
        for index in members.indices {
            if members[index].leftSignature != nil {
                if !signaturesAreRight[next] { members[index].judgeAgain(&cache) }
                next += 1
            }
            verdicts.append(members[index].verdict())
        }
        members = []
        return verdicts
    }
}
