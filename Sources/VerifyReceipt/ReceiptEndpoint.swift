import AppReceipt
import Basics
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
/// Unknown members are ignored, and so is `exclude-old-transactions`: it concerns `latest_receipt_info`
/// alone, and Apple's endpoint was seen to give the whole list all the same. If a member occurs twice, the
/// last one counts, as at Apple's endpoint.
///
/// The answer has Apple's status codes; see ``AnswerStatus``. With status 0 it has the members `status`,
/// `environment` and `receipt`. The order of these three members differs among Apple's answers. The members
/// of `receipt` are in Apple's order, except a few whose position was never seen. A receipt does not hold
/// what Apple's database adds, so these members are always absent:
///
/// - `latest_receipt`, `pending_renewal_info`, and, unless ``listsPurchases`` is true, `latest_receipt_info`
/// - in a purchase: `subscription_group_identifier`, `is_upgraded`, `offer_code_ref_name`,
///   `app_account_token`
/// - `is_retryable` and `exception`, which report trouble inside Apple's servers
///
/// Renewals and refunds after the receipt was signed are therefore not in the answer.
///
/// A transaction receipt of iOS 6 in `receipt-data` gets the older answer, with the members `receipt` and
/// `status`. Its `receipt` has every key of the signed purchase-info, with `_` in place of `-`, and the
/// values as they are. The members `latest_receipt`, `auto_renew_status`, `auto_renew_product_id`,
/// `expiration_intent` and `is_in_billing_retry_period` are always absent, and so are `latest_receipt_info`
/// and `latest_expired_receipt_info`, unless ``listsPurchases`` is true.
///
/// The endpoint checks what Apple's checks: the certificates, the markers, the signature and the environment.
/// It does **not** check the app. As with Apple's endpoint, compare `bundle_id` of the answer with your app.
///
/// An endpoint is an immutable value that can be used anywhere. Each worker owns a `ValidationCache`.
public struct ReceiptEndpoint: Sendable {
    /// Which of Apple's two endpoints to stand in for.
    public enum Environment: Sendable, Hashable, CaseIterable {
        /// `buy.itunes.apple.com`: accepts receipts of the environments `Production` and `ProductionVPP`, and
        /// transaction receipts that name no environment, unless their transaction identifier has the
        /// sandbox's form. The trust policy must accept the environment, too.
        case production
        /// `sandbox.itunes.apple.com`: accepts receipts of the environments `ProductionSandbox`,
        /// `ProductionVPPSandbox` and `Xcode`, and transaction receipts that name `Sandbox`. The trust policy
        /// must accept the environment, too.
        case sandbox

        /// The value of the member `environment` in answers: `Production` or `Sandbox`.
        public var name: String {
            switch self {
            case .production: "Production"
            case .sandbox: "Sandbox"
            }
        }
    }

    /// The forms of base64 that `receipt-data` may have.
    public enum Base64: Sendable, Hashable {
        /// Base64 as Apple's endpoint requires it: the standard alphabet and the exact padding, without white
        /// space. Pad bits need not be zero (RFC 4648 §3.5).
        case strict
        /// A receipt in any form that `ReceiptInput.decode` accepts, as damaged requests need it: base64
        /// with spaces in place of plus signs, in lines, percent-encoded, hexadecimal and others. A line
        /// break in a string of the body need not be escaped, except inside an object that is the value of
        /// `receipt-data`.
        case repairing
    }

    /// Which of Apple's two endpoints the answers stand in for.
    package let environment: Environment
    /// The forms of base64 that `receipt-data` of a request may have.
    package let base64: Base64
    /// Whether answers list the receipt's own purchases as `latest_receipt_info`, as of the receipt's
    /// signing.
    ///
    /// Apple makes the list from its database, and this endpoint from the receipt: **renewals and refunds
    /// after the receipt was signed are missing**. A subscription looks expired after the last period that
    /// the receipt holds, until the app sends a fresh receipt. So the list is left out by default.
    ///
    /// As in Apple's answers, the list is an array of all purchases, with the members that they have in
    /// `in_app`, in the order of their purchase dates, and it is there only if a purchase of the receipt has
    /// an expiration date. The answer about a transaction receipt with an expiration date has an object in
    /// place of the array: a copy of `receipt`. Its name is `latest_expired_receipt_info` with status 21006.
    public let listsPurchases: Bool
    /// The validator of app receipts. It does not check the app, device or expiration date, and checks the
    /// environment only if the trust policy requires one.
    private let validator: ReceiptValidator
    /// The validator of transaction receipts. It accepts receipts of this endpoint's environment only.
    private let transactions: TransactionReceiptValidator
    /// SHA-256 of each shared secret. Nil ignores passwords; an empty array refuses every password.
    private let secrets: [Digest]?
    /// The members that the object of a purchase may have in answers, in order.
    private let members = PurchaseMembers()

    /// The maximum length of a body in bytes, by measurement at Apple's endpoint: one byte more was answered
    /// with the HTTP status 413.
    public static var bodyBytes: Int { 3_145_728 }

