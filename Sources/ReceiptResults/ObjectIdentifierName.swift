/// The names of object identifiers in receipts and certificates, as their standards write them.
///
/// This is the one table of named object identifiers.
package enum ObjectIdentifierName {
    /// Returns the name of an identifier in dotted notation, or nil if the table lacks it.
    package static func of(_ dotted: String) -> String? {
        switch dotted {
        // RFC 5652
        case "1.2.840.113549.1.7.1": "data"
        case "1.2.840.113549.1.7.2": "signedData"
        case "1.2.840.113549.1.7.3": "envelopedData"
        case "1.2.840.113549.1.9.3": "contentType"
        case "1.2.840.113549.1.9.4": "messageDigest"
        case "1.2.840.113549.1.9.5": "signingTime"
        case "1.2.840.113549.1.9.15": "smimeCapabilities"
        // RFC 8017, RFC 5754, RFC 5480
        case "1.2.840.113549.1.1.1": "rsaEncryption"
        case "1.2.840.113549.1.1.5": "sha1WithRSAEncryption"
        case "1.2.840.113549.1.1.10": "rsassaPss"
        case "1.2.840.113549.1.1.11": "sha256WithRSAEncryption"
        case "1.2.840.113549.1.1.12": "sha384WithRSAEncryption"
        case "1.2.840.113549.1.1.13": "sha512WithRSAEncryption"
        case "1.3.14.3.2.26": "sha1"
        case "2.16.840.1.101.3.4.2.1": "sha256"
        case "2.16.840.1.101.3.4.2.2": "sha384"
        case "2.16.840.1.101.3.4.2.3": "sha512"
        case "1.2.840.113549.2.5": "md5"
        case "1.2.840.10045.2.1": "ecPublicKey"
        case "1.2.840.10045.3.1.7": "secp256r1"
        case "1.3.132.0.34": "secp384r1"
        case "1.2.840.10045.4.3.2": "ecdsaWithSHA256"
        case "1.2.840.10045.4.3.3": "ecdsaWithSHA384"
        // Names, X.520
        case "2.5.4.3": "CN"
        case "2.5.4.5": "serialNumber"
        case "2.5.4.6": "C"
        case "2.5.4.7": "L"
        case "2.5.4.8": "ST"
        case "2.5.4.10": "O"
        case "2.5.4.11": "OU"
        case "0.9.2342.19200300.100.1.1": "UID"
        case "0.9.2342.19200300.100.1.25": "DC"
        case "1.2.840.113549.1.9.1": "emailAddress"
        // Extensions, RFC 5280
        case "2.5.29.14": "subjectKeyIdentifier"
        case "2.5.29.15": "keyUsage"
        case "2.5.29.17": "subjectAltName"
        case "2.5.29.19": "basicConstraints"
        case "2.5.29.31": "cRLDistributionPoints"
        case "2.5.29.32": "certificatePolicies"
        case "2.5.29.35": "authorityKeyIdentifier"
        case "2.5.29.37": "extendedKeyUsage"
        case "2.5.29.37.0": "anyExtendedKeyUsage"
        case "1.3.6.1.5.5.7.1.1": "authorityInfoAccess"
        case "1.3.6.1.5.5.7.2.1": "cps"
        case "1.3.6.1.5.5.7.2.2": "userNotice"
        case "1.3.6.1.5.5.7.3.3": "codeSigning"
        case "1.3.6.1.5.5.7.48.1": "ocsp"
        case "1.3.6.1.5.5.7.48.2": "caIssuers"
        // Apple
        case "1.2.840.113635.100.5.1": "Apple certificate policy"
        case "1.2.840.113635.100.5.6.1": "Apple receipt signing policy"
        case "1.2.840.113635.100.6.2.1": "Apple intermediate marker"
        case "1.2.840.113635.100.6.2.2": "Apple iTunes Store marker"
        case "1.2.840.113635.100.6.5.1": "Apple purchase receipt marker"
        case "1.2.840.113635.100.6.11.1": "Apple receipt signing marker"
        default: nil
        }
    }
}
