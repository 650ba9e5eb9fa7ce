import AppReceipt
import AppReceiptMint
import Basics
import SignedPayloads

/// The app that the receipts are made for: what it expects, and what it sells.
///
/// ```swift
/// let app = AppUnderTest(bundleIdentifier: "com.example.app", product: "com.example.app.pro")
/// for scenario in app.scenarios { … }
/// ```
///
/// All receipts, except the one of the case `forgedRoot`, are signed under the test root of
/// `AppReceiptMint`. The keys ship with that module.
///
/// The expected outcomes are right for values in these ranges, which ``scenarios``,
/// ``scenario(_:refresh:)`` and ``tokenScenarios`` require as preconditions:
///
/// - No text is empty, and ``environments`` has at least one environment.
/// - ``product`` and ``subscription`` differ.
/// - ``now`` lies between 2000-01-02T00:00:00Z and 2049-12-31T23:59:59Z. The test certificates are valid from
///   2000 through 2049, and receipts are made one day before ``now``.
public struct AppUnderTest: Sendable {
    /// The app's bundle identifier.
    public var bundleIdentifier: String
    /// The app's present version, which its validator requires in a receipt.
    public var version: String
    /// The last version that customers paid for. Later versions of the app are free.
    public var lastPaidVersion: String
    /// The product identifier of a non-consumable product, which is bought once.
    public var product: String
    /// The product identifier of an auto-renewable subscription.
    public var subscription: String
    /// The identifier of the device that the app runs on.
    public var device: DeviceIdentifier
    /// The environments that the app accepts.
    ///
    /// Valid receipts name the first of them. Receipts of the Volume Purchase Program name `ProductionVPP`:
    /// if the list lacks it, the app refuses them at the step `environment`.
    public var environments: [ReceiptEnvironment]
    /// The App Store's number for the app (`appAppleId`), which the app expects in tokens. Transactions and
    /// renewal information have no such member.
    public var appAppleIdentifier: Int64
    /// The time of the tests. Receipts are created, and expired ones expire, one day before it.
    public var now: Timestamp

    /// Describes an app. Every parameter has a default, so that a test names only what it is about.
    public init(
        bundleIdentifier: String = "com.example.app",
        version: String = "2.0",
        lastPaidVersion: String = "1.0",
        product: String = "com.example.app.pro",
        subscription: String = "com.example.app.monthly",
        device: DeviceIdentifier = .forTests,
        environments: [ReceiptEnvironment] = [.production, .productionVPP, .productionSandbox],
        appAppleIdentifier: Int64 = 1_234_567_890,
        now: Timestamp = .forTests
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.version = version
        self.lastPaidVersion = lastPaidVersion
        self.product = product
        self.subscription = subscription
        self.device = device
        self.environments = environments
        self.appAppleIdentifier = appAppleIdentifier
        self.now = now
    }

    /// The root certificate that the app must pin for receipts in its tests, in DER.
    public var root: [UInt8] { TestMints.trusted.root }

    /// The validator of the app in its tests. It trusts the test root in place of Apple's roots, and checks
    /// the environment, the app, its version, the device and the expiration date, but not revocation.
    public var validator: ReceiptValidator {
        ReceiptValidator(
            ReceiptPolicy(
                environments: .only(environments),
                bundleIdentifier: .exactly(bundleIdentifier),
                trust: .pinned([try? TrustAnchor(certificate: root)].compactMap { $0 }),
                appVersion: version,
                deviceIdentifiers: [device],
                now: now
            )
        )
    }

    /// Ends the program if a value lies outside the ranges for which the expected outcomes are right.
    func requireRanges() {
        let texts = [bundleIdentifier, version, lastPaidVersion, product, subscription]
        precondition(!texts.contains(""), "an identifier or a version of the app is empty")
        precondition(!environments.isEmpty, "the app accepts no environment")
        precondition(
            !product.hasSameBytes(as: subscription),
            "the product and the subscription have one identifier"
        )
        let times = Timestamp.firstForTests...Timestamp.lastForTests
        precondition(times.contains(now), "the time is not within the years 2000 to 2049")
    }

    /// The scenarios of all cases, in the order of `ReceiptCase.allCases`.
    ///
    /// Precondition: the app's values lie in the ranges that ``AppUnderTest`` names.
    public var scenarios: [ReceiptScenario] {
        let receipts = ScenarioReceipts(self)
        let found = ReceiptCase.Found.allCases.map { ($0, receipts.found($0)) }
        let all = Dictionary(uniqueKeysWithValues: found)
        return ReceiptCase.allCases.map { testCase in
            ReceiptScenario(testCase, of: self) { all[$0] ?? (nil, .missing) }
        }
    }

    /// The scenario of one find and one outcome of a refresh, in any combination.
    ///
    /// Precondition: the app's values lie in the ranges that ``AppUnderTest`` names.
    public func scenario(_ found: ReceiptCase.Found, refresh: ReceiptCase.Refresh) -> ReceiptScenario {
        let receipts = ScenarioReceipts(self)
        return ReceiptScenario(ReceiptCase(found, refresh: refresh), of: self, receipt: receipts.found)
    }
}

extension DeviceIdentifier {
    /// A device for tests: the 16 bytes of an `identifierForVendor`.
    public static var forTests: DeviceIdentifier {
        DeviceIdentifier("8C0B3A54-6F0E-4B5D-9C52-0E7A1D4F2B36") ?? .server
    }

    /// Another device: this identifier with all bits inverted.
    var other: DeviceIdentifier { DeviceIdentifier(bytes.map { ~$0 }) ?? .server }
}

extension Timestamp {
    /// The time of tests that choose no other: 2024-06-02T12:00:00Z.
    public static var forTests: Timestamp { Timestamp(millisecondsSince1970: 1_717_329_600_000) }

    /// The earliest time that tests may choose: 2000-01-02T00:00:00Z.
    fileprivate static var firstForTests: Timestamp { Timestamp(millisecondsSince1970: 946_771_200_000) }

    /// The latest time that tests may choose: 2049-12-31T23:59:59Z.
    fileprivate static var lastForTests: Timestamp { Timestamp(millisecondsSince1970: 2_524_607_999_000) }
}
