import AppReceipt
import AppReceiptFoundation
import AppReceiptMint
import Foundation
import TestSupport
import Testing

@Suite("The identifiers of a device")
struct DeviceTests {
    /// A network interface of a Mac.
    private struct Interface {
        let name: String
        let isBuiltIn: Bool
        let address: [UInt8]

        init(_ name: String, builtIn: Bool, _ address: [UInt8]) {
            (self.name, isBuiltIn, self.address) = (name, builtIn, address)
        }
    }

    private struct Mac: NetworkInterfaces {
        let interfaces: [Interface]

        func hardwareAddress(of name: String, mustBeBuiltIn: Bool) -> [UInt8]? {
            interfaces.first { $0.name == name && ($0.isBuiltIn || !mustBeBuiltIn) }?.address
        }
    }

    private func candidates(_ interfaces: Interface...) -> [[UInt8]] {
        DeviceIdentifier.candidates(among: Mac(interfaces: interfaces)).map(\.bytes)
    }

    private let wired: [UInt8] = [2, 0, 0, 0, 0, 1]
    private let wireless: [UInt8] = [2, 0, 0, 0, 0, 2]
    private let adapter: [UInt8] = [2, 0, 0, 0, 0, 3]

    @Test("the built-in en0 comes first and is named once")
    func builtIn() {
        let found = candidates(
            Interface("en0", builtIn: true, wired),
            Interface("en1", builtIn: true, wireless)
        )
        #expect(found == [wired, wireless])
    }

    @Test("an adapter that displaced the built-in interface as en0 is the last candidate")
    func displaced() {
        let found = candidates(
            Interface("en0", builtIn: false, adapter),
            Interface("en1", builtIn: true, wireless)
        )
        #expect(found == [wireless, adapter])
    }

    @Test("an adapter as the only en0 is the only candidate")
    func onlyAdapter() {
        #expect(candidates(Interface("en0", builtIn: false, adapter)) == [adapter])
    }

    @Test("an en1 that is not built in, and interfaces of other names, are no candidates")
    func others() {
        let found = candidates(
            Interface("en1", builtIn: false, adapter),
            Interface("en2", builtIn: true, wired),
            Interface("bridge0", builtIn: true, wireless)
        )
        #expect(found == [])
    }

    @Test("an address that has not six octets is no candidate", arguments: [0, 1, 5, 7, 8, 16, 20])
    func length(_ count: Int) {
        #expect(candidates(Interface("en0", builtIn: true, [UInt8](repeating: 1, count: count))) == [])
    }

    @Test("a Mac without interfaces has no candidate, and then every receipt is refused")
    func none() throws {
        let expected = try Receipts.validator()
        let validator = ReceiptValidator(
            environments: expected.environments,
            bundleIdentifier: expected.bundleIdentifier,
            trust: expected.trust,
            deviceIdentifiers: DeviceIdentifier.candidates(among: Mac(interfaces: []))
        )
        let error = #expect(throws: ReceiptError.self) { try validator.validate(Receipts.valid) }
        #expect(error?.step == .deviceHash)
    }

    @Test("identifierForVendor is hashed as its sixteen octets in their order")
    func vendor() throws {
        let uuid = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        #expect(DeviceIdentifier(uuid) == DeviceIdentifier("00112233445566778899aabbccddeeff"))
        #expect(DeviceIdentifier.candidates(vendor: uuid) == [DeviceIdentifier(uuid)])
        #expect(DeviceIdentifier.candidates(vendor: nil) == [])
        // A genuine form: the vector's hash was made with openssl for this identifier.
        let validator = ReceiptValidator(
            environments: .any,
            bundleIdentifier: .any,
            trust: .pinned([try TrustAnchor(certificate: vector("certificates/root.der"))]),
            deviceIdentifiers: DeviceIdentifier.candidates(vendor: uuid)
        )
        #expect(throws: Never.self) { try validator.validate(vector("receipts/sandbox-sha256.der")) }
    }

    #if os(Linux)
        @Test("a system without an App Store has no identifier, no platform and no receipt")
        @MainActor
        func linux() async throws {
            #expect(DeviceIdentifier.current.isEmpty)
            #expect(ReceiptPlatform.current == nil)
            #expect(AppStoreReceipt.locate() == nil)
            let receipt = try await ReceiptFileSource().receipt()
            #expect(receipt == nil)
        }
    #endif
}

@Suite("The version that a receipt is compared with")
struct ReceiptPlatformTests {
    @Test("the Mac's receipts hold CFBundleShortVersionString, and all others CFBundleVersion")
    func keys() {
        for platform in ReceiptPlatform.allCases {
            let isMac = platform == .macOS || platform == .macCatalyst
            #expect(platform.versionKey == (isMac ? "CFBundleShortVersionString" : "CFBundleVersion"))
        }
    }

    @Test("the version comes from the bundle's Info.plist, and is nil without the key or with another type")
    func version() async throws {
        try await withDirectory { directory in
            let bundle = directory.appending(path: "Example.bundle")
            try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
            let values: [String: Any] = ["CFBundleShortVersionString": "2.10.1", "CFBundleVersion": 42]
            try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0)
                .write(to: bundle.appending(path: "Info.plist"))
            let opened = try #require(Bundle(url: bundle))
            #expect(ReceiptPlatform.macOS.appVersion(of: opened) == "2.10.1")
            #expect(ReceiptPlatform.iOS.appVersion(of: opened) == nil)
        }
    }
}

