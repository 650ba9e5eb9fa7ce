import AppReceipt
import Basics

/// A kind of payload: ``TransactionKind``, ``RenewalInfoKind``, ``NotificationKind``, ``AppTransactionKind``
/// or ``RealtimeRequestKind``.
///
/// The types only name a kind. ``Verified`` and ``Unverified`` hold the payload.
public protocol PayloadKind: Sendable {
    /// The type that holds the verified tokens inside a payload of this kind.
    associatedtype Nested: Sendable
    /// The shape of payloads of this kind: their documented members, and which of them the validator checks.
    static var shape: PayloadShape { get }
}

/// The shape of the payloads of one kind: their documented members, and which of them the validator checks.
public struct PayloadShape: Sendable {
    package let table: ObjectTable
    /// The name of the member with the date when the payload was signed.
    package var date: StaticString = "signedDate"
    package var environment: StaticString = "environment"
    package var hasBundleIdentifier = true
    package var hasAppAppleIdentifier = true
    var hasDevice = true
}

/// The verified tokens inside a payload of a kind that holds none.
public struct NothingNested: Sendable {}

/// A payload whose signature is unverified: what some bytes claim. Show it to people, and never grant
/// anything for it.
public struct Unverified<Kind: PayloadKind>: PayloadContents {
    /// The payload's members.
    let object: PayloadObject
    /// The object whose claims about the app and the environment count: the payload itself, or for a
    /// notification the object inside it. Has no members if a notification holds no such object.
    package let claims: PayloadObject
    /// The kind of object that ``claims`` is; `.notification` if a notification holds no such object.
    let claimsTable: ObjectTable

    /// Decodes a payload. The header is not read, and the tokens inside a notification are not decoded. The
    /// signature must be base64url, but it is not verified.
    ///
    /// - Parameters:
    ///   - token: the characters of the token.
    ///   - limits: the limits on the work that the token may cause.
    /// - Throws: `SignedPayloadError` of the steps `form` and `payload`.
    public init(unverified token: [UInt8], limits: TokenLimits = .standard) throws(SignedPayloadError) {
        let (object, segment) = try PayloadObject.unverified(token, limits)
        do throws(Refusal) {
            try self.init(object)
        } catch {
            throw SignedPayloadError(.payload, segment.mapped(error))
        }
    }

    /// Checks the kind of the payload and the types of its documented members, and finds ``claims``. Throws
    /// `.otherKind`, `.severalContents`, and what `PayloadObject.check` throws.
    init(_ object: PayloadObject) throws(Refusal) {
        let table = Kind.shape.table
        // Without its mark, a payload is of the kind if all its members are: Apple's mock of renewal
        // information has an environment and a date.
        guard table.mark.map(object.has) ?? false || object.members(unknownTo: table).isEmpty else {
            throw object.refusal(.otherKind, "payload")
        }
        try object.check(table)
        self.object = object
        guard table == .notification else {
            (claims, claimsTable) = (object, table)
            return
        }
        var found: (object: PayloadObject, table: ObjectTable)?
        for row in table.rows {
            guard case .object(let table) = row.kind, let inner = object.object(row.name) else { continue }
            guard found == nil else { throw object.refusal(.severalContents, "notification") }
            found = (inner, table)
        }
        (claims, claimsTable) = found ?? (PayloadObject(), table)
    }
}

extension PayloadObject {
    /// Finds the members of a payload of any kind. Nothing is verified, and no type is checked.
    ///
    /// - Returns: also the segment that holds the payload.
    /// - Throws: `SignedPayloadError` of the steps `form` and `payload`.
    package static func unverified(
        _ token: [UInt8],
        _ limits: TokenLimits = .standard
    ) throws(SignedPayloadError) -> (PayloadObject, Segment) {
        let jws: CompactSerialisation
        do throws(Refusal) {
            jws = try CompactSerialisation(token, limits: limits, .none)
        } catch {
            throw SignedPayloadError(.form, error)
        }
        let payload = jws.payload
        do throws(Refusal) {
            return (try PayloadObject(payload.bytes, in: payload.bytes.indices, limits), payload)
        } catch {
            throw SignedPayloadError(.payload, payload.mapped(error))
        }
    }
}

extension Unverified {
    public var unverified: Unverified<Kind> { self }
    public var members: PayloadObject { object }

    /// The name of the environment in the payload, or for a notification in the object inside it; nil if
    /// absent. The object `externalPurchaseToken` of a notification has no such member: a value of
    /// `externalPurchaseId` that begins with `SANDBOX` gives the sandbox's name, any other value gives
    /// production's.
    package var environmentName: String? {
        guard claimsTable != .externalPurchaseToken else {
            return claims.utf8("externalPurchaseId").map { identifier in
                let isSandbox = identifier.borrowedSpan.starts(with: "SANDBOX")
                return (isSandbox ? StoreEnvironment.sandbox : .production).name
            }
        }
        return claims.text(Kind.shape.environment.description)
    }
}

/// The members of a payload, verified or not: ``Verified`` or ``Unverified``.
///
/// Most properties have Apple's name of a member, and are nil if the payload lacks the member or the member
/// is null. Each access to a string property makes the string anew. Apple's documentation of the member has
/// its meaning and its values.
public protocol PayloadContents<Kind>: Sendable {
    /// The kind of the payload.
    associatedtype Kind: PayloadKind
    /// The payload's values, in the type for unverified payloads.
    var unverified: Unverified<Kind> { get }
    /// All members of the payload, documented or not.
    var members: PayloadObject { get }
}

extension PayloadContents {
    var object: PayloadObject { members }

    /// The members whose names this version of the package does not know in payloads of this kind, in the
    /// order of the payload. ``members`` gives their values by name.
    public var unknownMembers: [PayloadMember] { object.members(unknownTo: Kind.shape.table) }
    /// The environment that signed the payload (`environment`, in an app transaction `receiptType`). Nil
    /// if it is absent, or if its name is unknown. ``members`` has the name; for a notification, `content`
    /// has it. The object `externalPurchaseToken` of a notification has no such member: a value of
    /// `externalPurchaseId` that begins with `SANDBOX` means the sandbox, any other value production.
    public var environment: StoreEnvironment? {
        unverified.environmentName.flatMap(StoreEnvironment.init(name:))
    }
    /// The time when the App Store signed the payload (`signedDate`, in an app transaction
    /// `receiptCreationDate`); nil if it is absent.
    public var signedDate: Timestamp? { object.date(Kind.shape.date.description) }
}
