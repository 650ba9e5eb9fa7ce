// The surroundings of a ReceiptRefresher: where the receipt lies, how a new one is asked for, and the number
// of failures. An app passes the system's; a test passes its own.

/// A source of the app's receipt, such as the file in the app's bundle.
public protocol ReceiptSource: Sendable {
    /// Reads the receipt as it is now.
    ///
    /// - Returns: the container, in DER or BER; nil if there is no receipt. An empty array counts as none.
    /// - Throws: any error if the source cannot be read. The receipt then counts as unreadable.
    func receipt() async throws -> [UInt8]?
}

/// A way to ask the App Store for a new receipt.
///
/// `StoreKitRefreshRequest` and `AppTransactionRefreshRequest` are the ways on Apple's systems.
public protocol ReceiptRefreshRequest: Sendable {
    /// Asks for a new receipt and returns when the App Store has answered. The call may ask the customer to
    /// sign in.
    ///
    /// The task of the call is cancelled when no caller waits for the result any more.
    ///
    /// - Throws: any error if the refresh fails. The receipt is then not read again.
    func refresh() async throws
}

/// A count of failed validations, which a ``ReceiptRefresher`` compares with the number that it tolerates.
///
/// A count that is to outlast the app's process must be stored, for example in the keychain.
public protocol FailureCount: Sendable {
    /// Adds one failure in one step, so that of two failures at the same time none is lost.
    ///
    /// - Returns: the number of failures since the last success, this one included.
    func increment() async -> Int
    /// Sets the number of failures back to zero. A refresher calls it after a valid receipt.
    func reset() async
}

/// A count of failures in memory. Each object begins at zero.
public actor FailureCountInMemory: FailureCount {
    /// The number of failures since the last success.
    public private(set) var failures = 0

    /// Creates a count of failures in memory, which begins at zero.
    public init() {}

    public func increment() -> Int {
        failures += 1
        return failures
    }

    public func reset() { failures = 0 }
}
