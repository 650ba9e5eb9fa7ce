import DER
import PKIX
import RSA

extension Certificate {
    /// What a certificate says, labelled for people.
    ///
    /// - Parameter bytes: the buffer that it was read from.
    func fields(in bytes: [UInt8]) -> [(label: String, value: String)] {
        var fields = [
            ("subject", subject.text(in: bytes)),
            ("issuer", isSelfIssued(in: bytes.span) ? "itself" : issuer.text(in: bytes)),
            ("serial number", bytes[serialNumber].hexadecimal),
            ("valid", "\(validity.notBefore) to \(validity.notAfter)"),
            ("key", keyText(bytes)),
            (
                "signed with",
                ASN1Value(.objectIdentifier, bytes, signatureAlgorithm.algorithmRange, limit: 40).text
            ),
        ]
        if let basicConstraints {
            let length = basicConstraints.pathLengthConstraint.map { ", at most \($0) below it" } ?? ""
            let isAuthority = basicConstraints.isCertificateAuthority
            fields.append(
                (
                    "basic constraints",
                    isAuthority ? "certificate authority\(length)" : "no certificate authority"
                )
            )
        }
        if let keyUsage { fields.append(("key usage", keyUsage.text)) }
        fields.append(("markers", markerText(bytes)))
        for other in allExtensions(in: bytes.span) where other.isCritical {
            fields.append(("critical extension", extensionText(other, bytes)))
        }
        return fields
    }

    private func keyText(_ bytes: [UInt8]) -> String {
        if let key = try? PublicKey(subjectPublicKeyInfo: bytes.span, in: subjectPublicKeyInfo) {
            return "RSA, \(key.modulusBitCount) bits, e = \(key.exponent)"
        }
        var reader = Reader(bytes.span, in: subjectPublicKeyInfo)
        guard var info = try? reader.nested(.sequence, "subjectPublicKeyInfo"),
            let algorithm = try? AlgorithmIdentifier(&info, "algorithm")
        else { return "cannot be decoded" }
        let name = ASN1Value(.objectIdentifier, bytes, algorithm.algorithmRange, limit: 40).text
        return "\(name), not supported"
    }

    private func markerText(_ bytes: [UInt8]) -> String {
        let markers = [
            ("receipt signing", ObjectIdentifier(1, 2, 840, 113635, 100, 6, 11, 1)),
            ("Apple intermediate", ObjectIdentifier(1, 2, 840, 113635, 100, 6, 2, 1)),
        ]
        let present = markers.filter { `extension`($0.1, in: bytes.span) != nil }
        return present.isEmpty ? "none" : present.map { "\($0.0) (\($0.1))" }.joined(separator: ", ")
    }

    private func extensionText(_ other: Extension, _ bytes: [UInt8]) -> String {
        let name = ASN1Value(.objectIdentifier, bytes, other.identifierRange, limit: 40).text
        return other.range.lowerBound == unknownCriticalExtension ? "\(name), of unknown meaning" : name
    }
}

extension Name {
    /// `C=US, O=Example`, in the order of the encoding.
    fileprivate func text(in bytes: [UInt8]) -> String {
        attributes(in: bytes.span).map { attribute in
            let dotted = ObjectIdentifier.dotted(bytes.span, in: attribute.type) ?? "?"
            let type = ObjectIdentifierName.of(dotted) ?? dotted
            let value = String(decoding: bytes[attribute.value.contents], as: UTF8.self)
            return "\(type)=\(value)"
        }.joined(separator: ", ")
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
