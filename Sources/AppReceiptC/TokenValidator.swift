import AppReceipt
import Basics
import CAppReceipt
import JSONText
import ReceiptResults
import SignedPayloads

/// A validator of tokens, which a C program holds by a pointer.
final class TokenValidator: Handle {
    /// Validates tokens by the policy that the validator was created with.
    let judge: SignedPayloadJudge

    init(_ judge: SignedPayloadJudge, _ memory: Memory) {
        self.judge = judge
        super.init(memory)
    }

    /// Finds the token in a copy of an input, validates the token, and returns the verdict. An input that is
    /// longer, with its white space, than twice the limit on tokens is refused as too large. A shorter one
    /// that begins with `{` and in which no token is found is refused as an empty token. Throws `outOfRange`
    /// for a negative length, and `nullArgument` for NULL with a positive length.
    func outcome(
        of bytes: UnsafePointer<UInt8>?,
        _ length: Int,
        _ kind: SignedPayloadKind,
        _ cache: Cache
    ) throws(Status) -> TokenOutcome {
        let limit = judge.policy.limits.tokenBytes
        let input = try unsafe copy(bytes, length, within: limit)
        // The copy of a longer input may lack what follows the token.
        let token = input.count > 2 * limit ? input : SignedPayloadKind.token(in: input, of: kind) ?? []
        let remembered = cache.tokens ?? TokenCache()
        cache.tokens = remembered
        do throws(SignedPayloadError) {
            let payload = try judge.judge(token, kind, cache: &remembered.cache)
            return TokenOutcome(.success(payload), token, kind, self)
        } catch {
            return TokenOutcome(.failure(error), token, kind, self)
        }
    }
}

/// The part of a cache that is about tokens.
final class TokenCache {
    /// The keys and signers of earlier tokens.
    var cache = SignedPayloadCache()
}

extension SignedPayloadKind {
    /// The kind of token with a number of `app_receipt.h`. Throws `badValue` for a number without a kind.
    init(number: Int32) throws(Status) {
        switch number {
        case 1: self = .transaction
        case 2: self = .renewalInfo
        case 3: self = .notification
        case 4: self = .appTransaction
        case 5: self = .realtimeRequest
        default: throw .badValue
        }
    }
}

@c @implementation
public func app_receipt_token_validator_create(
    _ policy: OpaquePointer?,
    _ validator: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe with(policy, Policy.self) { (policy) throws(Status) in
        let place = try unsafe place(validator)
        unsafe give(TokenValidator(try policy.tokenJudge(), policy.memory), place)
        return .ok
    }
}

@c @implementation
public func app_receipt_token_validator_release(_ validator: OpaquePointer?) {
    unsafe take(validator, TokenValidator.self)
}

@c @implementation
public func app_receipt_token_validate(
    _ validator: OpaquePointer?,
    _ cache: OpaquePointer?,
    _ kind: Int32,
    _ bytes: UnsafePointer<UInt8>?,
    _ length: Int,
    _ result: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe with(validator, TokenValidator.self) { (validator) throws(Status) in
        let place = try unsafe place(result)
        let (kind, cache) = (try SignedPayloadKind(number: kind), unsafe Cache.of(cache, validator.memory))
        let outcome = try unsafe validator.outcome(of: bytes, length, kind, cache)
        unsafe give(outcome, place)
        return outcome.status
    }
}

@c @implementation
public func app_receipt_token_validate_many(
    _ validator: OpaquePointer?,
    _ cache: OpaquePointer?,
    _ kind: Int32,
    _ tokens: UnsafePointer<app_receipt_input>?,
    _ count: Int,
    _ results: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe with(validator, TokenValidator.self) { (validator) throws(Status) in
        let inputs = try unsafe inputs(tokens, count)
        guard unsafe count == 0 || results != nil else { throw .nullArgument }
        let (kind, cache) = (try SignedPayloadKind(number: kind), unsafe Cache.of(cache, validator.memory))
        for index in 0..<count {
            let (bytes, length) = unsafe (inputs[index].bytes, inputs[index].length)
            let outcome = try unsafe validator.outcome(of: bytes, length, kind, cache)
            // In bounds: `app_receipt.h` requires room for `count` pointers.
            if let place = unsafe results.map({ unsafe $0 + index }) { unsafe give(outcome, place) }
        }
        return .ok
    }
}

@c @implementation
public func app_receipt_inspect_token_unverified(
    _ kind: Int32,
    _ bytes: UnsafePointer<UInt8>?,
    _ length: Int,
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ capacity: Int,
    _ needed: UnsafeMutablePointer<Int>?
) -> Int32 {
    status { () throws(Status) in
        let kind = try SignedPayloadKind(number: kind)
        let input = try unsafe copy(bytes, length, within: TokenLimits.standard.tokenBytes)
        let token = SignedPayloadKind.token(in: input, of: kind) ?? []
        let json = JSONWriter.object { $0.inspection(token: token, kind, isValid: false) }
        return try unsafe write(json.bytes[...], buffer, capacity, needed)
    }
}
