import Basics

/// The kind of payload that asks for a retention message (`DecodedRealtimeRequestBody`).
public enum RealtimeRequestKind: PayloadKind {
    public typealias Nested = NothingNested
    public static var shape: PayloadShape {
        PayloadShape(
            table: .realtimeRequest,
            hasBundleIdentifier: false,
            hasDevice: false
        )
    }
}

/// A request for a retention message whose signature is valid and whose claims satisfy the validator's
/// policy.
public typealias VerifiedRealtimeRequest = Verified<RealtimeRequestKind>
/// A request for a retention message whose signature is unverified.
public typealias UnverifiedRealtimeRequest = Unverified<RealtimeRequestKind>

extension PayloadContents where Kind == RealtimeRequestKind {
    /// The UUID of the request.
    public var requestIdentifier: String? { object.text("requestIdentifier") }
    /// The identifier of the first purchase of the subscription.
    public var originalTransactionId: String? { object.text("originalTransactionId") }
    /// The App Store's number for the app.
    public var appAppleId: Int64? { object.integer("appAppleId") }
    /// The identifier of the subscription's product.
    public var productId: String? { object.text("productId") }
    /// The locale of the customer's device.
    public var userLocale: String? { object.text("userLocale") }
}
