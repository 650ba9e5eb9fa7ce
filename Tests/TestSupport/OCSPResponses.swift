public import AppReceiptMint
public import Basics
import DER
import SHA

extension CertifiedKey {
    /// A responder's certificate that this authority issues to a key (RFC 6960 §4.2.2.2).
    public func responder(_ key: Key) -> CertifiedKey {
        var responder = CertificateTemplate(
            issuer: template.subject,
            subject: NameTemplate(commonName: "Mint Responder"),
            subjectPublicKeyInfo: key.subjectPublicKeyInfo
        )
        responder.serialNumber = [0x10]
        responder.signatureHash = Key.certificateHash
        responder.extensions = [
            .extendedKeyUsage([ObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 3, 9)]),
            ExtensionTemplate(ObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 48, 1, 5), value: [0x05, 0x00]),
        ]
        return CertifiedKey(responder, key: key, signedBy: self.key)
    }

    /// An OCSP response (RFC 6960 §4.2.1) about a certificate of this authority.
    ///
    /// - Parameters:
    ///   - certificate: the certificate that the response is about.
    ///   - isRevoked: whether the certificate is revoked from `thisUpdate` on. Else its status is good.
    ///   - responder: the responder that signs the response. The response has its certificate.
    ///   - thisUpdate: when the response was made.
    ///   - nextUpdate: until when the response is fresh.
    public func response(
        about certificate: CertifiedKey,
        isRevoked: Bool = false,
        by responder: CertifiedKey,
        _ thisUpdate: Timestamp,
        until nextUpdate: Timestamp
    ) -> [UInt8] {
        // RFC 6960 writes GeneralizedTime where Writer.writeTime writes UTCTime.
        func time(_ time: Timestamp) -> [UInt8] {
            var writer = Writer()
            writer.writeTime(time)
            return Writer.element(.generalizedTime, Array("20".utf8) + writer.bytes.dropFirst(2))
        }
        let subject = template.subject.encoded()
        let data = Writer.sequence { data in
            data.nest(.constructed(1)) { $0.writeEncoded(responder.template.subject.encoded()) }
            data.writeEncoded(time(thisUpdate))
            data.nest(.sequence) { responses in
                responses.nest(.sequence) { single in
                    single.nest(.sequence) {
                        $0.writeEncoded(AlgorithmTemplate.digest(.sha1).encoded())
                        $0.writeOctetString(HashAlgorithm.sha1.digest(of: subject.span).bytes)
                        $0.writeOctetString(key.keyIdentifier)
                        $0.write(.integer, certificate.template.serialNumber)
                    }
                    if isRevoked {
                        single.write(.constructed(1), time(thisUpdate))
                    } else {
                        single.write(.primitive(0), [])
                    }
                    single.writeEncoded(time(thisUpdate))
                    single.write(.constructed(0), time(nextUpdate))
                }
            }
        }
        let hash = Key.certificateHash
        let basic = Writer.sequence { basic in
            basic.writeEncoded(data)
            basic.writeEncoded(Key.signatureAlgorithm(hash).encoded())
            basic.writeBitString(responder.key.sign(hash.digest(of: data.span)))
            basic.nest(.constructed(0)) { $0.write(.sequence, responder.certificate) }
        }
        return Writer.sequence { response in
            response.write(.enumerated, [0x00])
            response.nest(.constructed(0)) { explicit in
                explicit.nest(.sequence) {
                    $0.writeObjectIdentifier(ObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 48, 1, 1))
                    $0.writeOctetString(basic)
                }
            }
        }
    }
}
