import Basics
import Foundation

/// Asks Apple's endpoint `verifyReceipt` about a receipt.
///
/// ```swift
/// let client = VerifyReceiptClient(password: secret)
/// let answer = try await client.verify(bytes)
/// if answer.status == .valid, answer.environment == "Production",
///     answer.receipt?.bundleIdentifier == "com.example.app"
/// { … }
/// ```
///
/// Apple has deprecated the endpoint. `ReceiptValidator` gives a verdict without asking anyone; the endpoint
/// also knows renewals and refunds after the receipt was made. Ask it from a server: the password is a secret
/// of the developer, and an app can be made to talk to another endpoint. The answer carries no signature, so
/// TLS alone protects it.
///
/// The functions `verify` ask the production endpoint first. If that answers 21007, they ask the sandbox.
/// The client repeats a request, after a pause (see ``Backoff``), in two cases: the HTTP status is 500 to
/// 599, or the answer has a temporary ``Status`` and its ``Answer/isRetryable`` is not false. The client does
/// not repeat a request after a failed connection or a time-out. The endpoint does not compare the bundle
/// identifier, so compare ``Answer/Receipt/bundleIdentifier`` with your own.
public struct VerifyReceiptClient: Sendable {
    /// One of Apple's two endpoints.
    public enum Endpoint: Sendable, Hashable, CaseIterable {
        /// The endpoint for receipts of the App Store.
        case production
        /// The endpoint for receipts of the sandbox, TestFlight and App Review.
        case sandbox

        /// The URL of this endpoint at Apple.
        public var address: String {
            switch self {
            case .production: "https://buy.itunes.apple.com/verifyReceipt"
            case .sandbox: "https://sandbox.itunes.apple.com/verifyReceipt"
            }
        }
    }

    private let password: String?
    private let excludesOldTransactions: Bool
    private let address: @Sendable (Endpoint) -> String
    private let timeout: TimeSpan
    private let backoff: Backoff
    private let transport: any VerifyReceiptTransport
    private let sleep: @Sendable (TimeSpan) async throws -> Void

    /// Creates a client. It sends nothing until it is asked about a receipt.
    ///
    /// - Parameters:
    ///   - password: the app's shared secret, which Apple requires for auto-renewable subscriptions.
    ///   - excludesOldTransactions: whether to ask for no transactions in `latest_receipt_info` except the
    ///     latest of each subscription.
    ///   - address: returns the URL to send to for an endpoint, such as that of your own server.
    ///   - timeout: the longest time for one attempt, from its start to the last byte of its answer.
    ///   - backoff: the number of attempts, and the pauses between them.
    ///   - transport: the way to send a request.
    ///   - sleep: waits for a pause. It throws if the task is cancelled.
    public init(
        password: String? = nil,
        excludesOldTransactions: Bool = false,
        address: @escaping @Sendable (Endpoint) -> String = { $0.address },
        timeout: TimeSpan = .seconds(30),
        backoff: Backoff = .standard,
        transport: any VerifyReceiptTransport = URLSessionTransport(),
        sleep: @escaping @Sendable (TimeSpan) async throws -> Void = { try await $0.sleep() }
    ) {
        self.password = password
        self.excludesOldTransactions = excludesOldTransactions
        self.address = address
        self.timeout = timeout
        self.backoff = backoff
        self.transport = transport
        self.sleep = sleep
    }

    /// Asks production about a receipt, and the sandbox if production answers 21007.
    ///
    /// - Parameter receipt: the container as the app read it from its file, or the data of an iOS 6 receipt.
    /// - Returns: the sandbox's answer if the sandbox was asked, and otherwise production's. An answer
    ///   that refuses the receipt is also returned.
    /// - Throws: ``Failure`` if an address is invalid, if the last request brings no readable answer of HTTP
    ///   status 200, or one with too long a list, or if the task is cancelled.
    public func verify(_ receipt: [UInt8]) async throws(Failure) -> Answer {
        try await verify(base64: Data(receipt).base64EncodedString())
    }

    /// Asks production about a receipt in base64, which is sent as it is, and the sandbox if production
    /// answers 21007. Returns the answer of the endpoint that was asked last, whatever its status.
    ///
    /// - Throws: ``Failure`` if an address is invalid, if the last request brings no readable answer of HTTP
    ///   status 200, or one with too long a list, or if the task is cancelled.
    public func verify(base64 receipt: String) async throws(Failure) -> Answer {
        let answer = try await ask(.production, about: receipt)
        guard answer.status == .sandboxReceiptSentToProduction else { return answer }
        return try await ask(.sandbox, about: receipt)
    }

    /// Asks one endpoint about a receipt in base64. Returns the answer, whatever its status: a receipt of the
    /// other environment gets 21007 or 21008.
    ///
    /// - Throws: ``Failure`` if an address is invalid, if the last request brings no readable answer of HTTP
    ///   status 200, or one with too long a list, or if the task is cancelled.
    public func ask(_ endpoint: Endpoint, about receipt: String) async throws(Failure) -> Answer {
        let address = address(endpoint)
        guard let url = URL(string: address), ["http", "https"].contains(url.scheme?.lowercased()),
            url.host?.isEmpty == false
        else { throw .invalidAddress(address) }
        let body = Request(
            receipt: receipt,
            password: password,
            excludesOldTransactions: excludesOldTransactions
        ).body
        var attempt = 1
        while true {
            guard !Task.isCancelled else { throw .cancelled }
            let response = try await transport.post(body, to: url, timeout: timeout)
            // The same request may have another outcome soon, by Apple's description of its status codes.
            // Apple says for some answers of 211xx that a repetition is of no use.
            let answer = response.status == 200 ? try Answer(response.body, from: endpoint) : nil
            let isTemporary =
                answer.map { $0.status.isTemporary && $0.isRetryable != false }
                ?? (500...599).contains(response.status)
            guard isTemporary, attempt < backoff.attempts else {
                guard let answer else { throw .httpStatus(response.status) }
                return answer
            }
            do {
                try await sleep(backoff.pause(afterAttempt: attempt))
            } catch {
                throw .cancelled
            }
            attempt += 1
        }
    }
}

/// The JSON object that a request to `verifyReceipt` has as its body.
private struct Request: Encodable {
    let receipt: String
    let password: String?
    let excludesOldTransactions: Bool

    enum CodingKeys: String, CodingKey {
        case receipt = "receipt-data"
        case password
        case excludesOldTransactions = "exclude-old-transactions"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(receipt, forKey: .receipt)
        try container.encodeIfPresent(password, forKey: .password)
        if excludesOldTransactions { try container.encode(true, forKey: .excludesOldTransactions) }
    }

    /// The request as JSON text in UTF-8. Encoding strings and a flag does not fail.
    var body: Data { (try? JSONEncoder().encode(self)) ?? Data() }
}

extension TimeSpan {
    /// Suspends the task for this span, and at most for 292 years. Does not wait if the span is not positive.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep() async throws {
        // Older systems take more nanoseconds than `Int64` has for a negative span.
        let milliseconds = min(max(0, milliseconds), .max / 1_000_000)
        try await Task.sleep(nanoseconds: UInt64(milliseconds) * 1_000_000)
    }
}
