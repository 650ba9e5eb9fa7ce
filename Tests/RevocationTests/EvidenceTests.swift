import Basics
import Revocation
import Testing

/// The verdicts of `Vectors/revocation/make`, which `cryptography` has checked.
@Suite("OCSP responses and revocation lists, one piece at a time")
struct EvidenceTests {
    @Test("every piece gets its verdict", arguments: EvidenceRow.all)
    func verdict(_ row: EvidenceRow) {
        let status = row.status()
        switch row.verdict {
        case "good": #expect(status == .good)
        case "revoked":
            let reason = row.more.count > 1 ? RevocationReason(rawValue: UInt8(row.more[1])) : nil
            #expect(status == .revoked(at: Timestamp(millisecondsSince1970: row.more[0]), reason: reason))
        default:
            #expect(status.code.map { "\($0.name)" } == row.verdict, "\(status)")
            #expect((status.error?.refusal.offset).map(Int64.init) == row.more.first, "\(status)")
        }
    }

    @Test("negatives outnumber positives, and each kind and family has both")
    func counts() {
        #expect(EvidenceRow.all.count > 300)
        for isList in [false, true] {
            for isRSA in [false, true] {
                let rows = EvidenceRow.all.filter { $0.isList == isList && $0.isRSA == isRSA }
                let good = rows.count { $0.verdict == "good" }
                #expect(good > 10 && rows.count { !["good", "revoked"].contains($0.verdict) } > 2 * good)
            }
        }
    }

    @Test("the error names the piece at fault")
    func piece() throws {
        let (stale, list) = (EvidenceRow.named("ecdsa-ocsp-stale"), EvidenceRow.named("ecdsa-crl-stale"))
        #expect(stale.status().error?.piece == .ocspResponse(0))
        #expect(list.status().error?.piece == .revocationList(0))
        let message = list.status().error?.description ?? ""
        #expect(message.hasPrefix("revocation list 0: revocation.stale at"))
        let other = EvidenceRow.named("ecdsa-ocsp-other-serial")
        let none = try #require(other.status().error)
        #expect(none.piece == nil)
        #expect(other.status([], and: [other.piece]).error?.piece == .ocspResponse(0))
        #expect(other.status(and: [[]]).error?.piece == .ocspResponse(1))
        #expect(other.status(and: [stale.piece], now: stale.now).error?.piece == .ocspResponse(1))
    }

    @Test("a response status of two octets is refused, and so is one of none")
    func status() throws {
        let row = EvidenceRow.named("ecdsa-ocsp-good-sha256")
        // SEQUENCE with two octets of length, ENUMERATED with one octet, 0.
        #expect(row.piece.starts(with: [0x30, 0x82]) && Array(row.piece[4..<7]) == [0x0A, 0x01, 0x00])
        for octets in [[], [0x00, 0x00]] as [[UInt8]] {
            let contents = [0x0A, UInt8(octets.count)] + octets + row.piece[7...]
            let head = [0x30, 0x82, UInt8(contents.count >> 8), UInt8(contents.count & 0xFF)]
            #expect(row.status(head + contents).code == .responderError)
        }
    }

    @Test("a malformed signature is refused where it is malformed")
    func signature() throws {
        let row = EvidenceRow.named("ecdsa-ocsp-good-sha256")
        // The response ends with the SEQUENCE of the INTEGERs r and s.
        let start = try #require(
            row.piece.indices.last {
                row.piece[$0] == 0x30 && $0 + 2 + Int(row.piece[$0 + 1]) == row.piece.count
            }
        )
        let s = start + 4 + Int(row.piece[start + 3])
        var changed = row.piece
        changed[s] = 0x04
        #expect(row.status(changed).error?.refusal.offset == s)
    }

    @Test("a truncated piece is never usable", arguments: EvidenceRow.representatives)
    func truncated(_ row: EvidenceRow) {
        for count in 0..<row.piece.count {
            #expect(row.status(Array(row.piece[..<count])).error != nil, "\(count)")
        }
    }

    @Test("an element after the last one inside another is refused when the piece is decoded")
    func trailing() {
        var (count, open): (Int, Set<String>) = (0, [])
        for row in EvidenceRow.all where row.verdict == "good" || row.verdict == "revoked" {
            for (place, piece) in Self.extended(row.piece) {
                count += 1
                if row.isDecoded(piece) { open.insert((row.isList ? "list" : "response") + place) }
            }
        }
        // Another name of a distribution point, and parameters of ECDSA, which the signature's check refuses.
        #expect(open == ["list 0 0 5 0 1 2 0 0 0", "list 0 0 6 0 1 2 0 0 0", "response 0 1 0 1 0 1"])
        #expect(count > 1000)
    }

    /// Copies of elements, in each of which one element has `[APPLICATION 0]` after the last one inside it.
    ///
    /// - Returns: each copy with the place of that element: the indices of the elements that lead to it.
    private static func extended(_ elements: [UInt8]) -> [(place: String, elements: [UInt8])] {
        var (found, start, index): ([(String, [UInt8])], Int, Int) = ([], 0, 0)
        while start + 1 < elements.count {
            let (tag, first) = (elements[start], elements[start + 1])
            let digits = elements[(start + 2)...].prefix(first < 0x80 ? 0 : Int(first & 0x7F))
            let contents = start + 2 + digits.count
            let end = contents + digits.reduce(first < 0x80 ? Int(first) : 0) { $0 << 8 | Int($1) }
            guard end <= elements.count else { return [] }
            let inside = Array(elements[contents..<end])
            // An OCTET STRING may hold an encoding.
            if tag & 0x20 != 0 || tag == 0x04 && inside.first == 0x30 {
                for (place, inside) in [("", inside + [0x40, 0x00])] + extended(inside) {
                    let count = inside.count
                    let octets = [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
                    let long = count > 0xFF ? octets : [0x81, octets[2]]
                    let element = [tag] + (count > 0x7F ? long : [octets[2]]) + inside
                    found.append((" \(index)\(place)", elements[..<start] + element + elements[end...]))
                }
            }
            (start, index) = (end, index + 1)
        }
        return found
    }

    // No byte is harmless: the pieces have no certificate but the responder's.
    @Test("a piece with a changed byte is never usable", arguments: EvidenceRow.representatives)
    func changed(_ row: EvidenceRow) {
        for index in row.piece.indices {
            for bit in 0..<8 where row.isRSA == false || (index + bit) % 8 == 0 {
                var changed = row.piece
                changed[index] ^= 1 << bit
                #expect(row.status(changed).error != nil, "bit \(bit) of byte \(index)")
            }
        }
    }
}

extension EvidenceRow {
    /// A response by the issuer, one by a delegate, one that revokes, and lists.
    static let representatives: [Self] = ["ecdsa", "rsa"].flatMap { family in
        ["ocsp-good-sha256", "ocsp-delegate", "ocsp-key-compromise", "crl-others-revoked", "crl-first"].map {
            named("\(family)-\($0)")
        }
    }
}
