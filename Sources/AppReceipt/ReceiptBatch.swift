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
    private struct Member {
        let bytes: [UInt8]
        let validator: ReceiptValidator
        /// The verdict; where it waits, that if the signature is right.
        let verdict: Result<Receipt, ReceiptError>
        /// Whether its signature is left to be verified, as the next of them.
        let isWaiting: Bool
    }

    private var members: [Member] = []
    private var signatures: SignatureBatch?

    /// Without a receipt.
    ///
    /// - Parameter acceleration: by what signatures are verified together; it changes no verdict.
    public init(acceleration: Acceleration = .none) {
        signatures = SignatureBatch(acceleration: acceleration)
    }

    /// How many receipts there are.
    public var count: Int { members.count }

    /// Adds a receipt, in DER or in Xcode's BER. All but a signature that is left for later is checked at once.
    ///
    /// - Parameters:
    ///   - bytes: the container; kept.
    ///   - cache: what earlier receipts taught, as with ``ReceiptValidator/validate(_:cache:)``.
    public mutating func append(
        _ bytes: [UInt8],
        for validator: ReceiptValidator,
        cache: inout ValidationCache
    ) {
        let count = signatures?.count
        let verdict = Self.verdict(of: bytes, validator, &cache, leavingSignatureTo: &signatures)
        members.append(
            Member(
                bytes: bytes,
                validator: validator,
                verdict: verdict,
                isWaiting: signatures?.count != count
            )
        )
    }

    /// The verdicts, in the order of the receipts. After that there are none.
    ///
    /// - Parameter cache: as for ``append(_:for:cache:)``.
    public mutating func judge(cache: inout ValidationCache) -> [Result<Receipt, ReceiptError>] {
        let signaturesAreRight = signatures?.verify() ?? []
        var next = 0
        var verdicts: [Result<Receipt, ReceiptError>] = []
        verdicts.reserveCapacity(members.count)
        for member in members {
            guard member.isWaiting else {
                verdicts.append(member.verdict)
                continue
            }
            // Of a receipt whose signature is wrong nothing holds: it is judged by itself, to the step that it
            // fails at.
            var none: SignatureBatch?
            let isRight = signaturesAreRight[next]
            next += 1
            verdicts.append(
                isRight
                    ? member.verdict
                    : Self.verdict(of: member.bytes, member.validator, &cache, leavingSignatureTo: &none)
            )
        }
        members = []
        return verdicts
    }

    private static func verdict(
        of bytes: [UInt8],
        _ validator: ReceiptValidator,
        _ cache: inout ValidationCache,
        leavingSignatureTo batch: inout SignatureBatch?
    ) -> Result<Receipt, ReceiptError> {
        do throws(ReceiptError) {
            return .success(try validator.validate(bytes, cache: &cache, leavingSignatureTo: &batch))
        } catch {
            return .failure(error)
        }
    }
}
