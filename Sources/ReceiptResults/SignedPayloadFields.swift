import AppReceipt
import Basics
import JSONText
import SignedPayloads

/// The members of results for signed payloads. `Vectors/schema/result.schema.json` describes them.
extension Fields {
    /// Writes every documented member under Apple's name, null if it is absent, and then the others as
    /// `unknown_members`. A token inside a notification is written as the object that the token holds, or as
    /// its characters if the token was not decoded.
    ///
    /// - Parameter values: nil for the names alone, or for empty cells.
    @_specialize(where Self == JSONWriter)
    package mutating func payload(_ values: PayloadValues?, _ kind: SignedPayloadKind) {
        members(of: values?.members, kind.shape.table, values, kind)
    }

    /// Writes the members of the payload, or of an object in the payload.
    @_specialize(where Self == JSONWriter)
    private mutating func members(
        of object: PayloadObject?,
        _ table: ObjectTable,
        _ values: PayloadValues?,
        _ kind: SignedPayloadKind
    ) {
        for row in table.rows {
            let name = MemberName.given(row.name)
            switch row.kind {
            case .text:
                // The initialiser for a raw value compares by Unicode equivalence, which needs memcmp.
                let token = SignedPayloadError.NestedToken.allCases.first {
                    $0.rawValue.hasSameBytes(as: row.name)
                }
                if kind == .notification, let token {
                    nested(token, object, values)
                } else {
                    member(name, object?.text(row.name))
                }
            case .integer: member(name, object?.integer(row.name))
            case .date: member(name, object?.date(row.name))
            case .flag: member(name, object?.flag(row.name))
            case .texts: member(name, array: object?.texts(row.name)) { $0.element($1) }
            case .object(let table):
                let inner = object?.object(row.name)
                member(name, orNull: inner != nil) { $0.members(of: inner, table, values, kind) }
            case .objects(let table):
                member(name, array: object?.objects(row.name)) { array, inner in
                    array.element(object: { $0.members(of: inner, table, values, kind) })
                }
            }
        }
        member("unknown_members", json: object != nil) { json in
            for other in object?.members(unknownTo: table) ?? [] {
                json.member(.given(other.name), text: [UInt8](utf8: other.json)[...])
            }
        }
    }

    /// Writes what a token inside a notification holds, or its characters if it was not decoded.
    private mutating func nested(
        _ token: SignedPayloadError.NestedToken,
        _ object: PayloadObject?,
        _ values: PayloadValues?
    ) {
        let name = MemberName.given(token.rawValue)
        let inner = values?.nested(token.rawValue)
        if inner == nil, let text = object?.text(token.rawValue) { return member(name, text) }
        member(name, orNull: inner != nil) { $0.payload(inner, token.kind) }
    }

    /// Writes the values that identify a payload, under the same names for every kind; null for nil.
    ///
    /// In a notification, the identifiers of the product and of the transactions are those of the first
    /// decoded token inside it. Without such a token, they are those of its object, such as `summary`.
    @_specialize(where Self == JSONWriter)
    package mutating func brief(_ values: PayloadValues?) {
        let members = values?.members
        let purchase = values?.nested.first?.values.members ?? values?.claims
        member("environment", values?.environmentName)
        member("bundleId", values?.claims.text("bundleId"))
        member("signedDate", values.flatMap { $0.members.date($0.kind.shape.date.description) })
        member("notificationType", members?.text("notificationType"))
        member("subtype", members?.text("subtype"))
        member("notificationUUID", members?.text("notificationUUID"))
        member("productId", purchase?.text("productId"))
        member("transactionId", purchase?.text("transactionId"))
        member("originalTransactionId", purchase?.text("originalTransactionId"))
    }
}

extension JSONWriter {
    /// Writes the members of a payload.
    package mutating func payload(_ values: PayloadValues) { payload(values, values.kind) }

    /// Writes the certificates of a token and, unless `isValid`, the unverified values of its payload if they
    /// decode.
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
    /// An outline of each element of `x5c` that is base64, in the header of a token; none if the header
    /// cannot be read. Nothing is verified.
    package static func certificates(ofToken token: [UInt8]) -> [Outline] {
        CompactSerialisation.unverifiedCertificates(of: token, .standard).map { Outline(certificate: $0) }
    }
}

extension Mismatch {
    /// Finds the claim that the refusal of a payload is about, and the accepted values. The claim is the
    /// environment, the bundle identifier or the app's Apple ID. Nil if the refusal is about something else,
    /// or if the payload does not decode.
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
        // Nothing is decoded for the many refusals that are about something else.
        guard [.environment, .bundleIdentifier, .appAppleIdentifier].contains(error.step),
            let outer = try? PayloadValues(unverified: token, kind)
        else { return nil }
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
            let name = "appAppleId"
            let number = isAboutNotification ? outer.claims.integer(name) : policy.appAppleIdentifier
            accepted = number.map { [String($0)] } ?? []
            self.init(found: inner.claims.integer(name).map { String($0) }, expected: accepted)
        default: return nil
        }
    }

    private init(found: String?, expected: [String]) {
        (self.found, self.expected, isExpectation) = (found, expected, true)
    }
}
