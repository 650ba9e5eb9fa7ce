import AppReceipt

/// What the app expects of a receipt, to be written into the app's code.
package struct GuardExpectations: Sendable {
    /// The bundle identifier that attribute 2 must hold.
    package var bundleIdentifier: String
    /// The version that attribute 3 must hold; nil if the version is not checked.
    package var appVersion: String?
    /// The environments that attribute 0 may name.
    package var environments: [ReceiptEnvironment] = [.production, .productionSandbox]
    /// The SHA-256 fingerprints of the trusted roots; Apple's by default.
    package var roots: [Digest] = TrustPolicy.appStore.fingerprints

    /// Expectations of an app in the App Store.
    package init(bundleIdentifier: String) { self.bundleIdentifier = bundleIdentifier }

    /// The validator with these expectations, to compare verdicts with.
    package func validator(
        deviceIdentifiers: [DeviceIdentifier]? = nil,
        now: Timestamp? = nil
    ) -> ReceiptValidator {
        ReceiptValidator(
            environments: .only(environments),
            bundleIdentifier: .exactly(bundleIdentifier),
            trust: .pinned(roots.compactMap { TrustAnchor(fingerprint: $0) }),
            appVersion: appVersion,
            deviceIdentifiers: deviceIdentifiers,
            now: now
        )
    }
}
