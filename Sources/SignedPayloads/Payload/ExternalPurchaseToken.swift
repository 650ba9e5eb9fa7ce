import AppReceipt
import Basics

/// The token of an external purchase, which StoreKit gives to the app. **It is not signed**: report it to
/// Apple, and believe nothing that it says. Its values are signed if they come as the
/// `externalPurchaseToken` of a notification.
public struct UnverifiedExternalPurchaseToken: Sendable {
    /// All members of the token, documented or not.
    public let members: PayloadObject

    /// Decodes a token: JSON in base64 of either alphabet, with or without padding.
    ///
    /// - Throws: `SignedPayloadError` of the steps `form` and `payload`. Offsets of the step `payload` count
    ///   in the JSON, those of the step `form` in the token.
    public init(unverified token: [UInt8], limits: TokenLimits = .standard) throws(SignedPayloadError) {
        let json: [UInt8]
        do throws(Refusal) {
            guard token.count <= limits.tokenBytes else {
                throw Refusal(.tokenTooLarge, at: limits.tokenBytes, reading: "token")
            }
            json = try Base64.decode(
                token.borrowedSpan,
                in: token.indices,
                space: .refused,
                acceleration: .none
            )
        } catch {
            throw SignedPayloadError(.form, error)
        }
        do throws(Refusal) {
            members = try PayloadObject(json, in: json.indices, limits)
            try members.check(.externalPurchaseToken)
        } catch {
            throw SignedPayloadError(.payload, error)
        }
    }

    /// The identifier of the token. It begins with `SANDBOX` if the token is from the sandbox.
    public var externalPurchaseId: String? { members.text("externalPurchaseId") }
    /// The time when the token was made.
    public var tokenCreationDate: Timestamp? { members.date("tokenCreationDate") }
    /// The time when the token expires.
    public var tokenExpirationDate: Timestamp? { members.date("tokenExpirationDate") }
    /// The type of the token, such as `SERVICES`.
    public var tokenType: String? { members.text("tokenType") }
    /// The App Store's number for the app.
    public var appAppleId: Int64? { members.integer("appAppleId") }
    /// The bundle identifier of the app.
    public var bundleId: String? { members.text("bundleId") }
}
