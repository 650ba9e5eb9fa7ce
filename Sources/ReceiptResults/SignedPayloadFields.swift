import AppReceipt
import Basics
import JSONText
import SignedPayloads

/// The members of results for signed payloads. `Vectors/schema/result.schema.json` describes them.
extension JSONWriter {
    /// Writes every documented member under Apple's name, null if it is absent, and then the others as
    /// `unknown_members`. A token inside a notification is written as the object that it holds.
    package mutating func payload(_ values: PayloadValues) {
        members(of: values.members, values.kind.shape.table, values)
    }

    private mutating func members(
        of object: PayloadObject,
        _ table: ObjectTable,
        _ values: PayloadValues
    ) {
        for row in table.rows {
            let name = MemberName.given(row.name)
            switch row.kind {
            case .text:
                if let inner = values.nested(row.name) {
                    member(name) { $0.payload(inner) }
                } else {
                    member(name, object.text(row.name))
                }
            case .integer: member(name, object.integer(row.name))
            case .date: member(name, object.date(row.name))
            case .flag: member(name, object.flag(row.name))
            case .texts: member(name, array: object.texts(row.name)) { $0.element($1) }
            case .object(let table):
                if let inner = object.object(row.name) {
                    member(name) { $0.members(of: inner, table, values) }
                } else {
                    member(name, nil as String?)
                }
            }
        }
        member("unknown_members") { json in
            for other in object.members(unknownTo: table) {
                json.member(.given(other.name), text: [UInt8](utf8: other.json)[...])
            }
        }
    }

    /// Writes the certificates of a token and, unless `isValid`, the unverified values of its payload.
    package mutating func inspection(token: [UInt8], _ kind: SignedPayloadKind, isValid: Bool) {
        if !isValid, let claimed = try? PayloadValues(unverified: token, kind) {
            member("unverified_payload") { $0.payload(claimed) }
        }
        member("certificates", array: Outline.certificates(ofToken: token)) { array, outline in
            for certificate in outline.certificates {
                array.element { $0.certificate(certificate, in: outline.bytes) }
            }
        }
    }
}

extension Outline {
    /// An outline of each certificate in the header of a token.
    package static func certificates(ofToken token: [UInt8]) -> [Outline] {
        CompactSerialisation.unverifiedCertificates(of: token, .standard).map { Outline(certificate: $0) }
    }
}

extension Mismatch {
    /// Finds the claim that the refusal of a payload is about: its environment, bundle identifier or Apple
    /// ID. Nil if the refusal is about something else.
    ///
    /// - Parameters:
    ///   - token: the token that was refused.
    ///   - policy: the policy that refused it.
    package init?(
        _ error: SignedPayloadError,
        _ token: [UInt8],
        _ kind: SignedPayloadKind,
        _ policy: SignedPayloadPolicy
    ) {
        guard let outer = try? PayloadValues(unverified: token, kind) else { return nil }
        let inner = error.nestedToken.flatMap { outer.nested($0.rawValue) } ?? outer
        let isAboutNotification = error.code == .nestedTokenMismatch
        let accepted: [String]
        switch error.step {
        case .environment:
            let only = policy.trust.onlyEnvironments
            let names = (policy.environments.accepted ?? only ?? []).filter { only?.contains($0) ?? true }
            accepted = isAboutNotification ? [outer.environmentName].compactMap { $0 } : names.map { $0.name }
            self.init(found: inner.environmentName ?? outer.environmentName, expected: accepted)
        case .bundleIdentifier:
            let name = "bundleId"
            accepted =
                isAboutNotification
                ? [outer.claims.text(name)].compactMap { $0 } : policy.bundleIdentifier.accepted ?? []
            self.init(found: inner.claims.text(name), expected: accepted)
        case .appAppleIdentifier:
            accepted = policy.appAppleIdentifier.map { ["\($0)"] } ?? []
            self.init(found: inner.claims.integer("appAppleId").map { "\($0)" }, expected: accepted)
        default: return nil
        }
    }

    private init(found: String?, expected: [String]) {
        (self.found, self.expected, isExpectation) = (found, expected, true)
    }
}