@Suite("The receipt file")
struct AppStoreReceiptTests {
    private func withFile(_ bytes: [UInt8]?, _ body: (URL) async throws -> Void) async throws {
        try await withDirectory { directory in
            let url = directory.appending(path: "receipt")
            if let bytes { try Data(bytes).write(to: url) }
            try await body(url)
        }
    }

    private func expectMissing(at url: URL?) async throws {
        #expect(AppStoreReceipt.locate(at: url) == nil)
        let receipt = try await ReceiptFileSource(url: url).receipt()
        #expect(receipt == nil)
    }

    @Test("a file with bytes is present, and is read as it is")
    func present() async throws {
        try await withFile(Receipts.valid) { url in
            let receipt = try #require(AppStoreReceipt.locate(at: url))
            #expect(try receipt.bytes() == Receipts.valid)
            let read = try await ReceiptFileSource(url: url).receipt()
            #expect(read == Receipts.valid)
        }
    }

    @Test("an empty file is missing")
    func empty() async throws {
        try await withFile([]) { url in
            try await expectMissing(at: url)
        }
    }

    @Test("no file and no place are missing")
    func missing() async throws {
        try await withFile(nil) { url in
            try await expectMissing(at: url)
            let inside = url.appending(path: "deeper/receipt")
            try await expectMissing(at: inside)
        }
        try await expectMissing(at: nil)
    }

    @Test("a directory in the place of the file is not a receipt, and says so")
    func directory() async throws {
        try await withDirectory { directory in
            #expect(AppStoreReceipt.locate(at: directory) == nil)
            await #expect(throws: (any Error).self) { try await ReceiptFileSource(url: directory).receipt() }
        }
    }

    @Test("a file beyond the limit is refused, and one at the limit is read")
    func limit() async throws {
        try await withFile([UInt8](repeating: 0x30, count: 1001)) { url in
            var limits = Limits.standard
            limits.inputBytes = 1001
            let count = try AppStoreReceipt.locate(at: url)?.bytes(limits: limits).count
            #expect(count == 1001)
            limits.inputBytes = 1000
            let (receipt, source) = (
                AppStoreReceipt.locate(at: url), ReceiptFileSource(url: url, limits: limits)
            )
            let present = try #require(receipt)
            #expect(throws: CocoaError.self) { try present.bytes(limits: limits) }
            await #expect(throws: CocoaError.self) { try await source.receipt() }
        }
    }

    #if os(Linux)
        @Test("an endless file is refused, because no more than the limit is read", .timeLimit(.minutes(1)))
        func endless() throws {
            let receipt = try #require(AppStoreReceipt.locate(at: URL(filePath: "/dev/zero")))
            var limits = Limits.standard
            limits.inputBytes = 1 << 20
            #expect(throws: CocoaError.self) { try receipt.bytes(limits: limits) }
        }
    #endif

    @Test(
        "the largest limit reads the whole file, and a negative one refuses it",
        arguments: [.max, -1, .min]
    )
    func extremes(_ limit: Int) async throws {
        try await withFile(Receipts.valid) { url in
            var limits = Limits.standard
            limits.inputBytes = limit
            let receipt = try #require(AppStoreReceipt.locate(at: url))
            if limit > 0 {
                #expect(try receipt.bytes(limits: limits) == Receipts.valid)
            } else {
                #expect(throws: CocoaError.self) { try receipt.bytes(limits: limits) }
            }
        }
    }

    @Test("the status that asks the system for a receipt is 173")
    func exitStatus() {
        #expect(AppStoreReceipt.exitStatusForMissingReceipt == 173)
    }
}

@Suite("The privacy manifest")
struct PrivacyTests {
    @Test("it is a property list that names no tracking, no collected data and no API with a required reason")
    func manifest() throws {
        let url = SharedData.packageRoot.appending(path: "Sources/AppReceiptFoundation/PrivacyInfo.xcprivacy")
        // The function writes the format through the pointer, unless it is nil.
        let list = try unsafe PropertyListSerialization.propertyList(from: Data(contentsOf: url), format: nil)
        let members = try #require(list as? [String: Any])
        #expect(members["NSPrivacyTracking"] as? Bool == false)
        for key in ["NSPrivacyTrackingDomains", "NSPrivacyCollectedDataTypes", "NSPrivacyAccessedAPITypes"] {
            #expect((members[key] as? [Any])?.isEmpty == true)
        }
        #expect(members.count == 4)
    }

    @Test("the sources use no API with a required reason")
    func sources() throws {
        // Apple's list of 2024: file timestamps, boot time, disk space, keyboards, user defaults.
        let names = [
            "creationDate\\b.*URLResource", "modificationDate", "contentModificationDateKey",
            "creationDateKey",
            "attributesOfItem", "getattrlist", "fstat", "lstat", "\\bstat\\(", "systemUptime",
            "mach_absolute_time",
            "volumeAvailableCapacity", "systemFreeSize", "systemSize", "statfs", "statvfs",
            "activeInputModes",
            "UserDefaults",
        ]
        let root = SharedData.packageRoot.appending(path: "Sources/AppReceiptFoundation")
        let files = try #require(FileManager.default.subpaths(atPath: root.path)).filter {
            $0.hasSuffix(".swift")
        }
        #expect(files.count > 10)
        for file in files {
            let source = try String(contentsOf: root.appending(path: file), encoding: .utf8)
            for name in names {
                #expect(source.range(of: name, options: .regularExpression) == nil, "\(file) uses \(name)")
            }
        }
    }
}
