import AppReceipt
import AppReceiptFoundation
import AppReceiptMint
import Basics
import Foundation

/// The receipts of an app, one for each reading. The last one stays.
actor FakeSource: ReceiptSource {
    enum Reading: Sendable {
        case bytes([UInt8])
        case missing
        case failing
    }

    struct Unreadable: Error {}

    private var readings: [Reading]
    private(set) var count = 0

    init(_ readings: Reading...) { self.readings = readings }

    func receipt() throws -> [UInt8]? {
        count += 1
        let reading = readings.count > 1 ? readings.removeFirst() : readings[0]
        switch reading {
        case .bytes(let bytes): return bytes
        case .missing: return nil
        case .failing: throw Unreadable()
        }
    }
}

/// A refresh that counts its calls, and that can wait until the test lets it go on.
actor FakeRequest: ReceiptRefreshRequest {
    struct Declined: Error {}

    private let fails: Bool
    private var isOpen: Bool
    private var waiting: [Completion<Void>] = []
    private(set) var count = 0
    private(set) var cancelled = 0

    init(fails: Bool = false, waits: Bool = false) {
        self.fails = fails
        isOpen = !waits
    }

    func refresh() async throws {
        count += 1
        if !isOpen {
            let completion = Completion<Void>()
            waiting.append(completion)
            do {
                try await completion.value()
            } catch {
                cancelled += 1
                throw error
            }
        }
        if fails { throw Declined() }
    }

    /// Lets the waiting calls go on.
    func open() {
        isOpen = true
        for completion in waiting { completion.finish(.success(())) }
    }

    /// Waits until a number of calls have begun.
    func waitForCall(_ number: Int = 1) async {
        while count < number { await Task.yield() }
    }

    /// Waits until a call was cancelled.
    func waitForCancellation() async {
        while cancelled == 0 { await Task.yield() }
    }
}

/// Receipts of one app, signed by the mint of seed 1.
enum Receipts {
    static let mint = ReceiptMint()
    static let valid = mint.receipt(bundleIdentifier: "com.example.app")
    static let ofAnotherApp = mint.receipt(bundleIdentifier: "com.example.other")
    static let date = Timestamp(millisecondsSince1970: 1_717_243_200_000)
    /// A Volume Purchase receipt that expires a second after `date`.
    static let expiring = mint.receipt(bundleIdentifier: "com.example.app") {
        $0.expirationDate = date + .seconds(1)
    }

    static func validator() throws -> ReceiptValidator {
        ReceiptValidator(
            ReceiptPolicy(
                environments: .only(.production),
                bundleIdentifier: .exactly("com.example.app"),
                trust: .pinned([try TrustAnchor(certificate: mint.root)])
            )
        )
    }
}
