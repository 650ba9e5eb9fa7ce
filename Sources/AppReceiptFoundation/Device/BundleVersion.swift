import Foundation

extension Bundle {
    /// The version of the app in this bundle, as the app's receipt has it: `CFBundleShortVersionString` on
    /// the Mac and in Mac Catalyst, and `CFBundleVersion` elsewhere. Nil if the bundle's Info.plist has no
    /// such string.
    ///
    /// Someone who changes the app can change its Info.plist, too. Apple's guide recommends to compare the
    /// receipt with a constant in the code; use this value to find that constant, or in a test.
    public var receiptAppVersion: String? {
        #if os(macOS) || targetEnvironment(macCatalyst)
            object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String
        #else
            object(forInfoDictionaryKey: "CFBundleVersion") as? String
        #endif
    }
}
