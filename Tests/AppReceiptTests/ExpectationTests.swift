import AppReceipt
import AppReceiptMint
import Basics
import DER
import PKIX
import SHA
import TestSupport
import Testing

@Suite("The expectations of an app")
struct ExpectationTests {
    private static let trust = Minted.fingerprints(Minted.mint.root)

    private static func receipt(_ change: (inout PayloadTemplate) -> Void = { _ in }) -> [UInt8] {
        Minted.mint.receipt(bundleIdentifier: "com.example.app", change)
    }

    private static func validator(
        _ environments: EnvironmentExpectation = .any,
        _ bundleIdentifier: BundleIdentifierExpectation = .any,
        appVersion: String? = nil,
        deviceIdentifiers: [DeviceIdentifier]? = nil,
        now: Timestamp? = nil,
        minimumDigest: HashAlgorithm = .sha1,
        pathTime: Timestamp? = nil
    ) -> ReceiptValidator {
        ReceiptValidator(
            ReceiptPolicy(
                environments: environments,
                bundleIdentifier: bundleIdentifier,
                trust: trust,
                appVersion: appVersion,
                deviceIdentifiers: deviceIdentifiers,
                now: now,
                minimumDigest: minimumDigest,
                pathTime: pathTime
            )
        )
    }

    @Test("an expectation says what it accepts; one that accepts everything has no list")
    func acceptedValues() {
        #expect(EnvironmentExpectation.any.accepted == nil)
        #expect(EnvironmentExpectation.only(.productionSandbox).accepted == [.productionSandbox])
        #expect(EnvironmentExpectation.only([.xcode, .production]).accepted == [.xcode, .production])
        #expect(BundleIdentifierExpectation.any.accepted == nil)
        #expect(BundleIdentifierExpectation.exactly("a").accepted == ["a"])
        #expect(BundleIdentifierExpectation.oneOf(["b", "a"]).accepted == ["b", "a"])
    }

    // MARK: Environment

    private static let environments: [ReceiptEnvironment: [UInt8]] = .init(
        uniqueKeysWithValues: ReceiptEnvironment.allCases.map { environment in
            (environment, receipt { $0.environment = environment.name })
        }
    )

    @Test("each environment is accepted if the app expects it, and refused if it expects another")
    func environment() throws {
        for (environment, bytes) in Self.environments {
            for expected in ReceiptEnvironment.allCases {
                let validator = Self.validator(.only(expected))
                if expected == environment {
                    #expect(try validator.validate(bytes).environment == environment)
                } else {
                    refuses(.environment, .environmentMismatch) { () throws(ReceiptError) in
                        try validator.validate(bytes)
                    }
                }
            }
        }
    }

    @Test("an environment is known by its name, letter for letter")
    func environmentNames() {
        for environment in ReceiptEnvironment.allCases {
            #expect(ReceiptEnvironment(name: environment.name) == environment)
        }
        for name in ["", "production", "Production ", "Sandbox", "Produc\u{74}ion\u{301}"] {
            #expect(ReceiptEnvironment(name: name) == nil, "\(name)")
        }
    }

    @Test("several expected environments are each accepted, and no other")
    func severalEnvironments() throws {
        let accepted: [ReceiptEnvironment] = [.production, .productionSandbox]
        for expectation in [EnvironmentExpectation.only(.production, .productionSandbox), .only(accepted)] {
            for (environment, bytes) in Self.environments {
                let verdict = Verdict(Self.validator(expectation), bytes)
                #expect(verdict.isAccepted == accepted.contains(environment), "\(environment): \(verdict)")
            }
        }
    }

    @Test("an empty set of environments accepts none")
    func noEnvironment() {
        for bytes in Self.environments.values {
            refuses(.environment, .environmentMismatch) { () throws(ReceiptError) in
                try Self.validator(.only([])).validate(bytes)
            }
        }
    }

    @Test(
        "an unknown environment has only its name, and is accepted only if any is",
        arguments: [
            "Moon", "production", "PRODUCTION", "Production ", "Production\0", "Sandbox", "Prodüction",
        ]
    )
    func unknownEnvironment(_ name: String) throws {
        let bytes = Self.receipt { $0.environment = name }
        let receipt = try Self.validator().validate(bytes)
        #expect(receipt.environment == nil && receipt.environmentName == name)
        #expect(receipt.notChecked.contains(.environment))
        refuses(.environment, .environmentMismatch) { () throws(ReceiptError) in
            try Self.validator(.only(ReceiptEnvironment.allCases)).validate(bytes)
        }
    }

