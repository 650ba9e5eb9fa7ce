import AppReceiptMint
import Basics
import DER
import ECDSA
import SHA

/// Checks ECDSA. A key that is decoded has the one encoding of its point, and so has a signature. A signature
/// that plain arithmetic made is right, also with n - s, and any change makes it wrong.
func fuzzECDSA(_ input: [UInt8]) {
    fuzzEncodings(input)
    guard input.count >= 4 else { return }
    let plain = input[0] & 1 == 0 ? PlainCurve.p256 : .p384
    let source = Source(input)
    guard let (point, factor) = publicPoint(plain, input[0] >> 1 & 3, source) else { return }
    guard let octets = plain.uncompressed(point) else { return }
    let key: ECPublicKey
    do throws(Refusal) {
        key = try ECPublicKey(plain.curve, point: octets.span)
    } catch {
        return require(false, "a point of the curve is a key: \(error)")
    }
    let algorithm = HashAlgorithm.allCases[Int(input[0] >> 3 & 3)]
    let made =
        if let factor, input[0] & 0x20 != 0 { signature(plain, by: factor, algorithm, source) } else {
            signature(plain, point, algorithm, source)
        }
    guard let made else { return }
    check(made, by: key, plain, source)
    // With -Q, R is u·G - v·Q, whose x is that of u·G + v·Q only if u is zero.
    if let negated = plain.uncompressed(plain.negated(point)),
        let other = try? ECPublicKey(plain.curve, point: negated.span)
    {
        let isRight = plain.n.isZero(plain.n.residue(made.e))
        require((verdict(other, made.r + made.s, made.digest) == nil) == isRight, "a signature by -Q")
    } else {
        require(false, "-Q is a key")
    }
}

/// The octets of the input after the first, again and again.
private struct Source {
    let input: [UInt8]

    init(_ input: [UInt8]) { self.input = input }

    func octets(_ count: Int, from start: Int) -> [UInt8] {
        (0..<count).map { input[1 + (start + $0) % (input.count - 1)] }
    }

    /// A scalar: any, or a small one or its negative, or next to a power of 2.
    func scalar(_ n: PlainPrime, from start: Int) -> [UInt32] {
        let (choice, small) = (octets(1, from: start)[0], Int(octets(1, from: start + 1)[0]))
        switch choice & 3 {
        case 0: return n.residue(small)
        case 1: return n.residue(-small)
        case 2:
            var power = [UInt8](repeating: 0, count: n.octetCount)
            power[small % power.count] = 1 << (choice >> 5)
            return n.sum(n.residue(power), n.residue(Int(choice >> 2 & 7) - 3))
        default: return n.residue(octets(n.octetCount, from: start + 1))
        }
    }
}

/// A point: one with an x of the input, or a multiple of G, with its factor.
private func publicPoint(_ plain: PlainCurve, _ choice: UInt8, _ source: Source) -> (
    PlainCurve.Point, [UInt32]?
)? {
    guard choice == 0 else {
        let factor = source.scalar(plain.n, from: 3)
        return (plain.sumOfMultiples(factor, plain.base, plain.n.residue(0), plain.base), factor)
    }
    let x = plain.p.residue(source.octets(plain.p.octetCount, from: 3))
    return plain.y(x).map { ((x, $0, plain.p.residue(1)), nil) }
}

private struct Made {
    let r, s, e: [UInt8]
    let digest: Digest
}

/// Makes a signature without a private key: for R = u·G + v·Q and r its x modulo n, s is r/v and e is u·s.
///
/// - Returns: nil if there is none, or if the digest would be too short for e.
private func signature(
    _ plain: PlainCurve,
    _ point: PlainCurve.Point,
    _ algorithm: HashAlgorithm,
    _ source: Source
) -> Made? {
    let n = plain.n
    let (u, v) = (source.scalar(n, from: 60), source.scalar(n, from: 110))
    guard algorithm.digestByteCount >= n.octetCount, !n.isZero(v),
        let sum = plain.uncompressed(plain.sumOfMultiples(u, plain.base, v, point))
    else { return nil }
    let r = n.residue(Array(sum[1...n.octetCount]))
    let s = n.product(r, n.inverse(v))
    guard !n.isZero(r) else { return nil }
    let e = n.octets(n.product(u, s))
    let rest = source.octets(algorithm.digestByteCount - e.count, from: 160)
    guard let digest = Digest(algorithm, bytes: (e + rest).span) else { return nil }
    return Made(r: n.octets(r), s: n.octets(s), e: e, digest: digest)
}

/// Makes a signature with a private key d and a number k (FIPS 186-5 §6.4.1).
private func signature(
    _ plain: PlainCurve,
    by d: [UInt32],
    _ algorithm: HashAlgorithm,
    _ source: Source
) -> Made? {
    let n = plain.n
    let octets = source.octets(algorithm.digestByteCount, from: 160)
    let k = source.scalar(n, from: 60)
    guard let digest = Digest(algorithm, bytes: octets.span),
        let sum = plain.uncompressed(plain.sumOfMultiples(k, plain.base, n.residue(0), plain.base))
    else { return nil }
    let (r, e) = (n.residue(Array(sum[1...n.octetCount])), Array(octets.prefix(n.octetCount)))
    let s = n.product(n.sum(n.residue(e), n.product(r, d)), n.inverse(k))
    guard !n.isZero(r), !n.isZero(s) else { return nil }
    return Made(r: n.octets(r), s: n.octets(s), e: e, digest: digest)
}

