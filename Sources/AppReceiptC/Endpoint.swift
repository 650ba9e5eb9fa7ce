import Basics
import CAppReceipt
import VerifyReceipt

final class Endpoint: Handle {
    let endpoint: ReceiptEndpoint

    init(_ endpoint: ReceiptEndpoint, _ memory: Memory) {
        self.endpoint = endpoint
        super.init(memory)
    }
}

/// The answer of a `ReceiptEndpoint`. Safe: the body is allocated when the answer is made, and deallocated
/// with it.
@safe
final class EndpointAnswer: Handle {
    let status: AnswerStatus
    let error: AnswerError?
    /// The answer's JSON object in UTF-8, at an address that does not change.
    let body: UnsafeMutableBufferPointer<UInt8>

    init(_ answer: Answer, _ memory: Memory) {
        (status, error) = (answer.status, answer.error)
        unsafe body = .allocate(capacity: answer.body.count)
        _ = unsafe body.initialize(from: answer.body)
        super.init(memory)
    }

    deinit { unsafe body.deallocate() }
}

@c @implementation
public func app_receipt_endpoint_create(
    _ policy: OpaquePointer?,
    _ is_sandbox: Int32,
    _ repairs: Int32,
    _ endpoint: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe create(policy, is_sandbox, repairs, nil, endpoint)
}

@c @implementation
public func app_receipt_endpoint_create_with_secrets(
    _ policy: OpaquePointer?,
    _ is_sandbox: Int32,
    _ repairs: Int32,
    _ secrets: UnsafePointer<app_receipt_input>?,
    _ count: Int,
    _ endpoint: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe create(policy, is_sandbox, repairs, (secrets, count), endpoint)
}

/// Makes a `ReceiptEndpoint` by a policy and writes its pointer to `endpoint`. If `secrets` is nil, the
/// endpoint ignores passwords. If the count of `secrets` is 0, it refuses every request. Returns the status
/// as a number.
private func create(
    _ policy: OpaquePointer?,
    _ isSandbox: Int32,
    _ repairs: Int32,
    _ secrets: (first: UnsafePointer<app_receipt_input>?, count: Int)?,
    _ endpoint: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe with(policy, Policy.self) { (policy) throws(Status) in
        let place = try unsafe place(endpoint)
        guard isSandbox == 0 || isSandbox == 1, repairs == 0 || repairs == 1 else { throw .badValue }
        var copies: [[UInt8]]?
        if let secrets = unsafe secrets {
            let inputs = try unsafe inputs(secrets.first, secrets.count)
            copies = []
            for index in inputs.indices {
                copies?.append(try unsafe copy(inputs[index].bytes, inputs[index].length))
            }
        }
        let made = ReceiptEndpoint(
            isSandbox == 1 ? .sandbox : .production,
            try policy.complete(),
            sharedSecrets: copies,
            base64: repairs == 1 ? .repairing : .strict,
            listsPurchases: policy.listsPurchases
        )
        unsafe give(Endpoint(made, policy.memory), place)
        return .ok
    }
}

@c @implementation
public func app_receipt_endpoint_release(_ endpoint: OpaquePointer?) { unsafe take(endpoint, Endpoint.self) }

@c @implementation
public func app_receipt_endpoint_answer(
    _ endpoint: OpaquePointer?,
    _ cache: OpaquePointer?,
    _ body: UnsafePointer<UInt8>?,
    _ length: Int,
    _ now: Int64,
    _ answer: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe with(endpoint, Endpoint.self) { (endpoint) throws(Status) in
        let place = try unsafe place(answer)
        // A longer body gets the same answer, so its rest is not copied.
        let body = try unsafe copy(body, min(length, ReceiptEndpoint.bodyBytes + 1))
        let cache = unsafe Cache.of(cache, endpoint.memory)
        let now = Timestamp(millisecondsSince1970: now)
        let made = endpoint.endpoint.answer(body, at: now, cache: &cache.cache)
        unsafe give(EndpointAnswer(made, endpoint.memory), place)
        return .ok
    }
}

@c @implementation
public func app_receipt_answer_status(_ answer: OpaquePointer?) -> Int32 {
    do throws(Status) {
        return Int32(try unsafe object(answer, EndpointAnswer.self).status.rawValue)
    } catch {
        return error.rawValue
    }
}

@c @implementation
public func app_receipt_answer_body(
    _ answer: OpaquePointer?,
    _ bytes: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
    _ length: UnsafeMutablePointer<Int>?
) -> Int32 {
    unsafe with(answer, EndpointAnswer.self) { (answer) throws(Status) in
        let (bytes, length) = (try unsafe place(bytes), try unsafe place(length))
        unsafe bytes.pointee = UnsafeRawPointer(answer.body.baseAddress)?.assumingMemoryBound(to: CChar.self)
        unsafe length.pointee = answer.body.count
        return .ok
    }
}

@c @implementation
public func app_receipt_answer_error(
    _ answer: OpaquePointer?,
    _ error: UnsafeMutablePointer<app_receipt_error>?
) -> Int32 {
    unsafe with(answer, EndpointAnswer.self) { (answer) throws(Status) in
        let place = try unsafe place(error)
        switch answer.error {
        case nil: return .absent
        case .request(let refusal)?: unsafe place.pointee = app_receipt_error(refusal, step: "request")
        case .receipt(let error)?: unsafe place.pointee = app_receipt_error(error)
        }
        return .ok
    }
}

@c @implementation
public func app_receipt_answer_release(_ answer: OpaquePointer?) { unsafe take(answer, EndpointAnswer.self) }
