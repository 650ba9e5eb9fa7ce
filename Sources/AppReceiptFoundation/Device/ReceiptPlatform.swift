import Foundation

/// A system that receipts are made for.
public enum ReceiptPlatform: Sendable, Hashable, CaseIterable {
    /// iOS and iPadOS.
    case iOS
    /// tvOS.
    case tvOS
    /// watchOS.
    case watchOS
    /// visionOS.
    case visionOS
    /// macOS.
    case macOS
    /// An iPad app that was built for the Mac.
    case macCatalyst

    /// The platform that this code was compiled for; nil on systems without an App Store.
    public static var current: ReceiptPlatform? {
        #if targetEnvironment(macCatalyst)
            .macCatalyst
        #elseif os(macOS)
            .macOS
        #elseif os(iOS)
            .iOS
        #elseif os(tvOS)
            .tvOS
        #elseif os(watchOS)
            .watchOS
        #elseif os(visionOS)
            .visionOS
        #else
            nil
        #endif
    }

    /// The key in Info.plist of the version that a receipt holds in attribute 3: `CFBundleShortVersionString`
    /// on the Mac, and `CFBundleVersion` elsewhere.
    public var versionKey: String {
        switch self {
        case .macOS, .macCatalyst: "CFBundleShortVersionString"
        case .iOS, .tvOS, .watchOS, .visionOS: "CFBundleVersion"
        }
    }

    /// The version of an app in the form that its receipt holds.
    ///
    /// Someone who changes the app can change its Info.plist, too. Apple's guide recommends to compare the
    /// receipt with a constant in the code; take this value for a constant to be written, or for a test.
    ///
    /// - Parameter bundle: the app's bundle.
    /// - Returns: the value of ``versionKey``; nil if Info.plist has none.
    public func appVersion(of bundle: Bundle = .main) -> String? {
        bundle.object(forInfoDictionaryKey: versionKey) as? String
    }
}
