import Basics
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

extension VerifyReceiptClient {
    /// The reason why the endpoint gave no answer with a status. No case contains the receipt or the
    /// password.
    public enum Failure: Error, Sendable {
        /// The address is not the URL of a web server: `http` or `https`, with a host.
        case invalidAddress(String)
        /// The task was cancelled.
        case cancelled
        /// The answer was not complete in time.
        case timedOut
        /// The connection failed, or ended before the answer was complete. The error is the transport's.
        case connection(any Error)
        /// The answer is longer than this number of bytes.
        case answerTooLong(limit: Int)
        /// The server answered with this HTTP status instead of 200. A redirection is not followed, because
        /// the request contains the password.
        case httpStatus(Int)
        /// The answer is not a JSON object with a number as its `status`.
        case unreadableAnswer
        /// A list of the answer has more elements than this number, 65,536. A subscription that is renewed
        /// every week for 20 years has 1040 transactions.
        case listTooLong(limit: Int)
    }
}

extension VerifyReceiptClient.Failure: CustomStringConvertible {
    /// One sentence.
    public var description: String {
        switch self {
        case .invalidAddress(let address): "The address \(address) is not the URL of a web server."
        case .cancelled: "The request was cancelled."
        case .timedOut: "The answer was not complete in time."
        case .connection(let error): "The connection failed: \(error)"
        case .answerTooLong(let limit): "The answer is longer than \(limit) bytes."
        case .httpStatus(let status): "The server answered with HTTP status \(status)."
        case .unreadableAnswer: "The answer is not a JSON object with a status."
        case .listTooLong(let limit): "The answer has a list of more than \(limit) elements."
        }
    }
}

extension VerifyReceiptClient.Failure: LocalizedError {
    /// One sentence.
    public var errorDescription: String? { description }
}
