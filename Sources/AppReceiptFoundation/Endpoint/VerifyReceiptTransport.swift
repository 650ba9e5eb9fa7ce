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
    ///   - url: the address to send the request to.
    ///   - timeout: the longest time from the start of the call to the last byte of the answer.
    /// - Returns: the answer, with any HTTP status. A redirection is an answer and is not followed.
    /// - Throws: `cancelled`, `timedOut`, `connection` or `answerTooLong`; the cases of `Failure` say when.
    func post(
        _ body: Data,
        to url: URL,
        timeout: TimeSpan
    ) async throws(VerifyReceiptClient.Failure) -> HTTPAnswer
}

/// The answer to an HTTP request.
public struct HTTPAnswer: Sendable, Hashable {
    /// The HTTP status code, such as 200.
    public let status: Int
    /// The bytes of the answer's body; empty if there is none.
    public let body: Data

    /// Creates an answer from its HTTP status code and the bytes of its body.
    public init(status: Int, body: Data) {
        self.status = status
        self.body = body
    }
}

extension VerifyReceiptClient {
    /// The reason why the client returns no answer. No case contains the receipt or the password, unless an
    /// error of the transport contains it.
    public enum Failure: Error, Sendable {
        /// This address of the endpoint is no URL of a web server: `http` or `https`, with a host.
        case invalidAddress(String)
        /// The caller's task was cancelled before there was an answer to return.
        case cancelled
        /// The answer was not complete within the time for one attempt.
        case timedOut
        /// The transport failed with this error: for example, the connection failed, or ended before the
        /// answer was complete, or the answer was compressed.
        case connection(any Error)
        /// The body of the answer is longer than `limit` bytes.
        case answerTooLong(limit: Int)
        /// The server answered with this HTTP status instead of 200. A redirection is not followed, because
        /// the request may contain the password.
        case httpStatus(Int)
        /// The body of the answer is not a JSON object whose `status` is an integer, or it nests values more
        /// than 64 deep.
        case unreadableAnswer
        /// A list in the answer has more elements than `limit`, which is 65,536.
        case listTooLong(limit: Int)
    }
}

extension VerifyReceiptClient.Failure: CustomStringConvertible {
    /// The failure in one English sentence, with the error of the transport if there is one.
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
    /// The text of ``description``, which `localizedDescription` shows: one English sentence.
    public var errorDescription: String? { description }
}
