import AppReceipt
import Bytes
import DER
import Processor
import SHA
import TransactionReceipt

/// Apple's endpoint `verifyReceipt`, computed locally: it turns the body of a request into the body of the
/// answer.
///
/// ```swift
/// let endpoint = ReceiptEndpoint(.production)
/// var cache = ValidationCache()
/// let answer = endpoint.answer(body, at: now, cache: &cache)
/// ```
///
/// The request is a JSON object with the base64 of a receipt in `receipt-data`, and perhaps a `password`.
/// Unknown members are ignored, and so is `exclude-old-transactions`, which concerns only a list that no
/// receipt holds. If a member occurs twice, the last one counts, as at Apple's endpoint.
///
/// The answer has Apple's status codes; see ``AnswerStatus``. With status 0 it has the members `status`,
/// `environment` and `receipt`. The order of these three members differs among Apple's answers. The members
/// of `receipt` are in Apple's order, except a few whose place was never seen. A receipt does not hold what
/// Apple's database adds, so these members are always absent:
///
/// - `latest_receipt`, `latest_receipt_info`, `pending_renewal_info`
/// - in a purchase: `subscription_group_identifier`, `is_upgraded`, `offer_code_ref_name`,
///   `app_account_token`
/// - `is_retryable` and `exception`, which report trouble inside Apple's servers
///
/// Renewals and refunds after the receipt was signed are therefore not in the answer.
///
/// A transaction receipt of iOS 6 in `receipt-data` gets the older answer, with the members `receipt` and
/// `status`. Its `receipt` has every key of the signed purchase-info, with `_` in place of `-`, and the
/// values as they are. The members `latest_receipt`, `latest_receipt_info`, `latest_expired_receipt_info`,
/// `auto_renew_status`, `auto_renew_product_id`, `expiration_intent` and `is_in_billing_retry_period` are
/// always absent.
///
/// The endpoint checks what Apple's checks: the certificates, the markers, the signature and the environment.
/// It does **not** check the app. As with Apple's endpoint, compare `bundle_id` of the answer with your app.
///
/// An endpoint is an immutable value that can be used anywhere. Each worker owns a `ValidationCache`.
public struct ReceiptEndpoint: Sendable {
    /// Which of Apple's two endpoints to stand in for.
    public enum Environment: Sendable, Hashable, CaseIterable {
        /// `buy.itunes.apple.com`: receipts of `Production` and `ProductionVPP`.
        case production
        /// `sandbox.itunes.apple.com`: receipts of `ProductionSandbox`, `ProductionVPPSandbox` and, under a
        /// trust policy that accepts them, `Xcode`.
        case sandbox

        /// The value of `environment` in answers.
        public var name: String {
            switch self {
            case .production: "Production"
            case .sandbox: "Sandbox"
            }
        }
    }

    /// How `receipt-data` may be written.
    public enum Base64: Sendable, Hashable {
        /// As Apple's endpoint requires it: the standard alphabet and the exact padding, without white space.
        /// Bits beyond the last byte are ignored.
        case strict
        /// With the repairs that damaged requests need: spaces in place of plus signs, line breaks, the
        /// alphabet for URLs, missing padding.
        case repairing
    }

    /// The endpoint that the answers come from.
    public let environment: Environment
    /// The forms of base64 that are accepted.
    public let base64: Base64
    /// The validator of the receipts. It leaves out the checks that Apple's endpoint does not make.
    private let validator: ReceiptValidator
    /// The validator of transaction receipts, with the environment of this endpoint.
    private let transactions: TransactionReceiptValidator
    /// The certificates that may stand between the signer of a transaction receipt and a root.
    private let issuers: [IssuerCertificate]
    /// SHA-256 of each shared secret; nil if passwords are not compared.
    private let secrets: [Digest]?

    /// The maximum length of a body in bytes, by measurement at Apple's endpoint: one byte more was answered
    /// with the HTTP status 413.
    public static var bodyBytes: Int { 3_145_728 }

