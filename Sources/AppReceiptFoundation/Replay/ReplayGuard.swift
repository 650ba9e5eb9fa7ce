import AppReceipt

/// Remembers which account a purchase was granted to, so that one receipt does not serve many accounts.
///
/// A receipt is a file that its owner can copy. A valid signature says that the purchase was made, and not
/// that this account made it. A server claims each purchase for the account before it grants anything.
///
/// A guard knows nothing of refunds. A receipt from before a refund stays valid, so a server also keeps the
/// newest creation date of each account's receipts, and refuses older ones.
///
/// A guard for real use is a table with a unique constraint. `replay-guard.sql` beside this file has the
/// table and the statements for PostgreSQL.
public protocol ReplayGuard: Sendable {
    /// Claims a purchase for an account, in one step: of two claims at the same time, one comes first.
    ///
    /// - Parameters:
    ///   - purchase: the purchase.
    ///   - account: the account's identifier, compared byte for byte.
    /// - Returns: `granted` if no account had the purchase, `alreadyGranted` if this account has it already,
    ///   and `takenByAnother` if another account has it. Only `granted` changes anything.
    /// - Throws: any error if it is unknown which account has the purchase. Grant nothing then.
    func claim(_ purchase: ClaimedPurchase, for account: String) async throws -> ReplayClaim

    /// The account that has a purchase; nil if no account has it.
    func owner(of purchase: ClaimedPurchase) async throws -> String?

    /// Removes an account's claim, as when the account is deleted. Does nothing if another account has it.
    ///
    /// The next account can then claim the purchase. So never release a consumable: it would be granted
    /// again.
    ///
    /// - Returns: whether the account had the purchase.
    @discardableResult
    func release(_ purchase: ClaimedPurchase, by account: String) async throws -> Bool
}

/// The answer when an account claims a purchase.
public enum ReplayClaim: Sendable, Hashable {
    /// No account had the purchase at the time of the claim. The account that claims it has it now.
    case granted
    /// The account that claims the purchase had it before the claim.
    case alreadyGranted
    /// Another account has the purchase. Grant nothing to the account that claims it.
    case takenByAnother

    /// Whether the account that claims the purchase has it: ``granted`` or ``alreadyGranted``. Credit a
    /// consumable only for ``granted``, because one receipt may arrive many times.
    public var isGranted: Bool { self != .takenByAnother }
}

/// A purchase as a ``ReplayGuard`` knows it: the environment and the original transaction, compared byte for
/// byte.
///
/// All renewals and restorations of a purchase have one original transaction. A consumable is its own
/// original transaction. The environment counts, so that a purchase in the sandbox, which costs nothing, does
/// not take the identifier of a purchase in production.
public struct ClaimedPurchase: Sendable, Hashable {
    // Strings are equal if their characters are; the octets of characters that are equal may differ.
    private let environmentOctets: [UInt8]
    private let transactionOctets: [UInt8]

    /// The name of the environment, such as `Production`.
    public var environment: String { String(decoding: environmentOctets, as: UTF8.self) }
    /// The identifier of the purchase's original transaction, or of its own if it names no original one.
    public var originalTransactionIdentifier: String { String(decoding: transactionOctets, as: UTF8.self) }

    /// Identifies a purchase by its environment's name and its original transaction's identifier.
    public init(environment: String, originalTransactionIdentifier: String) {
        environmentOctets = [UInt8](environment.utf8)
        transactionOctets = [UInt8](originalTransactionIdentifier.utf8)
    }

    /// Identifies a purchase of a validated receipt. If the purchase names no original transaction, its own
    /// transaction identifier counts.
    ///
    /// Returns nil if the receipt names no environment or the purchase has neither transaction identifier.
    /// Such a purchase cannot be told from others; grant nothing for it.
    public init?(_ purchase: InAppPurchase, in receipt: Receipt) {
        guard let environment = receipt.environmentName,
            let transaction = purchase.originalTransactionIdentifier ?? purchase.transactionIdentifier
        else { return nil }
        self.init(environment: environment, originalTransactionIdentifier: transaction)
    }
}

/// A guard in memory, for tests and for a single process. It forgets everything when the process ends.
public actor ReplayGuardInMemory: ReplayGuard {
    private var owners: [ClaimedPurchase: String] = [:]

    /// Creates a guard in which no account has claimed a purchase.
    public init() {}

    public func claim(_ purchase: ClaimedPurchase, for account: String) -> ReplayClaim {
        guard let owner = owners[purchase] else {
            owners[purchase] = account
            return .granted
        }
        return owner.utf8.elementsEqual(account.utf8) ? .alreadyGranted : .takenByAnother
    }

    public func owner(of purchase: ClaimedPurchase) -> String? { owners[purchase] }

    public func release(_ purchase: ClaimedPurchase, by account: String) -> Bool {
        guard let owner = owners[purchase], owner.utf8.elementsEqual(account.utf8) else { return false }
        owners[purchase] = nil
        return true
    }
}
