import AppReceipt
import Basics
import CAppReceipt
import JSONText
import ReceiptResults
import SHA
import SignedPayloads

/// The verdict about one token, with the values of its payload.
final class TokenOutcome: Handle {
    private let verdict: Result<ValidPayload, SignedPayloadError>
    /// The characters of the token that was found in the input; empty if none was found. If the input, with
    /// its white space, is longer than twice the limit on tokens, no token is looked for, and this array has
    /// the first bytes of the input.
    private let token: [UInt8]
    private let kind: SignedPayloadKind
    /// The validator that gave the verdict.
    private let validator: TokenValidator

    init(
        _ verdict: Result<ValidPayload, SignedPayloadError>,
        _ token: [UInt8],
        _ kind: SignedPayloadKind,
        _ validator: TokenValidator
    ) {
        (self.verdict, self.token, self.kind, self.validator) = (verdict, token, kind, validator)
        super.init(validator.memory)
    }

    /// `ok` if the token is valid, `refused` if not.
    var status: Status { if case .success = verdict { .ok } else { .refused } }
    /// Why the token was refused; nil if it is valid.
    var error: SignedPayloadError? { if case .failure(let error) = verdict { error } else { nil } }
    /// The values of the token's payload; nil if the token was refused.
    private var values: PayloadValues? { try? verdict.get().values }

    /// The verdict and the payload's values as a JSON object in UTF-8, as `app_receipt.h` describes it.
    var json: [UInt8] {
        let token = token
        var head = ResultHead()
        head.kind = kind
        if !token.isEmpty { head.digest = HashAlgorithm.sha256.digest(of: token.borrowedSpan) }
        switch verdict {
        case .success(let payload): head.payload = payload
        case .failure(let error):
            head.fault = Fault(error)
            head.mismatch = Mismatch(error, token, kind, validator.judge.policy)
        }
        return JSONWriter.object { json in
            json.verdict(head)
            if let values { json.member("payload") { $0.payload(values) } }
        }.bytes
    }

    /// The text with the number `field` in `app_receipt.h`, in UTF-8; nil for a refusal, or if the payload
    /// lacks the text. Throws `badValue` for a number other than 1, 2 and 20.
    func text(_ field: Int32) throws(Status) -> [UInt8]? {
        switch field {
        case 1: return values?.environmentName.map { [UInt8](utf8: $0) }
        case 2: return values?.claims.text("bundleId").map { [UInt8](utf8: $0) }
        case 20:
            guard let steps = try? verdict.get().notChecked else { return nil }
            var names: [UInt8] = []
            for step in steps {
                if !names.isEmpty { names.append(UInt8(ascii: ",")) }
                names.append(utf8: step.text)
            }
            return names
        default: throw .badValue
        }
    }

    /// The object of a valid payload in which the member that a path names would stand, and the member's
    /// name. The object need not have the member. Nil if the payload has no such object, and for a refusal.
    ///
    /// - Parameter path: names with full stops between them. A name before a full stop may be that of a token
    ///   inside a notification.
    func member(_ path: String) -> (object: PayloadObject, name: String)? {
        guard let values else { return nil }
        var names = [UInt8](utf8: path).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { String(utf8: $0.borrowedSpan) }
        guard let last = names.popLast() else { return nil }
        var object = values.members
        for name in names {
            guard let inner = object.object(name) ?? verified(name, in: object, of: values) else {
                return nil
            }
            object = inner
        }
        return (object, last)
    }

    /// The payload of the verified token that a member of an object holds; nil if the member holds no
    /// verified token.
    private func verified(
        _ name: String,
        in object: PayloadObject,
        of values: PayloadValues
    ) -> PayloadObject? {
        // The token is the one that was verified only if it has the same characters.
        guard let nested = values.nested(name), let token = object.text(name),
            let verified = values.claims.text(name), token.hasSameBytes(as: verified)
        else { return nil }
        return nested.members
    }
}

extension SignedPayloadError.Step {
    /// The published name of the step of a token's validation, as a literal. It is also the step's raw
    /// value (a test compares them).
    var text: StaticString {
        switch self {
        case .form: "form"
        case .header: "header"
        case .signedDate: "signed-date"
        case .certificatePath: "certificate-path"
        case .root: "root"
        case .distrust: "distrust"
        case .revocation: "revocation"
        case .intermediateMarker: "intermediate-marker"
        case .leafMarker: "leaf-marker"
        case .signature: "signature"
        case .payload: "payload"
        case .environment: "environment"
        case .bundleIdentifier: "bundle-identifier"
        case .appAppleIdentifier: "app-apple-id"
        case .deviceVerification: "device-verification"
        case .age: "age"
        }
    }
}

