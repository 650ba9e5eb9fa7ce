import AppReceipt
import AppReceiptMint
import Basics
import DER
import PKIX
import RSA
import TestSupport
import Testing
import TransactionReceipt

/// A receipt that must be refused: what is changed in a good one, and where the fault is found.
struct TransactionForgery: Sendable, CustomTestStringConvertible {
    let name: String
    let version: SignatureVersion
    let step: ReceiptError.Step
    let code: Refusal.Code
    let change: @Sendable (inout TransactionReceiptTemplate, TransactionReceiptMint) -> Void

    var testDescription: String { "\(name), version \(version.rawValue)" }

    /// The forgery for all versions.
    static func make(
        _ name: String,
        _ step: ReceiptError.Step,
        _ code: Refusal.Code,
        _ change: @escaping @Sendable (inout TransactionReceiptTemplate, TransactionReceiptMint) -> Void
    ) -> [Self] {
        make(name, SignatureVersion.allCases, step, code, change)
    }

    /// The forgery for some versions.
    static func make(
        _ name: String,
        _ versions: [SignatureVersion],
        _ step: ReceiptError.Step,
        _ code: Refusal.Code,
        _ change: @escaping @Sendable (inout TransactionReceiptTemplate, TransactionReceiptMint) -> Void
    ) -> [Self] {
        versions.map { Self(name: name, version: $0, step: step, code: code, change: change) }
    }

    /// The mint's leaf with a change.
    static func reissue(
        _ mint: TransactionReceiptMint,
        signedBy key: PrivateKey? = nil,
        _ change: (inout CertificateTemplate) -> Void
    ) -> [UInt8] {
        mint.pki.reissued(.leaf, signedBy: key, change).leaf.certificate
    }

    /// Signs over the octet of another version. The written octet and the hash algorithm stay.
    static func signOver(_ version: SignatureVersion, _ receipt: inout TransactionReceiptTemplate) {
        receipt.writtenVersion = receipt.version
        receipt.version = version.rawValue
    }

    static func without(_ marker: ExtensionTemplate, _ template: inout CertificateTemplate) {
        template.extensions.removeAll { $0.identifier == marker.identifier }
    }
}

extension TransactionForgery {
    /// 2015-06-01T12:00:00Z, the purchase date of the mint's receipts.
    static let purchase: Int64 = 1_433_160_000_000

    static let ofSignature: [Self] = [
        make("a foreign purchase-info under a genuine certificate", .signature, .signatureMismatch) {
            receipt,
            _ in
            let foreign = receipt.entries.map {
                $0.key == "product-id" ? ("product-id", "com.example.app.all") : $0
            }
            receipt.writtenInfo = TransactionReceiptTemplate.propertyList(foreign)
        },
        make("a space more behind the signed purchase-info", .signature, .signatureMismatch) { receipt, _ in
            receipt.writtenInfo = TransactionReceiptTemplate.propertyList(receipt.entries) + [0x20]
        },
        make("a signature over the octet of version 2", [.three, .four], .signature, .signatureMismatch) {
            receipt,
            _ in
            signOver(.two, &receipt)
        },
        make("a signature over the octet of version 3", [.two, .four], .signature, .signatureMismatch) {
            receipt,
            _ in
            signOver(.three, &receipt)
        },
        make("a signature over the octet of version 4", [.two, .three], .signature, .signatureMismatch) {
            receipt,
            _ in
            signOver(.four, &receipt)
        },
        make("a signature by another key", .signature, .signatureMismatch) { receipt, mint in
            guard mint.version != .two else {
                receipt.key = PrivateKey(.rsa1024, seed: 77)
                return
            }
            // The certificate's modulus is larger, so the signature is in range.
            receipt.certificate = reissue(mint) {
                $0.subjectPublicKeyInfo = Keys.pki.intermediate.subjectPublicKeyInfo
            }
        },
        make("a signature with SHA-1", [.four], .signature, .signatureMismatch) { receipt, _ in
            receipt.hash = .sha1
        },
        make("a signature with SHA-256", [.two, .three], .signature, .signatureMismatch) { receipt, _ in
            receipt.hash = .sha256
        },
        make("a signature with SHA-384", .signature, .signatureMismatch) { receipt, _ in
            receipt.hash = .sha384
        },
        make("a signature with SHA-512", .signature, .signatureMismatch) { receipt, _ in
            receipt.hash = .sha512
        },
        make("version 4 written over a receipt of version 3", [.three], .signature, .signatureMismatch) {
            receipt,
            _ in
            receipt.writtenVersion = 4
        },
        make("version 3 written over a receipt of version 4", [.four], .signature, .signatureMismatch) {
            receipt,
            _ in
            receipt.writtenVersion = 3
        },
        make("a signature of zeros", .signature, .signatureMismatch) { receipt, mint in
            receipt.signature = [UInt8](repeating: 0, count: mint.version == .two ? 128 : 256)
        },
        make("a signature of ones, which is not below the modulus", .signature, .signatureOutOfRange) {
            receipt,
            mint in
            receipt.signature = [UInt8](repeating: 0xFF, count: mint.version == .two ? 128 : 256)
        },
        make("a purchase-info without the octet of the version", .signature, .signatureMismatch) {
            receipt,
            _ in
            let list = TransactionReceiptTemplate.propertyList(receipt.entries)
            receipt.signature = receipt.key.sign(receipt.hash.digest(of: list.borrowedSpan))
        },
    ].flatMap { $0 }

