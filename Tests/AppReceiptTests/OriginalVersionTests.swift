import AppReceipt
import AppReceiptMint
import TestSupport
import Testing

@Suite("Whether the app was bought before a version")
struct OriginalVersionTests {
    /// A validated receipt of production with this original version.
    private static func receipt(
        _ original: String?,
        _ change: (inout PayloadTemplate) -> Void = { _ in }
    ) throws -> Receipt {
        let bytes = Minted.mint.receipt(bundleIdentifier: "com.example.app") {
            $0.originalAppVersion = original
            change(&$0)
        }
        return try Minted.validator.validate(bytes)
    }

    /// The answers for both kinds of version, which are the same for a receipt without a platform.
    private static func answer(_ original: String?, before version: String) throws -> BoughtBefore {
        let receipt = try receipt(original)
        let answer = receipt.appWasBought(before: .bundleVersion(version))
        #expect(receipt.appWasBought(before: .shortVersion(version)) == answer)
        return answer
    }

    private static let digits = String(repeating: "9", count: 50_000)

    /// Versions in ascending order.
    private static let ascending = [
        "0", "0.0.1", "0.1", "1", "1.0.1", "1.1", "1.2", "1.10", "2", "9", "9.9", "9.10", "10", "10.0.0.1",
        "10.1", "100", "1042", "9223372036854775807", "9223372036854775808", "18446744073709551616",
        "\(digits)", "\(digits).0.1", "1\(digits)",
    ]

    @Test("compares versions number by number, with any number of digits")
    func order() throws {
        for (index, version) in Self.ascending.enumerated() {
            let receipt = try Self.receipt(version)
            for (other, limit) in Self.ascending.enumerated() {
                let expected: BoughtBefore = index < other ? .yes : .no
                #expect(receipt.appWasBought(before: .bundleVersion(limit)) == expected)
            }
        }
    }

    @Test(
        "neither of two spellings of one version is before the other",
        arguments: [
            ("10", "10.0"), ("10", "10.0.0.0"), ("10", "010"), ("1.2", "01.002"), ("0", "0.0"), ("00", "0"),
        ]
    )
    func equal(_ one: String, _ other: String) throws {
        #expect(try Self.answer(one, before: other) == .no)
        #expect(try Self.answer(other, before: one) == .no)
    }

    private static let malformed = [
        ".", "..", "1.", ".1", "1..2", "1,2", "-1", "+1", "1.-2", "1e3", "0x10", "1.0b2", "v1", "1.0 ",
        " 1.0",
        "1.0\n", "1\u{0}", "1.0 (42)", "\u{FF11}.0", "\u{661}", "1\u{301}", "\u{200E}1", "1.0-beta", "a",
    ]

    @Test("is undecided about an original version that is no numbers with dots", arguments: malformed)
    func malformedVersion(_ text: String) throws {
        #expect(try Self.answer(text, before: "2") == .undecided(.malformedVersion))
    }

    @Test("is undecided about a given version that is no numbers with dots", arguments: malformed + [""])
    func malformedArgument(_ text: String) throws {
        #expect(try Self.answer("1", before: text) == .undecided(.malformedArgument))
        #expect(try Self.answer(nil, before: text) == .undecided(.malformedArgument))
    }

    @Test("is undecided about a receipt without an original version, or with an empty or a malformed one")
    func noVersion() throws {
        #expect(try Self.answer(nil, before: "2") == .undecided(.noVersion))
        #expect(try Self.answer("", before: "2") == .undecided(.noVersion))
        let number = try Self.receipt(nil) { $0.rawAttributes = [.integer(19, 1)] }
        #expect(number.appWasBought(before: .bundleVersion("2")) == .undecided(.noVersion))
    }

    @Test(
        "decides for receipts of the App Store alone, the Volume Purchase Program included",
        arguments: [
            ("Production", .yes), ("ProductionVPP", .yes),
            ("ProductionSandbox", .undecided(.testEnvironment)),
            ("ProductionVPPSandbox", .undecided(.testEnvironment)), ("Xcode", .undecided(.testEnvironment)),
            ("production", .undecided(.unknownEnvironment)), ("", .undecided(.unknownEnvironment)),
            (nil, .undecided(.unknownEnvironment)),
        ] as [(String?, BoughtBefore)]
    )
    func environment(_ name: String?, _ expected: BoughtBefore) throws {
        let receipt = try Self.receipt("1.0") { $0.environment = name }
        #expect(receipt.appWasBought(before: .bundleVersion("2")) == expected)
        // A sandbox receipt is undecided before its version is looked at.
        guard case .undecided = expected else { return }
        let other = try Self.receipt("x") { $0.environment = name }
        #expect(other.appWasBought(before: .shortVersion("y")) == expected)
    }

    @Test(
        "is undecided if the receipt's platform states the other kind of version",
        arguments: [
            (2, .shortVersion("2"), .yes), (2, .bundleVersion("2"), .undecided(.otherPlatform)),
            (3, .bundleVersion("2"), .yes), (3, .shortVersion("2"), .undecided(.otherPlatform)),
            (1, .bundleVersion("2"), .yes), (1, .shortVersion("2"), .yes),
            (nil, .shortVersion("2"), .yes),
        ] as [(Int64?, AppVersion, BoughtBefore)]
    )
    func platform(_ platform: Int64?, _ version: AppVersion, _ expected: BoughtBefore) throws {
        let receipt = try Self.receipt("1") { $0.platform = platform }
        #expect(receipt.appWasBought(before: version) == expected)
    }

    @Test("no genuine receipt of the sandbox or of Xcode is decided", .enabled(if: SharedData.isExpected))
    func genuine() throws {
        let any = ReceiptValidator(ReceiptPolicy(environments: .any, bundleIdentifier: .any))
        let xcode = ReceiptValidator(
            ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: .xcodeTesting)
        )
        var count = 0
        for file in try SharedData.files(in: "receipts", suffix: ".der") {
            let bytes = try SharedData.bytes("receipts/\(file)")
            guard let receipt = (try? any.validate(bytes)) ?? (try? xcode.validate(bytes)) else { continue }
            count += 1
            let answers = [AppVersion.bundleVersion("2"), .shortVersion("0.1")].map(receipt.appWasBought)
            #expect(answers == [.undecided(.testEnvironment), .undecided(.testEnvironment)], "\(file)")
        }
        #expect(count > 10)
    }
}
