import AppReceipt
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
/// The client asks the production endpoint first. If that answers 21007, the client asks the sandbox. It
/// repeats a request that Apple could not handle at the moment, after a pause; see ``Backoff``. The endpoint
/// does not compare the bundle identifier, so compare ``Answer/Receipt/bundleIdentifier`` with your own.
public struct VerifyReceiptClient: Sendable {
    /// One of Apple's two endpoints.
    public enum Endpoint: Sendable, Hashable, CaseIterable {
        /// The endpoint for receipts of the App Store.
        case production
        /// The endpoint for receipts of the sandbox, TestFlight and App Review.
        case sandbox
    }

    /// The addresses of the two endpoints.
    public struct Addresses: Sendable, Hashable {
        /// The address for each endpoint.
        public let production, sandbox: String

        /// Apple's addresses.
        public static var apple: Self {
            Self(
                production: "https://buy.itunes.apple.com/verifyReceipt",
                sandbox: "https://sandbox.itunes.apple.com/verifyReceipt"
            )
        }

        /// Other addresses, such as a server of your own that answers as Apple does.
        public init(production: String, sandbox: String) {
            self.production = production
            self.sandbox = sandbox
        }

        /// The address of an endpoint.
        public subscript(_ endpoint: Endpoint) -> String {
            switch endpoint {
            case .production: production
            case .sandbox: sandbox
            }
        }
    }

    private let password: String?
    private let excludesOldTransactions: Bool
    private let addresses: Addresses
    private let timeout: TimeSpan
    private let backoff: Backoff
    private let transport: any VerifyReceiptTransport
    private let sleep: @Sendable (TimeSpan) async throws -> Void

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - password: the app's shared secret, which Apple requires for auto-renewable subscriptions.
    ///   - excludesOldTransactions: whether `latest_receipt_info` holds only the latest transaction of each
    ///     subscription.
    ///   - addresses: the addresses of the endpoints.
    ///   - timeout: the time for one request, from its start to the last byte of the answer.
    ///   - backoff: the number of attempts, and the pauses between them.
    ///   - transport: the way to send a request.
    ///   - sleep: waits for a pause. It throws if the task is cancelled.
    public init(
        password: String? = nil,
        excludesOldTransactions: Bool = false,
        addresses: Addresses = .apple,
        timeout: TimeSpan = .seconds(30),
        backoff: Backoff = .standard,
        transport: any VerifyReceiptTransport = URLSessionTransport(),
        sleep: @escaping @Sendable (TimeSpan) async throws -> Void = { try await $0.sleep() }
    ) {
        self.password = password
        self.excludesOldTransactions = excludesOldTransactions
        self.addresses = addresses
        self.timeout = timeout
        self.backoff = backoff
        self.transport = transport
        self.sleep = sleep
    }

    /// Asks about a receipt.
    ///
    /// - Parameter receipt: the container as the app read it from its file, or the data of an iOS 6 receipt.
    /// - Returns: the answer of the production endpoint, or the sandbox's if production answers 21007. Every
    ///   answer with a status is returned, also a refusal.
    /// - Throws: ``Failure`` if there is no answer with a status.
    public func verify(_ receipt: [UInt8]) async throws(Failure) -> Answer {
        try await verify(base64: Data(receipt).base64EncodedString())
    }

    /// Asks about a receipt in base64, which is sent as it is.
    ///
    /// - Throws: ``Failure`` if there is no answer with a status.
    public func verify(base64 receipt: String) async throws(Failure) -> Answer {
        let answer = try await ask(.production, about: receipt)
        guard answer.status == .sandboxReceiptSentToProduction else { return answer }
        return try await ask(.sandbox, about: receipt)
    }

    /// Asks one endpoint about a receipt in base64. A receipt of the other environment gets 21007 or 21008.
    ///
    /// - Throws: ``Failure`` if there is no answer with a status.
    public func ask(_ endpoint: Endpoint, about receipt: String) async throws(Failure) -> Answer {
        let address = addresses[endpoint]
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
            let outcome = try await attemptOnce(body, url, endpoint)
            guard outcome.isTemporary, attempt < backoff.attempts else { return try outcome.result.get() }
            do {
                try await sleep(backoff.pause(afterAttempt: attempt))
            } catch {
                throw .cancelled
            }
            attempt += 1
        }
    }

    /// The outcome of one request.
    private struct Outcome {
        let result: Result<Answer, Failure>
        /// Whether the same request may have another outcome soon, by Apple's description of its status
        /// codes.
        let isTemporary: Bool
    }

    private func attemptOnce(
        _ body: Data,
        _ url: URL,
        _ endpoint: Endpoint
    ) async throws(Failure) -> Outcome {
        guard !Task.isCancelled else { throw .cancelled }
        let response = try await transport.post(body, to: url, timeout: timeout)
        guard response.status == 200 else {
            return Outcome(
                result: .failure(.httpStatus(response.status)),
                isTemporary: (500...599).contains(response.status)
            )
        }
        let answer = try Answer(response.body, from: endpoint)
        // Apple says for some answers of 211xx that a repetition is of no use.
        return Outcome(
            result: .success(answer),
            isTemporary: answer.status.isTemporary && answer.isRetryable != false
        )
    }
}

/// The body of a request.
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

    /// The JSON text. Encoding strings and a flag does not fail.
    var body: Data { (try? JSONEncoder().encode(self)) ?? Data() }
}

extension TimeSpan {
    /// Waits for this long. Returns at once for a span that is not positive.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep() async throws {
        let (nanoseconds, overflow) = UInt64(max(0, milliseconds)).multipliedReportingOverflow(by: 1_000_000)
        try await Task.sleep(nanoseconds: overflow ? .max : nanoseconds)
    }
}