extension SignedPayloadError.NestedToken {
    /// The name of the notification's JSON member that holds the token, as a literal. It is also the raw
    /// value (a test compares them).
    var text: StaticString {
        switch self {
        case .transaction: "signedTransactionInfo"
        case .renewalInfo: "signedRenewalInfo"
        case .appTransaction: "signedAppTransactionInfo"
        }
    }
}

@c @implementation
public func app_receipt_token_result_release(_ result: OpaquePointer?) {
    unsafe take(result, TokenOutcome.self)
}

@c @implementation
public func app_receipt_token_result_verdict(_ result: OpaquePointer?) -> Int32 {
    status { () throws(Status) in try unsafe object(result, TokenOutcome.self).status }
}

@c @implementation
public func app_receipt_token_result_error(
    _ result: OpaquePointer?,
    _ error: UnsafeMutablePointer<app_receipt_error>?
) -> Int32 {
    unsafe with(result, TokenOutcome.self) { (outcome) throws(Status) in
        let place = try unsafe place(error)
        guard let error = outcome.error else { return .absent }
        unsafe place.pointee = app_receipt_error(
            error.refusal,
            step: error.step.text,
            certificate: error.certificateIndex
        )
        return .ok
    }
}

@c @implementation
public func app_receipt_token_result_nested_token(
    _ result: OpaquePointer?,
    _ name: UnsafeMutablePointer<UnsafePointer<CChar>?>?
) -> Int32 {
    unsafe with(result, TokenOutcome.self) { (outcome) throws(Status) in
        let place = try unsafe place(name)
        guard let token = outcome.error?.nestedToken else { return .absent }
        unsafe place.pointee = token.text.characters
        return .ok
    }
}

@c @implementation
public func app_receipt_token_result_text(
    _ result: OpaquePointer?,
    _ field: Int32,
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ capacity: Int,
    _ length: UnsafeMutablePointer<Int>?
) -> Int32 {
    unsafe with(result, TokenOutcome.self) { (outcome) throws(Status) in
        let text = try outcome.text(field)
        return try unsafe write(text?[...], buffer, capacity, length)
    }
}

@c @implementation
public func app_receipt_token_result_json(
    _ result: OpaquePointer?,
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ capacity: Int,
    _ length: UnsafeMutablePointer<Int>?
) -> Int32 {
    unsafe with(result, TokenOutcome.self) { (outcome) throws(Status) in
        try unsafe write(outcome.json[...], buffer, capacity, length)
    }
}

@c @implementation
public func app_receipt_payload_text(
    _ result: OpaquePointer?,
    _ member: UnsafePointer<CChar>?,
    _ member_length: Int,
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ capacity: Int,
    _ length: UnsafeMutablePointer<Int>?
) -> Int32 {
    unsafe with(result, TokenOutcome.self) { (outcome) throws(Status) in
        var value: ArraySlice<UInt8>?
        if let (object, name) = outcome.member(try unsafe text(member, member_length)), !object.isNull(name) {
            guard let text = object.text(name) else { throw .badValue }
            value = [UInt8](utf8: text)[...]
        }
        return try unsafe write(value, buffer, capacity, length)
    }
}

@c @implementation
public func app_receipt_payload_integer(
    _ result: OpaquePointer?,
    _ member: UnsafePointer<CChar>?,
    _ member_length: Int,
    _ value: UnsafeMutablePointer<Int64>?
) -> Int32 {
    unsafe with(result, TokenOutcome.self) { (outcome) throws(Status) in
        var found: Int64?
        if let (object, name) = outcome.member(try unsafe text(member, member_length)), !object.isNull(name) {
            let flag: Int64? = object.flag(name).map { $0 ? 1 : 0 }
            found = object.integer(name) ?? object.date(name)?.millisecondsSince1970 ?? flag
            guard found != nil else { throw .badValue }
        }
        let place = try unsafe place(value)
        guard let found else { return .absent }
        unsafe place.pointee = found
        return .ok
    }
}
