import AppReceipt

/// The values that the app expects of a receipt. They are written into the app's code.
package struct GuardExpectations: Sendable {
    /// The bundle identifier that attribute 2 must hold.
    package var bundleIdentifier: String
    /// The version that attribute 3 must hold; nil if the version is not checked.
    package var appVersion: String?
    /// The environments that attribute 0 may name.
    package var environments: [ReceiptEnvironment] = [.production, .productionSandbox]
    /// The SHA-256 fingerprints of the trusted roots; Apple's by default.
    package var roots: [Digest] = TrustPolicy.appStore.anchors.map { $0.fingerprint }

    /// Expectations of an app in the App Store.
    package init(bundleIdentifier: String) { self.bundleIdentifier = bundleIdentifier }
}
