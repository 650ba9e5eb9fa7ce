import Basics
import DER
import ECDSA
import PKIX
import RSA
import ReceiptResults

extension Certificate {
    /// Returns the values of a certificate that matter for receipts, with labels for people.
    ///
    /// - Parameter bytes: the buffer that the certificate was read from.
    func fields(in bytes: [UInt8]) -> [(label: String, value: String)] {
        var fields = [
            ("subject", text(of: subject, bytes)),
            ("issuer", view(in: bytes.borrowedSpan).isSelfIssued ? "itself" : text(of: issuer, bytes)),
            ("serial number", Hexadecimal.digits(of: bytes[serialNumber].borrowedSpan)),
            ("valid", "\(validity.notBefore) to \(validity.notAfter)"),
            ("key", keyText(bytes)),
            ("signed with", ASN1Value.identifier(bytes, signatureAlgorithm.algorithmRange)),
        ]
        if let basicConstraints {
            let length = basicConstraints.pathLengthConstraint.map { ", at most \($0) below it" } ?? ""
            let isAuthority = basicConstraints.isCertificateAuthority
            let text = isAuthority ? "certificate authority\(length)" : "no certificate authority"
            fields.append(("basic constraints", text))
        }
        if let keyUsage { fields.append(("key usage", keyUsage.text)) }
        fields.append(("markers", markerText(bytes)))
        for other in view(in: bytes.borrowedSpan).extensions where other.isCritical {
            fields.append(("critical extension", extensionText(other, bytes)))
        }
        return fields
    }

    private func keyText(_ bytes: [UInt8]) -> String {
        if let key = try? PublicKey(subjectPublicKeyInfo: bytes.borrowedSpan, in: subjectPublicKeyInfo) {
            return "RSA, \(key.modulusBitCount) bits, e = \(key.exponent)"
        }
        if let key = try? ECPublicKey(subjectPublicKeyInfo: bytes.borrowedSpan, in: subjectPublicKeyInfo) {
            return "ECDSA on \(key.curve == .p256 ? "P-256" : "P-384")"
        }
        var reader = Reader(bytes.borrowedSpan, in: subjectPublicKeyInfo)
        guard var info = try? reader.nested(.sequence, "subjectPublicKeyInfo"),
            let algorithm = try? AlgorithmIdentifier(&info, "algorithm")
        else { return "cannot be decoded" }
        return "\(ASN1Value.identifier(bytes, algorithm.algorithmRange)), not supported"
    }

    /// The object identifiers of the markers that the certificates of receipts have, each with a name for
    /// people.
    private static var markers: [(name: String, identifier: ObjectIdentifier)] {
        [
            ("receipt signing", ObjectIdentifier.receiptSigningMarker),
            ("Apple intermediate", ObjectIdentifier.intermediateMarker),
            ("purchase receipt", ObjectIdentifier.purchaseReceiptMarker),
            ("iTunes Store", ObjectIdentifier.iTunesStoreMarker),
        ]
    }

    private func markerText(_ bytes: [UInt8]) -> String {
        let present = Self.markers.filter { view(in: bytes.borrowedSpan).extension($0.1) != nil }
        return present.isEmpty ? "none" : present.map { "\($0.0) (\($0.1))" }.joined(separator: ", ")
    }

    private func extensionText(_ other: Extension, _ bytes: [UInt8]) -> String {
        let name = ASN1Value.identifier(bytes, other.identifierRange)
        return other.range.lowerBound == unknownCriticalExtension ? "\(name), of unknown meaning" : name
    }
}

extension KeyUsage {
    fileprivate var text: String {
        let names = [
            "digitalSignature", "contentCommitment", "keyEncipherment", "dataEncipherment", "keyAgreement",
            "keyCertSign", "cRLSign", "encipherOnly", "decipherOnly",
        ]
        return names.indices.filter { bits & 1 << $0 != 0 }.map { names[$0] }.joined(separator: ", ")
    }
}