    /// Creates an endpoint.
    ///
    /// - Parameters:
    ///   - environment: which of Apple's two endpoints to stand in for.
    ///   - trust: the trusted roots. The default is Apple's; tests pin their own.
    ///   - issuers: certificates for transaction receipts, in addition to `IssuerCertificate.builtIn`. Such a
    ///     receipt holds only its signer's certificate.
    ///   - sharedSecrets: the passwords that a request may have, in UTF-8. If nil, passwords are ignored. An
    ///     empty array refuses every password. The endpoint keeps only their digests.
    ///   - base64: the forms of base64 that are accepted.
    ///   - minimumDigest: the weakest hash algorithm that is accepted in signatures.
    ///   - limits: limits on the work that a receipt may cause.
    ///   - acceleration: the instruction sets that may be used. They do not change the answers.
    public init(
        _ environment: Environment,
        trust: TrustPolicy = .appStore,
        issuers: [IssuerCertificate] = [],
        sharedSecrets: [[UInt8]]? = nil,
        base64: Base64 = .strict,
        minimumDigest: HashAlgorithm = .sha1,
        limits: Limits = .standard,
        acceleration: Acceleration = .none
    ) {
        self.environment = environment
        self.base64 = base64
        secrets = sharedSecrets.map { $0.map { SHA256.digest(of: $0.borrowedSpan) } }
        validator = ReceiptValidator(
            environments: .any,
            bundleIdentifier: .any,
            trust: trust,
            minimumDigest: minimumDigest,
            limits: limits,
            acceleration: acceleration
        )
        self.issuers = issuers
        transactions = TransactionReceiptValidator(
            environments: .only(environment == .production ? .production : .productionSandbox),
            bundleIdentifier: .any,
            trust: trust,
            issuers: issuers,
            minimumDigest: minimumDigest,
            limits: TransactionReceiptLimits(within: limits),
            acceleration: acceleration
        )
    }

    /// Answers one request.
    ///
    /// - Parameters:
    ///   - body: the body of the request.
    ///   - now: the time for `request_date`.
    ///   - cache: the cache, which the call reads and extends. Each task needs its own.
    /// - Returns: an answer for every body, hostile ones included.
    public func answer(_ body: [UInt8], at now: Timestamp, cache: inout ValidationCache) -> Answer {
        do throws(Refused) {
            let request = try Request(body)
            switch try request.receipt(base64, validator.limits, validator.acceleration) {
            case .container(let container):
                let receipt = try validate(container, &cache)
                try checkEnvironment(of: receipt)
                try checkPassword(of: request)
                return Answer(valid: receipt, environment, at: now)
            case .propertyList(let list):
                let purchase = try validate(list)
                try checkPassword(of: request)
                return Answer(valid: purchase, at: now)
            }
        } catch {
            return error.namesEnvironment
                ? Answer(error.status, environment, error.reason) : Answer(error.status, error.reason)
        }
    }

    /// Answers one request without a cache.
    ///
    /// The first overload of `answer` describes the parameters and the result.
    public func answer(_ body: [UInt8], at now: Timestamp) -> Answer {
        var cache = ValidationCache(keepsPaths: false)
        return answer(body, at: now, cache: &cache)
    }

    /// Answers one request in borrowed bytes, which are copied.
    ///
    /// The first overload of `answer` describes the parameters and the result.
    public func answer(_ body: Span<UInt8>, at now: Timestamp, cache: inout ValidationCache) -> Answer {
        // A body that is too long is not copied. One byte more than the limit gives the same answer.
        let count = min(body.count, Self.bodyBytes + 1)
        return answer([UInt8](body, in: 0..<count), at: now, cache: &cache)
    }

    private func validate(
        _ container: [UInt8],
        _ cache: inout ValidationCache
    ) throws(Refused) -> Receipt {
        do throws(ReceiptError) {
            return try validator.validate(container, cache: &cache)
        } catch {
            throw Refused(.invalidReceipt, .receipt(error))
        }
    }

