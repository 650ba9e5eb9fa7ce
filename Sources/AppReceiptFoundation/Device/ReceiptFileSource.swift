import AppReceipt
import Foundation

/// The receipt file in the bundle of an app, as the source of a ``ReceiptRefresher``.
///
/// A development build and a freshly restored device often have no receipt; refresh it when the customer asks
/// for something that needs it.
public struct ReceiptFileSource: ReceiptSource {
    private let url: URL?
    private let limits: Limits

    /// The receipt file of the running app. Without StoreKit, as on Linux, it always counts as missing.
    ///
    /// `limits.inputBytes` is the largest size in bytes. In the sandbox and in TestFlight the file's name is
    /// `sandboxReceipt`, except on the Mac. Only the environment in the validated receipt proves the
    /// environment.
    public init(limits: Limits = .standard) {
        #if canImport(StoreKit)
            self.init(url: Bundle.main.appStoreReceiptURL, limits: limits)
        #else
            self.init(url: nil, limits: limits)
        #endif
    }

    /// The receipt in the file at a URL. If the URL is nil, the receipt counts as missing.
    ///
    /// - Parameter limits: `inputBytes` is the largest size of the file in bytes. Other limits are not used.
    public init(url: URL?, limits: Limits = .standard) {
        self.url = url
        self.limits = limits
    }

    /// Reads the receipt file.
    ///
    /// - Returns: the bytes of the file; nil if the URL is nil, if the file is empty, or if the system says
    ///   that there is no such file.
    /// - Throws: `CocoaError` if the file cannot be read, also because a part of its path is no directory, or
    ///   has more bytes than `limits.inputBytes`.
    public func receipt() throws -> [UInt8]? {
        guard let url else { return nil }
        do {
            // One byte more than the limit shows that the file is too large.
            let data = try Self.contents(of: url, upTo: max(0, min(limits.inputBytes, .max - 1)) + 1)
            guard data.count <= limits.inputBytes else { throw CocoaError(.fileReadTooLarge) }
            return data.isEmpty ? nil : [UInt8](data)
        } catch let error as CocoaError
            where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile
        {
            return nil
        }
    }

    /// Reads the first `count` bytes of a file, or all if it has fewer. Throws if it cannot be read.
    private static func contents(of url: URL, upTo count: Int) throws -> Data {
        guard #available(macOS 10.15.4, iOS 13.4, tvOS 13.4, watchOS 6.2, *) else {
            // Older systems have no reading that throws. They map the file, and read the pages in use.
            return try Data(contentsOf: url, options: .mappedIfSafe).prefix(count)
        }
        let file = try FileHandle(forReadingFrom: url)
        defer { try? file.close() }
        return try file.read(upToCount: count) ?? Data()
    }
}
