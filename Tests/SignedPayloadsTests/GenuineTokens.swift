import Basics
import Foundation
import PKIX
import SHA
import SignedPayloads
import TestSupport
import Testing

/// A token of `../shared/jws` with the record beside it.
struct GenuineToken: Sendable, CustomTestStringConvertible {
    let name: String
    let token: [UInt8]
    let kind: String
    let verdict: String
    /// The payload as Foundation reads it.
    let payload: JSON
    /// The first certificate of `x5c`, in DER; nil if there is none.
    let certificate: [UInt8]?

    var testDescription: String { name }

    /// All tokens. Empty if the data is missing; the tests are skipped then, and fail under CI.
    static let all: [GenuineToken] = {
        let names = (try? SharedData.files(in: "jws", suffix: ".jws")) ?? []
        return names.compactMap { try? GenuineToken(String($0.dropLast(4))) }
    }()

    /// The first token whose name begins with a prefix.
    static func first(_ prefix: String) throws -> GenuineToken {
        guard let token = all.first(where: { $0.name.hasPrefix(prefix) }) else { throw UnexpectedJSON() }
        return token
    }

    init(_ name: String) throws {
        self.name = name
        token = try SharedData.bytes("jws/\(name).jws").filter { $0 > 0x20 }
        let record = try JSON.parse(SharedData.bytes("jws/\(name).json"))
        guard let kind = record["kind"]?.string, let verdict = record["verdict"]?.string else {
            throw UnexpectedJSON()
        }
        (self.kind, self.verdict, payload) = (kind, verdict, record["payload"] ?? .null)
        let segments = String(decoding: token, as: UTF8.self).components(separatedBy: ".")
        let header = try? JSON.parse(Data(base64URL: segments[0]).map { [UInt8]($0) } ?? [])
        certificate = header?["x5c"]?.elements.first?.string.flatMap { Data(base64Encoded: $0) }.map {
            [UInt8]($0)
        }
    }

    /// The roots that the record names: Apple's, a test root, or the token's own certificate.
    func trust() throws -> TokenTrust {
        if let range = verdict.range(of: "accept as Xcode"), range.lowerBound == verdict.startIndex {
            return .xcodeTesting(pinned: [try TrustAnchor(certificate: certificate ?? [])])
        }
        let roots = [
            "testCA.der": "apple-testCA", "Apple library test CA": "apple-testCA",
            "emindeniz99 jws-root": "emindeniz99-jws-root",
            "emindeniz99 jws-expired-root": "emindeniz99-jws-expired-root",
        ]
        for (words, file) in roots where verdict.contains(words) {
            return .pinned([try TrustAnchor(certificate: SharedData.bytes("jws/roots/\(file).der"))])
        }
        return .appStore
    }
}

struct UnexpectedJSON: Error {}

/// A JSON value. No number of the data is beyond 2^53.
enum JSON: Sendable, Equatable {
    case null, flag(Bool), number(Double), string(String), array([JSON]), object([String: JSON])

    static func parse(_ bytes: [UInt8]) throws -> JSON {
        try JSONDecoder().decode(JSON.self, from: Data(bytes))
    }

    subscript(_ name: String) -> JSON? { if case .object(let members) = self { members[name] } else { nil } }
    var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }
    var string: String? { if case .string(let string) = self { string } else { nil } }
    var members: [String: JSON] { if case .object(let members) = self { members } else { [:] } }
    var number: Double? { if case .number(let number) = self { number } else { nil } }
    var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
    /// The milliseconds of a date, rounded down.
    var milliseconds: Int64? { number.map { Int64($0.rounded(.down)) } }
}

extension JSON: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .flag(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([String: JSON].self) {
            self = .object(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else {
            self = .array(try container.decode([JSON].self))
        }
    }
}

extension Data {
    init?(base64URL text: String) {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        self.init(base64Encoded: standard + String(repeating: "=", count: (4 - standard.count % 4) % 4))
    }
}
