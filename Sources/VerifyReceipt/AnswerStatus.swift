/// The status codes of Apple's endpoint that can be decided without Apple's database.
///
/// | status | when |
/// | --- | --- |
/// | 0 | the receipt is valid: its certificates, its markers and its signature hold |
/// | 21000 | the body is no JSON object, nests values more than 64 deep, or is longer than 3,145,728 bytes |
/// | 21002 | `receipt-data` is absent, is in no accepted form, or holds no valid receipt |
/// | 21003 | the endpoint requires a password, and the request has no `password`, or one that is no string |
/// | 21004 | the endpoint requires a password, and the `password` is none of its shared secrets |
/// | 21006 | a valid transaction receipt of iOS 6 is for a subscription that had expired |
/// | 21007 | a valid receipt of the sandbox or of Xcode was sent to production |
/// | 21008 | a valid receipt of production was sent to the sandbox |
///
/// Every refusal of the validator gets 21002, unless 21007 or 21008 applies. A tampered receipt and a
/// foreign root get 21002, too: Apple's endpoint was seen to answer ten kinds of bad receipts with 21002,
/// one changed byte included. An environment that is unknown, or that the trust policy refuses, gets 21002,
/// too. Apple's endpoint was seen to answer 21003 to a request without a password, and to no other.
///
/// If several apply, the answer has the first of them in this order: 21000, 21002, 21007 or 21008, 21003,
/// 21004, 21006.
///
/// The other codes need Apple's servers and are never answered: 21001 is no longer sent; 21005, 21009 and
/// 21100 to 21199 report trouble inside Apple's servers; 21010 reports a deleted account.
public enum AnswerStatus: Int, Sendable, Hashable, CaseIterable {
    /// The receipt is valid.
    case valid = 0
    /// The body is not a JSON object, nests values more than 64 deep, or is longer than 3,145,728 bytes.
    case unreadableRequest = 21000
    /// The member `receipt-data` is absent, is in no accepted form, or holds no valid receipt of a known
    /// environment.
    case invalidReceipt = 21002
    /// The endpoint requires a password, and the request has no `password` that is a string.
    case notAuthenticated = 21003
    /// The `password` of the request is none of the endpoint's shared secrets.
    case wrongPassword = 21004
    /// The receipt is a valid transaction receipt of iOS 6 for a subscription that had expired.
    case expiredSubscription = 21006
    /// A valid receipt of the sandbox or of Xcode was sent to the endpoint of production.
    case sandboxReceipt = 21007
    /// A valid receipt of production was sent to the endpoint of the sandbox.
    case productionReceipt = 21008
}
