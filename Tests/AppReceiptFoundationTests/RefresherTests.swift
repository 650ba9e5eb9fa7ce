import AppReceipt
import AppReceiptFoundation
import Basics
import Foundation
import Testing

@Suite("The receipt refresher")
struct RefresherTests {
    private func refresher(
        _ source: FakeSource,
        _ request: FakeRequest = FakeRequest(),
        now: Timestamp = Receipts.date,
        toleratedFailures: Int = 0,
        failures: any FailureCount = FailureCountInMemory()
    ) throws -> ReceiptRefresher {
        ReceiptRefresher(
            try Receipts.validator(),
            source: source,
            request: request,
            now: { now },
            toleratedFailures: toleratedFailures,
            failures: failures
        )
    }

    @Test("a valid receipt asks for no refresh")
    func valid() async throws {
        let (source, request) = (FakeSource(.bytes(Receipts.valid)), FakeRequest())
        let verdict = try await refresher(source, request).validateOrRefresh()
        #expect(verdict.receipt?.bundleIdentifier == "com.example.app")
        #expect(verdict.failure == nil)
        #expect(await request.count == 0)
        #expect(await source.count == 1)
    }

    @Test(
        "a validation at launch never asks for a refresh",
        arguments: [FakeSource.Reading.missing, .failing, .bytes([]), .bytes(Receipts.ofAnotherApp)]
    )
    func launch(_ reading: FakeSource.Reading) async throws {
        let (source, request) = (FakeSource(reading), FakeRequest())
        let verdict = try await refresher(source, request).validate()
        #expect(verdict.receipt == nil)
        #expect(await request.count == 0)
        #expect(await source.count == 1)
        guard case .refused(let failure) = verdict, case .notAllowed = failure.refresh else {
            Issue.record("\(verdict)")
            return
        }
    }

    @Test("an invalid receipt that a refresh replaces by a valid one is accepted, after one refresh")
    func refreshed() async throws {
        for first in [FakeSource.Reading.missing, .failing, .bytes([0x30]), .bytes(Receipts.ofAnotherApp)] {
            let (source, request) = (FakeSource(first, .bytes(Receipts.valid)), FakeRequest())
            let verdict = try await refresher(source, request).validateOrRefresh()
            #expect(verdict.receipt != nil)
            #expect(await request.count == 1)
            #expect(await source.count == 2)
        }
    }

    @Test("a receipt that is still invalid after a refresh is refused for what it is then, after one refresh")
    func stillInvalid() async throws {
        let source = FakeSource(.missing, .bytes(Receipts.ofAnotherApp), .bytes(Receipts.valid))
        let request = FakeRequest()
        let verdict = try await refresher(source, request).validateOrRefresh()
        guard case .refused(let failure) = verdict, case .invalid(let error) = failure.reason,
            case .finished = failure.refresh
        else {
            Issue.record("\(verdict)")
            return
        }
        #expect(error.step == .bundleIdentifier)
        #expect(failure.failures == 1)
        #expect(await request.count == 1)
        #expect(await source.count == 2)
    }

    @Test("a refresh that fails refuses the receipt for what it was before")
    func refreshFails() async throws {
        let (source, request) = (FakeSource(.missing, .bytes(Receipts.valid)), FakeRequest(fails: true))
        let verdict = try await refresher(source, request).validateOrRefresh()
        guard case .refused(let failure) = verdict, case .missing = failure.reason,
            case .failed(let error) = failure.refresh
        else {
            Issue.record("\(verdict)")
            return
        }
        #expect(error is FakeRequest.Declined)
        #expect(await request.count == 1)
        #expect(await source.count == 1)
    }

    @Test("the time of the clock decides about a Volume Purchase receipt, whatever the validator says")
    func expiration() async throws {
        let source = FakeSource(.bytes(Receipts.expiring))
        let inTime = try await refresher(source, now: Receipts.date + .seconds(1)).validate()
        #expect(inTime.receipt != nil)
        let late = try await refresher(source, now: Receipts.date + .seconds(2)).validate()
        guard case .invalid(let error)? = late.failure?.reason else {
            Issue.record("\(late)")
            return
        }
        #expect(error.step == .expirationDate)
    }

    // MARK: Callers at the same time

