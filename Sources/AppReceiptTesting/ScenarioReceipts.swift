import AppReceipt
import AppReceiptMint
import Basics
import DER
import RSA

/// The mints of all scenarios' receipts, and the PKI from which all scenarios' tokens are made. Each of these
/// is made once, because that takes signatures.
enum TestMints {
    /// The mint whose root the app trusts in its tests.
    static let trusted = ReceiptMint()
    /// A mint whose certificates have the names of the trusted mint's certificates, but other keys.
    static let impostor = ReceiptMint(seed: 2)
    /// The certificates under whose root the app trusts tokens in its tests.
    static let tokens = TokenPKI(seed: 1)
    /// A mint under the trusted root whose leaf lacks the receipt marker. Developers' certificates lack
    /// the marker, too.
    static let developer: ReceiptMint = {
        var options = PrivatePKI.Options()
        options.markers = .intermediateOnly
        return ReceiptMint(PrivatePKI(seed: 1, options: options))
    }()
}

/// Makes the receipts of the cases for one app, each with its expected outcome.
struct ScenarioReceipts {
    private let app: AppUnderTest

    init(_ app: AppUnderTest) {
        app.requireRanges()
        self.app = app
    }

    /// The bytes that are found, nil for `nothing`, and the expected outcome: `missing` if there are no
    /// bytes, otherwise the one that the app's validator must give.
    func found(_ found: ReceiptCase.Found) -> (receipt: [UInt8]?, outcome: ReceiptOutcome) {
        var (payload, mint) = (payload, TestMints.trusted)
        var facts = ReceiptFacts(originalAppVersion: app.version)
        var refusal: ReceiptOutcome?
        switch found {
        case .nothing: return (nil, .missing)
        case .emptyFile: return ([], .missing)
        case .text:
            let page = "<html>Sign in to the network</html>"
            return ([UInt8](page.utf8), .refused(.container, .textGiven))
        case .truncated:
            let receipt = mint.receipt(payload)
            return (Array(receipt.prefix(receipt.count / 2)), .refused(.container, .truncated))
        case .tampered: return (tampered(), .refused(.signature, .signatureMismatch))
        case .forgedRoot:
            mint = TestMints.impostor
            refusal = .refused(.root, .untrustedRoot)
        case .developerCertificate:
            mint = TestMints.developer
            refusal = .refused(.leafMarker, .missingLeafMarker)
        case .otherApp:
            payload.bundleIdentifier = app.bundleIdentifier + ".other"
            refusal = .refused(.bundleIdentifier, .bundleIdentifierMismatch)
        case .otherVersion:
            payload.appVersion = app.version + ".1"
            refusal = .refused(.appVersion, .appVersionMismatch)
        case .otherDevice:
            payload.deviceIdentifier = app.device.other.bytes
            refusal = .refused(.deviceHash, .deviceHashMismatch)
        case .otherEnvironment:
            payload.environment = otherEnvironment
            refusal = .refused(.environment, .environmentMismatch)
        case .nothingBought: break
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
        case .volumeLicense, .expiredLicense:
            payload.environment = ReceiptEnvironment.productionVPP.name
            payload.expirationDate = app.now + (found == .expiredLicense ? .days(-1) : .days(30))
            facts.isVolumeLicense = true
            if found == .expiredLicense { refusal = .refused(.expirationDate, .receiptExpired) }
            if !app.environments.contains(.productionVPP) {
                refusal = .refused(.environment, .environmentMismatch)
            }
        }
        return (mint.receipt(payload), refusal ?? .accepted(facts))
    }

    /// The payload of a valid receipt of the app without in-app purchases, created a day before `app.now`.
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

    /// A purchase ten days before `app.now`: a subscription if it expires, otherwise non-consumable.
    private func purchase(_ product: String, expires: Timestamp? = nil) -> PurchaseTemplate {
        var purchase = PurchaseTemplate(productIdentifier: product, purchaseDate: app.now - .days(10))
        let type: InAppPurchase.ProductType = expires == nil ? .nonConsumable : .autoRenewableSubscription
        purchase.productType = type.rawValue
        purchase.expiresDate = expires
        return purchase
    }

    /// The name of an environment that the app does not accept: `ProductionSandbox`, or else another.
    private var otherEnvironment: String {
        let others: [ReceiptEnvironment] = [.productionSandbox, .productionVPPSandbox, .production, .xcode]
        return others.first { !app.environments.contains($0) }?.name ?? "Unknown"
    }

    /// A signed receipt whose opaque value, which the signature covers, was changed by one bit.
    private func tampered() -> [UInt8] {
        var payload = payload
        let opaqueValue = [UInt8](0xa0...0xaf)
        payload.opaqueValue = opaqueValue
        var receipt = TestMints.trusted.receipt(payload)
        let offset = receipt.indices.first { receipt[$0...].starts(with: opaqueValue) }
        if let offset { receipt[offset] ^= 1 }
        return receipt
    }
}