    static let ofBlob: [Self] = [
        make("version 1", .container, .unsupportedSignatureVersion) { receipt, _ in receipt.writtenVersion = 1
        },
        make("version 0", .container, .unsupportedSignatureVersion) { receipt, _ in
            receipt.writtenVersion = 0
        },
        make("version 5", .container, .unsupportedSignatureVersion) { receipt, _ in
            receipt.writtenVersion = 5
        },
        make("version 255", .container, .unsupportedSignatureVersion) { receipt, _ in
            receipt.writtenVersion = 255
        },
        make("version 3 written over version 2", [.two], .container, .truncatedSignature) { receipt, _ in
            receipt.writtenVersion = 3
        },
        make("version 4 written over version 2", [.two], .container, .truncatedSignature) { receipt, _ in
            receipt.writtenVersion = 4
        },
        make("version 2 written over another", [.three, .four], .container, .truncatedSignature) {
            receipt,
            _ in
            receipt.writtenVersion = 2
            receipt.signature = [UInt8](repeating: 0xFF, count: 256)
        },
        make("a byte behind the certificate", .container, .bytesAfterCertificate) { receipt, _ in
            receipt.bytesAfterCertificate = [0]
        },
        make("a certificate's length that is one too large", .container, .truncatedSignature) {
            receipt,
            _ in
            receipt.certificateLength = UInt32(receipt.certificate.count + 1)
        },
        make("a certificate's length that is one too small", .container, .bytesAfterCertificate) {
            receipt,
            _ in
            receipt.certificateLength = UInt32(receipt.certificate.count - 1)
        },
        make("a certificate's length of 2^32 - 1", .container, .truncatedSignature) { receipt, _ in
            receipt.certificateLength = .max
        },
        make("a certificate's length of 2^31", .container, .truncatedSignature) { receipt, _ in
            receipt.certificateLength = 1 << 31
        },
        make("a certificate's length of zero", .container, .bytesAfterCertificate) { receipt, _ in
            receipt.certificateLength = 0
        },
        make("a certificate that ends early", .certificatePath, .truncated) { receipt, _ in
            receipt.certificate.removeLast()
        },
        make("a byte behind the certificate, within its length", .certificatePath, .trailingBytes) {
            receipt,
            _ in
            receipt.certificate.append(0)
        },
        make("no certificate", .certificatePath, .truncated) { receipt, _ in receipt.certificate = [] },
        make("a signature that is one octet short", .container, .truncatedSignature) { receipt, _ in
            receipt.signature = [UInt8](repeating: 1, count: receipt.key.modulusByteCount - 1)
        },
    ].flatMap { $0 }

