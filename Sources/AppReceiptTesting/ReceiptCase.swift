/// A case of the matrix: the receipt that the app finds, and the effect of a refresh.
public struct ReceiptCase: Sendable, Hashable {
    /// The receipt that the app finds before any refresh.
    public enum Found: String, Sendable, Hashable, CaseIterable {
        /// There is no receipt, as after a build is copied to a device.
        case nothing
        /// The file exists and is empty.
        case emptyFile
        /// The file has text instead of a receipt, such as the page of a captive network.
        case text
        /// The second half of the receipt is missing.
        case truncated
        /// One bit of the signed content was changed.
        case tampered
        /// The receipt was forged: its certificates look like the trusted ones, and its root is another.
        case forgedRoot
        /// The receipt was signed with a developer's certificate, which lacks the marker of the App Store.
        case developerCertificate
        /// The receipt belongs to another app.
        case otherApp
        /// The receipt belongs to another version of the app, as after an update that did not replace it.
        case otherVersion
        /// The receipt belongs to another device, as after a backup was restored.
        case otherDevice
        /// The receipt is from an environment that the app does not accept.
        case otherEnvironment
        /// The receipt's license of the Volume Purchase Program has expired.
        case expiredLicense
        /// The app was downloaded when it was free, and nothing was bought.
        case nothingBought
        /// The app was paid for before it became free.
        case paidBeforeFree
        /// The product was bought.
        case product
        /// The product was bought and refunded.
        case refundedProduct
        /// The subscription is active.
        case subscription
        /// The subscription has expired.
        case lapsedSubscription
        /// The app was bought in the Volume Purchase Program, and its license runs for 30 more days.
        case volumeLicense

        /// Whether the receipt is valid. The app then needs no refresh.
        ///
        /// A license of the Volume Purchase Program is valid only if the app accepts `ProductionVPP`.
        public var isValid: Bool {
            switch self {
            case .nothingBought, .paidBeforeFree, .product, .refundedProduct, .subscription,
                .lapsedSubscription, .volumeLicense:
                true
            default: false
            }
        }

        /// Whether a license of the Volume Purchase Program may be behind what is found.
        var mayBeLicense: Bool { self == .nothing || self == .expiredLicense || self == .volumeLicense }
    }

    /// The simulated outcome when the app asks the App Store for a new receipt.
    public enum Refresh: String, Sendable, Hashable, CaseIterable {
        /// The refresh fails, because the device is offline or the customer does not sign in.
        case fails
        /// The refresh finishes, and the app finds what it found before.
        case changesNothing
        /// The refresh brings a valid receipt with the bought product.
        case helps
        /// The refresh brings a receipt whose license of the Volume Purchase Program was revoked: it has
        /// expired.
        case revokesLicense
    }

    /// The receipt that the app finds before any refresh.
    public let found: Found
    /// The effect of a refresh.
    public let refresh: Refresh

    /// Any combination is possible. `allCases` has the combinations that an app should be tested with.
    public init(_ found: Found, refresh: Refresh) {
        self.found = found
        self.refresh = refresh
    }
}

extension ReceiptCase: CaseIterable {
    /// Every invalid find with every refresh, and every valid find once.
    ///
    /// A license is revoked only where there may be one. A valid receipt needs no refresh, except where the
    /// refresh revokes the license.
    public static var allCases: [ReceiptCase] {
        Found.allCases.flatMap { found in
            let refreshes: [Refresh] = found.isValid ? [.changesNothing] : [.fails, .changesNothing, .helps]
            let revoked: [Refresh] = found.mayBeLicense ? [.revokesLicense] : []
            return (refreshes + revoked).map { ReceiptCase(found, refresh: $0) }
        }
    }
}

extension ReceiptCase: CustomStringConvertible {
    /// The names of both parts, such as `otherVersion, refresh helps`.
    public var description: String { "\(found), refresh \(refresh)" }
}