    /// Refuses a receipt of the other environment, or of none.
    private func checkEnvironment(of receipt: Receipt) throws(Refused) {
        let status: AnswerStatus
        switch (receipt.environment, environment) {
        case (.production, .production), (.productionVPP, .production): return
        case (.productionSandbox, .sandbox), (.productionVPPSandbox, .sandbox), (.xcode, .sandbox): return
        case (.productionSandbox, .production), (.productionVPPSandbox, .production), (.xcode, .production):
            status = .sandboxReceipt
        case (.production, .sandbox), (.productionVPP, .sandbox): status = .productionReceipt
        case (nil, _): status = .invalidReceipt
        }
        throw Refused(status, .receipt(receipt.environmentMismatch))
    }

    /// Validates a transaction receipt, its environment included.
    ///
    /// The environment is not signed. A receipt that says `Sandbox` is one of the sandbox, and a receipt
    /// without the entry is one of production. Status 21002 is for a receipt with another entry, and for a
    /// receipt without the entry whose signed transaction identifier has the form of the sandbox's.
    private func validate(_ list: [UInt8]) throws(Refused) -> PurchaseInfo {
        do throws(ReceiptError) {
            return try transactions.validate(list)
        } catch {
            guard error.step == .environment, let name = environmentName(of: list) else {
                throw Refused(.invalidReceipt, .receipt(error))
            }
            switch environment {
            case .production where name == .sandbox: throw Refused(.sandboxReceipt, .receipt(error))
            case .sandbox where name == .production: throw Refused(.productionReceipt, .receipt(error))
            default: throw Refused(.invalidReceipt, .receipt(error))
            }
        }
    }

    /// The environment of a transaction receipt whose signature holds; nil if its parts contradict each
    /// other.
    private func environmentName(of list: [UInt8]) -> Environment? {
        let validator = TransactionReceiptValidator(
            environments: .any,
            bundleIdentifier: .any,
            trust: transactions.trust,
            issuers: issuers,
            minimumDigest: transactions.minimumDigest,
            limits: transactions.limits,
            acceleration: transactions.acceleration
        )
        guard let purchase = try? validator.validate(list) else { return nil }
        guard let name = purchase.claimedEnvironmentName else {
            return purchase.hasSandboxTransactionIdentifier ? nil : .production
        }
        return name.hasSameBytes(as: "Sandbox") ? .sandbox : nil
    }

    /// Refuses a request without one of the shared secrets. All secrets are compared in full.
    ///
    /// Digests are compared, so the time tells nothing about the secrets and their lengths.
    private func checkPassword(of request: Request) throws(Refused) {
        guard let secrets else { return }
        guard let password = request.password else {
            let refusal = Refusal(.missingPassword, at: 0, reading: "password")
            throw Refused(.notAuthenticated, .request(refusal), namesEnvironment: true)
        }
        let digest = SHA256.digest(of: password.text.borrowedSpan).bytes
        var isKnown = false
        for secret in secrets {
            var difference: UInt8 = 0
            for (one, other) in zip(secret.bytes, digest) { difference |= one ^ other }
            if difference == 0 { isKnown = true }
        }
        guard isKnown else {
            let refusal = Refusal(.wrongPassword, at: password.offset, reading: "password")
            throw Refused(.wrongPassword, .request(refusal), namesEnvironment: true)
        }
    }
}

/// Why a request is not answered with status 0.
struct Refused: Error {
    let status: AnswerStatus
    let reason: AnswerError
    /// Whether the answer has the member `environment`.
    let namesEnvironment: Bool

    init(_ status: AnswerStatus, _ reason: AnswerError, namesEnvironment: Bool = false) {
        self.status = status
        self.reason = reason
        self.namesEnvironment = namesEnvironment
    }
}
