import Basics
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests with `URLSession`.
///
/// A request stops when its time is up, when its task is cancelled, and when the answer grows beyond a limit.
/// Nothing is stored: no cookie, no cache, no credential. Redirections are not followed. A compressed answer
/// is refused, because `URLSession` on Linux would unpack it before the limit counts it.
public final class URLSessionTransport: VerifyReceiptTransport {
    private let session: URLSession
    private let exchanges: Exchanges

    /// The default limit for the body of an answer, in bytes: 16 MiB.
    public static let standardLimit = 16 << 20

    /// Creates a transport with a session of its own.
    ///
    /// - Parameter limit: the largest body of an answer, in bytes. A longer one fails with `answerTooLong`.
    public init(limit: Int = URLSessionTransport.standardLimit) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        exchanges = Exchanges(limit: limit)
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    /// Cancels the running requests and ends the session, which would otherwise live as long as the process.
    deinit { session.invalidateAndCancel() }

    public func post(
        _ body: Data,
        to url: URL,
        timeout: TimeSpan
    ) async throws(VerifyReceiptClient.Failure) -> HTTPAnswer {
        var request = URLRequest(url: url, timeoutInterval: max(timeout.timeInterval, 0.001))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        request.httpBody = body
        let task = session.dataTask(with: request)
        let completion = exchanges.add(task)
        // The time-out of URLSession begins anew with every packet, so a server that sends one byte at a time
        // would never reach it. This one counts from the start.
        let timer = Task {
            try await timeout.sleep()
            completion.finish(.failure(VerifyReceiptClient.Failure.timedOut))
        }
        defer {
            timer.cancel()
            exchanges.take(task)
            task.cancel()
        }
        task.resume()
        do {
            return try await completion.value()
        } catch {
            throw VerifyReceiptClient.Failure(error)
        }
    }
}

extension VerifyReceiptClient.Failure {
    /// The failure for any error: a `Failure` unchanged, `CancellationError` as `cancelled`, the time-out of
    /// `URLSession` as `timedOut`, and every other error as `connection`.
    fileprivate init(_ error: any Error) {
        self =
            switch error {
            case let failure as VerifyReceiptClient.Failure: failure
            case is CancellationError: .cancelled
            case let error as URLError where error.code == .timedOut: .timedOut
            default: .connection(error)
            }
    }
}

/// The delegate of a `URLSession`. It keeps the running requests of the session by their task identifiers.
private final class Exchanges: NSObject, URLSessionDataDelegate, Sendable {
    // The session calls the delegate on a queue of its own.
    private let running = Locked<[Int: Exchange]>([:])
    private let limit: Int

    /// A running request: the bytes of the answer's body so far, and the result that the caller waits for.
    struct Exchange {
        let completion = Completion<HTTPAnswer>()
        var body = Data()
    }

    init(limit: Int) { self.limit = limit }

    func add(_ task: URLSessionTask) -> Completion<HTTPAnswer> {
        let exchange = Exchange()
        running.access { $0[task.taskIdentifier] = exchange }
        return exchange.completion
    }

    @discardableResult
    func take(_ task: URLSessionTask) -> Exchange? {
        running.access { $0.removeValue(forKey: task.taskIdentifier) }
    }

    /// Appends bytes to the body of a task's answer and returns true. Returns false, and appends nothing, if
    /// the body would exceed the limit. Drops bytes for a task that has ended, and returns true.
    private func keep(_ data: Data, for task: URLSessionTask) -> Bool {
        running.access { running in
            guard let count = running[task.taskIdentifier]?.body.count else { return true }
            guard data.count <= limit - min(count, limit) else { return false }
            running[task.taskIdentifier]?.body.append(data)
            return true
        }
    }

    /// Cancels the task if its answer is compressed, which the request forbids. The caller gets the failure
    /// `connection`. `URLSession` on Linux unpacks an answer before the limit can count it.
    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let encoding = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Encoding")
        guard let encoding, encoding.lowercased() != "identity" else { return completionHandler(.allow) }
        take(dataTask)?.completion.finish(.failure(URLError(.cannotDecodeContentData)))
        completionHandler(.cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard !keep(data, for: dataTask) else { return }
        take(dataTask)?.completion.finish(
            .failure(VerifyReceiptClient.Failure.answerTooLong(limit: limit))
        )
        dataTask.cancel()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = take(task) else { return }
        if let error {
            exchange.completion.finish(.failure(error))
        } else if let response = task.response as? HTTPURLResponse {
            let answer = HTTPAnswer(status: response.statusCode, body: exchange.body)
            exchange.completion.finish(.success(answer))
        } else {
            exchange.completion.finish(.failure(URLError(.badServerResponse)))
        }
    }

    /// Ends the request with the HTTP status and an empty body if the server asks for a password. Leaves the
    /// check of a server's certificate to the system. Without this method, `URLSession` on Linux never ends a
    /// request that is asked for a password.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        // A server's certificate is left to the system.
        guard let response = challenge.failureResponse as? HTTPURLResponse else {
            return completionHandler(.performDefaultHandling, nil)
        }
        let answer = HTTPAnswer(status: response.statusCode, body: Data())
        take(task)?.completion.finish(.success(answer))
        completionHandler(.cancelAuthenticationChallenge, nil)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
