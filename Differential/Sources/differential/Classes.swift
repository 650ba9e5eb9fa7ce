import AppReceipt
import AppReceiptMint
import CMS
import DER
import PKIX
import RSA
import SHA

/// How the two verdicts on an input stand to each other.
enum Outcome: String, CaseIterable {
    case bothAccept = "both accept"
    case bothRefuse = "both refuse"
    case onlyTheyAccept = "only they accept"
    case onlyWeAccept = "only we accept"
    /// Both accept, and the contents differ.
    case contentDiffers = "content differs"
}

// MARK: Only they accept

/// The class of what we refuse and they accept, by our step, code and place; nil where it has none. README.md
/// says of each class why it is one.
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

/// Whether what stands at an offset is a string in segments (X.690 §8.7.3, §8.23.6), a tag in more octets
/// than it needs (§8.1.2.4), or a SEQUENCE or SET that says it is primitive (§8.9.1): to those who read DER,
/// another tag.
private func isLooseTag(_ octets: [UInt8], at offset: Int) -> Bool {
    guard offset + 1 < octets.count else { return false }
    let number = octets[offset] & 0x1F
    if number == 0x1F { return octets[offset + 1] == 0x80 || octets[offset + 1] < 31 }
    switch octets[offset] & 0xE0 {
    // EXTERNAL and EMBEDDED PDV are constructed like SEQUENCE and SET.
    case 0x00: return [8, 11, 16, 17].contains(number)
    case 0x20: return number != 16 && number != 17
    // An implicit tag over a string in segments, or over a SET that says it is primitive.
    case 0x80, 0xA0: return true
    default: return false
    }
}

/// Whether an offset is in, or right behind, what follows a digest algorithm's identifier and is not NULL. In
/// an envelope in BER it is taken apart like everything else, which they do not.
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

/// Whether an offset is in, or right behind, a name's value that is constructed, and so no string. In an
/// envelope in BER it is taken apart like everything else, which they do not.
private func isInConstructedName(_ octets: [UInt8], _ offset: Int) -> Bool {
    // An attribute type of X.520, and the tag behind it.
    (max(0, offset - 80)..<max(0, offset - 5)).contains { start in
        octets[start...].starts(with: [0x06, 0x03, 0x55, 0x04]) && octets[start + 5] & 0x20 != 0
    }
}

/// How something is encoded, and not what it says.
private func isForm(_ code: Refusal.Code) -> Bool {
    switch code {
    case .nonMinimalTag, .indefiniteLength, .nonMinimalLength, .emptyContents, .invalidBoolean,
        .nonMinimalInteger, .negativeInteger, .invalidObjectIdentifier, .invalidBitString, .invalidNull,
        .invalidTime, .unsortedSet, .invalidUTF8, .invalidCharacter, .invalidSegment, .invalidEndOfContents:
        true
    default: false
    }
}

/// What is broken in a place where they read less closely.
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

/// The class of what we accept and they refuse, by their reasons; nil where it has none.
///
/// - Parameter octets: the input.
func classOfAcceptance(_ octets: [UInt8], at time: Timestamp, root: [UInt8], _ reasons: String) -> String? {
    if reasons.hasSuffix("path: certificate has expired") {
        return endsInSecond(octets, time, root) ? "last second" : nil
    }
    let isOfExtension =
        reasons.hasPrefix("invalid certificate <") || reasons.hasSuffix("path: \(invalidExtension)")
        // AWS-LC's: what could not be decoded while a path was verified.
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

/// Whether a certificate has an extension that is no more than octets here.
private func hasUnreadExtension(_ octets: [UInt8], _ root: [UInt8]) -> Bool {
    // 2.16.840.1.113730.1
    let netscape: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x86, 0xF8, 0x42, 0x01]
    let read: [ObjectIdentifier] = [14, 15, 19, 35, 37].map { ObjectIdentifier(2, 5, 29, $0) }
    return certificates(octets, root).contains { certificate in
        var reader = Reader(certificate.span)
        guard let decoded = try? Certificate(&reader) else { return false }
        return decoded.allExtensions(in: certificate.span).contains { found in
            guard let identifier = found.identifier else { return false }
            let octets = identifier.octets
            let isKnownToThem =
                octets.starts(with: [0x55, 0x1D]) || octets.starts(with: netscape)
                || octets.starts(with: [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x01])
            return isKnownToThem && !read.contains(identifier)
        }
    }
}

/// Those of a message, and its root's.
func certificates(_ octets: [UInt8], _ root: [UInt8]) -> [[UInt8]] {
    ((try? GoodReceipts.certificates(in: octets)) ?? []) + [root]
}

/// Whether a root limits the paths that end at it.
func hasPathLength(_ root: [UInt8]) -> Bool {
    var reader = Reader(root.span)
    return (try? Certificate(&reader))?.basicConstraints?.pathLengthConstraint != nil
}

/// Whether the time is in the second in which a certificate ends that the path may use.
private func endsInSecond(_ octets: [UInt8], _ time: Timestamp, _ root: [UInt8]) -> Bool {
    certificates(octets, root).contains { certificate in
        var reader = Reader(certificate.span)
        guard let decoded = try? Certificate(&reader) else { return false }
        return decoded.validity.notAfter.seconds == time.seconds
    }
}
