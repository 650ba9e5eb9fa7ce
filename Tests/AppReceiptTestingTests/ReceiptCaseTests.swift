import AppReceipt
import AppReceiptTesting
import Basics
import Testing

@Suite("The cases of receipts")
struct ReceiptCaseTests {
    /// The apps that the cases are made for: an app with every default, and apps with other expectations.
    static let apps = [
        AppUnderTest(),
        AppUnderTest(
            bundleIdentifier: "org.example.notes.mac",
            version: "10.4.1",
            lastPaidVersion: "9",
            product: "org.example.notes.all",
            subscription: "org.example.notes.sync",
            device: DeviceIdentifier([2, 0, 0, 0, 0, 1]) ?? .server,
            environments: [.productionSandbox],
            now: Timestamp(millisecondsSince1970: 1_900_000_000_000)
        ),
        AppUnderTest(environments: [.production]),
        AppUnderTest(environments: ReceiptEnvironment.allCases),
        // Equal in Unicode, and other bytes.
        AppUnderTest(product: "caf\u{E9}", subscription: "cafe\u{301}"),
        // The first and the last second of the validity of the test certificates.
        AppUnderTest(now: Timestamp(millisecondsSince1970: 946_771_200_000)),
        AppUnderTest(now: Timestamp(millisecondsSince1970: 2_524_607_999_000)),
    ]

    /// The step and the code of each refusal, by their published names.
    static let refusals: [(found: ReceiptCase.Found, step: String, code: String)] = [
        (.text, "container", "input.is-text"),
        (.truncated, "container", "der.truncated"),
        (.tampered, "signature", "rsa.signature-mismatch"),
        (.forgedRoot, "root", "pkix.untrusted-root"),
        (.developerCertificate, "leaf-marker", "receipt.missing-leaf-marker"),
        (.otherApp, "bundle-identifier", "receipt.bundle-identifier-mismatch"),
        (.otherVersion, "app-version", "receipt.app-version-mismatch"),
        (.otherDevice, "device-hash", "receipt.device-hash-mismatch"),
        (.otherEnvironment, "environment", "receipt.environment-mismatch"),
        (.expiredLicense, "expiration-date", "receipt.expired"),
    ]

    @Test("the validator gives each case its outcome, for any app", arguments: apps)
    func outcomes(_ app: AppUnderTest) {
        for scenario in app.scenarios {
            #expect(ReceiptOutcome(of: scenario.receipt, for: app) == scenario.outcome, "\(scenario)")
            let after = ReceiptOutcome(of: scenario.receiptAfterRefresh, for: app)
            #expect(after == scenario.outcomeAfterRefresh, "\(scenario)")
        }
    }