    @Test("callers at the same time share one refresh")
    func shared() async throws {
        let (source, request) = (FakeSource(.missing, .bytes(Receipts.valid)), FakeRequest(waits: true))
        let refresher = try refresher(source, request)
        let callers = (0..<20).map { _ in Task { try await refresher.validateOrRefresh() } }
        await request.waitForCall()
        // Gives a second refresh the chance to begin.
        for _ in 0..<200 { await Task.yield() }
        await request.open()
        for caller in callers { #expect(try await caller.value.receipt != nil) }
        #expect(await request.count == 1)
    }

    @Test("callers that share a refresh count as one failure")
    func sharedFailure() async throws {
        let (source, request) = (FakeSource(.missing), FakeRequest(waits: true))
        let failures = FailureCountInMemory()
        let refresher = try refresher(source, request, failures: failures)
        let callers = (0..<20).map { _ in Task { try await refresher.validateOrRefresh() } }
        await request.waitForCall()
        for _ in 0..<200 { await Task.yield() }
        await request.open()
        for caller in callers { #expect(try await caller.value.failure?.failures == 1) }
        #expect(await failures.failures == 1)
        #expect(await request.count == 1)
    }

    @Test("a validation at launch does not wait for a refresh that somebody else asked for")
    func launchBesideRefresh() async throws {
        let (source, request) = (FakeSource(.missing), FakeRequest(waits: true))
        let refresher = try refresher(source, request)
        let caller = Task { try await refresher.validateOrRefresh() }
        await request.waitForCall()
        #expect(try await refresher.validate().receipt == nil)
        await request.open()
        #expect(try await caller.value.receipt == nil)
        #expect(await request.count == 1)
    }

    @Test("a caller after a finished refresh may ask again")
    func again() async throws {
        let (source, request) = (FakeSource(.missing), FakeRequest())
        let refresher = try refresher(source, request)
        _ = try await refresher.validateOrRefresh()
        _ = try await refresher.validateOrRefresh()
        #expect(await request.count == 2)
    }

    // MARK: Cancellation

    @Test("a cancelled caller stops waiting at once, and the others go on")
    func cancelOne() async throws {
        let (source, request) = (FakeSource(.missing, .bytes(Receipts.valid)), FakeRequest(waits: true))
        let refresher = try refresher(source, request)
        let patient = Task { try await refresher.validateOrRefresh() }
        await request.waitForCall()
        let hasty = Task { try await refresher.validateOrRefresh() }
        hasty.cancel()
        await #expect(throws: CancellationError.self) { try await hasty.value }
        await request.open()
        #expect(try await patient.value.receipt != nil)
        #expect(await request.cancelled == 0)
        #expect(await request.count == 1)
    }

    @Test("the refresh is cancelled with its last caller, and counts as no failure")
    func cancelAll() async throws {
        let (source, request) = (FakeSource(.missing), FakeRequest(waits: true))
        let failures = FailureCountInMemory()
        let refresher = try refresher(source, request, failures: failures)
        let callers = (0..<3).map { _ in Task { try await refresher.validateOrRefresh() } }
        await request.waitForCall()
        for caller in callers { caller.cancel() }
        for caller in callers {
            await #expect(throws: CancellationError.self) { try await caller.value }
        }
        await request.waitForCancellation()
        #expect(await request.cancelled == 1)
        #expect(await failures.failures == 0)
        // The next caller starts anew.
        await request.open()
        #expect(try await refresher.validateOrRefresh().failure?.failures == 1)
        #expect(await request.count == 2)
    }

    @Test("a caller whose task is cancelled already asks for nothing")
    func cancelledBefore() async throws {
        let (source, request) = (FakeSource(.missing), FakeRequest())
        let refresher = try refresher(source, request)
        let caller = Task {
            while !Task.isCancelled { await Task.yield() }
            _ = try await refresher.validateOrRefresh()
        }
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        #expect(await request.count == 0)
        #expect(await source.count == 0)
    }

    // MARK: Tolerated failures

    @Test("a refresher that tolerates two tolerates two failures in a row and refuses the third")
    func grace() async throws {
        let refresher = try refresher(FakeSource(.missing), toleratedFailures: 2)
        for number in 1...4 {
            let verdict = try await refresher.validate()
            #expect(verdict.failure?.failures == number)
            if case .tolerated = verdict { #expect(number <= 2) } else { #expect(number > 2) }
        }
    }

    @Test("a valid receipt sets the count back to zero")
    func graceResets() async throws {
        let source = FakeSource(.missing, .missing, .bytes(Receipts.valid), .missing)
        let refresher = try refresher(source, toleratedFailures: 2)
        var failures: [Int?] = []
        for _ in 0..<4 { failures.append(try await refresher.validate().failure?.failures) }
        #expect(failures == [1, 2, nil, 1])
    }

    @Test(
        "a count that was changed to any number neither traps nor tolerates for ever",
        arguments: [Int.max, .min]
    )
    func hostileCount(_ stored: Int) async throws {
        struct ChangedCount: FailureCount {
            let stored: Int
            func increment() -> Int { stored }
            func reset() {}
        }
        let failures = ChangedCount(stored: stored)
        let refresher = try refresher(FakeSource(.missing), toleratedFailures: 1, failures: failures)
        _ = try await refresher.validate()
        guard case .refused = try await refresher.validate() else {
            Issue.record("the second failure is tolerated")
            return
        }
    }

    @Test("a negative number tolerates nothing")
    func negativeGrace() async throws {
        let verdict = try await refresher(FakeSource(.missing), toleratedFailures: -5).validate()
        guard case .refused = verdict else {
            Issue.record("\(verdict)")
            return
        }
    }
}

@Suite("The result that several events may give")
struct CompletionTests {
    @Test("the first event counts, and later ones are ignored")
    func first() async throws {
        let completion = Completion<Int>()
        #expect(completion.finish(.success(1)))
        #expect(!completion.finish(.success(2)))
        #expect(!completion.finish(.failure(CancellationError())))
        #expect(try await completion.value() == 1)
    }

    @Test("of many events on many threads, one counts")
    func race() async throws {
        for _ in 0..<100 {
            let completion = Completion<Int>()
            let accepted = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<8 { group.addTask { completion.finish(.success(number)) } }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(accepted == 1)
            _ = try await completion.value()
        }
    }

    @Test("a cancelled task stops waiting, also if it was cancelled before")
    func cancelled() async throws {
        let completion = Completion<Int>()
        let task = Task { try await completion.value() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!completion.finish(.success(1)))
    }
}
