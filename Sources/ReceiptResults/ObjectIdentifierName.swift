import Basics

/// The names that results show for object identifiers in receipts and certificates.
package enum ObjectIdentifierName {
    /// Returns the name of an identifier in dotted notation, such as `2.5.4.3`; nil if the table lacks it.
    ///
    /// Compares bytes. A `switch` over strings would link Unicode's normalisation and its tables into
    /// WebAssembly.
    package static func of(_ dotted: String) -> String? {
        let wanted = [UInt8](utf8: dotted) + [UInt8(ascii: " ")]
        let lines = [UInt8](utf8: table).split(separator: UInt8(ascii: "\n"))
        guard let line = lines.first(where: { $0.starts(with: wanted) }) else { return nil }
        return String(utf8: line.borrowedSpan.extracting(droppingFirst: wanted.count))
    }

    /// An identifier, a space and its name on each line. A line with `#` is a heading.
    private static let table = """
        # RFC 5652
        1.2.840.113549.1.7.1 data
        1.2.840.113549.1.7.2 signedData
        1.2.840.113549.1.7.3 envelopedData
        1.2.840.113549.1.9.3 contentType
        1.2.840.113549.1.9.4 messageDigest
        1.2.840.113549.1.9.5 signingTime
        1.2.840.113549.1.9.15 smimeCapabilities
        # RFC 8017, RFC 5754, RFC 5480, RFC 5758, RFC 8410
        1.2.840.113549.1.1.1 rsaEncryption
        1.2.840.113549.1.1.5 sha1WithRSAEncryption
        1.2.840.113549.1.1.10 rsassaPss
        1.2.840.113549.1.1.11 sha256WithRSAEncryption
        1.2.840.113549.1.1.12 sha384WithRSAEncryption
        1.2.840.113549.1.1.13 sha512WithRSAEncryption
        1.3.14.3.2.26 sha1
        2.16.840.1.101.3.4.2.1 sha256
        2.16.840.1.101.3.4.2.2 sha384
        2.16.840.1.101.3.4.2.3 sha512
        1.2.840.113549.2.5 md5
        1.2.840.10045.2.1 ecPublicKey
        1.2.840.10045.3.1.7 secp256r1
        1.3.132.0.34 secp384r1
        1.2.840.10045.4.1 ecdsaWithSHA1
        1.2.840.10045.4.3.2 ecdsaWithSHA256
        1.2.840.10045.4.3.3 ecdsaWithSHA384
        1.2.840.10045.4.3.4 ecdsaWithSHA512
        1.3.101.112 Ed25519
        # Names, X.520
        2.5.4.3 CN
        2.5.4.5 serialNumber
        2.5.4.6 C
        2.5.4.7 L
        2.5.4.8 ST
        2.5.4.10 O
        2.5.4.11 OU
        0.9.2342.19200300.100.1.1 UID
        0.9.2342.19200300.100.1.25 DC
        1.2.840.113549.1.9.1 emailAddress
        # Extensions, RFC 5280
        2.5.29.14 subjectKeyIdentifier
        2.5.29.15 keyUsage
        2.5.29.17 subjectAltName
        2.5.29.19 basicConstraints
        2.5.29.30 nameConstraints
        2.5.29.31 cRLDistributionPoints
        2.5.29.32 certificatePolicies
        2.5.29.33 policyMappings
        2.5.29.35 authorityKeyIdentifier
        2.5.29.36 policyConstraints
        2.5.29.37 extendedKeyUsage
        2.5.29.54 inhibitAnyPolicy
        2.5.29.37.0 anyExtendedKeyUsage
        1.3.6.1.5.5.7.1.1 authorityInfoAccess
        1.3.6.1.5.5.7.2.1 cps
        1.3.6.1.5.5.7.2.2 userNotice
        1.3.6.1.5.5.7.3.1 serverAuth
        1.3.6.1.5.5.7.3.2 clientAuth
        1.3.6.1.5.5.7.3.3 codeSigning
        1.3.6.1.5.5.7.3.4 emailProtection
        1.3.6.1.5.5.7.3.8 timeStamping
        1.3.6.1.5.5.7.48.1 ocsp
        1.3.6.1.5.5.7.48.2 caIssuers
        # Apple
        1.2.840.113635.100.5.1 Apple certificate policy
        1.2.840.113635.100.5.6.1 Apple receipt signing policy
        1.2.840.113635.100.6.2.1 Apple intermediate marker
        1.2.840.113635.100.6.2.2 Apple iTunes Store marker
        1.2.840.113635.100.6.5.1 Apple purchase receipt marker
        1.2.840.113635.100.6.11.1 Apple receipt signing marker
        """
}
