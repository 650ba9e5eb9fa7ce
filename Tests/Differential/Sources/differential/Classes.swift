import AppReceipt
import AppReceiptMint
import Basics
import CMS
import DER
import PKIX
import RSA
import SHA

/// The relation of the two verdicts on an input.
enum Outcome: String, CaseIterable {
    case bothAccept = "both accept"
    case bothRefuse = "both refuse"
    case onlyTheyAccept = "only they accept"
    case onlyWeAccept = "only we accept"
    /// Both accept, but the contents differ.
    case contentDiffers = "content differs"
}

// MARK: Only they accept

/// The class of an input that only they accept, by our step, code and offset. Nil if it has none. README.md
/// gives the reason for each class.
func classOfRefusal(
    _ octets: [UInt8],
    root: [UInt8],
    step: String,
    _ code: Refusal.Code,
    reading: String,
    at offset: Int
) -> String? {
    if ["creation-date", "payload"].contains(step) { return "payload" }
    let code = "\(code.name)"
    switch code {
    case "receipt.missing-intermediate-marker", "receipt.missing-leaf-marker": return "markers"
    case "pkix.path-too-long", "pkix.path-too-short": return "path length"
    case "pkix.key-too-small", "rsa.modulus-too-small": return "key size"
    case "pkix.missing-digital-signature", "pkix.extended-key-usage": return "key usage"
    case "cms.several-signers", "cms.ambiguous-signer": return "several signers"
    case "cms.content-type-mismatch": return "contentType attribute"
    case "cms.attribute-value-count" where reading == "messageDigest",
        "cms.duplicate-attribute" where reading == "messageDigest":
        return "values of attributes"
    case "cms.misplaced-attribute", "cms.empty-attributes", "cms.signing-time-type",
        "cms.duplicate-attribute" where reading == "signingTime",
        "cms.attribute-value-count" where reading == "signingTime":
        return "other attributes"
    case "cms.missing-attribute", "cms.duplicate-attribute", "cms.attribute-value-count":
        return ["contentType", "signedAttrs"].contains(reading) ? "contentType attribute" : nil
    case "cms.content-is-signed-attributes": return "content like attributes"
    case "pkix.version", "cms.version", "cms.signer-info-version", "pkix.field-not-in-version":
        return "versions"
    case "der.integer-out-of-range" where reading.hasSuffix("ersion"): return "versions"
    case "der.truncated" where reading == "extendedKeyUsage": return "RFC 5280"
    case "der.unexpected-tag" where reading == "contentType": return "contentType attribute"
    case "cms.digest-algorithm-not-listed", "pkix.invalid-algorithm-parameters",
        "cms.contradicting-algorithms", "rsa.key-parameters":
        return "algorithms"
    case "cms.unsupported-digest-algorithm", "pkix.unsupported-signature-algorithm", "rsa.not-an-rsa-key":
        return "unsupported"
    case "rsa.modulus-too-large", "rsa.exponent-too-large", "rsa.exponent-too-small",
        "cms.too-many-certificates", "pkix.too-many-extensions",
        "pkix.too-many-signature-checks", "der.too-deep", "der.too-many-elements", "der.input-too-large",
        "der.integer-out-of-range":
        return "limits"
    case "pkix.unknown-critical-extension": return "critical extensions"
    case "pkix.issuer-not-found", "pkix.untrusted-root", "cms.signer-certificate-not-found":
        return hasNamesInTwoSpellings(octets, root) ? "names as bytes" : nil
    case "pkix.serial-number-too-long", "pkix.empty-name", "pkix.invalid-extension",
        "pkix.duplicate-extension":
        return "RFC 5280"
    default:
        if isForm(code) || isUnread(code, reading) { return "strict DER" }
        if reading.hasPrefix("BER"), isInDigestParameters(octets, offset) { return "algorithms" }
        if reading.hasPrefix("BER"), isInConstructedName(octets, offset) { return "unread strings" }
        return isLooseTag(octets, at: offset) ? "strict DER" : nil
    }
}

/// Whether the element at an offset is a string in segments (X.690 §8.7.3, §8.23.6), a tag with more octets
/// than necessary (§8.1.2.4), or a SEQUENCE or SET marked as primitive (§8.9.1). A DER reader sees another
/// tag.
private func isLooseTag(_ octets: [UInt8], at offset: Int) -> Bool {
    guard offset + 1 < octets.count else { return false }
    let number = octets[offset] & 0x1F
    if number == 0x1F { return octets[offset + 1] == 0x80 || octets[offset + 1] < 31 }
    switch octets[offset] & 0xE0 {
    // EXTERNAL and EMBEDDED PDV are constructed like SEQUENCE and SET.
    case 0x00: return [8, 11, 16, 17].contains(number)
    case 0x20: return number != 16 && number != 17
    // An implicit tag over a string in segments, or over a SET marked as primitive.
    case 0x80, 0xA0: return true
    default: return false
    }
}

/// Whether an offset is inside, or directly after, parameters of a digest algorithm other than NULL. In a BER
/// envelope we take the parameters apart, and they do not.
private func isInDigestParameters(_ octets: [UInt8], _ offset: Int) -> Bool {
    let identifiers = HashAlgorithm.allCases.map { AlgorithmTemplate.digest($0).identifier.octets }
    return (max(0, offset - 80)..<offset).contains { start in
        identifiers.contains { identifier in
            let end = start + identifier.count
            return end <= offset && end < octets.count && octets[end] != 0x05
                && octets[start...].starts(with: identifier)
        }
    }
}

