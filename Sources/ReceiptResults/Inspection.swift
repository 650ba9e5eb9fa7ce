import AppReceipt
import Basics
import DER
import JSONText
import PKIX
import TransactionReceipt

extension JSONWriter {
    /// Writes the certificates of a container that ``Outline`` lists and, unless `isValid`, the unverified
    /// values of its receipt if they decode. The list is empty for a transaction receipt that does not
    /// decode.
    package mutating func inspection(_ container: [UInt8], isValid: Bool) {
        let outline: Outline
        if ReceiptInput.isPropertyList(container) {
            let claimed = try? UnverifiedPurchaseInfo(unverified: container)
            if !isValid, let claimed {
                member("unverified_transaction_receipt") {
                    $0.transaction(claimed, contentDigest: nil, withEntries: true)
                }
            }
            outline = Outline(certificate: claimed.map { Array($0.signingCertificate) } ?? [])
        } else {
            outline = Outline(container)
            if !isValid, let claimed = outline.receipt {
                member("unverified_receipt") { $0.receipt(claimed, contentDigest: nil) }
            }
        }
        member("certificates", array: outline.certificates) { array, certificate in
            array.element { $0.certificate(certificate, in: outline.bytes) }
        }
    }

    mutating func certificate(_ listed: Outline.ListedCertificate, in bytes: [UInt8]) {
        member("sha256", listed.isWhole ? listed.fingerprint.description : nil)
        member("subject", listed.decoded.map { $0.text(of: $0.subject, bytes) })
        member("issuer", listed.decoded.map { $0.text(of: $0.issuer, bytes) })
        member("serial_number", hex: listed.decoded.map { bytes[$0.serialNumber] })
        member("not_before", listed.decoded?.validity.notBefore)
        member("not_after", listed.decoded?.validity.notAfter)
        member("offset", Int64(listed.range.lowerBound))
        member("code", listed.fault?.code.name.description)
    }
}

extension Certificate {
    /// Returns the issuer's or subject's name as `C=US, O=Example`. `bytes` is the buffer that the
    /// certificate was decoded from.
    package func text(of name: Name, _ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for attribute in view(in: bytes.borrowedSpan).attributes(of: name) {
            if !text.isEmpty { text.append(utf8: ", " as StaticString) }
            let dotted = ObjectIdentifier.dotted(bytes.borrowedSpan, in: attribute.type) ?? "?"
            text.append(utf8: ObjectIdentifierName.of(dotted) ?? dotted)
            text.append(UInt8(ascii: "="))
            text.append(bytes.borrowedSpan, in: attribute.value.contents)
        }
        return String(utf8: text.borrowedSpan)
    }
}