    static let ofCertificates: [Self] = [
        make("a leaf without a marker", .leafMarker, .missingVersionLeafMarker) { receipt, mint in
            receipt.certificate = reissue(mint) {
                without(.purchaseReceiptMarker, &$0)
                without(.leafMarker, &$0)
            }
        },
        make("a developer's certificate by the same intermediate", .leafMarker, .missingVersionLeafMarker) {
            receipt,
            mint in
            receipt.certificate = reissue(mint) {
                without(.purchaseReceiptMarker, &$0)
                without(.leafMarker, &$0)
                // The marker of a certificate that signs apps for the App Store.
                $0.extensions.append(.marker(ObjectIdentifier(1, 2, 840, 113635, 100, 6, 1, 4)))
            }
        },
        make("a leaf with the other version's marker", .leafMarker, .missingVersionLeafMarker) {
            receipt,
            mint in
            receipt.certificate = reissue(mint) {
                without(.purchaseReceiptMarker, &$0)
                without(.leafMarker, &$0)
                $0.extensions.append(mint.version == .two ? .leafMarker : .purchaseReceiptMarker)
            }
        },
        make("a leaf with the intermediate's marker", .leafMarker, .missingVersionLeafMarker) {
            receipt,
            mint in
            receipt.certificate = reissue(mint) {
                without(.purchaseReceiptMarker, &$0)
                without(.leafMarker, &$0)
                $0.extensions.append(mint.version == .two ? .iTunesStoreMarker : .intermediateMarker)
            }
        },
        make("a leaf that has expired at the purchase date", .certificatePath, .expired) { receipt, mint in
            receipt.certificate = reissue(mint) {
                $0.notAfter = Timestamp(millisecondsSince1970: purchase - 1000)
            }
        },
        make("a leaf that is not valid yet at the purchase date", .certificatePath, .notYetValid) {
            receipt,
            mint in
            receipt.certificate = reissue(mint) {
                $0.notBefore = Timestamp(millisecondsSince1970: purchase + 1000)
            }
        },
        make("a leaf whose issuer has another name", .certificatePath, .issuerNotFound) { receipt, mint in
            receipt.certificate = reissue(mint) { $0.issuer = NameTemplate(commonName: "Another") }
        },
        make("a leaf that another key signed", .certificatePath, .signatureMismatch) { receipt, mint in
            // The modulus is smaller than that of the issuer, so the signature is in range.
            receipt.certificate = reissue(mint, signedBy: Keys.pki.leaf) { _ in }
        },
        make("a leaf whose key may not sign", .certificatePath, .missingDigitalSignature) { receipt, mint in
            receipt.certificate = reissue(mint) {
                without(.keyUsage([]), &$0)
                $0.extensions.append(.keyUsage([.keyEncipherment]))
            }
        },
        make("a leaf with an unknown critical extension", .certificatePath, .unknownCriticalExtension) {
            receipt,
            mint in
            receipt.certificate = reissue(mint) {
                $0.extensions.append(.marker(ObjectIdentifier(1, 2, 3), isCritical: true))
            }
        },
        make(
            "the intermediate as its own signer",
            [.three, .four],
            .certificatePath,
            .missingDigitalSignature
        ) {
            receipt,
            mint in
            receipt.certificate = mint.pki.intermediate.certificate
            receipt.key = mint.pki.intermediate.key
        },
        make("a key of 1024 bits", [.three, .four], .signature, .keyTooSmall) { receipt, mint in
            receipt.certificate = reissue(mint) {
                $0.subjectPublicKeyInfo = Keys.bits1024.subjectPublicKeyInfo
            }
        },
        make("a key of 4096 bits", .signature, .signatureLength) { receipt, mint in
            receipt.certificate = reissue(mint) {
                $0.subjectPublicKeyInfo = Keys.bits4096.subjectPublicKeyInfo
            }
        },
        make("a key of 2048 bits in version 2", [.two], .signature, .signatureLength) { receipt, mint in
            receipt.certificate = reissue(mint) {
                $0.subjectPublicKeyInfo = Keys.bits2048.subjectPublicKeyInfo
            }
        },
        make("a key that is not RSA", .signature, .notAnRSAKey) { receipt, mint in
            receipt.certificate = reissue(mint) {
                // SubjectPublicKeyInfo of an elliptic curve (RFC 5480), with an empty key.
                $0.subjectPublicKeyInfo = hex("3018301306072a8648ce3d020106082a8648ce3d030107030100")
            }
        },
    ].flatMap { $0 }