private func check(_ made: Made, by key: ECPublicKey, _ plain: PlainCurve, _ source: Source) {
    let n = plain.n
    let signature = made.r + made.s
    require(verdict(key, signature, made.digest) == nil, "a signature made by plain arithmetic is right")
    let otherS = n.octets(n.difference(n.residue(0), n.residue(made.s)))
    require(verdict(key, made.r + otherS, made.digest) == nil, "n - s is right, too")
    let place = source.octets(2, from: 30).reduce(0) { $0 << 8 | Int($1) }
    var flipped = signature
    flipped[place % flipped.count] ^= 1 << UInt8(place >> 8 & 7)
    let parts = [Array(flipped.prefix(made.r.count)), Array(flipped.dropFirst(made.r.count))]
    let isInRange = parts.allSatisfy { n.isAbove($0) && $0.contains { $0 != 0 } }
    require(
        verdict(key, flipped, made.digest) == (isInRange ? .ecSignatureMismatch : .ecSignatureOutOfRange),
        "one bit changed"
    )
    var e = made.digest.bytes
    // Bits behind the length of n do not count.
    let index = place % e.count
    e[index] ^= 1 << UInt8(place >> 8 & 7)
    if let digest = Digest(made.digest.algorithm, bytes: e.span) {
        let isRight = index >= n.octetCount
        require((verdict(key, signature, digest) == nil) == isRight, "one bit of the digest changed")
    }
}

/// Nil for a right signature. Requires the same verdict for the signature in DER.
private func verdict(_ key: ECPublicKey, _ signature: [UInt8], _ digest: Digest) -> Refusal.Code? {
    let raw = outcome { () throws(Refusal) in try key.verify(concatenated: signature.span, digest: digest) }
    let count = signature.count / 2
    let encoded = signatureValue(Array(signature.prefix(count)), Array(signature.dropFirst(count)))
    let der = outcome { () throws(Refusal) in try key.verify(encoded.span, digest: digest) }
    require(raw.refusal?.code == der.refusal?.code, "both encodings have one verdict")
    return raw.refusal?.code
}

/// ECDSA-Sig-Value of two numbers.
private func signatureValue(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] {
    var writer = Writer()
    writer.nest(.sequence) { value in
        value.writeUnsignedInteger(r)
        value.writeUnsignedInteger(s)
    }
    return writer.bytes
}

/// Checks the input as a SubjectPublicKeyInfo, as a point, and as signatures.
private func fuzzEncodings(_ input: [UInt8]) {
    for plain in [PlainCurve.p256, .p384] {
        let digest = HashAlgorithm.sha256.digest(of: input.span)
        let base = [4] + plain.p.octets(plain.base.x) + plain.p.octets(plain.base.y)
        guard let key = try? ECPublicKey(plain.curve, point: base.span) else {
            return require(false, "G is a key")
        }
        let result = outcome { () throws(Refusal) in try key.verify(input.span, digest: digest) }
        if let refusal = result.refusal { require(refusal, liesIn: input.count) }
        require(result.refusal != nil, "nobody signs with the private key 1")
        if result.refusal?.code == .ecSignatureMismatch {
            var reader = Reader(input.span)
            guard var value = try? reader.nested(.sequence, "s"), let r = try? value.readUnsignedInteger("r"),
                let s = try? value.readUnsignedInteger("s")
            else { return require(false, "a signature is read") }
            require(signatureValue(Array(input[r]), Array(input[s])) == input, "a signature has one encoding")
        }
        if input.count == 2 * plain.n.octetCount + 1 {
            let isKey = (try? ECPublicKey(plain.curve, point: input.span)) != nil
            let x = Array(input[1...plain.p.octetCount])
            let y = Array(input[(1 + plain.p.octetCount)...])
            let root = plain.p.isAbove(x) && plain.p.isAbove(y) ? plain.y(plain.p.residue(x)) : nil
            let isPoint =
                root.map { [$0, plain.p.difference(plain.p.residue(0), $0)].contains(plain.p.residue(y)) }
                ?? false
            require(isKey == (isPoint && input[0] == 4), "keys are points of the curve")
        }
    }
    let result = outcome { () throws(Refusal) in
        try ECPublicKey(subjectPublicKeyInfo: input.span, in: input.indices)
    }
    switch result {
    case .failure(let refusal): require(refusal, liesIn: input.count)
    case .success(let key):
        let prefix: [UInt8] =
            key.curve == .p256
            ? [
                0x30, 0x59, 0x30, 0x13, 6, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1, 6, 8, 0x2A, 0x86, 0x48,
                0xCE,
                0x3D, 3, 1, 7, 3, 0x42, 0,
            ]
            : [
                0x30, 0x76, 0x30, 0x10, 6, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1, 6, 5, 0x2B, 0x81, 4, 0,
                0x22,
                3, 0x62, 0,
            ]
        let point = Array(input.dropFirst(prefix.count))
        require(input.starts(with: prefix), "a key has one encoding")
        require(
            (try? ECPublicKey(key.curve, point: point.span)) == key,
            "a key's encoding ends with its point"
        )
    }
}