    @Test("an absent or empty environment is accepted only if any is", arguments: [nil, ""])
    func missingEnvironment(_ name: String?) throws {
        let bytes = Self.receipt { $0.environment = name }
        let receipt = try Self.validator().validate(bytes)
        #expect(receipt.environment == nil && receipt.environmentName == nil)
        refuses(.environment, .missingEnvironment) { () throws(ReceiptError) in
            try Self.validator(.only(ReceiptEnvironment.allCases)).validate(bytes)
        }
    }

    // MARK: Bundle identifier

    @Test(
        "bundle identifiers are compared byte for byte",
        arguments: [
            ("com.example.caf\u{E9}", "com.example.cafe\u{301}"),
            ("com.example.cafe\u{301}", "com.example.caf\u{E9}"),
            ("com.example.app", "com.example.App"),
            ("com.example.app", "com.example.app "),
            ("com.example.app", "com.example.ap"),
            ("com.example.app", "com.example.app\0"),
            ("com.example.\u{212B}", "com.example.\u{C5}"),
            ("com.example.app", ""),
        ]
    )
    func bundleIdentifier(_ written: String, _ expected: String) throws {
        let bytes = Self.receipt { $0.bundleIdentifier = written }
        let receipt = try Self.validator(.any, .exactly(written)).validate(bytes)
        #expect(receipt.bundleIdentifier.map { Array($0.utf8) } == Array(written.utf8))
        for expectation in [BundleIdentifierExpectation.exactly(expected), .oneOf([expected, expected])] {
            refuses(.bundleIdentifier, .bundleIdentifierMismatch) { () throws(ReceiptError) in
                try Self.validator(.any, expectation).validate(bytes)
            }
        }
        #expect(Verdict(Self.validator(.any, .oneOf([expected, written])), bytes).isAccepted)
    }

    @Test("an empty list of bundle identifiers accepts none")
    func noBundleIdentifier() {
        refuses(.bundleIdentifier, .bundleIdentifierMismatch) { () throws(ReceiptError) in
            try Self.validator(.any, .oneOf([])).validate(Minted.receipt)
        }
    }

    @Test(
        "an absent or empty bundle identifier is refused if one is expected",
        arguments: [nil, ""]
    )
    func missingBundleIdentifier(_ written: String?) throws {
        let bytes = Self.receipt { $0.bundleIdentifier = written }
        #expect(try Self.validator().validate(bytes).bundleIdentifier == nil)
        for expectation in [BundleIdentifierExpectation.exactly("com.example.app"), .exactly(""), .oneOf([])]
        {
            refuses(.bundleIdentifier, .missingBundleIdentifier) { () throws(ReceiptError) in
                try Self.validator(.any, expectation).validate(bytes)
            }
        }
    }

    // MARK: App version

    @Test(
        "app versions are compared byte for byte, not as numbers",
        arguments: ["1.0", "01", "1 ", "", "2", "\u{FF11}"]
    )
    func appVersion(_ expected: String) throws {
        #expect(try Self.validator(appVersion: "1").validate(Minted.receipt).appVersion == "1")
        refuses(.appVersion, .appVersionMismatch) { () throws(ReceiptError) in
            try Self.validator(appVersion: expected).validate(Minted.receipt)
        }
    }

    @Test("an absent or empty app version is refused if one is expected", arguments: [nil, ""])
    func missingAppVersion(_ written: String?) throws {
        let bytes = Self.receipt { $0.appVersion = written }
        #expect(try Self.validator().validate(bytes).appVersion == nil)
        for expected in ["1", ""] {
            refuses(.appVersion, .missingAppVersion) { () throws(ReceiptError) in
                try Self.validator(appVersion: expected).validate(bytes)
            }
        }
    }

    // MARK: Device

    private static let vendor = DeviceIdentifier("00112233-4455-6677-8899-AABBCCDDEEFF")
    private static let interface = DeviceIdentifier("02:00:00:00:00:01")

