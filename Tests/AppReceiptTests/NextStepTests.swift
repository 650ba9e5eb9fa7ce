import AppReceipt
import AppReceiptMint
import Basics
import Testing

@Suite("The next step after an error")
struct NextStepTests {
    private static let any = ReceiptValidator(ReceiptPolicy(environments: .any, bundleIdentifier: .any))

    private func error(_ validator: ReceiptValidator, _ bytes: [UInt8]) throws -> ReceiptError {
        try #require(throws: ReceiptError.self) { try validator.validate(bytes) }
    }

    @Test("unreadable bytes are sent again, and a broken receipt is refreshed")
    func kinds() throws {
        let cases: [([UInt8], NextStep, Int)] = [
            ([0x30, 0x00], .refresh, 422), ([], .retry, 400), ([0x41], .retry, 400),
        ]
        for (bytes, step, status) in cases {
            let error = try error(Self.any, bytes)
            #expect(error.nextStep == step && error.nextStep.httpStatus == status)
        }
        let error = try #require(throws: ReceiptError.self) { try ReceiptInput.decode([UInt8]("eyJh".utf8)) }
        #expect(error.nextStep == .contactSupport && error.nextStep.httpStatus == 415)
    }

    @Test("a receipt of another app or environment is denied, because a new one would be the same")
    func deny() throws {
        let otherApp = ReceiptValidator(
            ReceiptPolicy(
                environments: .any,
                bundleIdentifier: .exactly("com.example.other"),
                trust: Minted.validator.policy.trust
            )
        )
        let otherEnvironment = ReceiptValidator(
            ReceiptPolicy(
                environments: .only(.production),
                bundleIdentifier: .any,
                trust: Minted.validator.policy.trust
            )
        )
        let sandbox = Minted.mint.receipt(bundleIdentifier: "com.example.app") {
            $0.environment = "ProductionSandbox"
        }
        #expect(try error(otherApp, sandbox).nextStep == .deny)
        #expect(try error(otherEnvironment, sandbox).nextStep == .deny)
        #expect(try error(otherApp, sandbox).nextStep.httpStatus == 422)
    }

    @Test("a code of another format denies at the two checks of the app and environment, and only if invalid")
    func otherFormats() {
        let invalid = Refusal.Code(60_000, "other.mismatch", "Another app.")
        let unsupported = Refusal.Code(60_001, "other.format", "Another format.", kind: .unsupported)
        let unreadable = Refusal.Code(60_002, "other.unreadable", "Nothing.", kind: .unreadable)
        for step in ReceiptError.Step.allCases {
            func next(_ code: Refusal.Code) -> NextStep {
                ReceiptError(step, Refusal(code, at: 0, reading: "receipt")).nextStep
            }
            let isOfOtherApp = [.environment, .bundleIdentifier].contains(step)
            #expect(next(invalid) == (isOfOtherApp ? .deny : .refresh), "\(step)")
            #expect(next(unsupported) == .contactSupport && next(unreadable) == .retry, "\(step)")
        }
    }

    @Test("a receipt of another device, of another version or past its expiry is refreshed")
    func refresh() throws {
        let device = try #require(DeviceIdentifier("00112233-4455-6677-8899-AABBCCDDEEFF"))
        let receipt = Minted.mint.receipt(bundleIdentifier: "com.example.app") {
            $0.expirationDate = Timestamp(millisecondsSince1970: 1_700_000_000_000)
        }
        func validator(
            version: String? = nil,
            devices: [DeviceIdentifier]? = nil,
            now: Timestamp? = nil
        ) -> ReceiptValidator {
            ReceiptValidator(
                ReceiptPolicy(
                    environments: .any,
                    bundleIdentifier: .any,
                    trust: Minted.validator.policy.trust,
                    appVersion: version,
                    deviceIdentifiers: devices,
                    now: now
                )
            )
        }
        let steps = try [
            validator(version: "none"), validator(devices: [device]),
            validator(now: Timestamp(millisecondsSince1970: 1_800_000_000_000)),
        ].map { try error($0, receipt) }
        #expect(steps.map(\.step) == [.appVersion, .deviceHash, .expirationDate])
        #expect(steps.map(\.nextStep) == [.refresh, .refresh, .refresh])
    }

    @Test("a forged receipt is refreshed, and no published error lets anything through")
    func forged() throws {
        // The receipt is signed under a root that Apple's policy does not trust.
        #expect(try error(Self.any, Minted.receipt).nextStep == .refresh)
        let steps = Refusal.Code.all.map { NextStep(for: $0) }
        #expect(Set(steps) == Set(NextStep.allCases))
        #expect(steps.filter { $0 == .deny }.count == 4)
    }
}
