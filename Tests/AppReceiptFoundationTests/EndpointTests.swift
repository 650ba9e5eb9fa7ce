import AppReceiptFoundation
import Basics
import Foundation
import TestSupport
import Testing

@Suite("The client of Apple's endpoint, against a server on loopback")
struct EndpointTests {
    // MARK: The request

    @Test("the request is a POST of JSON with the receipt in base64, and with nothing that was not asked for")
    func request() async throws {
        let conversation = try await Conversation(production: "status=0")
        let answer = try await conversation.client.verify([0xFB, 0xFF, 0x00])
        #expect(answer.status == .valid)
        #expect(answer.endpoint == .production)
        let received = try #require(try await conversation.received.first)
        #expect(received.type == "application/json")
        #expect(
            try JSONValue.parse([UInt8](received.body.utf8)) == .object(["receipt-data": .string("+/8A")])
        )
    }

    @Test("the password and the wish for the latest transactions are sent if they were given")
    func options() async throws {
        let conversation = try await Conversation(
            production: "status=0",
            password: "a\"b\\c",
            excludesOldTransactions: true
        )
        _ = try await conversation.client.verify(base64: "AAAA")
        let received = try #require(try await conversation.received.first)
        #expect(
            try JSONValue.parse([UInt8](received.body.utf8))
                == .object([
                    "receipt-data": .string("AAAA"), "password": .string("a\"b\\c"),
                    "exclude-old-transactions": .bool(true),
                ])
        )
    }

    // MARK: The sandbox

    @Test("21007 is sent on to the sandbox, with the same body, without a pause")
    func sandbox() async throws {
        let conversation = try await Conversation(production: "status=21007", sandbox: ["status=0"])
        let answer = try await conversation.client.verify([1])
        #expect(answer.status == .valid)
        #expect(answer.endpoint == .sandbox)
        let received = try await conversation.received
        #expect(received.count == 2)
        #expect(received.first?.body == received.last?.body)
        #expect(await conversation.pauses.all == [])
    }

    @Test("a sandbox that answers 21007, too, is not asked again")
    func noCircle() async throws {
        let conversation = try await Conversation(production: "status=21007", sandbox: ["status=21007"])
        #expect(try await conversation.client.verify([1]).status == .sandboxReceiptSentToProduction)
        #expect(try await conversation.count == 2)
    }

    @Test("21007 from a single endpoint that was asked for stays there")
    func singleEndpoint() async throws {
        let conversation = try await Conversation(production: "status=21007", sandbox: ["status=21008"])
        #expect(try await conversation.client.ask(.production, about: "AA==").status.rawValue == 21007)
        #expect(try await conversation.client.ask(.sandbox, about: "AA==").status.rawValue == 21008)
        #expect(try await conversation.count == 2)
    }

    // MARK: Repetitions

    @Test(
        "a temporary status is asked about again, after pauses that double",
        arguments: ["status=21005", "status=21009", "status=21100", "status=21199", "retryable=21150"]
    )
    func temporary(_ answer: String) async throws {
        let conversation = try await Conversation(production: answer, answer, "status=0")
        #expect(try await conversation.client.verify([1]).status == .valid)
        #expect(try await conversation.count == 3)
        #expect(await conversation.pauses.all == [.milliseconds(500), .milliseconds(1000)])
    }

    @Test("HTTP 5xx is asked about again", arguments: [500, 502, 503, 599])
    func serverError(_ status: Int) async throws {
        let conversation = try await Conversation(production: "http=\(status)", "status=0")
        #expect(try await conversation.client.verify([1]).status == .valid)
        #expect(try await conversation.count == 2)
    }

    @Test("after four attempts the last outcome counts")
    func exhausted() async throws {
        let busy = try await Conversation(production: "status=21005")
        #expect(try await busy.client.verify([1]).status == .unavailable)
        #expect(try await busy.count == 4)
        #expect(await busy.pauses.all == [500, 1000, 2000].map { TimeSpan.milliseconds($0) })
        let broken = try await Conversation(production: "http=503")
        guard case .httpStatus(503)? = await broken.failure() else {
            Issue.record("no failure with HTTP status 503")
            return
        }
        #expect(try await broken.count == 4)
    }

    @Test("the sandbox has attempts of its own")
    func sandboxAttempts() async throws {
        let conversation = try await Conversation(
            production: "status=21005",
            "status=21005",
            "status=21005",
            "status=21007",
            sandbox: ["status=21009", "status=0"]
        )
        #expect(try await conversation.client.verify([1]).endpoint == .sandbox)
        #expect(try await conversation.count == 6)
    }

    @Test(
        "any other status is final",
        arguments: [
            "status=0", "status=1", "status=-1", "status=21000", "status=21002", "status=21003",
            "status=21004",
            "status=21006", "status=21008", "status=21010", "status=21099", "status=21200", "final=21104",
        ]
    )
    func final(_ answer: String) async throws {
        let conversation = try await Conversation(production: answer)
        let status = try await conversation.client.verify([1]).status.rawValue
        #expect(answer.hasSuffix("=\(status)"))
        #expect(try await conversation.count == 1)
    }

    @Test(
        "an HTTP status other than 200 and 5xx is a failure at once",
        arguments: [201, 204, 400, 403, 404, 413, 429]
    )
    func httpStatus(_ status: Int) async throws {
        let conversation = try await Conversation(production: "http=\(status)")
        guard case .httpStatus(status)? = await conversation.failure() else {
            Issue.record("no failure with HTTP status \(status)")
            return
        }
        #expect(try await conversation.count == 1)
    }

    @Test(
        "a redirection is not followed, because the body holds the password",
        arguments: [301, 302, 303, 307, 308]
    )
    func redirection(_ status: Int) async throws {
        let conversation = try await Conversation(production: "redirect=\(status)", password: "secret")
        guard case .httpStatus(status)? = await conversation.failure() else {
            Issue.record("no failure with HTTP status \(status)")
            return
        }
        #expect(try await conversation.count == 1)
        #expect(try await LoopbackServer.shared.received("stolen").isEmpty)
    }

    @Test("a server that asks for a password gets none", arguments: ["Basic", "Digest", "Unknown"])
    func password(_ scheme: String) async throws {
        let conversation = try await Conversation(production: "password=\(scheme)")
        guard case .httpStatus(401)? = await conversation.failure() else {
            Issue.record("no failure with HTTP status 401")
            return
        }
        #expect(try await conversation.count == 1)
    }

    // MARK: A server that refuses, stalls, truncates and lies

    @Test("a server that refuses the connection is a failure at once")
    func refused() async throws {
        // Port 1 is reserved, and nothing listens there.
        let address = "http://127.0.0.1:1/verifyReceipt"
        let client = VerifyReceiptClient(address: { _ in address })
        await #expect { try await client.verify([1]) } throws: {
            if case .connection? = $0 as? VerifyReceiptClient.Failure { true } else { false }
        }
    }

    @Test(
        "a server that stalls, or sends a byte now and then, runs into the time-out",
        arguments: ["stall", "drip"]
    )
    func stalls(_ answer: String) async throws {
        let conversation = try await Conversation(production: answer, timeout: .milliseconds(700))
        let start = Date()
        guard case .timedOut? = await conversation.failure() else {
            Issue.record("no time-out")
            return
        }
        let seconds = Date().timeIntervalSince(start)
        #expect(seconds >= 0.69 && seconds < 10, "\(seconds) seconds")
        #expect(try await conversation.count == 1)
    }

    @Test("an answer that ends early is a failure", arguments: ["truncate", "drop", "garbage"])
    func endsEarly(_ answer: String) async throws {
        let conversation = try await Conversation(production: answer)
        switch await conversation.failure() {
        case .connection, .unreadableAnswer: break
        case let other: Issue.record("\(String(describing: other))")
        }
        #expect(try await conversation.count == 1)
    }

    @Test("an answer that is longer than the limit is refused before it is whole")
    func huge() async throws {
        let conversation = try await Conversation(production: "huge=256", limit: 1 << 20)
        guard case .answerTooLong(limit: 1_048_576)? = await conversation.failure() else {
            Issue.record("no limit")
            return
        }
        #expect(try await conversation.count == 1)
    }

    @Test("a compressed answer is refused before it is unpacked", arguments: [0, 128])
    func compressed(_ count: Int) async throws {
        let conversation = try await Conversation(production: "gzip=\(count)", limit: 1 << 20)
        guard case .connection(let error)? = await conversation.failure() else {
            Issue.record("no failure")
            return
        }
        #expect((error as? URLError)?.code == .cannotDecodeContentData)
        #expect(try await conversation.received.map(\.encoding) == ["identity"])
    }

    @Test(
        "an answer without a status is a failure, also with HTTP status 200",
        arguments: [
            "", "null", "0", "[]", "[{\"status\":0}]", "{}", "{\"status\":null}", "{\"status\":\"0\"}",
            "{\"status\":true}", "{\"status\":0.5}", "{\"status\":1e400}", "{\"status\":[0]}",
            "{\"Status\":0}",
            "{\"status\":0", "{\"status\":0}}", "<html>valid</html>", "\u{FEFF}\u{0}",
            String(repeating: "[", count: 100_000),
        ]
    )
    func unreadable(_ text: String) async throws {
        // A path has a limit, so the longest body comes from a transport without a server.
        let client: VerifyReceiptClient
        if text.utf8.count < 1000 {
            let digits = text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            client = try await Conversation(production: "body=\(digits)").client
        } else {
            client = VerifyReceiptClient(transport: FixedTransport(body: Data(text.utf8)))
        }
        await #expect { try await client.verify([1]) } throws: {
            if case .unreadableAnswer? = $0 as? VerifyReceiptClient.Failure { true } else { false }
        }
    }

    @Test("a length that cuts the JSON is a failure")
    func short() async throws {
        let conversation = try await Conversation(production: "short")
        switch await conversation.failure() {
        case .unreadableAnswer, .connection: break
        case let other: Issue.record("\(String(describing: other))")
        }
    }

    @Test(
        "an address that is not a web server's is refused before anything is sent",
        arguments: [
            "", "file:///x", "::", "httpfoo://x", "http:", "https://", "https:///verifyReceipt", "x.test",
        ]
    )
    func address(_ address: String) async throws {
        let client = VerifyReceiptClient(
            address: { _ in address },
            transport: FixedTransport(body: Data("{\"status\":0}".utf8))
        )
        await #expect { try await client.verify([1]) } throws: {
            if case .invalidAddress(address)? = $0 as? VerifyReceiptClient.Failure { true } else { false }
        }
    }

    @Test(
        "the scheme of an address may be in capitals",
        arguments: ["HTTPS://x.test/", "Http://x.test", "https://[::1]:8080/verifyReceipt"]
    )
    func capitals(_ address: String) async throws {
        let client = VerifyReceiptClient(
            address: { _ in address },
            transport: FixedTransport(body: Data("{\"status\":0}".utf8))
        )
        #expect(try await client.verify([1]).status == .valid)
    }

    // MARK: Cancellation

    @Test("a cancelled task stops waiting for a server that stalls")
    func cancelled() async throws {
        let conversation = try await Conversation(production: "stall")
        let start = Date()
        let task = Task { await conversation.failure() }
        while try await conversation.count == 0 {}
        task.cancel()
        guard case .cancelled? = await task.value else {
            Issue.record("not cancelled")
            return
        }
        #expect(Date().timeIntervalSince(start) < 9)
    }

    @Test("a cancelled task does not ask again after a pause")
    func cancelledPause() async throws {
        let client = VerifyReceiptClient(
            transport: FixedTransport(body: Data("{\"status\":21005}".utf8)),
            sleep: { _ in throw CancellationError() }
        )
        await #expect { try await client.verify([1]) } throws: {
            if case .cancelled? = $0 as? VerifyReceiptClient.Failure { true } else { false }
        }
    }

    @Test("many requests at once get each its own answer")
    func concurrent() async throws {
        let transport = URLSessionTransport()
        let address = try await LoopbackServer.shared.address()
        let key = await LoopbackServer.shared.key()
        let statuses = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for number in 30_000..<30_040 {
                let address = "\(address)/\(key)/status=\(number)"
                group.addTask {
                    let client = VerifyReceiptClient(
                        address: { _ in address },
                        transport: transport
                    )
                    return (number, try await client.verify([1]).status.rawValue)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count == 40)
        #expect(statuses.allSatisfy { $0 == $1 })
    }
}