    @Test("an app for which the outcomes would be wrong ends the program")
    func ranges() async {
        await #expect(processExitsWith: .failure) { _ = AppUnderTest(bundleIdentifier: "").scenarios }
        await #expect(processExitsWith: .failure) { _ = AppUnderTest(version: "").scenarios }
        await #expect(processExitsWith: .failure) { _ = AppUnderTest(lastPaidVersion: "").scenarios }
        await #expect(processExitsWith: .failure) { _ = AppUnderTest(product: "").scenarios }
        await #expect(processExitsWith: .failure) { _ = AppUnderTest(subscription: "").scenarios }
        await #expect(processExitsWith: .failure) { _ = AppUnderTest(environments: []).scenarios }
        await #expect(processExitsWith: .failure) {
            _ = AppUnderTest(product: "a", subscription: "a").scenario(.product, refresh: .changesNothing)
        }
        await #expect(processExitsWith: .failure) {
            _ = AppUnderTest(now: Timestamp(millisecondsSince1970: 946_771_199_999)).scenarios
        }
        await #expect(processExitsWith: .failure) {
            _ = AppUnderTest(now: Timestamp(millisecondsSince1970: 2_524_607_999_001)).scenarios
        }
    }

    @Test("each forged, damaged or foreign receipt is refused at its own step", arguments: refusals)
    func refused(_ found: ReceiptCase.Found, step: String, code: String) throws {
        let app = AppUnderTest()
        let receipt = try #require(app.scenario(found, refresh: .fails).receipt)
        let error = #expect(throws: ReceiptError.self) { try app.validator.validate(receipt) }
        #expect(error?.step.rawValue == step)
        #expect(error.map { "\($0.code.name)" } == code)
    }

    @Test("no receipt and an empty file are missing", arguments: [ReceiptCase.Found.nothing, .emptyFile])
    func missing(_ found: ReceiptCase.Found) {
        let scenario = AppUnderTest().scenario(found, refresh: .changesNothing)
        #expect(scenario.receipt ?? [] == [])
        #expect(scenario.finalOutcome == .missing)
    }

    @Test("every find occurs, and every invalid find with three refreshes or more")
    func completeness() {
        let cases = ReceiptCase.allCases
        #expect(Set(cases).count == cases.count)
        #expect(Set(cases.map(\.found)) == Set(ReceiptCase.Found.allCases))
        for found in ReceiptCase.Found.allCases {
            let refreshes = Set(cases.filter { $0.found == found }.map(\.refresh))
            let expected: Set<ReceiptCase.Refresh> =
                found.isValid ? [.changesNothing] : [.fails, .changesNothing, .helps]
            #expect(refreshes.isSuperset(of: expected), "\(found)")
        }
        let invalid = ReceiptCase.Found.allCases.filter { !$0.isValid }
        // Two of the invalid finds are missing receipts.
        #expect(invalid.count == Self.refusals.count + 2)
        #expect(invalid.count > ReceiptCase.Found.allCases.count / 2)
    }

    @Test("each case has the outcome that its kind says")
    func kinds() {
        for scenario in AppUnderTest().scenarios {
            #expect((scenario.outcome.facts != nil) == scenario.testCase.found.isValid, "\(scenario)")
            let after = scenario.outcomeAfterRefresh
            switch scenario.testCase.refresh {
            case .fails, .changesNothing: #expect(after == scenario.outcome, "\(scenario)")
            case .helps: #expect(after.facts?.ownsProduct == true, "\(scenario)")
            case .revokesLicense:
                #expect(after == .refused(.expirationDate, .receiptExpired), "\(scenario)")
            }
            #expect(scenario.refreshFinishes == (scenario.testCase.refresh != .fails), "\(scenario)")
        }
    }

    @Test("the facts of the accepted receipts differ where the cases differ")
    func facts() {
        func facts(_ found: ReceiptCase.Found) -> ReceiptFacts? {
            AppUnderTest().scenario(found, refresh: .changesNothing).outcome.facts
        }
        let nothing = ReceiptFacts(originalAppVersion: "2.0")
        #expect(facts(.nothingBought) == nothing)
        #expect(facts(.refundedProduct) == nothing)
        #expect(facts(.lapsedSubscription) == nothing)
        #expect(facts(.paidBeforeFree) == ReceiptFacts(originalAppVersion: "1.0"))
        #expect(facts(.product) == ReceiptFacts(ownsProduct: true, originalAppVersion: "2.0"))
        #expect(facts(.subscription) == ReceiptFacts(isSubscribed: true, originalAppVersion: "2.0"))
        #expect(facts(.volumeLicense) == ReceiptFacts(originalAppVersion: "2.0", isVolumeLicense: true))
    }

    @Test("an app that does not accept the Volume Purchase Program refuses its receipts at the environment")
    func noLicenses() {
        let app = AppUnderTest(environments: [.production, .productionSandbox])
        for found in [ReceiptCase.Found.volumeLicense, .expiredLicense] {
            let scenario = app.scenario(found, refresh: .fails)
            #expect(scenario.finalOutcome == .refused(.environment, .environmentMismatch))
        }
    }

    @Test("the receipts are the same bytes each time", .timeLimit(.minutes(1)))
    func deterministic() {
        for (one, other) in zip(AppUnderTest().scenarios, AppUnderTest().scenarios) {
            #expect(one.receipt == other.receipt)
            #expect(one.receiptAfterRefresh == other.receiptAfterRefresh)
        }
    }

    @Test("no receipt of a case is valid under Apple's roots")
    func otherRoots() {
        let validator = ReceiptValidator(ReceiptPolicy(environments: .any, bundleIdentifier: .any))
        for scenario in AppUnderTest().scenarios {
            guard let receipt = scenario.receipt else { continue }
            #expect(throws: ReceiptError.self, "\(scenario)") { try validator.validate(receipt) }
        }
    }
}
