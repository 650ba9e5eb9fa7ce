import DER
import SHA

/// A certificate to be signed (RFC 5280 §4.1). Every field may say anything; what is not touched is
/// right.
public struct CertificateTemplate: Sendable {
    /// 3 for X.509 v3. Version 1 is left out, being the default; other numbers are written as they are.
    public var version: Int64 = 3
    /// The contents octets of the INTEGER: two's complement, most significant octet first.
    public var serialNumber: [UInt8] = [0x01]
    /// The hash that the signature is over.
    public var signatureHash: HashAlgorithm = .sha256
    /// What `signatureAlgorithm` says; nil for the truth.
    public var signatureAlgorithm: AlgorithmTemplate?
    /// What `tbsCertificate.signature` says; nil for the same as `signatureAlgorithm`.
    public var tbsSignatureAlgorithm: AlgorithmTemplate?
    /// Whose certificate has the key that signs.
    public var issuer: NameTemplate
    /// Whose key is certified.
    public var subject: NameTemplate
    /// The first second of the validity; its year one of 0 to 9999.
    public var notBefore = Timestamp.year2000
    /// The last second of the validity; its year one of 0 to 9999.
    public var notAfter = Timestamp.endOf2049
    /// The whole SubjectPublicKeyInfo.
    public var subjectPublicKeyInfo: [UInt8]
    /// In the order of the encoding; none at all where it is empty.
    public var extensions: [ExtensionTemplate] = []

    /// A certificate for a key, valid from 2000 through 2049, without extensions.
    public init(issuer: NameTemplate, subject: NameTemplate, subjectPublicKeyInfo: [UInt8]) {
        self.issuer = issuer
        self.subject = subject
        self.subjectPublicKeyInfo = subjectPublicKeyInfo
    }

    private var outerAlgorithm: AlgorithmTemplate { signatureAlgorithm ?? .rsaSignature(signatureHash) }

    /// The part that is signed, in DER.
    public func tbsCertificate() -> [UInt8] {
        var writer = Writer()
        writer.nest(.sequence) { tbs in
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
        return writer.bytes
    }

    /// The certificate with this signature, right or not, in DER.
    public func certificate(signature: [UInt8]) -> [UInt8] {
        var writer = Writer()
        writer.nest(.sequence) { certificate in
            certificate.writeEncoded(tbsCertificate())
            certificate.writeEncoded(outerAlgorithm.encoded())
            certificate.writeBitString(signature)
        }
        return writer.bytes
    }

    /// The certificate signed by an issuer's key, in DER.
    public func signed(by key: PrivateKey) -> [UInt8] {
        certificate(signature: key.sign(signatureHash.digest(of: tbsCertificate().span)))
    }
}

extension Timestamp {
    /// 2000-01-01T00:00:00Z, before the first receipt.
    static var year2000: Timestamp { Timestamp(millisecondsSince1970: 946_684_800_000) }
    /// 2049-12-31T23:59:59Z, the last second that UTCTime has.
    static var endOf2049: Timestamp { Timestamp(millisecondsSince1970: 2_524_607_999_000) }
}
