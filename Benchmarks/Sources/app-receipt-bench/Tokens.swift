import AppReceipt
import Processor
import SignedPayloads

/// A token of StoreKit 2, and the kind of its payload. The caller of a validation names the kind.
struct Token {
    enum Kind: Sendable { case transaction, renewalInfo, notification, appTransaction, realtimeRequest }

    let bytes: [UInt8]
    let kind: Kind

    init(_ bytes: [UInt8], _ kind: Kind) { (self.bytes, self.kind) = (bytes, kind) }

    /// Finds the kind that the payload claims.
    ///
    /// - Throws: `SignedPayloadError` if the payload is of no kind.
    init(_ bytes: [UInt8]) throws {
        func claims<Claimed: PayloadKind>(_: Claimed.Type) -> Bool {
            (try? Unverified<Claimed>(unverified: bytes)) != nil
        }
        self.bytes = bytes
        if claims(NotificationKind.self) {
            kind = .notification
        } else if claims(RenewalInfoKind.self) {
            kind = .renewalInfo
        } else if claims(AppTransactionKind.self) {
            kind = .appTransaction
        } else if claims(RealtimeRequestKind.self) {
            kind = .realtimeRequest
        } else {
            _ = try UnverifiedTransaction(unverified: bytes)
            kind = .transaction
        }
    }

    /// Validates the token and decodes every documented member, also of the tokens inside a notification.
    ///
    /// - Returns: a number that depends on everything decoded.
    func judge(
        _ validator: SignedPayloadValidator,
        _ cache: inout SignedPayloadCache
    ) throws(SignedPayloadError) -> Int {
        switch kind {
        case .transaction: decode(try validator.validate(transaction: bytes, cache: &cache))
        case .renewalInfo: decode(try validator.validate(renewalInfo: bytes, cache: &cache))
        case .notification: decode(try validator.validate(notification: bytes, cache: &cache))
        case .appTransaction: decode(try validator.validate(appTransaction: bytes, cache: &cache))
        case .realtimeRequest: decode(try validator.validate(realtimeRequest: bytes, cache: &cache))
        }
    }

    /// Validates the token, and decodes nothing but what the validation needs.
    ///
    /// - Returns: the number of checks that were not asked for.
    func validate(
        _ validator: SignedPayloadValidator,
        _ cache: inout SignedPayloadCache
    ) throws(SignedPayloadError) -> Int {
        switch kind {
        case .transaction: try validator.validate(transaction: bytes, cache: &cache).notChecked.count
        case .renewalInfo: try validator.validate(renewalInfo: bytes, cache: &cache).notChecked.count
        case .notification: try validator.validate(notification: bytes, cache: &cache).notChecked.count
        case .appTransaction: try validator.validate(appTransaction: bytes, cache: &cache).notChecked.count
        case .realtimeRequest: try validator.validate(realtimeRequest: bytes, cache: &cache).notChecked.count
        }
    }
}

/// The validator for measurements: the given root, Apple's markers, and any app.
func tokenValidator(root: String, _ acceleration: Acceleration) throws -> SignedPayloadValidator {
    SignedPayloadValidator(
        SignedPayloadPolicy(
            environments: .any,
            bundleIdentifier: .any,
            trust: .pinned([try anchor(root)]),
            acceleration: acceleration
        )
    )
}

/// Validates tokens one after the other, decodes every member, and starts again with the first after the
/// last.
struct WholeTokens: Workload {
    private let tokens: [Token]
    private let policy: SignedPayloadPolicy
    private let memory: WholeReceipts.Memory
    private var cache = SignedPayloadCache()
    private var next = 0

    let byteCount: Double
    var inputCount: Int { tokens.count }
    /// With a cache, enough tokens that it has the tables of multiples of its signers.
    var warmUpOperations: Int { memory == .kept ? max(100, 20 * tokens.count) : 1 }

    init(
        _ tokens: [[UInt8]],
        root: String,
        _ memory: WholeReceipts.Memory,
        _ acceleration: Acceleration
    ) throws {
        self.tokens = try tokens.map(Token.init)
        self.memory = memory
        policy = try tokenValidator(root: root, acceleration).policy
        byteCount = Double(tokens.reduce(0) { $0 + $1.count }) / Double(tokens.count)
    }

    mutating func run(_ operations: Int) -> Int {
        var valid = 0
        var sum = 0
        for _ in 0..<operations {
            if memory == .none { cache = SignedPayloadCache() }
            if let value = try? tokens[next].judge(SignedPayloadValidator(policy), &cache) {
                valid += 1
                sum &+= value
            }
            next = next + 1 == tokens.count ? 0 : next + 1
        }
        consume(sum)
        return valid
    }
}

/// Validates 64 tokens at a time, decodes every member, and starts again with the first after the last.
struct TokenBatches: Workload {
    private static let batchSize = 64

    private let kind: Token.Kind
    private let tokens: [[UInt8]]
    private let validator: SignedPayloadValidator
    private var cache = SignedPayloadCache()

    let byteCount: Double
    let inputCount: Int
    /// Enough tokens that the cache has the tables of multiples of its signers.
    var warmUpOperations: Int { max(128, 20 * inputCount) }

    /// - Throws: `Failure` unless all tokens have one kind.
    init(_ tokens: [[UInt8]], root: String, _ acceleration: Acceleration) throws {
        let kinds = try tokens.map { try Token($0).kind }
        guard let kind = kinds.first, kinds.allSatisfy({ $0 == kind }) else {
            throw Failure.usage("token-batch needs tokens of one kind")
        }
        self.kind = kind
        self.tokens = (0..<Self.batchSize).map { tokens[$0 % tokens.count] }
        inputCount = tokens.count
        validator = try tokenValidator(root: root, acceleration)
        byteCount = Double(tokens.reduce(0) { $0 + $1.count }) / Double(tokens.count)
    }

    mutating func run(_ operations: Int) -> Int {
        var (valid, sum) = (0, 0)
        func read<Payload>(_ verdicts: [Result<Payload, SignedPayloadError>], _ decode: (Payload) -> Int) {
            for case .success(let payload) in verdicts {
                valid += 1
                sum &+= decode(payload)
            }
        }
        for start in stride(from: 0, to: operations, by: Self.batchSize) {
            let tokens = Array(tokens.prefix(operations - start))
            switch kind {
            case .transaction: read(validator.validate(transactions: tokens, cache: &cache), decode)
            case .renewalInfo: read(validator.validate(renewalInfos: tokens, cache: &cache), decode)
            case .notification: read(validator.validate(notifications: tokens, cache: &cache), decode)
            case .appTransaction: read(validator.validate(appTransactions: tokens, cache: &cache), decode)
            case .realtimeRequest: read(validator.validate(realtimeRequests: tokens, cache: &cache), decode)
            }
        }
        consume(sum)
        return valid
    }
}
