import Basics
import DER
import PKIX

/// Validates app receipts by a policy. It asks no server.
///
/// ```swift
/// let policy = ReceiptPolicy(
///     environments: .only(.production, .productionSandbox),
///     bundleIdentifier: .exactly("com.example.app"))
/// let receipt = try ReceiptValidator(policy).validate(bytes)
/// ```
///
/// A validator is an immutable value that can be used anywhere. A ``ValidationCache`` remembers what is
/// useful between receipts. Each worker has a cache of its own.
public struct ReceiptValidator: Sendable {
    /// The policy and its rules, held by reference.
    private let shared: Shared<Values>

    /// The app's expectations, and how strictly receipts are judged.
    package var policy: ReceiptPolicy { shared.value.policy }
    /// The checks that were not made, in the order of the steps: each that the policy leaves out, and
    /// `revocation` unless `isProvenUnrevoked`. A caller that asks ``policy`` itself gets a copy, and changes
    /// the reference counts of all its parts.
    func notChecked(isProvenUnrevoked: Bool) -> [ReceiptError.Step] {
        shared.value.policy.notChecked(isProvenUnrevoked: isProvenUnrevoked)
    }
    /// The rules for certification paths. A cache that was filled under other rules is emptied before use.
    var cacheRules: Shared<ValidationCache.Rules> { shared.value.cacheRules }

    /// Creates a validator that judges receipts by a policy.
    public init(_ policy: ReceiptPolicy) {
        let path = policy.path(intermediateMarker: .intermediateMarker, leafMarker: .receiptSigningMarker)
        let rules = ValidationCache.Rules(
            trust: policy.trust,
            distrusted: policy.distrusted,
            revocation: policy.revocation,
            path: path,
            limits: policy.limits,
            key: policy.key
        )
        shared = Shared(Values(policy: policy, cacheRules: Shared(rules)))
    }

    /// Validates a receipt, in DER or in Xcode's BER.
    ///
    /// - Parameters:
    ///   - bytes: the container. The returned receipt keeps the array if it is DER, and copies nothing. From
    ///     BER it makes DER, and keeps that.
    ///   - cache: results of earlier receipts. It may gain keys, verdicts about revocation and, if the path
    ///     and the signature hold, the path.
    /// - Throws: `ReceiptError`, with the step that failed.
    public func validate(_ bytes: [UInt8], cache: inout ValidationCache) throws(ReceiptError) -> Receipt {
        cache.prepare(for: cacheRules)
        var validation = Validation(self)
        do throws(Refusal) {
            return try validation.validate(bytes, &cache)
        } catch {
            throw validation.explain(error)
        }
    }

    /// Validates one receipt without a cache.
    ///
    /// - Parameter bytes: the container. The result keeps the array if it is DER, and copies nothing. From
    ///   BER it keeps the DER that was made.
    /// - Throws: `ReceiptError`, with the step that failed.
    public func validate(_ bytes: [UInt8]) throws(ReceiptError) -> Receipt {
        var cache = ValidationCache(keepsPaths: false)
        return try validate(bytes, cache: &cache)
    }

    private struct Values: Sendable {
        let policy: ReceiptPolicy
        let cacheRules: Shared<ValidationCache.Rules>
    }
}
