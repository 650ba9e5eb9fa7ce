import AppReceiptFoundation
import Basics
import Foundation
import TestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The server of `server.py`, in a process of its own. All tests of a run share one.
actor LoopbackServer {
    static let shared = LoopbackServer()

    /// A request that the server received.
    struct Received: Decodable, Sendable {
        let path: String
        let body: String
        let type: String?
        /// The header field `Accept-Encoding`.
        let encoding: String?
    }

    struct NotStarted: Error {}

    private var starting: Task<String, any Error>?
    // The server ends when this pipe closes, which it does with the process of the tests.
    private let input = Pipe()
    private var keys = 0

    /// The server's address, without a slash at the end.
    func address() async throws -> String {
        if let starting { return try await starting.value }
        let input = input
        let task = Task {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            let script = SharedData.packageRoot.appending(path: "Tests/AppReceiptFoundationTests/server.py")
            process.arguments = ["python3", script.path]
            let output = Pipe()
            process.standardInput = input
            process.standardOutput = output
            let line = try await onOwnThread {
                try process.run()
                return String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            }
            guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
                throw NotStarted()
            }
            return "http://127.0.0.1:\(port)"
        }
        starting = task
        return try await task.value
    }

    /// A key for the requests of one test.
    func key() -> String {
        keys += 1
        return "test\(keys)"
    }

    /// The requests of a test that the server received.
    func received(_ key: String) async throws -> [Received] {
        let url = try await address() + "/requests?\(key)"
        return try await onOwnThread {
            guard let url = URL(string: url) else { throw NotStarted() }
            return try JSONDecoder().decode([Received].self, from: Data(contentsOf: url))
        }
    }
}

/// A client for one test, whose server answers as the test says, and the pauses that the client made.
struct Conversation: Sendable {
    let client: VerifyReceiptClient
    let pauses: Pauses
    let key: String

    actor Pauses {
        private(set) var all: [TimeSpan] = []
        func add(_ pause: TimeSpan) { all.append(pause) }
    }

    /// - Parameters:
    ///   - production: the answers to the first, the second and the next requests; see `server.py`.
    ///   - sandbox: likewise for the sandbox.
    init(
        production: String...,
        sandbox: [String] = ["http=404"],
        password: String? = nil,
        excludesOldTransactions: Bool = false,
        timeout: TimeSpan = .seconds(10),
        limit: Int = URLSessionTransport.standardLimit
    ) async throws {
        let address = try await LoopbackServer.shared.address()
        let key = await LoopbackServer.shared.key()
        let pauses = Pauses()
        self.key = key
        self.pauses = pauses
        client = VerifyReceiptClient(
            password: password,
            excludesOldTransactions: excludesOldTransactions,
            address: { endpoint in
                ([address, key] + (endpoint == .production ? production : sandbox)).joined(separator: "/")
            },
            timeout: timeout,
            backoff: Backoff(
                attempts: 4,
                firstPause: .milliseconds(500),
                longestPause: .seconds(8),
                jitter: 0
            ),
            transport: URLSessionTransport(limit: limit),
            sleep: { await pauses.add($0) }
        )
    }

    /// The requests that the server received.
    var received: [LoopbackServer.Received] {
        get async throws { try await LoopbackServer.shared.received(key) }
    }

    /// The number of requests that the server received.
    var count: Int { get async throws { try await received.count } }

    /// Asks, and returns the failure.
    func failure() async -> VerifyReceiptClient.Failure? {
        do {
            _ = try await client.verify([1, 2, 3])
            return nil
        } catch {
            return error
        }
    }
}
