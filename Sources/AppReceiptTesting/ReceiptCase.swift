/// A test case: what the app finds before any refresh, and the simulated outcome of a refresh.
public struct ReceiptCase: Sendable, Hashable {
    /// What a test gives the app to find before any refresh: a receipt, good or bad, or none.
    public enum Found: String, Sendable, Hashable, CaseIterable {
        /// There is no receipt, as after a build is copied to a device.
        case nothing
        /// The receipt file exists and is empty.
        case emptyFile
        /// The file has text instead of a receipt, such as the sign-in page of a network.
        case text
        /// A valid receipt whose second half is missing.
        case truncated
        /// A receipt in which one bit of the signed content was changed after signing.
        case tampered
        /// A forged receipt: its certificates have the names of the trusted ones, but other keys.
        case forgedRoot
        /// A receipt whose signing certificate lacks the marker of the App Store, as a developer's does.
        case developerCertificate
        /// A receipt with the bundle identifier of another app.
        case otherApp
        /// A receipt of another version of the app, as after an update that did not replace it.
        case otherVersion
        /// A receipt of another device, as after a backup was restored.
        case otherDevice
        /// A receipt from an environment that the app does not accept.
        case otherEnvironment
        /// A receipt of the Volume Purchase Program whose expiration date is one day past.
        case expiredLicense
        /// A valid receipt: the app was first downloaded in its present version; nothing was bought.
        case nothingBought
        /// A valid receipt without purchases: the app was first downloaded in its last paid version.
        case paidBeforeFree
        /// A valid receipt with a purchase of the app's product.
        case product
        /// A valid receipt with a purchase of the app's product that was refunded two days ago.
        case refundedProduct
        /// A valid receipt with a subscription that expires in 20 days.
        case subscription
        /// A valid receipt with a subscription that expired one day ago.
        case lapsedSubscription
        /// A receipt of the Volume Purchase Program that expires in 30 days. It is valid if the app accepts
        /// `ProductionVPP`.
        case volumeLicense

        /// Whether the receipt is valid, so that the app needs no refresh.
        ///
        /// True for `volumeLicense`, although an app that does not accept `ProductionVPP` refuses it.
        public var isValid: Bool {
            switch self {
            case .nothingBought, .paidBeforeFree, .product, .refundedProduct, .subscription,
                .lapsedSubscription, .volumeLicense:
                true
            default: false
            }
        }

        /// Whether there may be a Volume Purchase license: `nothing`, `expiredLicense` or `volumeLicense`.
        var mayBeLicense: Bool { self == .nothing || self == .expiredLicense || self == .volumeLicense }
    }

    /// The simulated outcome when the app asks the App Store for a new receipt.
    public enum Refresh: String, Sendable, Hashable, CaseIterable {
        /// The refresh fails, because the device is offline or the customer does not sign in.
        case fails
        /// The refresh finishes, and the app finds what it found before: the same receipt, or none.
        case changesNothing
        /// The refresh finishes and brings a valid receipt with a purchase of the app's product.
        case helps
        /// The refresh finishes and brings an expired receipt of the Volume Purchase Program, as after the
        /// license was revoked.
        case revokesLicense
    }

    /// What the app finds before any refresh: a receipt, good or bad, or none.
    public let found: Found
    /// The simulated outcome of a refresh.
    public let refresh: Refresh

    /// Creates a case of any combination. `allCases` has the ones that an app should be tested with.
    public init(_ found: Found, refresh: Refresh) {
        self.found = found
        self.refresh = refresh
    }
}

extension ReceiptCase: CaseIterable {
    /// Every invalid find with each of `fails`, `changesNothing` and `helps`, and every valid find with
    /// `changesNothing`.
    ///
    /// `revokesLicense` is added for `nothing`, `expiredLicense` and `volumeLicense`.
    public static var allCases: [ReceiptCase] {
        Found.allCases.flatMap { found in
            let refreshes: [Refresh] = found.isValid ? [.changesNothing] : [.fails, .changesNothing, .helps]
            let revoked: [Refresh] = found.mayBeLicense ? [.revokesLicense] : []
            return (refreshes + revoked).map { ReceiptCase(found, refresh: $0) }
        }
    }
}

extension ReceiptCase: CustomStringConvertible {
    /// The names of the find and of the refresh, such as `otherVersion, refresh helps`.
    public var description: String { "\(found), refresh \(refresh)" }
}
