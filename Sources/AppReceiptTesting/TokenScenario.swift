import AppReceipt
import AppReceiptMint
import Basics
import SignedPayloads

/// A case for tests of tokens: what a genuine token says, or why a token must be refused.
public enum TokenCase: String, Sendable, Hashable, CaseIterable {
    /// A genuine token without a purchase: about the app's download, a request for a retention message, or an
    /// extension of renewal dates.
    case noPurchase
    /// A genuine token about a purchase of the app's product.
    case purchase
    /// A purchase of the app's product that was refunded two days ago. The token is genuine.
    case refundedPurchase
    /// A genuine token about a subscription that expires in 20 days, and renews then.
    case subscription
    /// A genuine token about a subscription that expired one day ago, and does not renew.
    case lapsedSubscription
    /// Text instead of a token, such as an error page.
    case text
    /// A token whose end is missing.
    case truncated
    /// A token whose header names another algorithm than ES256.
    case otherAlgorithm
    /// A token without the date of signing: `signedDate`, or `receiptCreationDate` in an app transaction.
    case undated
    /// A token whose signing certificate had expired.
    case expiredCertificate
    /// A forged token: its certificates have the names of the trusted ones, but other keys.
    case forgedRoot
    /// A token whose signing certificate lacks the marker of the App Store, as a developer's does.
    case developerCertificate
    /// A token whose payload was changed after signing.
    case tampered
    /// A token in whose signature one bit was changed.
    case forgedSignature
    /// A token from an environment that the app does not accept.
    case otherEnvironment
    /// A token with the bundle identifier of another app.
    case otherApp
    /// A token with another app's `appAppleId`. Transactions and renewal information have no `appAppleId`.
    case otherAppleIdentifier
    /// A notification of the app with a transaction of another app inside.
    case nestedTransactionOfOtherApp
    /// A notification with renewal information of another environment inside.
    case nestedRenewalOfOtherEnvironment

    /// Whether the token is genuine, for the app, and from an environment that the app accepts.
    public var isValid: Bool {
        self == .noPurchase || self == .purchase || self == .refundedPurchase || isSubscription
    }

    /// Whether the token is valid and about a subscription.
    var isSubscription: Bool { self == .subscription || self == .lapsedSubscription }

    /// Whether tokens of a kind can be valid for what the case says; true for all cases of invalid tokens.
    func isPossible(for kind: TokenScenario.Kind) -> Bool {
        switch self {
        case .noPurchase: kind != .transaction && kind != .renewalInfo
        case .purchase, .refundedPurchase: kind == .transaction || kind == .notification
        case .subscription, .lapsedSubscription: kind != .appTransaction && kind != .realtimeRequest
        default: true
        }
    }

    /// The flaw that the mint gives the token; nil for a valid token, for `text` and for `otherEnvironment`.
    var flaw: TokenFlaw? {
        switch self {
        case .noPurchase, .purchase, .refundedPurchase, .subscription, .lapsedSubscription: nil
        case .text, .otherEnvironment: nil
        case .truncated: .truncated
        case .otherAlgorithm: .wrongAlgorithm
        case .undated: .missingDate
        case .expiredCertificate: .expiredPath
        case .forgedRoot: .foreignRoot
        case .developerCertificate: .missingLeafMarker
        case .tampered: .tamperedPayload
        case .forgedSignature: .wrongSignature
        case .otherApp: .wrongBundle
        case .otherAppleIdentifier: .wrongApp
        case .nestedTransactionOfOtherApp: .nestedOtherApp
        case .nestedRenewalOfOtherEnvironment: .nestedOtherEnvironment
        }
    }
}

