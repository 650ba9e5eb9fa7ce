import AppReceipt
import AppReceiptMint
import DER
import RSA

/// The mints of all scenarios. A mint signs three certificates when it is made, so that one is made of each.
enum TestMints {
    /// The mint whose root the app trusts in its tests.
    static let trusted = ReceiptMint()
    /// A mint with equal names and other keys.
    static let impostor = ReceiptMint(seed: 2)
    /// A mint under the trusted root whose leaf lacks the marker, as the certificates of developers do.
    static let developer: ReceiptMint = {
        var options = PrivatePKI.Options()
        options.markers = .intermediateOnly
        return ReceiptMint(PrivatePKI(seed: 1, options: options))
    }()
}

/// Makes the receipts of the cases for one app, each with its expected outcome.
struct ScenarioReceipts {
    private let app: AppUnderTest
    private var mint: ReceiptMint { TestMints.trusted }

    init(_ app: AppUnderTest) {
        app.requireRanges()
        self.app = app
    }

    /// The receipts and outcomes of all cases.
    func all() -> [ReceiptCase.Found: (receipt: [UInt8]?, outcome: ReceiptOutcome)] {
        var all: [ReceiptCase.Found: (receipt: [UInt8]?, outcome: ReceiptOutcome)] = [:]
        for found in ReceiptCase.Found.allCases { all[found] = self.found(found) }
        return all
    }

    /// The receipt of a case, and what the app's validator must say about it.
    func found(_ found: ReceiptCase.Found) -> (receipt: [UInt8]?, outcome: ReceiptOutcome) {
        switch found {
        case .nothing: (nil, .missing)
        case .emptyFile: ([], .missing)
        case .text:
            ([UInt8]("<html>Sign in to the network</html>".utf8), .refused(.container, .textGiven))
        case .truncated:
            (Array(signed().prefix(signed().count / 2)), .refused(.container, .truncated))
        case .tampered: (tampered(), .refused(.signature, .signatureMismatch))
        case .forgedRoot:
            (signed(by: TestMints.impostor), .refused(.root, .untrustedRoot))
        case .developerCertificate:
            (signed(by: TestMints.developer), .refused(.leafMarker, .missingLeafMarker))
        case .otherApp, .otherVersion, .otherDevice, .otherEnvironment, .expiredLicense:
            unexpected(found)
        case .nothingBought, .paidBeforeFree, .product, .refundedProduct, .subscription,
            .lapsedSubscription, .volumeLicense:
            accepted(found)
        }
    }

    // MARK: Valid receipts

    private func accepted(_ found: ReceiptCase.Found) -> ([UInt8], ReceiptOutcome) {
        var payload = payload
        var facts = ReceiptFacts(originalAppVersion: app.version)
        switch found {
        case .paidBeforeFree:
            payload.originalAppVersion = app.lastPaidVersion
            payload.originalPurchaseDate = app.now - .days(700)
            facts.originalAppVersion = app.lastPaidVersion
        case .product:
            payload.purchases = [purchase(app.product)]
            facts.ownsProduct = true
        case .refundedProduct:
            payload.purchases = [purchase(app.product)]
            payload.purchases[0].cancellationDate = app.now - .days(2)
            payload.purchases[0].cancellationReason = 0
        case .subscription:
            payload.purchases = [purchase(app.subscription, expires: app.now + .days(20))]
            facts.isSubscribed = true
        case .lapsedSubscription:
            payload.purchases = [purchase(app.subscription, expires: app.now - .days(1))]
        case .volumeLicense:
            payload.environment = ReceiptEnvironment.productionVPP.name
            payload.expirationDate = app.now + .days(30)
            facts.isVolumeLicense = true
            guard acceptsLicenses else {
                return (mint.receipt(payload), .refused(.environment, .environmentMismatch))
            }
        default: break
        }
        return (mint.receipt(payload), .accepted(facts))
    }

    private var acceptsLicenses: Bool { app.environments.contains(.productionVPP) }

    /// The payload of a valid receipt without purchases.
    private var payload: PayloadTemplate {
        var payload = PayloadTemplate(bundleIdentifier: app.bundleIdentifier)
        payload.environment = (app.environments.first ?? .production).name
        payload.appVersion = app.version
        payload.originalAppVersion = app.version
        payload.deviceIdentifier = app.device.bytes
        payload.creationDate = app.now - .days(1)
        payload.purchaseDate = app.now - .days(30)
        payload.originalPurchaseDate = app.now - .days(30)
        return payload
    }

    /// A purchase of ten days ago.
    private func purchase(_ product: String, expires: Timestamp? = nil) -> PurchaseTemplate {
        var purchase = PurchaseTemplate(productIdentifier: product, purchaseDate: app.now - .days(10))
        let type: InAppPurchase.ProductType = expires == nil ? .nonConsumable : .autoRenewableSubscription
        purchase.productType = type.rawValue
        purchase.expiresDate = expires
        return purchase
    }

    // MARK: Receipts that are not what the app expects

    private func unexpected(_ found: ReceiptCase.Found) -> ([UInt8], ReceiptOutcome) {
        var payload = payload
        let outcome: ReceiptOutcome
        switch found {
        case .otherApp:
            payload.bundleIdentifier = app.bundleIdentifier + ".other"
            outcome = .refused(.bundleIdentifier, .bundleIdentifierMismatch)
        case .otherVersion:
            payload.appVersion = app.version + ".1"
            outcome = .refused(.appVersion, .appVersionMismatch)
        case .otherDevice:
            payload.deviceIdentifier = app.device.other.bytes
            outcome = .refused(.deviceHash, .deviceHashMismatch)
        case .otherEnvironment:
            payload.environment = otherEnvironment
            outcome = .refused(.environment, .environmentMismatch)
        default:
            payload.environment = ReceiptEnvironment.productionVPP.name
            payload.expirationDate = app.now - .days(1)
            outcome =
                acceptsLicenses
                ? .refused(.expirationDate, .receiptExpired)
                : .refused(.environment, .environmentMismatch)
        }
        return (mint.receipt(payload), outcome)
    }

    /// The name of an environment that the app does not accept: the sandbox, or else another.
    private var otherEnvironment: String {
        let others: [ReceiptEnvironment] = [.productionSandbox, .productionVPPSandbox, .production, .xcode]
        return others.first { !app.environments.contains($0) }?.name ?? "Unknown"
    }

    // MARK: Damaged and forged receipts

    private func signed() -> [UInt8] { mint.receipt(payload) }
    private func signed(by mint: ReceiptMint) -> [UInt8] { mint.receipt(payload) }

    /// A receipt with one changed bit in its opaque value, which the signature covers.
    private func tampered() -> [UInt8] {
        var payload = payload
        let opaqueValue = [UInt8](0xa0...0xaf)
        payload.opaqueValue = opaqueValue
        var receipt = mint.receipt(payload)
        let places = receipt.indices.dropLast(opaqueValue.count - 1)
        if let place = places.first(where: { receipt[$0...].starts(with: opaqueValue) }) {
            receipt[place] ^= 1
        }
        return receipt
    }
}