    @Test("one of several devices is enough, at any place")
    func devices() throws {
        let vendor = try #require(Self.vendor)
        let interface = try #require(Self.interface)
        for device in [vendor, interface] {
            let bytes = Self.receipt { $0.deviceIdentifier = device.bytes }
            for candidates in [
                [device], [device, .server], [.server, device], [vendor, interface], [interface, vendor],
            ] {
                #expect(Verdict(Self.validator(deviceIdentifiers: candidates), bytes).isAccepted)
            }
            refuses(.deviceHash, .deviceHashMismatch) { () throws(ReceiptError) in
                try Self.validator(deviceIdentifiers: [.server]).validate(bytes)
            }
        }
    }

    @Test("an empty list of devices refuses every receipt, and is not a check left out")
    func noDevices() throws {
        refuses(.deviceHash, .deviceHashMismatch) { () throws(ReceiptError) in
            try Self.validator(deviceIdentifiers: []).validate(Minted.receipt)
        }
        #expect(try Self.validator().validate(Minted.receipt).notChecked.contains(.deviceHash))
        #expect(
            try !Self.validator(deviceIdentifiers: [.server]).validate(Minted.receipt).notChecked
                .contains(.deviceHash)
        )
    }

    @Test("the hash takes the opaque value and the bundle identifier as they are written")
    func deviceHash() throws {
        let validator = Self.validator(deviceIdentifiers: [.server])
        for opaqueValue: [UInt8] in [[], [7], [UInt8](repeating: 0xFF, count: 300)] {
            #expect(Verdict(validator, Self.receipt { $0.opaqueValue = opaqueValue }).isAccepted)
        }
        let hash = try #require(validator.validate(Minted.receipt).sha1Hash)
        let others: [@Sendable (inout PayloadTemplate) -> Void] = [
            { $0.opaqueValue = [UInt8](1...16) }, { $0.bundleIdentifier = "com.example.apq" },
            { $0.opaqueValue = [] },
        ]
        for change in others {
            let bytes = Self.receipt {
                $0.sha1Hash = Array(hash)
                change(&$0)
            }
            refuses(.deviceHash, .deviceHashMismatch) { () throws(ReceiptError) in
                try validator.validate(bytes)
            }
        }
    }

    @Test("a hash of another length is another hash", arguments: [0, 19, 21, 40])
    func hashLength(_ count: Int) throws {
        let hash = try #require(Self.validator().validate(Minted.receipt).sha1Hash)
        let bytes = Self.receipt { $0.sha1Hash = Array((Array(hash) + Array(hash)).prefix(count)) }
        refuses(.deviceHash, .deviceHashMismatch) { () throws(ReceiptError) in
            try Self.validator(deviceIdentifiers: [.server]).validate(bytes)
        }
    }

    @Test("without opaque value, hash or bundle identifier no device is the right one")
    func missingDeviceHash() throws {
        let changes: [@Sendable (inout PayloadTemplate) -> Void] = [
            { $0.opaqueValue = nil }, { $0.bundleIdentifier = nil },
            {
                // Without an opaque value no hash is written but this one.
                $0.sha1Hash = [UInt8](repeating: 0, count: 20)
                $0.opaqueValue = nil
            },
            {
                // The other way round: the opaque value alone, raw.
                $0.rawAttributes = [AttributeTemplate(4, value: $0.opaqueValue ?? [])]
                $0.opaqueValue = nil
            },
        ]
        for change in changes {
            let bytes = Self.receipt(change)
            #expect(Verdict(Self.validator(), bytes).isAccepted)
            for candidates in [[DeviceIdentifier.server], []] {
                refuses(.deviceHash, .missingDeviceHash) { () throws(ReceiptError) in
                    try Self.validator(deviceIdentifiers: candidates).validate(bytes)
                }
            }
        }
    }

    // MARK: Expiration

    @Test("a receipt expires after its expiration date, and not at it")
    func expirationDate() throws {
        let end = Minted.creationDate.millisecondsSince1970 + 500
        let bytes = Self.receipt { $0.expirationDate = Timestamp(millisecondsSince1970: end) }
        for milliseconds in [.min, 0, end - 1, end] {
            let now = Timestamp(millisecondsSince1970: milliseconds)
            #expect(try Self.validator(now: now).validate(bytes).expirationDate?.millisecondsSince1970 == end)
        }
        for milliseconds in [end + 1, .max] {
            refuses(.expirationDate, .receiptExpired) { () throws(ReceiptError) in
                try Self.validator(now: Timestamp(millisecondsSince1970: milliseconds)).validate(bytes)
            }
        }
        #expect(try Self.validator().validate(bytes).notChecked.contains(.expirationDate))
    }

    @Test("a clock that was set back does not revive a receipt that had expired when it was made")
    func expiredWhenMade() throws {
        let made = Minted.creationDate.millisecondsSince1970
        let old = Self.receipt { $0.expirationDate = Timestamp(millisecondsSince1970: made - 1) }
        for milliseconds in [.min, made - 2, made - 1, made, .max] {
            refuses(.expirationDate, .receiptExpired) { () throws(ReceiptError) in
                try Self.validator(now: Timestamp(millisecondsSince1970: milliseconds)).validate(old)
            }
        }
        let last = Self.receipt { $0.expirationDate = Minted.creationDate }
        for milliseconds in [.min, made - 1, made] {
            _ = try Self.validator(now: Timestamp(millisecondsSince1970: milliseconds)).validate(last)
        }
    }

    @Test("a receipt without an expiration date, or with an empty one, does not expire")
    func noExpirationDate() throws {
        let validator = Self.validator(now: Timestamp(millisecondsSince1970: .max))
        let empty = Self.receipt { $0.rawAttributes = [.ia5String(21, "")] }
        for bytes in [Minted.receipt, empty] {
            let receipt = try validator.validate(bytes)
            #expect(receipt.expirationDate == nil && !receipt.notChecked.contains(.expirationDate))
        }
    }

    // MARK: Digest and time

    @Test("the minimum digest is asked of the content")
    func digestOfContent() throws {
        for digest in [HashAlgorithm.sha1, .sha256, .sha384, .sha512] {
            var options = PrivatePKI.Options()
            options.hash = .sha512
            let mint = ReceiptMint(PrivatePKI(Keys.pki, options: options), digest: digest)
            let bytes = mint.receipt(bundleIdentifier: "com.example.app")
            for minimum in [HashAlgorithm.sha1, .sha256, .sha384, .sha512] {
                let validator = ReceiptValidator(
                    ReceiptPolicy(
                        environments: .any,
                        bundleIdentifier: .any,
                        trust: Minted.fingerprints(mint.root),
                        minimumDigest: minimum
                    )
                )
                if minimum.digestByteCount <= digest.digestByteCount {
                    #expect(try validator.validate(bytes).digestAlgorithm == digest)
                } else {
                    refuses(.signature, .weakDigest) { () throws(ReceiptError) in
                        try validator.validate(bytes)
                    }
                }
            }
        }
    }

    @Test("the minimum digest applies to each certificate except the root")
    func digestOfCertificates() throws {
        for role in PrivatePKI.Role.allCases {
            let pki = Minted.pki.reissued(role) { $0.signatureHash = .sha1 }
            let mint = ReceiptMint(pki, digest: .sha512)
            let bytes = mint.receipt(bundleIdentifier: "com.example.app")
            func validator(_ minimum: HashAlgorithm) -> ReceiptValidator {
                ReceiptValidator(
                    ReceiptPolicy(
                        environments: .any,
                        bundleIdentifier: .any,
                        trust: Minted.fingerprints(mint.root),
                        minimumDigest: minimum
                    )
                )
            }
            #expect(Verdict(validator(.sha1), bytes).isAccepted)
            if role == .root {
                #expect(Verdict(validator(.sha256), bytes).isAccepted)
            } else {
                refuses(.certificatePath, .weakSignatureHash) { () throws(ReceiptError) in
                    try validator(.sha256).validate(bytes)
                }
            }
        }
    }

    @Test("the certificates are judged at the creation date, or at another time if one is given")
    func pathTime() throws {
        var options = PrivatePKI.Options()
        options.notBefore = Minted.creationDate
        options.notAfter = Minted.creationDate
        let mint = ReceiptMint(PrivatePKI(Keys.pki, options: options))
        func verdict(_ pathTime: Timestamp?, created: Int64) -> Verdict {
            let validator = ReceiptValidator(
                ReceiptPolicy(
                    environments: .any,
                    bundleIdentifier: .any,
                    trust: Minted.fingerprints(mint.root),
                    pathTime: pathTime
                )
            )
            let bytes = mint.receipt(bundleIdentifier: "com.example.app") {
                $0.creationDate = after(created)
            }
            return Verdict(validator, bytes)
        }
        func after(_ milliseconds: Int64) -> Timestamp {
            Timestamp(millisecondsSince1970: Minted.creationDate.millisecondsSince1970 + milliseconds)
        }
        // The one second of the validity counts to its end.
        for milliseconds: Int64 in [0, 999] {
            #expect(verdict(nil, created: milliseconds).isAccepted)
            #expect(verdict(after(milliseconds), created: -86_400_000).isAccepted)
        }
        #expect(verdict(nil, created: -1).code == .notYetValid)
        #expect(verdict(nil, created: 1000).code == .expired)
        #expect(verdict(after(-1), created: 0).code == .notYetValid)
        #expect(verdict(after(1000), created: 0).code == .expired)
        #expect(verdict(Timestamp(millisecondsSince1970: .min), created: 0).code == .notYetValid)
        #expect(verdict(Timestamp(millisecondsSince1970: .max), created: 0).code == .expired)
    }

    // MARK: The record of the validation

    @Test("the checks that were not asked for are listed in the order of the steps, and no other")
    func notChecked() throws {
        var cache = ValidationCache()
        for combination in 0..<64 {
            func asks(_ check: Int) -> Bool { combination >> (5 - check) & 1 != 0 }
            let validator = ReceiptValidator(
                ReceiptPolicy(
                    environments: asks(1) ? .only(.production) : .any,
                    bundleIdentifier: asks(2) ? .exactly("com.example.app") : .any,
                    trust: Minted.fingerprints(Minted.mint.root, requiresMarkers: asks(0)),
                    appVersion: asks(3) ? "1" : nil,
                    deviceIdentifiers: asks(4) ? [.server] : nil,
                    now: asks(5) ? Minted.creationDate : nil
                )
            )
            // `RevocationPolicyTests` asks for revocation.
            var expected: [ReceiptError.Step] = [.revocation]
            if !asks(0) { expected += [.intermediateMarker, .leafMarker] }
            let further: [ReceiptError.Step] = [
                .environment, .bundleIdentifier, .appVersion, .deviceHash, .expirationDate,
            ]
            for (index, step) in further.enumerated() where !asks(index + 1) { expected.append(step) }
            #expect(try validator.validate(Minted.receipt, cache: &cache).notChecked == expected)
        }
    }

    @Test("the error is of the first check that fails, in the order of the steps")
    func order() throws {
        let device = try #require(Self.vendor)
        let early = Timestamp(millisecondsSince1970: 0)
        let late = Timestamp(millisecondsSince1970: 1)
        let bytes = Self.receipt { $0.expirationDate = early }
        let steps: [ReceiptError.Step] = [
            .environment, .bundleIdentifier, .appVersion, .deviceHash, .expirationDate,
        ]
        for (first, step) in steps.enumerated() {
            let validator = Self.validator(
                first < 1 ? .only(.xcode) : .any,
                first < 2 ? .exactly("com.example.other") : .any,
                appVersion: first < 3 ? "2" : nil,
                deviceIdentifiers: first < 4 ? [device] : nil,
                now: late
            )
            #expect(Verdict(validator, bytes).step == step)
        }
    }

    @Test("the receipt says which of several roots it was signed under")
    func rootFingerprint() throws {
        let roots = [Minted.impostor.root, Minted.mint.root]
        let validator = ReceiptValidator(
            ReceiptPolicy(
                environments: .any,
                bundleIdentifier: .any,
                trust: Minted.fingerprints(roots[0], roots[1])
            )
        )
        for (root, mint) in zip(roots, [Minted.impostor, Minted.mint]) {
            let receipt = try validator.validate(mint.receipt(bundleIdentifier: "com.example.app"))
            #expect(receipt.rootFingerprint == HashAlgorithm.sha256.digest(of: root.span))
        }
    }
}