/// A token with its expected outcome, for one app.
///
/// The expected outcome follows from how the token was made. No validator computed it.
public struct TokenScenario: Sendable {
    /// The kinds of tokens.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A transaction, as StoreKit gives it to the app.
        case transaction
        /// A notification, as Apple sends it to the server. It has a transaction and renewal information
        /// inside, except in the cases ``TokenCase/noPurchase`` and ``TokenCase/text``.
        case notification
        /// The renewal information of a subscription.
        case renewalInfo
        /// The download of the app, as StoreKit gives it to the app.
        case appTransaction
        /// A request for a retention message, as Apple sends it to the server.
        case realtimeRequest
    }

    /// The case: what the token says, or why it must be refused.
    public let testCase: TokenCase
    /// The kind of the token.
    public let kind: Kind
    /// The app that the token is made for, with its expectations.
    public let app: AppUnderTest
    /// The characters of the token.
    public let token: [UInt8]
    /// The expected outcome of a validation.
    public let outcome: TokenOutcome

    /// Makes the token of a case. Nil if tokens of the kind cannot say what the case says, or cannot have its
    /// flaw.
    init?(_ testCase: TokenCase, _ kind: Kind, of app: AppUnderTest) {
        guard testCase.isPossible(for: kind) else { return nil }
        let flaw = testCase.flaw
        let template = TokenTemplate(testCase, kind, of: app)
        if let flaw, !flaw.applies(to: template) { return nil }
        (self.testCase, self.kind, self.app) = (testCase, kind, app)
        guard testCase != .text else {
            token = [UInt8]("<html>Bad gateway</html>".utf8)
            outcome = .refused(.form, .notCompactJWS, nil)
            return
        }
        token = TokenMint(TestMints.tokens, flaw: flaw).token(template)
        if let flaw {
            outcome = .refused(flaw.step, flaw.code, flaw.nested(in: template))
        } else if testCase == .otherEnvironment {
            outcome = .refused(.environment, .environmentClaimMismatch, nil)
        } else {
            outcome = .accepted(
                TokenFacts(
                    ownsProduct: testCase == .purchase,
                    isSubscribed: testCase == .subscription && kind != .renewalInfo,
                    renews: testCase == .subscription && kind != .transaction
                )
            )
        }
    }
}

extension TokenScenario: CustomStringConvertible {
    /// The kind and the case, such as `notification, otherApp`, which a parameterised test shows for its
    /// argument.
    public var description: String { "\(kind), \(testCase)" }
}

/// The outcome of validating a token.
public enum TokenOutcome: Sendable, Hashable {
    /// The validator refuses the token at a step, with a code. The last value names the refused token if
    /// that is inside a notification; nil if the outer token is refused.
    case refused(SignedPayloadError.Step, Refusal.Code, SignedPayloadError.NestedToken?)
    /// The validator accepts the token, which states these facts.
    case accepted(TokenFacts)

    /// The facts of an accepted token; nil for a refused one.
    public var facts: TokenFacts? { if case .accepted(let facts) = self { facts } else { nil } }

    /// Validates a token by the app's policy, and keeps the outcome. An accepted token with neither a
    /// transaction nor renewal information has the facts of nothing bought.
    ///
    /// - Parameters:
    ///   - token: the characters of the token.
    ///   - kind: the kind of the token.
    ///   - app: the app that validates the token.
    public init(of token: [UInt8], _ kind: TokenScenario.Kind, for app: AppUnderTest) {
        let validator = SignedPayloadValidator(app.tokenPolicy)
        var cache = SignedPayloadCache()
        do throws(SignedPayloadError) {
            var facts = TokenFacts()
            switch kind {
            case .transaction:
                facts.read(try validator.validate(transaction: token, cache: &cache), for: app)
            case .renewalInfo:
                facts.read(try validator.validate(renewalInfo: token, cache: &cache), for: app)
            case .notification:
                let notification = try validator.validate(notification: token, cache: &cache)
                if let transaction = notification.transaction { facts.read(transaction, for: app) }
                if let renewalInfo = notification.renewalInfo { facts.read(renewalInfo, for: app) }
            case .appTransaction: _ = try validator.validate(appTransaction: token, cache: &cache)
            case .realtimeRequest: _ = try validator.validate(realtimeRequest: token, cache: &cache)
            }
            self = .accepted(facts)
        } catch {
            self = .refused(error.step, error.code, error.nestedToken)
        }
    }
}

/// The facts about the customer in a valid token.
public struct TokenFacts: Sendable, Hashable {
    /// Whether the transaction is of the app's product and has no `revocationDate`.
    public var ownsProduct: Bool
    /// Whether the transaction is of the app's subscription, has no `revocationDate`, and has an
    /// `expiresDate` after the app's `now`.
    public var isSubscribed: Bool
    /// Whether the renewal information says that the app's subscription renews.
    public var renews: Bool

    /// Creates facts. By default nothing was bought.
    public init(ownsProduct: Bool = false, isSubscribed: Bool = false, renews: Bool = false) {
        (self.ownsProduct, self.isSubscribed, self.renews) = (ownsProduct, isSubscribed, renews)
    }

    /// Reads the facts about the app's product and subscription from a valid transaction, at `app.now`.
    public mutating func read(_ transaction: VerifiedTransaction, for app: AppUnderTest) {
        let isGranted = transaction.revocationDate == nil
        let isActive = transaction.expiresDate.map { $0 > app.now } ?? false
        func isFor(_ product: String) -> Bool { transaction.productId?.hasSameBytes(as: product) ?? false }
        ownsProduct = isGranted && isFor(app.product)
        isSubscribed = isGranted && isActive && isFor(app.subscription)
    }

