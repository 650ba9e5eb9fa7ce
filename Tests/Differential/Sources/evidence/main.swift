// Judges evidence about revocation for Tests/Differential/evidence. Each line of the input has the kind,
// `ocsp` or `crl`, the certificate, its issuer's, the time in milliseconds since 1970, and the piece; octets
// are in hexadecimal. Each line of the output is `good`, `revoked` with its date and the reason's number,
// or the code of the refusal.

import DER
import PKIX
import Revocation
import SignedPayloads

/// The octets of an even number of hexadecimal digits.
func octets(_ digits: some StringProtocol) -> [UInt8] {
    func value(_ digit: UInt8) -> UInt8 { digit < 0x40 ? digit - 0x30 : digit - 0x57 }
    let digits = Array(digits.utf8)
    return stride(from: 0, to: digits.count, by: 2).map { value(digits[$0]) << 4 | value(digits[$0 + 1]) }
}

func verdict(_ columns: [Substring]) throws -> RevocationStatus {
    let (certificate, issuer, piece) = (octets(columns[1]), octets(columns[2]), octets(columns[4]))
    let evidence: RevocationEvidence
    do throws(RevocationEvidenceError) {
        evidence = try RevocationEvidence(
            ocspResponses: columns[0] == "ocsp" ? [piece] : [],
            revocationLists: columns[0] == "crl" ? [piece] : []
        )
    } catch {
        return .unknown(error)
    }
    var reader = Reader(certificate.span)
    let subject = try Certificate(&reader)
    var other = Reader(issuer.span)
    let authority = try Certificate(&other)
    var keys = KeyCache<ECDSASignatureKey>(ECDSASignatureKey.Requirements())
    return evidence.status(
        of: subject.view(in: certificate.span),
        issuedBy: authority.view(in: issuer.span),
        now: Timestamp(millisecondsSince1970: Int64(columns[3]) ?? 0),
        keys: &keys
    )
}

while let line = readLine() {
    switch try verdict(line.split(separator: "\t", omittingEmptySubsequences: false)) {
    case .good: print("good")
    case .revoked(let date, let reason):
        print("revoked", date.millisecondsSince1970, reason.map { "\($0.rawValue)" } ?? "-")
    case .unknown(let error): print(error.refusal.code.name)
    }
}
