import AppReceipt
import AppReceiptMint
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
    switch code {
    case .missingIntermediateMarker, .missingLeafMarker: return "markers"
    case .pathTooLong, .pathTooShort: return "path length"
    case .keyTooSmall, .modulusTooSmall: return "key size"
    case .missingDigitalSignature, .extendedKeyUsageNotPermitted: return "key usage"
    case .severalSigners, .ambiguousSigner: return "several signers"
    case .contentTypeMismatch: return "contentType attribute"
    case .attributeValueCount where reading == "messageDigest",
        .duplicateAttribute where reading == "messageDigest":
        return "values of attributes"
    case .missingAttribute, .duplicateAttribute, .attributeValueCount:
        return ["contentType", "signedAttrs"].contains(reading) ? "contentType attribute" : nil
    case .contentIsSignedAttributes: return "content like attributes"
    case .certificateVersion, .signedDataVersion, .signerInfoVersion, .fieldNotInVersion: return "versions"
    case .integerOutOfRange where reading.hasSuffix("ersion"): return "versions"
    case .truncated where reading == "extendedKeyUsage": return "RFC 5280"
    case .unexpectedTag where reading == "contentType": return "contentType attribute"
    case .digestAlgorithmNotListed, .invalidAlgorithmParameters, .contradictingAlgorithms:
        return "algorithms"
    case .unsupportedDigestAlgorithm, .unsupportedSignatureAlgorithm, .notAnRSAKey: return "unsupported"
    case .modulusTooLarge, .exponentTooLarge, .exponentTooSmall, .tooManyCertificates, .tooManyExtensions,
        .tooManySignatureChecks, .tooDeep, .tooManyElements, .inputTooLarge, .integerOutOfRange:
        return "limits"
    case .unknownCriticalExtension: return "critical extensions"
    case .issuerNotFound, .untrustedRoot, .signerCertificateNotFound:
        return hasNamesInTwoSpellings(octets, root) ? "names as bytes" : nil
    case .serialNumberTooLong, .emptyName, .invalidExtension, .duplicateExtension: return "RFC 5280"
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
private func isForm(_ code: Refusal.Code) -> Bool {
    switch code {
    case .nonMinimalTag, .indefiniteLength, .nonMinimalLength, .emptyContents, .invalidBoolean,
        .nonMinimalInteger, .negativeInteger, .invalidObjectIdentifier, .invalidBitString, .invalidNull,
        .invalidTime, .unsortedSet, .invalidUTF8, .invalidCharacter, .invalidSegment, .invalidEndOfContents:
        true
    default: false
    }
}

/// Codes for errors in places that they read less strictly.
private func isUnread(_ code: Refusal.Code, _ reading: String) -> Bool {
    switch (code, reading) {
    case (.unexpectedTag, "rsaEncryption parameters"), (.truncated, "rsaEncryption parameters"),
        (.trailingBytes, "subjectPublicKey"), (.trailingBytes, "extension.extnValue"),
        (_, "authorityKeyIdentifier"), (.unexpectedTag, "issuer"), (.unexpectedTag, "subject"):
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
    if reasons == "attribute error" { return "other attributes" }
    if reasons.contains("X509_NAME_ENTRY") || reasons.contains("Field=issuer, Type=X509_CINF")
        || reasons.contains("Field=subject, Type=X509_CINF") || reasons.contains("UID, Type=X509_CINF")
    {
        return "unread strings"
    }
    if reasons.contains("Type=X509_ATTRIBUTE"),
        reasons.contains("Field=signedAttrs") || reasons.contains("Field=auth_attr")
    {
        return "values of attributes"
    }
    if reasons.contains("Type=PKCS7_ISSUER_AND_SERIAL"), let envelope = try? Envelope(octets.span),
        case .subjectKeyIdentifier = envelope.signedData.signer.identifier
    {
        return "key identifier"
    }
    return nil
}

private let invalidExtension = "invalid or inconsistent certificate extension"

/// Whether a certificate has an extension whose value we do not decode.
private func hasUnreadExtension(_ octets: [UInt8], _ root: [UInt8]) -> Bool {
    // 2.16.840.1.113730.1
    let netscape: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x86, 0xF8, 0x42, 0x01]
    let read: [ObjectIdentifier] = [14, 15, 19, 35, 37].map { ObjectIdentifier(2, 5, 29, $0) }
    return certificates(octets, root).contains { certificate in
        var reader = Reader(certificate.span)
        guard let decoded = try? Certificate(&reader) else { return false }
        return decoded.view(in: certificate.span).extensions.contains { found in
            guard let identifier = found.identifier else { return false }
            let octets = identifier.octets
            let isKnownToThem =
                octets.starts(with: [0x55, 0x1D]) || octets.starts(with: netscape)
                || octets.starts(with: [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x01])
            return isKnownToThem && !read.contains(identifier)
        }
    }
}

/// The certificates of a message and its root's.
func certificates(_ octets: [UInt8], _ root: [UInt8]) -> [[UInt8]] {
    ((try? GoodReceipts.certificates(in: octets)) ?? []) + [root]
}

/// Whether a root limits the length of its paths.
func hasPathLength(_ root: [UInt8]) -> Bool {
    var reader = Reader(root.span)
    return (try? Certificate(&reader))?.basicConstraints?.pathLengthConstraint != nil
}

/// Whether the time lies in the last second of a certificate that the path may use.
private func endsInSecond(_ octets: [UInt8], _ time: Timestamp, _ root: [UInt8]) -> Bool {
    certificates(octets, root).contains { certificate in
        var reader = Reader(certificate.span)
        guard let decoded = try? Certificate(&reader) else { return false }
        return decoded.validity.notAfter.seconds == time.seconds
    }
}