    static let ofPurchaseInfo: [Self] = [
        make("no purchase date", .creationDate, .missingPurchaseDate) { receipt, _ in
            receipt["purchase-date-ms"] = nil
            receipt["purchase-date"] = nil
        },
        make("a purchase date in letters", .creationDate, .invalidPurchaseInfoDate) { receipt, _ in
            receipt["purchase-date-ms"] = "today"
        },
        make("a negative purchase date", .creationDate, .invalidPurchaseInfoDate) { receipt, _ in
            receipt["purchase-date-ms"] = "-1"
        },
        make("an empty purchase date", .creationDate, .invalidPurchaseInfoDate) { receipt, _ in
            receipt["purchase-date-ms"] = ""
        },
        make("a purchase date of 16 digits", .creationDate, .invalidPurchaseInfoDate) { receipt, _ in
            receipt["purchase-date-ms"] = "1433160000000000"
        },
        make("a purchase date in another zone", .creationDate, .invalidPurchaseInfoDate) { receipt, _ in
            receipt["purchase-date-ms"] = nil
            receipt["purchase-date"] = "2015-06-01 12:00:00 Etc/UTC"
        },
        make("a purchase on 30 February", .creationDate, .invalidPurchaseInfoDate) { receipt, _ in
            receipt["purchase-date-ms"] = nil
            receipt["purchase-date"] = "2015-02-30 12:00:00 Etc/GMT"
        },
        make("no product", .payload, .missingPurchasedProduct) { receipt, _ in receipt["product-id"] = nil },
        make("an empty product", .payload, .missingPurchasedProduct) { receipt, _ in
            receipt["product-id"] = ""
        },
        make("no transaction", .payload, .missingTransactionIdentifier) { receipt, _ in
            receipt["transaction-id"] = nil
        },
        make("a quantity of zero", .payload, .invalidQuantity) { receipt, _ in receipt["quantity"] = "0" },
        make("a quantity with a sign", .payload, .invalidQuantity) { receipt, _ in
            receipt["quantity"] = "+1"
        },
        make("a quantity of ten digits", .payload, .invalidQuantity) { receipt, _ in
            receipt["quantity"] = "1000000000"
        },
        make("an expiry that is a date", .payload, .invalidPurchaseInfoDate) { receipt, _ in
            receipt["expires-date"] = "2015-06-01 12:00:00 Etc/GMT"
        },
        make("an empty expiry", .payload, .invalidPurchaseInfoDate) { receipt, _ in
            receipt["expires-date"] = ""
        },
        make("a flag that is a number", .payload, .invalidPurchaseInfoFlag) { receipt, _ in
            receipt["is-trial-period"] = "1"
        },
        make("a flag in capital letters", .payload, .invalidPurchaseInfoFlag) { receipt, _ in
            receipt["is-in-intro-offer-period"] = "True"
        },
        make("an empty flag", .payload, .invalidPurchaseInfoFlag) { receipt, _ in
            receipt["is-in-intro-offer-period"] = ""
        },
        make("another app", .bundleIdentifier, .bundleIdentifierMismatch) { receipt, _ in
            receipt["bid"] = "com.example.other"
        },
        make("an app whose name only begins in the same way", .bundleIdentifier, .bundleIdentifierMismatch) {
            receipt,
            _ in
            receipt["bid"] = "com.example.app.more"
        },
        make("no app", .bundleIdentifier, .missingPurchasedApp) { receipt, _ in receipt["bid"] = nil },
        make("the name of production", .environment, .environmentMismatch) { receipt, _ in
            receipt.outerEntries[0].value = "Production"
        },
        make("an unknown environment", .environment, .environmentMismatch) { receipt, _ in
            receipt.outerEntries[0].value = "sandbox"
        },
        make("the sandbox's transaction without its environment", .environment, .environmentContradiction) {
            receipt,
            _ in
            receipt.outerEntries.removeFirst()
        },
        make("production where the sandbox is expected", .environment, .environmentMismatch) { receipt, _ in
            receipt.outerEntries.removeFirst()
            receipt["transaction-id"] = "170000029449420"
        },
    ].flatMap { $0 }

    static let all = ofSignature + ofBlob + ofCertificates + ofPurchaseInfo
}
