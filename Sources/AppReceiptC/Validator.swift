import AppReceipt
import CAppReceipt
import ReceiptResults

final class Validator: Handle {
    let judge: ReceiptJudge

    init(_ judge: ReceiptJudge, _ memory: Memory) {
        self.judge = judge
        super.init(memory)
    }

    /// Decodes an input in any form that `ReceiptInput` accepts, validates it, and returns the verdict.
    func outcome(of input: [UInt8], _ cache: Cache) -> Outcome {
        var container: [UInt8] = []
        do throws(ReceiptError) {
            container = try ReceiptInput.container(input[...], limits: judge.policy.limits)
            let receipt = try judge.judge(container, cache: &cache.cache)
            return Outcome(.success(receipt), container, self)
        } catch {
            return Outcome(.failure(error), container, self)
        }
    }
}

final class Cache: Handle {
    var cache = ValidationCache()
    /// The part of the cache that is about tokens; nil before the first token.
    var tokens: TokenCache?

    /// The cache behind a caller's pointer. For NULL, a new empty cache in `memory`.
    static func of(_ pointer: OpaquePointer?, _ memory: Memory) -> Cache {
        (try? unsafe object(pointer, Cache.self)) ?? Cache(memory)
    }
}

@c @implementation
public func app_receipt_validator_create(
    _ policy: OpaquePointer?,
    _ validator: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe with(policy, Policy.self) { (policy) throws(Status) in
        let place = try unsafe place(validator)
        unsafe give(Validator(try policy.judge(), policy.memory), place)
        return .ok
    }
}

@c @implementation
public func app_receipt_validator_release(_ validator: OpaquePointer?) {
    unsafe take(validator, Validator.self)
}

@c @implementation
public func app_receipt_cache_create(
    _ allocator: UnsafePointer<app_receipt_allocator>?,
    _ cache: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    status { () throws(Status) in
        let place = try unsafe place(cache)
        let memory = try unsafe Memory(allocator)
        return try memory.lend { () throws(Status) in
            unsafe give(Cache(memory), place)
            return .ok
        }
    }
}

@c @implementation
public func app_receipt_cache_release(_ cache: OpaquePointer?) { unsafe take(cache, Cache.self) }

@c @implementation
public func app_receipt_validate(
    _ validator: OpaquePointer?,
    _ cache: OpaquePointer?,
    _ bytes: UnsafePointer<UInt8>?,
    _ length: Int,
    _ result: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe with(validator, Validator.self) { (validator) throws(Status) in
        let place = try unsafe place(result)
        let input = try unsafe copy(bytes, length, within: validator.judge.policy.limits.inputBytes)
        let outcome = validator.outcome(of: input, unsafe Cache.of(cache, validator.memory))
        unsafe give(outcome, place)
        return outcome.status
    }
}

@c @implementation
public func app_receipt_validate_many(
    _ validator: OpaquePointer?,
    _ cache: OpaquePointer?,
    _ receipts: UnsafePointer<app_receipt_input>?,
    _ count: Int,
    _ results: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe with(validator, Validator.self) { (validator) throws(Status) in
        let inputs = try unsafe inputs(receipts, count)
        guard unsafe count == 0 || results != nil else { throw .nullArgument }
        let cache = unsafe Cache.of(cache, validator.memory)
        for index in 0..<count {
            let (bytes, length) = unsafe (inputs[index].bytes, inputs[index].length)
            let input = try unsafe copy(bytes, length, within: validator.judge.policy.limits.inputBytes)
            let outcome = validator.outcome(of: input, cache)
            // In bounds: `app_receipt.h` requires room for `count` pointers.
            if let place = unsafe results.map({ unsafe $0 + index }) { unsafe give(outcome, place) }
        }
        return .ok
    }
}

/// The `count` inputs at a caller's address. Throws `outOfRange` if `count` or a length is negative, and
/// `nullArgument` if an address is NULL and its count or length is not 0.
func inputs(
    _ first: UnsafePointer<app_receipt_input>?,
    _ count: Int
) throws(Status) -> UnsafeBufferPointer<app_receipt_input> {
    guard count >= 0 else { throw .outOfRange }
    guard unsafe first != nil || count == 0 else { throw .nullArgument }
    // `app_receipt.h` requires that many inputs.
    let inputs = unsafe UnsafeBufferPointer(start: first, count: count)
    for index in 0..<count {
        guard unsafe inputs[index].length >= 0 else { throw .outOfRange }
        guard unsafe inputs[index].bytes != nil || inputs[index].length == 0 else { throw .nullArgument }
    }
    return unsafe inputs
}
