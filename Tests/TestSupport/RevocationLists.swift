public import AppReceiptMint
public import Basics
import DER
import SHA

extension Identity {
    /// A revocation list (RFC 5280 §5.1) that this authority signs, over SHA-256.
    ///
    /// - Parameters:
    ///   - revoked: the certificates that the list names.
    ///   - thisUpdate: when the list was made, and from when on the certificates are revoked.
    ///   - nextUpdate: until when the list is fresh.
    public func revocationList(
        _ revoked: [Identity] = [],
        _ thisUpdate: Timestamp,
        until nextUpdate: Timestamp
    ) -> [UInt8] {
        let algorithm = AlgorithmTemplate.rsaSignature(.sha256).encoded()
        let tbs = Writer.sequence { list in
            list.writeInteger(1)
            list.writeEncoded(algorithm)
            list.writeEncoded(template.subject.encoded())
            list.writeTime(thisUpdate)
            list.writeTime(nextUpdate)
            guard !revoked.isEmpty else { return }
            list.nest(.sequence) { entries in
                for identity in revoked {
                    entries.nest(.sequence) {
                        $0.write(.integer, identity.template.serialNumber)
                        $0.writeTime(thisUpdate)
                    }
                }
            }
        }
        return Writer.sequence {
            $0.writeEncoded(tbs)
            $0.writeEncoded(algorithm)
            $0.writeBitString(key.sign(HashAlgorithm.sha256.digest(of: tbs.borrowedSpan)))
        }
    }
}
