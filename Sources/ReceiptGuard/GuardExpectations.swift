import AppReceipt

/// The values that the app expects of a receipt. They are written into the app's code.
package struct GuardExpectations: Sendable {
    /// The bundle identifier that attribute 2 of the receipt must hold.
    package var bundleIdentifier: String
    /// The app's version that attribute 3 of the receipt must hold; nil if the version is not checked.
    package var appVersion: String?
    /// The environments that attribute 0 of the receipt may name.
    package var environments: [ReceiptEnvironment] = [.production, .productionSandbox]
    /// The SHA-256 fingerprints of the trusted roots; Apple's by default.
    package var roots: [Digest] = TrustPolicy.appStore.anchors.map { $0.fingerprint }

    /// Expects a bundle identifier, Apple's roots, production or the sandbox, and any version.
    package init(bundleIdentifier: String) { self.bundleIdentifier = bundleIdentifier }
}
