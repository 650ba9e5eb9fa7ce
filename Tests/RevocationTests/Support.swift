import AppReceipt
import Basics
import DER
import PKIX
import Revocation
import SignedPayloads
import TestSupport

/// A row of `Vectors/revocation/revocation.tsv`.
struct EvidenceRow: Sendable, CustomStringConvertible {
    let name: String
    let isList: Bool
    let isRSA: Bool
    let certificate: [UInt8]
    let issuer: [UInt8]
    let now: Timestamp
    /// `good`, `revoked`, or the code of the refusal.
    let verdict: String
    /// The date in milliseconds and the number of the reason, or the offset of the refusal.
    let more: [Int64]
    let piece: [UInt8]

    static let all: [Self] = {
        do {
            let certificates = try Row.table(vector("revocation/certificates.tsv"))
            let named = Dictionary(
                uniqueKeysWithValues: certificates.map { ($0["name"], hex($0["certificate"])) }
            )
            return try Row.table(vector("revocation/revocation.tsv")).map { row in
                Self(
                    name: row["name"],
                    isList: row["kind"] == "crl",
                    isRSA: row["name"].hasPrefix("rsa-"),
                    certificate: named[row["certificate"]] ?? [],
                    issuer: named[row["issuer"]] ?? [],
                    now: Timestamp(millisecondsSince1970: Int64(row["now"]) ?? 0),
                    verdict: row["verdict"],
                    more: row["more"].split(separator: " ").compactMap { Int64($0) },
                    piece: hex(row["piece"])
                )
            }
        } catch {
            return []
        }
    }()

    static func named(_ name: String) -> Self {
        guard let row = all.first(where: { $0.name == name }) else { fatalError("no row \(name)") }
        return row
    }

    /// The status by the row's piece, or by other bytes in its place.
    func status(
        _ bytes: [UInt8]? = nil,
        and others: [[UInt8]] = [],
        now: Timestamp? = nil,
        limits: RevocationLimits = .standard
    ) -> RevocationStatus {
        let pieces = [bytes ?? piece] + others
        do throws(RevocationEvidenceError) {
            let evidence = try RevocationEvidence(
                ocspResponses: isList ? [] : pieces,
                revocationLists: isList ? pieces : [],
                limits: limits
            )
            return status(by: evidence, now: now)
        } catch {
            return .unknown(error)
        }
    }

    /// Whether other bytes in the piece's place can be decoded.
    func isDecoded(_ bytes: [UInt8]) -> Bool {
        let evidence = try? RevocationEvidence(
            ocspResponses: isList ? [] : [bytes],
            revocationLists: isList ? [bytes] : []
        )
        return evidence != nil
    }

    func status(by evidence: RevocationEvidence, now: Timestamp? = nil) -> RevocationStatus {
        if isRSA {
            var keys = KeyCache<SigningKey>(SigningKey.Requirements())
            return status(by: evidence, now: now, keys: &keys)
        }
        var keys = KeyCache<ECDSASignatureKey>(ECDSASignatureKey.Requirements())
        return status(by: evidence, now: now, keys: &keys)
    }

    func status<Key: SignatureKey>(
        by evidence: RevocationEvidence,
        now: Timestamp? = nil,
        keys: inout KeyCache<Key>
    ) -> RevocationStatus {
        guard let anchor = try? TrustAnchor(certificate: issuer).certificate,
            let leaf = try? TrustAnchor(certificate: certificate).certificate
        else { fatalError("a certificate of \(name) cannot be read") }
        return evidence.status(
            of: leaf.view,
            issuedBy: anchor.view,
            now: now ?? self.now,
            keys: &keys,
            acceleration: acceleration
        )
    }

    var description: String { name }
}

extension RevocationStatus {
    /// The error of an unknown status.
    var error: RevocationEvidenceError? { if case .unknown(let error) = self { error } else { nil } }
    /// The code of an unknown status.
    var code: Refusal.Code? { error?.refusal.code }
}
