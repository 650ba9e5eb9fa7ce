// Verifies signatures of public suites for cases.py, in the code of the module: words have 32 bits. This file
// is a part of no product.

import Basics
import ECDSA
import SHA
import SignedPayloads

/// Verifies an ECDSA signature.
///
/// - Parameters:
///   - curve: 256 or 384.
///   - hash: the index of the hash algorithm in SHA-1, SHA-256, SHA-384 and SHA-512.
///   - isConcatenated: 1 if the signature is r ‖ s, 0 if it is DER.
/// - Returns: 1 if the signature is valid, 0 if it is refused, -1 for a point that is no key. Signatures
///   r ‖ s on P-256 are also verified with the key's tables: -2 if the verdicts differ.
@_cdecl("vectors_verify_signature")
public func verifySignature(
    _ curve: Int32,
    _ hash: Int32,
    _ isConcatenated: Int32,
    _ point: UnsafePointer<UInt8>,
    _ pointByteCount: Int,
    _ message: UnsafePointer<UInt8>,
    _ messageByteCount: Int,
    _ signature: UnsafePointer<UInt8>,
    _ signatureByteCount: Int
) -> Int32 {
    let octets = bytes(signature, signatureByteCount)
    let digest = HashAlgorithm.allCases[Int(hash)].digest(of: bytes(message, messageByteCount).borrowedSpan)
    let key: ECPublicKey
    do throws(Refusal) {
        key = try ECPublicKey(curve == 256 ? .p256 : .p384, point: bytes(point, pointByteCount).borrowedSpan)
    } catch {
        return -1
    }
    guard isConcatenated == 1 else {
        return isAccepted { () throws(Refusal) in try key.verify(octets.borrowedSpan, digest: digest) }
    }
    let verdict = isAccepted { () throws(Refusal) in
        try key.verify(concatenated: octets.borrowedSpan, digest: digest)
    }
    if let tabulated = TabulatedKey(key, base: base) {
        let other = isAccepted { () throws(Refusal) in
            try tabulated.verify(concatenated: octets.borrowedSpan, digest: digest)
        }
        if other != verdict { return -2 }
    }
    return verdict
}

/// Verifies a token by a key on P-256, with the header's rules but without certificates. Returns 1 or 0.
@_cdecl("vectors_verify_token")
public func verifyToken(
    _ token: UnsafePointer<UInt8>,
    _ tokenByteCount: Int,
    _ point: UnsafePointer<UInt8>,
    _ pointByteCount: Int
) -> Int32 {
    isAccepted { () throws(Refusal) in
        let jws = try CompactSerialisation(bytes(token, tokenByteCount), limits: .standard, .none)
        try jws.checkHeader(.standard)
        try jws.verify(by: try ECPublicKey(.p256, point: bytes(point, pointByteCount).borrowedSpan), .none)
    }
}

private let base = P256Multiples.ofBasePoint

private func isAccepted(_ body: () throws(Refusal) -> Void) -> Int32 {
    do throws(Refusal) {
        try body()
        return 1
    } catch {
        return 0
    }
}

private func bytes(_ address: UnsafePointer<UInt8>, _ count: Int) -> [UInt8] {
    Array(UnsafeBufferPointer(start: address, count: count))
}
