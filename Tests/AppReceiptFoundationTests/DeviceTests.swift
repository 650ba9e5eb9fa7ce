import AppReceipt
import AppReceiptFoundation
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

    private func candidates(_ interfaces: Interface...) -> [[UInt8]] {
        DeviceIdentifier.candidates { name, mustBeBuiltIn in
            interfaces.first { $0.name == name && ($0.isBuiltIn || !mustBeBuiltIn) }?.address
        }.map(\.bytes)
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
        let policy = try Receipts.validator().policy
        let validator = ReceiptValidator(
            ReceiptPolicy(
                environments: policy.environments,
                bundleIdentifier: policy.bundleIdentifier,
                trust: policy.trust,
                deviceIdentifiers: DeviceIdentifier.candidates { _, _ in nil }
            )
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
            ReceiptPolicy(
                environments: .any,
                bundleIdentifier: .any,
                trust: .pinned([try TrustAnchor(certificate: vector("certificates/root.der"))]),
                deviceIdentifiers: DeviceIdentifier.candidates(vendor: uuid)
            )
        )
        #expect(throws: Never.self) { try validator.validate(vector("receipts/sandbox-sha256.der")) }
    }

    #if os(Linux)
        @Test("a system without an App Store has no identifier and no receipt")
        @MainActor
        func linux() throws {
            #expect(DeviceIdentifier.current.isEmpty)
            #expect(try ReceiptFileSource().receipt() == nil)
        }
    #endif
}

@Suite("The version that a receipt is compared with")
struct BundleVersionTests {
    @Test("it comes from the bundle's Info.plist, and is nil without the key or with another type")
    func version() async throws {
        try await withDirectory { directory in
            #if os(macOS)
                let key = "CFBundleShortVersionString"
            #else
                let key = "CFBundleVersion"
            #endif
            for (number, value) in (["2.10.1", 42, nil] as [Any?]).enumerated() {
                let bundle = directory.appending(path: "Example\(number).bundle")
                try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
                let values: [String: Any] = value.map { [key: $0] } ?? [:]
                try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0)
                    .write(to: bundle.appending(path: "Info.plist"))
                let opened = try #require(Bundle(url: bundle))
                #expect(opened.receiptAppVersion == value as? String)
            }
        }
    }
}

@Suite("The receipt file")
struct ReceiptFileSourceTests {
    private func withFile(_ bytes: [UInt8]?, _ body: (URL) async throws -> Void) async throws {
        try await withDirectory { directory in
            let url = directory.appending(path: "receipt")
            if let bytes { try Data(bytes).write(to: url) }
            try await body(url)
        }
    }

    private func expectMissing(at url: URL?) throws {
        #expect(try ReceiptFileSource(url: url).receipt() == nil)
    }

    @Test("a file with bytes is present, and is read as it is")
    func present() async throws {
        try await withFile(Receipts.valid) { url in
            let receipt = try ReceiptFileSource(url: url).receipt()
            #expect(receipt == Receipts.valid)
        }
    }

    @Test("an empty file is missing")
    func empty() async throws {
        try await withFile([]) { url in
            try expectMissing(at: url)
        }
    }

    @Test("no file and no place are missing")
    func missing() async throws {
        try await withFile(nil) { url in
            try expectMissing(at: url)
            let inside = url.appending(path: "deeper/receipt")
            try expectMissing(at: inside)
        }
        try expectMissing(at: nil)
    }

    @Test("a directory in the place of the file is not a receipt, and says so")
    func directory() async throws {
        try await withDirectory { directory in
            let source = ReceiptFileSource(url: directory)
            #expect(throws: (any Error).self) { try source.receipt() }
        }
    }

    @Test("a file beyond the limit is refused, and one at the limit is read")
    func limit() async throws {
        try await withFile([UInt8](repeating: 0x30, count: 1001)) { url in
            var limits = Limits.standard
            limits.inputBytes = 1001
            let receipt = try ReceiptFileSource(url: url, limits: limits).receipt()
            #expect(receipt?.count == 1001)
            limits.inputBytes = 1000
            let source = ReceiptFileSource(url: url, limits: limits)
            #expect(throws: CocoaError.self) { try source.receipt() }
        }
    }

    #if os(Linux)
        @Test("an endless file is refused, because no more than the limit is read", .timeLimit(.minutes(1)))
        func endless() throws {
            var limits = Limits.standard
            limits.inputBytes = 1 << 20
            let source = ReceiptFileSource(url: URL(filePath: "/dev/zero"), limits: limits)
            #expect(throws: CocoaError.self) { try source.receipt() }
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
            let source = ReceiptFileSource(url: url, limits: limits)
            if limit > 0 {
                let receipt = try source.receipt()
                #expect(receipt == Receipts.valid)
            } else {
                #expect(throws: CocoaError.self) { try source.receipt() }
            }
        }
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
