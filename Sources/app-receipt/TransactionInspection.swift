import AppReceipt
import ReceiptResults
import TransactionReceipt

extension Output {
    /// Shows a transaction receipt to a person, or its error. Calls its values claims unless `isVerified`.
    mutating func show(transaction container: [UInt8], _ isVerified: Bool) {
        let info: UnverifiedPurchaseInfo
        do throws(ReceiptError) {
            info = try UnverifiedPurchaseInfo(unverified: container)
        } catch {
            heading("Transaction receipt: it cannot be read")
            return broken(error.code, at: error.offset, reading: error.reading)
        }
        heading("Property list, which is not signed")
        field("size", "\(container.count) bytes")
        field("signature version", "\(info.signatureVersion.rawValue)")
        for entry in info.outerEntries where entry.key != "signature" && entry.key != "purchase-info" {
            field(entry.key, entry.value)
        }
        let outline = Outline(certificate: Array(info.signingCertificate))
        for index in outline.certificates.indices { showCertificate(index, outline) }
        heading("Purchase\(isVerified ? "" : ", as the bytes claim")")
        field("bought", "\(info.purchaseDate)")
        if let expiresDate = info.expiresDate { field("expires", "\(expiresDate)") }
        for entry in info.entries { field(entry.key, entry.value) }
    }
}
