import AppReceipt
import CAppReceipt
import DER
import VerifyReceipt

final class Endpoint: Handle {
    let endpoint: ReceiptEndpoint

    init(_ endpoint: ReceiptEndpoint, _ memory: Memory) {
        self.endpoint = endpoint
        super.init(memory)
    }
}

/// Safe: the body is allocated when the answer is made, and deallocated with it.
@safe
final class EndpointAnswer: Handle {
    let status: AnswerStatus
    let error: AnswerError?
    /// The body, at an address that does not change.
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
    status { () throws(Status) in
        try unsafe create(policy, is_sandbox, repairs, { (_) throws(Status) in nil }, endpoint)
    }
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
    status { () throws(Status) in
        let given = try unsafe inputs(secrets, count)
        let copies = { () throws(Status) in
            var secrets: [[UInt8]] = []
            for index in 0..<count {
                secrets.append(try unsafe copy(given[index].bytes, given[index].length))
            }
            return secrets
        }
        return try unsafe create(policy, is_sandbox, repairs, { (_) throws(Status) in try copies() }, endpoint)
    }
}

private func create(
    _ policy: OpaquePointer?,
    _ isSandbox: Int32,
    _ repairs: Int32,
    _ secrets: (Policy) throws(Status) -> [[UInt8]]?,
    _ endpoint: UnsafeMutablePointer<OpaquePointer?>?
) throws(Status) -> Status {
    let policy = try unsafe object(policy, Policy.self)
    let place = try unsafe place(endpoint)
    guard isSandbox == 0 || isSandbox == 1, repairs == 0 || repairs == 1 else { throw .badValue }
    return try policy.memory.lend { () throws(Status) in
        let made = policy.endpoint(
            isSandbox == 1 ? .sandbox : .production,
            repairs == 1 ? .repairing : .strict,
            try secrets(policy)
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
    status { () throws(Status) in
        let endpoint = try unsafe object(endpoint, Endpoint.self)
        let place = try unsafe place(answer)
        return try endpoint.memory.lend { () throws(Status) in
            // A longer body gets the same answer, so its rest is not copied.
            let body = try unsafe copy(body, min(length, ReceiptEndpoint.bodyBytes + 1))
            let now = Timestamp(millisecondsSince1970: now)
            let made: Answer
            if let cache = unsafe optional(cache, Cache.self) {
                made = endpoint.endpoint.answer(body, at: now, cache: &cache.cache)
            } else {
                made = endpoint.endpoint.answer(body, at: now)
            }
            unsafe give(EndpointAnswer(made, endpoint.memory), place)
            return .ok
        }
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
    status { () throws(Status) in
        let answer = try unsafe object(answer, EndpointAnswer.self)
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
    status { () throws(Status) in
        let answer = try unsafe object(answer, EndpointAnswer.self)
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
