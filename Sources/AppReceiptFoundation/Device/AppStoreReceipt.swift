import AppReceipt
import Foundation

/// The receipt file in the bundle of an app.
public struct AppStoreReceipt: Sendable, Hashable {
    /// The place of the file.
    public let url: URL

    /// Locates the receipt of the running app.
    ///
    /// - Returns: the receipt, or nil if it is missing. An empty file counts as missing. A development build
    ///   and a freshly restored device often have no receipt; refresh it when the customer asks for something
    ///   that needs it.
    public static func locate() -> AppStoreReceipt? { locate(at: bundleURL) }

    /// Locates a receipt at a given place.
    ///
    /// - Returns: the receipt, or nil if `url` is nil, or if the file is missing, empty or unreadable.
    public static func locate(at url: URL?) -> AppStoreReceipt? {
        guard let url, let data = try? contents(of: url, upTo: 1), !data.isEmpty else { return nil }
        return AppStoreReceipt(url: url)
    }

    /// Reads the container.
    ///
    /// - Parameter limits: `inputBytes` bounds the size of the file.
    /// - Throws: `CocoaError` if the file cannot be read or is larger than the limit.
    public func bytes(limits: Limits = .standard) throws -> [UInt8] {
        // One byte more than the limit shows that the file is too large.
        let data = try Self.contents(of: url, upTo: max(0, min(limits.inputBytes, .max - 1)) + 1)
        guard data.count <= limits.inputBytes else { throw CocoaError(.fileReadTooLarge) }
        return [UInt8](data)
    }

    /// The place that the system names for the running app's receipt. The file may not exist. Nil on systems
    /// without an App Store.
    ///
    /// In the sandbox and in TestFlight the name of the file is `sandboxReceipt`. The name proves nothing:
    /// the environment in the validated receipt does.
    public static var bundleURL: URL? {
        #if canImport(StoreKit)
            Bundle.main.appStoreReceiptURL
        #else
            nil
        #endif
    }

    /// Reads the first bytes of a file, at most `count`.
    private static func contents(of url: URL, upTo count: Int) throws -> Data {
        guard #available(macOS 10.15.4, iOS 13.4, tvOS 13.4, watchOS 6.2, *) else {
            // Older systems have no reading that throws. They map the file, and read the pages in use.
            return try Data(contentsOf: url, options: .mappedIfSafe).prefix(count)
        }
        let file = try FileHandle(forReadingFrom: url)
        defer { try? file.close() }
        return try file.read(upToCount: count) ?? Data()
    }

    /// The status with which a Mac app of macOS 14 or earlier exits to ask the system for a new receipt.
    ///
    /// Apple's archived guide tells a Mac app to call `exit(173)` when its receipt is missing or invalid,
    /// before it shows a window. The system then fetches a receipt and starts the app again, or shows an
    /// error. The status means nothing on other systems.
    ///
    /// From macOS 15 on, do not exit with this status. The system shows the customer an alert instead, with
    /// the title “exit(173) Not Available”, if the app was built with the SDK of macOS 15. Use a
    /// ``ReceiptRefresher`` with `AppTransactionRefreshRequest` or `StoreKitRefreshRequest` there. An app
    /// that keeps running can also explain itself, and tolerate a failure.
    ///
    /// This package never ends a process. An app that wants to does so itself:
    ///
    /// ```swift
    /// if #unavailable(macOS 15) { exit(AppStoreReceipt.exitStatusForMissingReceipt) }
    /// ```
    public static var exitStatusForMissingReceipt: Int32 { 173 }
}

/// The receipt file as the source of a ``ReceiptRefresher``.
public struct ReceiptFileSource: ReceiptSource {
    private let url: URL?
    private let limits: Limits

    /// The receipt of the running app. It is always missing on systems without an App Store.
    public init(limits: Limits = .standard) { self.init(url: AppStoreReceipt.bundleURL, limits: limits) }

    /// The receipt at a given place; nil means that there is none.
    public init(url: URL?, limits: Limits = .standard) {
        self.url = url
        self.limits = limits
    }

    /// Reads the file.
    ///
    /// - Returns: the container; nil if the file does not exist or is empty.
    /// - Throws: `CocoaError` if the file cannot be read or is larger than the limit.
    public func receipt() async throws -> [UInt8]? {
        guard let url else { return nil }
        do {
            let bytes = try AppStoreReceipt(url: url).bytes(limits: limits)
            return bytes.isEmpty ? nil : bytes
        } catch let error as CocoaError
            where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile
        {
            return nil
        }
    }
}
