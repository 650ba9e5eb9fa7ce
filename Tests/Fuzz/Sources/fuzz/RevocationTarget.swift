import AppReceipt
import Basics
import Foundation
import PKIX
import Revocation
import SignedPayloads

/// Checks an OCSP response. The first byte chooses the certificate in question.
func fuzzOCSP(_ input: [UInt8]) { fuzzEvidence(input, isList: false) }

/// Checks a revocation list. The first byte chooses the certificate in question.
func fuzzCRL(_ input: [UInt8]) { fuzzEvidence(input, isList: true) }

/// Checks a piece of evidence.
///
/// - It decides only if its signed part is that of a piece of `Vectors`, because only `Vectors` signs with
///   those keys, and only as a plain search for the serial number says.
/// - A refusal points into the piece. The status, its code and its offset are the same the second time, with
///   any instructions, and beside a copy of the piece.
/// - The piece is no evidence of the other kind.
private func fuzzEvidence(_ input: [UInt8], isList: Bool) {
    guard let choice = input.first else { return }
    let piece = Array(input.dropFirst())
    let question = Evidence.questions[Int(choice) % Evidence.questions.count]
    let first = question.status([piece], isList: isList)
    require(question.status([piece], isList: isList) == first, "the status is the same again")
    require(question.status([piece], isList: isList, acceleration) == first, "with any instructions")
    let twice = question.status([piece, piece], isList: isList)
    switch first {
    case .unknown(let error):
        require(error.refusal.offset >= 0 && error.refusal.offset <= piece.count, "\(error) lies outside")
        guard case .unknown(let again) = twice else { return require(false, "\(twice) beside a copy") }
        require(again == error, "\(again) and \(error)")
    case .good, .revoked:
        require(twice == first, "\(twice) beside a copy")
        require(Evidence.signedParts.contains { piece.firstRange(of: $0) != nil }, "nobody signed this")
        let serial = Array(question.certificate[question.fields.serialNumber])
        let isNamed = piece.firstRange(of: [2, UInt8(serial.count)] + serial) != nil
        if !isList || first != .good { require(isNamed, "the serial number occurs") }
        if isList, first == .good { require(!isNamed, "the serial number does not occur") }
        let other = question.status([piece], isList: !isList)
        guard case .unknown = other else { return require(false, "a piece of both kinds") }
    }
}

/// A certificate in question, its issuer's, and the time.
struct RevocationQuestion {
    let certificate: [UInt8]
    let fields: Certificate
    let issuer: TrustAnchor
    let isRSA: Bool
    let now: Timestamp

    func status(
        _ pieces: [[UInt8]],
        isList: Bool,
        _ acceleration: Acceleration = .none
    ) -> RevocationStatus {
        let evidence: RevocationEvidence
        do throws(RevocationEvidenceError) {
            evidence = try RevocationEvidence(
                ocspResponses: isList ? [] : pieces,
                revocationLists: isList ? pieces : []
            )
        } catch {
            return .unknown(error)
        }
        if isRSA {
            var keys = KeyCache<SigningKey>(SigningKey.Requirements())
            return status(by: evidence, &keys, acceleration)
        }
        var keys = KeyCache<ECDSASignatureKey>(ECDSASignatureKey.Requirements())
        return status(by: evidence, &keys, acceleration)
    }

    private func status<Key: SignatureKey>(
        by evidence: RevocationEvidence,
        _ keys: inout KeyCache<Key>,
        _ acceleration: Acceleration
    ) -> RevocationStatus {
        guard let owned = issuer.certificate else {
            return .unknown(Evidence.missing)
        }
        let bytes = certificate.span
        return evidence.status(
            of: fields.view(in: bytes),
            issuedBy: owned.view,
            now: now,
            keys: &keys,
            acceleration: acceleration
        )
    }
}

/// The pieces of `Vectors/revocation`.
enum Evidence {
    private static func table(_ name: String) -> [[String]] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../../Vectors/revocation/\(name).tsv")
        let contents = FileManager.default.contents(atPath: file.path) ?? Data()
        return String(decoding: contents, as: UTF8.self).split(separator: "\n").dropFirst().map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }

    private static func octets(_ digits: String) -> [UInt8] {
        let digits = Array(digits.utf8)
        func value(_ digit: UInt8) -> UInt8 { digit < 0x40 ? digit - 0x30 : digit - 0x57 }
        return stride(from: 0, to: digits.count, by: 2).map {
            value(digits[$0]) << 4 | value(digits[$0 + 1])
        }
    }

    private static let rows = table("revocation")

    /// Each certificate with its issuer and the time of most rows.
    static let questions = foundQuestions()

    private static func foundQuestions() -> [RevocationQuestion] {
        var certificates: [String: [UInt8]] = [:]
        for row in table("certificates") { certificates[row[0]] = octets(row[1]) }
        var seen: Set<String> = []
        var found: [RevocationQuestion] = []
        for row in rows where row.count == 8 && seen.insert(row[2] + row[3]).inserted {
            guard let certificate = certificates[row[2]], let fields = fields(of: certificate),
                let issuer = certificates[row[3]], let anchor = try? TrustAnchor(certificate: issuer)
            else { continue }
            let question = RevocationQuestion(
                certificate: certificate,
                fields: fields,
                issuer: anchor,
                isRSA: row[0].hasPrefix("rsa-"),
                now: Timestamp(millisecondsSince1970: 1_781_524_800_000)
            )
            found.append(question)
        }
        require(found.count > 10, "Vectors/revocation is there")
        return found
    }

    private static func fields(of certificate: [UInt8]) -> Certificate? {
        guard let anchor = try? TrustAnchor(certificate: certificate), let owned = anchor.certificate else {
            return nil
        }
        return owned.view.fields
    }

    /// The signed parts of all pieces that decode: in a list the first element, in a response the first of
    /// its BasicOCSPResponse.
    static let signedParts: Set<[UInt8]> = Set(
        rows.compactMap { row -> [UInt8]? in
            guard row.count == 8 else { return nil }
            var bytes = octets(row[7])[...]
            func enter(_ index: Int = 0) {
                guard bytes.count >= 4 else { return bytes = [] }
                bytes = bytes.dropFirst(header(bytes))
                for _ in 0..<index where bytes.count >= 4 {
                    bytes = bytes.dropFirst(header(bytes) + length(bytes))
                }
            }
            enter(row[1] == "ocsp" ? 1 : 0)
            if row[1] == "ocsp" {
                enter()
                enter(1)
                enter()
                enter()
            }
            guard bytes.count >= 4 else { return nil }
            return Array(bytes.prefix(header(bytes) + length(bytes)))
        }
    )

    /// The length of an element's header, and of its contents.
    private static func header(_ bytes: ArraySlice<UInt8>) -> Int {
        let initial = bytes[bytes.startIndex + 1]
        return initial < 0x80 ? 2 : 2 + Int(initial & 3)
    }

    private static func length(_ bytes: ArraySlice<UInt8>) -> Int {
        let octets = bytes.dropFirst(2).prefix(header(bytes) - 2)
        return octets.isEmpty
            ? Int(bytes[bytes.startIndex + 1]) : octets.reduce(0) { ($0 << 8 | Int($1)) & 0xFFFFFF }
    }

    /// An error for a missing file, which ``questions`` rules out.
    static let missing: RevocationEvidenceError = {
        do throws(RevocationEvidenceError) {
            _ = try RevocationEvidence(ocspResponses: [[]])
        } catch {
            return error
        }
        fatalError("an empty response is refused")
    }()
}