    /// Reads from valid renewal information whether the app's subscription renews.
    public mutating func read(_ renewalInfo: VerifiedRenewalInfo, for app: AppUnderTest) {
        let product = renewalInfo.autoRenewProductId
        renews = renewalInfo.autoRenewStatus == 1 && product?.hasSameBytes(as: app.subscription) ?? false
    }
}

extension AppUnderTest {
    /// The environments of tokens that the app accepts. They follow from ``environments``: `productionVPP`
    /// counts as production, and `productionSandbox` and `productionVPPSandbox` count as the sandbox.
    public var tokenEnvironments: [StoreEnvironment] {
        var accepted: [StoreEnvironment] = []
        for receipts in environments {
            let environment: StoreEnvironment =
                switch receipts {
                case .production, .productionVPP: .production
                case .productionSandbox, .productionVPPSandbox: .sandbox
                case .xcode: .xcode
                }
            if !accepted.contains(environment) { accepted.append(environment) }
        }
        return accepted
    }

    /// The root certificate that the app must pin for tokens in its tests, in DER.
    public var tokenRoot: [UInt8] { TestMints.tokens.root.certificate }

    /// The policy for tokens of the app in its tests. It trusts the test root in place of Apple's.
    public var tokenPolicy: SignedPayloadPolicy {
        SignedPayloadPolicy(
            environments: .only(tokenEnvironments),
            bundleIdentifier: .exactly(bundleIdentifier),
            trust: .pinned([try? TrustAnchor(certificate: tokenRoot)].compactMap { $0 }),
            appAppleIdentifier: appAppleIdentifier
        )
    }

    /// The tokens of each kind, in the order of ``TokenScenario/Kind``, and of a kind in the order of
    /// ``TokenCase``. A kind lacks the cases that its tokens cannot have, such as another `appAppleId` in a
    /// transaction. Notifications have all cases.
    ///
    /// Precondition: the app's values lie in the ranges that ``AppUnderTest`` names.
    public var tokenScenarios: [TokenScenario] {
        requireRanges()
        return TokenScenario.Kind.allCases.flatMap { kind in
            TokenCase.allCases.compactMap { TokenScenario($0, kind, of: self) }
        }
    }
}

extension TokenTemplate {
    /// The payload of a case before the mint makes its ``TokenCase/flaw``, signed one day before `app.now`. A
    /// purchase in it was made ten days before `app.now`.
    fileprivate init(_ testCase: TokenCase, _ kind: TokenScenario.Kind, of app: AppUnderTest) {
        var transaction =
            testCase.isSubscription
            ? TokenTemplate.subscription(
                until: app.now + (testCase == .subscription ? .days(20) : .days(-1))
            ) : TokenTemplate(.transaction)
        transaction.payload["productId"] = .text(testCase.isSubscription ? app.subscription : app.product)
        transaction.payload["purchaseDate"] = .date(app.now - .days(10))
        transaction.payload["originalPurchaseDate"] = .date(app.now - .days(10))
        if testCase == .refundedPurchase {
            transaction.payload["revocationDate"] = .date(app.now - .days(2))
            transaction.payload["revocationReason"] = 0
        }
        var renewalInfo = TokenTemplate(.renewalInfo)
        renewalInfo.payload["productId"] = .text(app.subscription)
        renewalInfo.payload["autoRenewProductId"] = .text(app.subscription)
        renewalInfo.payload["autoRenewStatus"] = testCase == .subscription ? 1 : 0
        renewalInfo.payload["renewalDate"] = testCase == .subscription ? .date(app.now + .days(20)) : nil
        if testCase == .lapsedSubscription { renewalInfo.payload["expirationIntent"] = 1 }
        switch kind {
        case .transaction: self = transaction
        case .renewalInfo: self = renewalInfo
        case .notification where testCase == .noPurchase: self.init(notification: .summary)
        case .notification:
            self.init(.notification)
            changeNested(.transaction) { $0 = transaction }
            changeNested(.renewalInfo) { $0 = renewalInfo }
        case .appTransaction: self.init(.appTransaction)
        case .realtimeRequest: self.init(.realtimeRequest)
        }
        bundleIdentifier = app.bundleIdentifier
        appAppleIdentifier = app.appAppleIdentifier
        let accepted = app.tokenEnvironments
        let other = StoreEnvironment.allCases.reversed().first { !accepted.contains($0) }
        let environment = testCase == .otherEnvironment ? other : accepted.first
        self.environment = environment?.name ?? "Unknown"
        signedDate = app.now - .days(1)
    }
}
