import AppReceipt
import Foundation

/// A way to send the requests of a ``VerifyReceiptClient``.
///
/// ``URLSessionTransport`` is the usual one. A server may use its own HTTP client, and a test a fake.
public protocol VerifyReceiptTransport: Sendable {
    /// Sends one POST request with a JSON body.
    ///
    /// - Parameters:
    ///   - body: the body of the request.
    ///   - url: the address.
    ///   - timeout: the time from the start of the call to the last byte of the answer.
    /// - Returns: the answer, with any HTTP status. A redirection is an answer and is not followed.
    /// - Throws: `cancelled`, `timedOut`, `connection` or `answerTooLong`.
    func post(
        _ body: Data,
        to url: URL,
        timeout: TimeSpan
    ) async throws(VerifyReceiptClient.Failure) -> HTTPAnswer
}

/// The answer to an HTTP request.
public struct HTTPAnswer: Sendable, Hashable {
    /// The status code.
    public let status: Int
    /// The body.
    public let body: Data

    /// Creates an answer.
    public init(status: Int, body: Data) {
        self.status = status
        self.body = body
    }
}
