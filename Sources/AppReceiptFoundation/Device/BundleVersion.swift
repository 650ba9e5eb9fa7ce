import Foundation

extension Bundle {
    /// The version of the app in the form that its receipt holds: `CFBundleShortVersionString` on the Mac and
    /// in Mac Catalyst, and `CFBundleVersion` elsewhere. Nil if Info.plist has none.
    ///
    /// Someone who changes the app can change its Info.plist, too. Apple's guide recommends to compare the
    /// receipt with a constant in the code; take this value for a constant to be written, or for a test.
    public var receiptAppVersion: String? {
        #if os(macOS) || targetEnvironment(macCatalyst)
            object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String
        #else
            object(forInfoDictionaryKey: "CFBundleVersion") as? String
        #endif
    }
}