    /// Creates an endpoint.
    ///
    /// - Parameters:
    ///   - environment: which of Apple's two endpoints to stand in for.
    ///   - policy: how strictly receipts are judged: its trust, issuers, distrust, revocation, minimum
    ///     digest, limits and acceleration. The endpoint ignores what the policy expects of environment,
    ///     app, device and times. Evidence must be fresh at the time that the policy of revocation contains;
    ///     the time of a request does not matter. So make a new endpoint for new evidence.
    ///   - sharedSecrets: the passwords that a request may have, in UTF-8. If nil, passwords are ignored. An
    ///     empty array refuses every password. The endpoint keeps only their digests.
    ///   - base64: the forms of base64 that are accepted.
    ///   - listsPurchases: whether answers have `latest_receipt_info`, made from the receipt's own purchases.
    ///     Read ``listsPurchases`` first.
    public init(
        _ environment: Environment,
        _ policy: ReceiptPolicy = ReceiptPolicy(environments: .any, bundleIdentifier: .any),
        sharedSecrets: [[UInt8]]? = nil,
        base64: Base64 = .strict,
        listsPurchases: Bool = false
    ) {
        self.environment = environment
        self.base64 = base64
        self.listsPurchases = listsPurchases
        secrets = sharedSecrets.map { $0.map { HashAlgorithm.sha256.digest(of: $0.borrowedSpan) } }
        var policy = policy.withoutExpectations
        validator = ReceiptValidator(policy)
        policy.environments = .only(environment == .production ? .production : .productionSandbox)
        transactions = TransactionReceiptValidator(policy)
    }

    /// Answers one request.
    ///
    /// - Parameters:
    ///   - body: the body of the request.
    ///   - now: the time for `request_date`, and for the expiration of a transaction receipt's subscription.
    ///   - cache: the cache, which the call reads and extends. Each task needs its own.
    /// - Returns: an answer for every body, hostile ones included.
    public func answer(_ body: [UInt8], at now: Timestamp, cache: inout ValidationCache) -> Answer {
        do throws(Refused) {
            let request = try Request(body, base64)
            switch try request.receipt(base64, validator.policy) {
            case .container(let container):
                let receipt = try validate(container, &cache)
                try checkEnvironment(of: receipt)
                try checkPassword(of: request)
                return Answer(valid: receipt, environment, at: now, listsPurchases: listsPurchases, members)
            case .propertyList(let list):
                let purchase = try validate(list)
                try checkPassword(of: request)
                return Answer(valid: purchase, at: now, listsPurchases: listsPurchases)
            }
        } catch {
            return Answer(error.status, error.reason, error.namesEnvironment ? environment : nil)
        }
    }

    /// Answers one request without a cache: `body` is its body, and `now` the time for `request_date` and for
    /// the expiration of a transaction receipt's subscription.
    ///
    /// Gives an answer for every body. The overload with a cache describes the result.
    public func answer(_ body: [UInt8], at now: Timestamp) -> Answer {
        var cache = ValidationCache(keepsPaths: false)
        return answer(body, at: now, cache: &cache)
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

    /// Throws status 21007 or 21008 for a receipt of the other endpoint, and 21002 if the environment is
    /// unknown or missing.
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
    /// The environment is not signed: the sandbox if the entry `environment` is `Sandbox`, production without
    /// the entry. Throws status 21007 or 21008 for the other environment, and 21002 for any other fault. An
    /// entry with another value is a fault, and so is a missing entry if the signed transaction identifier
    /// has the sandbox's form.
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

    /// The environment of a valid transaction receipt: the sandbox if the entry `environment` is `Sandbox`,
    /// production without the entry. Nil for another value of the entry, for an invalid receipt, and without
    /// the entry if the signed transaction identifier has the sandbox's form.
    private func environmentName(of list: [UInt8]) -> Environment? {
        let validator = transactions.expecting(self.validator.policy)
        guard let purchase = try? validator.validate(list) else { return nil }
        guard let name = purchase.claimedEnvironmentName else {
            return purchase.hasSandboxTransactionIdentifier ? nil : .production
        }
        return name.hasSameBytes(as: "Sandbox") ? .sandbox : nil
    }

    /// Throws status 21003 if no password is given as a string, and 21004 if the password is none of the
    /// shared secrets. Does nothing if `secrets` is nil.
    private func checkPassword(of request: Request) throws(Refused) {
        guard let secrets else { return }
        guard let password = request.password else {
            let refusal = Refusal(.missingPassword, at: 0, reading: "password")
            throw Refused(.notAuthenticated, .request(refusal), namesEnvironment: true)
        }
        guard let text = password.text, Self.isKnown(text, secrets) else {
            let refusal = Refusal(.wrongPassword, at: password.offset, reading: "password")
            throw Refused(.wrongPassword, .request(refusal), namesEnvironment: true)
        }
    }

    /// Whether the SHA-256 digest of a password is one of `secrets`. All digests are compared in full.
    ///
    /// Digests are compared, so the time does not depend on the lengths of the secrets.
    private static func isKnown(_ password: ArraySlice<UInt8>, _ secrets: [Digest]) -> Bool {
        let digest = HashAlgorithm.sha256.digest(of: password.borrowedSpan).bytes
        var isKnown = false
        for secret in secrets {
            var difference: UInt8 = 0
            for (one, other) in zip(secret.bytes, digest) { difference |= one ^ other }
            if difference == 0 { isKnown = true }
        }
        return isKnown
    }
}

/// The error thrown for a request that is answered with a status other than 0 and 21006.
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