/// A transport that gives one answer with HTTP status 200, without a server.
struct FixedTransport: VerifyReceiptTransport {
    let body: Data

    func post(
        _ body: Data,
        to url: URL,
        timeout: TimeSpan
    ) async throws(VerifyReceiptClient.Failure) -> HTTPAnswer {
        HTTPAnswer(status: 200, body: self.body)
    }
}

@Suite("The pauses between attempts")
struct BackoffTests {
    @Test("the standard policy makes four attempts with pauses of at most 0.5, 1 and 2 seconds")
    func standard() async throws {
        let pauses = Conversation.Pauses()
        let client = VerifyReceiptClient(
            transport: FixedTransport(body: Data("{\"status\":21009}".utf8)),
            sleep: { await pauses.add($0) }
        )
        for _ in 0..<50 { _ = try await client.verify([1]) }
        let all = await pauses.all
        #expect(all.count == 150)
        for (index, pause) in all.enumerated() {
            let longest = Int64(500 << (index % 3))
            #expect(pause.milliseconds >= longest / 2 && pause.milliseconds <= longest)
        }
        // Chance takes a part off.
        #expect(Set(all).count > 50)
    }

    @Test("a policy with numbers out of range neither traps nor waits for ever")
    func hostile() async throws {
        let pauses = Conversation.Pauses()
        let policies = [
            Backoff(attempts: 200, firstPause: .milliseconds(1), longestPause: .seconds(1), jitter: .nan),
            Backoff(attempts: 3, firstPause: .seconds(-1), longestPause: .seconds(-5), jitter: -3),
            Backoff(attempts: 3, firstPause: .days(Int64.max), longestPause: .days(Int64.max), jitter: 9),
            Backoff(attempts: -4, firstPause: .zero, longestPause: .zero),
            .never,
        ]
        for policy in policies {
            let client = VerifyReceiptClient(
                backoff: policy,
                transport: FixedTransport(body: Data("{\"status\":21009}".utf8)),
                sleep: { await pauses.add($0) }
            )
            #expect(try await client.verify([1]).status == .internalError)
        }
        let all = await pauses.all
        let expected: Int = 199 + 2 + 2
        #expect(all.count == expected)
        for pause in all.prefix(199) { #expect(pause >= .milliseconds(1) && pause <= .seconds(1)) }
        for pause in all { #expect(pause >= .zero) }
    }
}
