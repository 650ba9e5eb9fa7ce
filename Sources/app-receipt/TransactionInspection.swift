import AppReceipt
import ReceiptCorpus
import ReceiptResults
import TransactionReceipt

/// Shows an iOS 6 transaction receipt to a person.
struct TransactionInspection {
    /// The property list.
    let container: [UInt8]
    let isVerified: Bool

    func write(to output: inout Output) {
        let info: UnverifiedPurchaseInfo
        do throws(ReceiptError) {
            info = try UnverifiedPurchaseInfo(unverified: container)
        } catch {
            Inspection.heading("Transaction receipt: it cannot be read", &output)
            let place = "byte \(error.offset), reading \(error.reading)"
            let text = "\(error.code.meaning) (\(error.code.name) at \(place))"
            Inspection.field("broken", text, .bad, &output)
            return
        }
        Inspection.heading("Property list, which is not signed", &output)
        Inspection.field("size", "\(container.count) bytes", &output)
        Inspection.field("signature version", "\(info.signatureVersion.rawValue)", &output)
        for entry in info.outerEntries where entry.key != "signature" && entry.key != "purchase-info" {
            Inspection.field(entry.key, entry.value, &output)
        }
        let outline = Outline(certificate: Array(info.signingCertificate))
        let certificates = Inspection(outline: outline, isVerified: isVerified)
        for (index, certificate) in outline.certificates.enumerated() {
            certificates.showCertificate(index, certificate, &output)
        }
        Inspection.heading("Purchase\(isVerified ? "" : ", as the bytes claim")", &output)
        Inspection.field("bought", "\(info.purchaseDate)", &output)
        if let expiresDate = info.expiresDate { Inspection.field("expires", "\(expiresDate)", &output) }
        for entry in info.entries { Inspection.field(entry.key, entry.value, &output) }
    }
}
