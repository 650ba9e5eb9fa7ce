import AppReceipt
import Basics
import TransactionReceipt

/// The answer to one request to Apple's endpoint `verifyReceipt`, computed locally.
public struct Answer: Sendable, Hashable {
    /// The status code, which is also the member `status` of the body.
    public let status: AnswerStatus
    /// The JSON object to send back. It is UTF-8 in one line, without a line end.
    ///
    /// Apple's endpoint sends every such object with the HTTP status 200, also for a refusal.
    public let body: [UInt8]
    /// The reason for a status other than 0, for logs; nil for status 0. The body does not hold it.
    public let error: AnswerError?

    /// The answer to a refused request. The body has the member `status`, and the member `environment`
    /// unless the argument of that name is nil.
    init(_ status: AnswerStatus, _ error: AnswerError, _ environment: ReceiptEndpoint.Environment? = nil) {
        var text = AnswerText()
        text.begin()
        text.member("\"status\":", status.rawValue)
        if let environment { text.member("\"environment\":\"", string: environment.name) }
        text.end()
        (self.status, self.error, body) = (status, error, text.bytes)
    }

    /// The answer, with status 0, about a valid app receipt. `now` is the time for `request_date`.
    ///
    /// - Parameters:
    ///   - listsPurchases: whether to write `latest_receipt_info`, if a purchase has an expiration date.
    ///   - members: the members that the object of a purchase may have, in order.
    init(
        valid receipt: Receipt,
        _ environment: ReceiptEndpoint.Environment,
        at now: Timestamp,
        listsPurchases: Bool,
        _ members: PurchaseMembers
    ) {
        var text = AnswerText(expecting: AnswerText.byteCount(of: receipt))
        text.begin()
        text.member("\"status\":", AnswerStatus.valid.rawValue)
        text.member("\"environment\":\"", string: environment.name)
        text.key("\"receipt\":")
        text.value(receipt, requestDate: now, members)
        if listsPurchases { text.latestReceiptInfo(of: receipt, members) }
        text.end()
        (status, error, body) = (.valid, nil, text.bytes)
    }

    /// The answer about a valid transaction receipt: status 21006 if the subscription expired at `now` or
    /// before, else 0.
    ///
    /// - Parameter listsPurchases: whether the answer about a subscription has the member
    ///   `latest_receipt_info`, or `latest_expired_receipt_info` if the subscription had expired.
    init(valid purchase: PurchaseInfo, at now: Timestamp, listsPurchases: Bool) {
        let isExpired = purchase.expiresDate.map { $0 <= now } ?? false
        status = isExpired ? .expiredSubscription : .valid
        let refusal = Refusal(.subscriptionExpired, at: 0, reading: "expires-date")
        error = isExpired ? .receipt(ReceiptError(.expirationDate, refusal)) : nil
        var text = AnswerText()
        text.begin()
        text.key("\"receipt\":")
        text.value(purchase)
        if listsPurchases, purchase.expiresDate != nil {
            text.key(isExpired ? "\"latest_expired_receipt_info\":" : "\"latest_receipt_info\":")
            text.value(purchase)
        }
        text.member("\"status\":", status.rawValue)
        text.end()
        body = text.bytes
    }
}

/// The reason why a request was not answered with status 0.
public enum AnswerError: Error, Sendable, Hashable {
    /// The request is at fault. The offset counts bytes of the body. If the string of `receipt-data` has
    /// escapes, a fault of the base64 in it is given the offset of the string's first character.
    case request(Refusal)
    /// The receipt is not valid, is of another environment, or its subscription has expired. Offsets count
    /// decoded bytes.
    case receipt(ReceiptError)

    /// The code of the refusal, from the lists of `AppReceipt`, `TransactionReceipt` and `VerifyReceipt`,
    /// or of `Revocation` if the policy asks for a check of revocation.
    public var code: Refusal.Code {
        switch self {
        case .request(let refusal): refusal.code
        case .receipt(let error): error.code
        }
    }
}

extension AnswerError: CustomStringConvertible {
    /// One line: the step, or `request`, the code's name, the offset, the certificate's index if there is
    /// one, the field and the code's meaning. It contains nothing of the request.
    public var description: String {
        switch self {
        case .request(let refusal): "request: \(refusal)"
        case .receipt(let error): error.description
        }
    }
}
