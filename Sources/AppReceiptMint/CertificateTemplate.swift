import Basics
import DER
import SHA

/// A certificate to sign (RFC 5280 §4.1).
///
/// Every field can also be set to a wrong value. The defaults make a well-formed certificate.
public struct CertificateTemplate: Sendable {
    /// The version of X.509, 3 by default. Version 1 is not written because it is the default of the field.
    /// Any other version n is written as n - 1 (RFC 5280 §4.1.2.1).
    public var version: Int64 = 3
    /// The contents octets of the serial number's INTEGER: two's complement, most significant octet first.
    public var serialNumber: [UInt8] = [0x01]
    /// The hash algorithm of the certificate's signature.
    public var signatureHash: HashAlgorithm = .sha256
    /// The field `signatureAlgorithm`. Nil stands for the signing key's algorithm, or for RSASSA-PKCS1-v1_5
    /// if no key signs, in either case with ``signatureHash``.
    public var signatureAlgorithm: AlgorithmTemplate?
    /// The field `tbsCertificate.signature`. Nil stands for the algorithm in the field `signatureAlgorithm`.
    public var tbsSignatureAlgorithm: AlgorithmTemplate?
    /// The name of the certificate's issuer.
    public var issuer: NameTemplate
    /// The name of the certificate's subject, who owns the key.
    public var subject: NameTemplate
    /// The first second of the certificate's validity, 2000 by default. Its year must be in 0...9999.
    public var notBefore = Timestamp.year2000
    /// The last second of the certificate's validity, in 2049 by default. Its year must be in 0...9999.
    public var notAfter = Timestamp.endOf2049
    /// The encoded SubjectPublicKeyInfo: the subject's public key.
    public var subjectPublicKeyInfo: [UInt8]
    /// The extensions in the order of the encoding. If there are none, the field is left out.
    public var extensions: [ExtensionTemplate] = []

    /// Makes the template of a certificate that is valid from 2000 through 2049 and has no extensions.
    public init(issuer: NameTemplate, subject: NameTemplate, subjectPublicKeyInfo: [UInt8]) {
        self.issuer = issuer
        self.subject = subject
        self.subjectPublicKeyInfo = subjectPublicKeyInfo
    }

    /// The field `signatureAlgorithm` to write: what is set, or else RSASSA-PKCS1-v1_5.
    private var outerAlgorithm: AlgorithmTemplate { signatureAlgorithm ?? .rsaSignature(signatureHash) }

    /// The encoded TBSCertificate, the part of the certificate that is signed. It is DER if all fields have
    /// correct values.
    public func tbsCertificate() -> [UInt8] {
        Writer.sequence { tbs in
            if version != 1 { tbs.nest(.constructed(0)) { $0.writeInteger(version - 1) } }
            tbs.write(.integer, serialNumber)
            tbs.writeEncoded((tbsSignatureAlgorithm ?? outerAlgorithm).encoded())
            tbs.writeEncoded(issuer.encoded())
            tbs.nest(.sequence) { validity in
                validity.writeTime(notBefore)
                validity.writeTime(notAfter)
            }
            tbs.writeEncoded(subject.encoded())
            tbs.writeEncoded(subjectPublicKeyInfo)
            guard !extensions.isEmpty else { return }
            tbs.nest(.constructed(3)) { explicit in
                explicit.nest(.sequence) { sequence in
                    for next in extensions { sequence.writeEncoded(next.encoded()) }
                }
            }
        }
    }

    /// The encoded certificate with a given signature, right or wrong. It is DER if all fields have correct
    /// values.
    public func certificate(signature: [UInt8]) -> [UInt8] {
        Writer.sequence { certificate in
            certificate.writeEncoded(tbsCertificate())
            certificate.writeEncoded(outerAlgorithm.encoded())
            certificate.writeBitString(signature)
        }
    }

    /// The encoded certificate, signed with the issuer's key. It is DER if all fields have correct values.
    public func signed<Key: CertificateKey>(by key: Key) -> [UInt8] {
        var template = self
        template.signatureAlgorithm = signatureAlgorithm ?? Key.signatureAlgorithm(signatureHash)
        let digest = signatureHash.digest(of: template.tbsCertificate().borrowedSpan)
        return template.certificate(signature: key.sign(digest))
    }
}

extension Timestamp {
    /// 2000-01-01T00:00:00Z, before the App Store made its first receipt.
    static var year2000: Timestamp { Timestamp(millisecondsSince1970: 946_684_800_000) }
    /// 2049-12-31T23:59:59Z, the last second that a UTCTime can express.
    static var endOf2049: Timestamp { Timestamp(millisecondsSince1970: 2_524_607_999_000) }
}