/// Whether an offset is inside, or directly after, a constructed value of a name, which is not a string. In a
/// BER envelope we take the value apart, and they do not.
private func isInConstructedName(_ octets: [UInt8], _ offset: Int) -> Bool {
    // An attribute type of X.520, and the tag after it.
    (max(0, offset - 80)..<max(0, offset - 5)).contains { start in
        octets[start...].starts(with: [0x06, 0x03, 0x55, 0x04]) && octets[start + 5] & 0x20 != 0
    }
}

/// Codes about an encoding rather than its meaning.
private func isForm(_ code: String) -> Bool {
    switch code {
    case "der.non-minimal-tag", "der.indefinite-length", "der.non-minimal-length", "der.empty-contents",
        "der.invalid-boolean",
        "der.non-minimal-integer", "der.negative-integer", "der.invalid-object-identifier",
        "der.invalid-bit-string", "der.invalid-null",
        "der.invalid-time", "der.unsorted-set", "der.invalid-utf8", "der.invalid-character",
        "ber.invalid-segment", "ber.invalid-end-of-contents":
        true
    default: false
    }
}

/// Codes for errors in parts that they read less strictly.
private func isUnread(_ code: String, _ reading: String) -> Bool {
    switch (code, reading) {
    case ("der.trailing-bytes", "subjectPublicKey"), ("der.trailing-bytes", "extension.extnValue"),
        (_, "authorityKeyIdentifier"), (_, "issuer"), (_, "subject"), (_, "crls"), (_, "unsignedAttrs"),
        (_, "attrType"), (_, "attrValues"), ("der.unexpected-tag", "signingTime"):
        true
    default: false
    }
}

// MARK: Only we accept

/// The class of an input that only we accept, by their reasons. Nil if it has none.
///
/// - Parameter octets: the input.
func classOfAcceptance(_ octets: [UInt8], at time: Timestamp, root: [UInt8], _ reasons: String) -> String? {
    if reasons.hasSuffix("path: certificate has expired") {
        return endsInSecond(octets, time, root) ? "last second" : nil
    }
    let isOfExtension =
        reasons.hasPrefix("invalid certificate <") || reasons.hasSuffix("path: \(invalidExtension)")
        // AWS-LC's error for parts that do not decode during path verification.
        || reasons.contains("NESTED_ASN1_ERROR") && reasons.contains("< CERTIFICATE_VERIFY_ERROR")
    if isOfExtension, hasUnreadExtension(octets, root) {
        return "extensions they read"
    }
    if reasons.contains("X509_NAME_ENTRY") || reasons.contains("Field=issuer, Type=X509_CINF")
        || reasons.contains("Field=subject, Type=X509_CINF")
    {
        return "unread strings"
    }
    if reasons.contains("Type=X509_ATTRIBUTE"),
        reasons.contains("Field=signedAttrs") || reasons.contains("Field=auth_attr")
    {
        return "values of attributes"
    }
    if reasons.contains("Type=PKCS7_ISSUER_AND_SERIAL"), signerIdentifier(octets)?.tag == 0x80 {
        return "key identifier"
    }
    return nil
}

private let invalidExtension = "invalid or inconsistent certificate extension"

/// Whether a certificate has an extension whose value we do not decode.
private func hasUnreadExtension(_ octets: [UInt8], _ root: [UInt8]) -> Bool {
    // Those of X.509, Netscape and PKIX.
    let known = ["2.5.29.", "2.16.840.1.113730.1.", "1.3.6.1.5.5.7.1."]
    let read: [ObjectIdentifier] = [14, 15, 19, 35, 37].map { ObjectIdentifier(2, 5, 29, $0) }
    return certificates(octets, root).contains { certificate in
        var reader = Reader(certificate.span)
        guard let decoded = try? Certificate(&reader) else { return false }
        return decoded.view(in: certificate.span).extensions.contains { found in
            guard let identifier = found.identifier else { return false }
            let isKnownToThem = known.contains { "\(identifier)".hasPrefix($0) }
            return isKnownToThem && !read.contains(identifier)
        }
    }
}

/// The certificates of a message and its root's.
func certificates(_ octets: [UInt8], _ root: [UInt8]) -> [[UInt8]] {
    ((try? GoodReceipts.certificates(in: octets)) ?? []) + [root]
}

/// The identifier of a message's signer: a SEQUENCE of issuer and serial number, or a key identifier with the
/// tag [0]. Nil if we cannot read the message. The issuer's contents stay octets: they may not be DER.
func signerIdentifier(_ octets: [UInt8]) -> Node? {
    guard let envelope = try? Envelope(octets.span) else { return nil }
    return Node.decode(envelope.der ?? octets, maximumDepth: 6)?[0][[1, 0]].children.last?[[0, 1]]
}

/// Whether a root limits the length of its paths.
func hasPathLength(_ root: [UInt8]) -> Bool {
    var reader = Reader(root.span)
    guard let certificate = try? Certificate(&reader) else { return false }
    let constraints = certificate.view(in: root.span).extensions
        .first { $0.identifier == ObjectIdentifier(2, 5, 29, 19) }
    // A length can follow only the BOOLEAN cA.
    return constraints.flatMap { Node.decode(root, in: $0.value) }?.first?.children.count == 2
}

/// Whether the time lies in the last second of a certificate that the path may use.
private func endsInSecond(_ octets: [UInt8], _ time: Timestamp, _ root: [UInt8]) -> Bool {
    certificates(octets, root).contains { certificate in
        var reader = Reader(certificate.span)
        guard let decoded = try? Certificate(&reader) else { return false }
        return decoded.validity.notAfter.seconds == time.seconds
    }
}
