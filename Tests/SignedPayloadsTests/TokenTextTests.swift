import AppReceipt
import Basics
import Foundation
import SignedPayloads
import TestSupport
import Testing

/// A text in UTF-8, in base64url without padding (RFC 7515 §2).
func base64URL(_ text: String) -> String {
    Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        .replacing("=", with: "")
}

/// Edits of the text of good tokens, which need no key.
@Suite("The text of a token")
struct TokenTextTests {
    static let good = try? TokenVector.named("every member of a transaction")

    /// Expects a refusal of a text.
    private func refuses(
        _ text: [UInt8],
        _ step: SignedPayloadError.Step,
        _ code: Refusal.Code,
        at offset: Int? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let good = try #require(Self.good)
        for cached in [false, true] {
            var cache = SignedPayloadCache()
            if cached { _ = try Judged(good.kind, good.token, good.policy, cache: &cache) }
            do throws(SignedPayloadError) {
                _ = try Judged(good.kind, text, good.policy, cache: &cache)
                Issue.record("accepted", sourceLocation: sourceLocation)
            } catch {
                #expect(error.step == step && error.code == code, "\(error)", sourceLocation: sourceLocation)
                if let offset { #expect(error.offset == offset, sourceLocation: sourceLocation) }
            }
        }
    }

    private func segments() throws -> [String] {
        String(decoding: try #require(Self.good).token, as: UTF8.self).components(separatedBy: ".")
    }

    @Test("is refused with padding, white space or the standard alphabet in any segment", arguments: 0..<3)
    func alphabet(_ index: Int) throws {
        let parts = try segments()
        let (step, code): (SignedPayloadError.Step, Refusal.Code) =
            index == 0 ? (.header, .notBase64URL) : (.form, .notBase64URL)
        func token(_ change: (String) -> String) -> [UInt8] {
            var changed = parts
            changed[index] = change(parts[index])
            return [UInt8](changed.joined(separator: ".").utf8)
        }
        let start = parts[..<index].reduce(0) { $0 + $1.utf8.count + 1 }
        for padding in ["=", "==", "\n", " ", "\r\n", "\t", "%3D", "\0"] {
            try refuses(token { $0 + padding }, step, code, at: start + parts[index].utf8.count)
        }
        let others = ["+", "/", "\n", "\r\n", " ", "\t", "~", "é", "\u{0}", "=", "~A+", "é=", ":A+", "{A+"]
        for character in others {
            let changed = token { $0.prefix(9) + character + $0.dropFirst(10) }
            try refuses(changed, step, code, at: start + 9)
        }
        try refuses(token { _ in "A" }, step, code)
        try refuses(token { _ in "AAAAA" }, step, code)
    }

    @Test("is refused if a segment's last character has bits beyond the last byte")
    func unusedBits() throws {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        let parts = try segments()
        var found = 0
        for (index, part) in parts.enumerated() where part.utf8.count % 4 != 0 {
            let last = try #require(alphabet.firstIndex(of: part.utf8.last ?? 0))
            let unused = part.utf8.count % 4 == 2 ? 4 : 2
            for bits in 1..<(1 << unused) {
                var changed = parts.map { Array($0.utf8) }
                changed[index][part.utf8.count - 1] = alphabet[last | bits]
                let token = Array(changed.joined(separator: [UInt8(ascii: ".")]))
                try refuses(token, index == 0 ? .header : .form, .notBase64URL)
                found += 1
            }
        }
        // 64 octets of a signature always leave four bits.
        #expect(found >= 15)
    }

    @Test("is refused unless it has three segments")
    func segmentCount() throws {
        let text = String(decoding: try #require(Self.good).token, as: UTF8.self)
        let parts = try segments()
        for other in [
            "", ".", parts[0], parts[0] + "." + parts[1], text + ".", text + "." + parts[2], "." + text,
            "..." + text,
            "{}", #"{"payload":"","signatures":[]}"#,
        ] {
            try refuses([UInt8](other.utf8), .form, .notCompactJWS)
        }
        try refuses([UInt8]("..".utf8), .header, .notAnObject)
        for other in [" " + text, "\u{feff}" + text, "\"" + text + "\""] {
            let isQuoted = other.hasSuffix("\"")
            try refuses([UInt8](other.utf8), isQuoted ? .form : .header, .notBase64URL)
        }
        for other in [text + "\n", text + "\0", text + " "] {
            try refuses([UInt8](other.utf8), .form, .notBase64URL, at: text.utf8.count)
        }
    }

    @Test("has the place of a fault in the JSON of a segment", arguments: 0..<9)
    func offset(_ spaces: Int) throws {
        let parts = try segments()
        let before = String(repeating: " ", count: spaces) + #"{"a":0 "#
        let faulty = base64URL(before + "x}")
        // Each byte begins in the character that has its first bit.
        let place = before.utf8.count * 8 / 6
        let header = [UInt8]([faulty, parts[1], parts[2]].joined(separator: ".").utf8)
        try refuses(header, .header, .notAnObject, at: place)
        let payload = [UInt8]([parts[0], faulty, parts[2]].joined(separator: ".").utf8)
        try refuses(payload, .signedDate, .notAnObject, at: parts[0].utf8.count + 1 + place)
    }

    @Test("is refused beyond the limits, and judged in linear time below them")
    func limits() throws {
        let good = try #require(Self.good)
        try refuses([UInt8](repeating: UInt8(ascii: "."), count: 1 << 20), .form, .tokenTooLarge, at: 1 << 17)
        let parts = try segments()
        let members = "{" + (0..<100_000).map { "\"\($0)\":0" }.joined(separator: ",") + "}"
        let large = [UInt8]([parts[0], base64URL(members), parts[2]].joined(separator: ".").utf8)
        try refuses(large, .form, .tokenTooLarge)
        let largeHeader = [UInt8]([base64URL(members), parts[1], parts[2]].joined(separator: ".").utf8)
        let policy = good.policy.with { $0.limits.tokenBytes = 16 << 20 }
        let clock = ContinuousClock()
        for (token, step) in [(large, SignedPayloadError.Step.signedDate), (largeHeader, .header)] {
            var error: SignedPayloadError?
            let time = clock.measure {
                do throws(SignedPayloadError) { _ = try Judged(good.kind, token, policy) } catch let thrown {
                    error = thrown
                }
            }
            #expect(error?.step == step && error?.code == .tooManyMembers)
            // It takes 20 ms; names compared pair by pair would take minutes.
            #expect(time < .seconds(5))
        }
        #expect(TokenLimits.standard.members == 256)
        // At the limit and one beyond it.
        for (change, isAccepted) in [(0, true), (-1, false)] {
            let exact = good.policy.with { $0.limits.tokenBytes = good.token.count + change }
            let judged = try? Judged(good.kind, good.token, exact)
            #expect((judged != nil) == isAccepted)
            let members = try good.payload.members.count
            let counted = try? Judged(
                good.kind,
                good.token,
                good.policy.with { $0.limits.members = members + change }
            )
            #expect((counted != nil) == isAccepted)
        }
    }

    @Test("is refused after any change of one of its bits or characters, and after any cut")
    func mutants() throws {
        let good = try #require(Self.good)
        var cache = SignedPayloadCache()
        _ = try Judged(good.kind, good.token, good.policy, cache: &cache)
        for index in good.token.indices {
            var changed = good.token
            changed[index] ^= 1 << UInt8(index % 7)
            #expect(throws: SignedPayloadError.self, "bit of \(index)") {
                try Judged(good.kind, changed, good.policy, cache: &cache)
            }
            guard index % 16 == 0 else { continue }
            #expect(throws: SignedPayloadError.self, "cut at \(index)") {
                try Judged(good.kind, Array(good.token[..<index]), good.policy, cache: &cache)
            }
        }
    }

    @Test("gives the same values unverified, for the same form")
    func unverified() throws {
        let good = try #require(Self.good)
        #expect(try UnverifiedTransaction(unverified: good.token).price == 10_990)
        for (text, step) in [("a.b", SignedPayloadError.Step.form), (".W10.", .payload), (".e30.=", .form)] {
            let error = try #require(throws: SignedPayloadError.self) {
                try UnverifiedTransaction(unverified: [UInt8](text.utf8))
            }
            #expect(error.step == step)
        }
    }
}

@Suite("The codes of signed payloads")
struct SignedPayloadCodesTests {
    static let codes = Refusal.Code.allOfSignedPayloads

    @Test("have the numbers from 1000 on without a gap, and names and sentences of their own")
    func unique() {
        #expect(Self.codes.map(\.number) == Array(1000..<1000 + UInt16(Self.codes.count)))
        let all = Refusal.Code.all + Self.codes
        #expect(Set(all.map(\.number)).count == all.count)
        #expect(Set(all.map { "\($0.name)" }).count == all.count)
        #expect(Set(all.map { "\($0.meaning)" }).count == all.count)
        for code in Self.codes {
            #expect("\(code.name)".split(separator: ".").count == 2 && "\(code.meaning)".hasSuffix("."))
        }
    }

    @Test("are all thrown by tokens of the tables and of these tests, but one that pkix.distrusted replaces")
    func thrown() {
        let inTests: [Refusal.Code] = [.tokenTooLarge, .notBase64URL]
        let named = Set(TokenVector.all.map(\.code)).union(inTests.map { "\($0.name)" })
        #expect(Self.codes.map { "\($0.name)" }.filter { !named.contains($0) } == ["jws.distrusted"])
    }
}
