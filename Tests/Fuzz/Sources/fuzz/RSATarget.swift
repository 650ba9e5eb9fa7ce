import AppReceiptMint
import Basics
import DER
import Processor
import RSA
import SHA

/// Checks RSA. A key decodes or is refused. A signature made by plain arithmetic is right, and any change
/// makes it wrong. A number that is not below the modulus is out of range.
func fuzzRSA(_ input: [UInt8]) {
    fuzzKey(input)
    guard input.count >= 24 else { return }
    let exponents: [UInt64] = [3, 5, 7, 17]
    let exponent = exponents[Int(input[0] & 3)]
    let algorithm = HashAlgorithm.allCases[Int(input[0] >> 2 & 3)]
    // The modulus has about the root's bits times the exponent: 1024 to 8192.
    let rootSize = Int(input[1]) % 128 + 1
    var root = (0..<rootSize).map { input[2 + $0 % (input.count - 2)] }
    root[0] |= 0x80
    let digestBytes = (0..<algorithm.digestByteCount).map { input[input.count - 1 - $0 % input.count] }
    guard let digest = Digest(algorithm, bytes: digestBytes.span) else {
        return require(false, "a digest of the right length")
    }
    // The modulus is odd, because one of the power and the encoded message is odd.
    root[rootSize - 1] = root[rootSize - 1] & 0xFE | ~digestBytes[digestBytes.count - 1] & 1
    checkSignature(root, exponent, digest, digestBytes, flipping: Int(input[1]) << 8 | Int(input[2]))
}

/// Checks the input as a SubjectPublicKeyInfo, with its last bytes as a signature.
private func fuzzKey(_ input: [UInt8]) {
    let key: PublicKey
    switch outcome({ () throws(Refusal) in try PublicKey(subjectPublicKeyInfo: input.span) }) {
    case .success(let decoded): key = decoded
    case .failure(let refusal): return require(refusal, liesIn: input.count)
    }
    require(key.modulusBitCount >= 1024 && key.modulusBitCount <= KeyLimits.standard.modulusBits, "bits")
    require(key.exponent >= 3 && key.exponent & 1 == 1, "an exponent is odd, and three or more")
    let digest = HashAlgorithm.sha256.digest(of: input.span)
    var signature = (0..<key.modulusByteCount).map { input[input.count - 1 - $0 % input.count] }
    let code = verdict(key, signature, digest)
    require(
        [.signatureOutOfRange, .signatureMismatch].contains(code),
        "a random signature is out of range or wrong"
    )
    signature.append(0)
    require(verdict(key, signature, digest) == .signatureLength, "a signature is as long as the modulus")
}

/// Makes a signature without a private key. The signature s is a root. The modulus is s to the power of e
/// minus the encoded message, so that both are equal modulo it (RFC 8017 §8.2.2).
private func checkSignature(
    _ root: [UInt8],
    _ exponent: UInt64,
    _ digest: Digest,
    _ digestBytes: [UInt8],
    flipping bit: Int
) {
    var power = Natural(bigEndian: root)
    for _ in 1..<exponent { power = power * Natural(bigEndian: root) }
    // The encoded message is below the modulus, and its length follows from the modulus.
    let byteCount = power.bigEndian.count
    guard byteCount >= 128, byteCount <= 1024, root.count < byteCount else { return }
    let message = encodedMessage(digest.algorithm, digestBytes, byteCount)
    let modulus = (power - Natural(bigEndian: message)).bigEndian
    guard modulus.count == byteCount, modulus.count * 8 - modulus[0].leadingZeroBitCount >= 1024 else {
        return
    }
    let exponentBytes = [UInt8(exponent)]
    guard let key = try? PublicKey(modulus: modulus.span, exponent: exponentBytes.span) else {
        return require(false, "an odd modulus of \(byteCount) bytes is a key's")
    }
    var signature = [UInt8](repeating: 0, count: byteCount - root.count) + root
    require(verdict(key, signature, digest) == nil, "a signature made by plain arithmetic is right")

    let place = bit % (byteCount * 8)
    signature[place / 8] ^= 1 << UInt8(place % 8)
    require(verdict(key, signature, digest) != nil, "a signature with one bit changed")
    let isInRange = signature.lexicographicallyPrecedes(modulus)
    require(
        (verdict(key, signature, digest) == .signatureOutOfRange) == !isInRange,
        "a signature is a number below the modulus"
    )
    signature[place / 8] ^= 1 << UInt8(place % 8)

    var otherBytes = digestBytes
    otherBytes[bit / 8 % otherBytes.count] ^= 1 << UInt8(bit % 8)
    if let other = Digest(digest.algorithm, bytes: otherBytes.span) {
        require(verdict(key, signature, other) == .signatureMismatch, "another digest")
    }
    for number in [modulus, [UInt8](repeating: 0xFF, count: byteCount)] {
        require(
            verdict(key, number, digest) == .signatureOutOfRange,
            "the modulus and larger numbers are out of range"
        )
    }
    for number in [[UInt8](repeating: 0, count: byteCount), (Natural(bigEndian: modulus) - .one).bigEndian] {
        require(
            verdict(key, number, digest) == .signatureMismatch,
            "zero and the modulus minus one are wrong"
        )
    }
}

/// Nil if the signature is right. Requires the same result from each set of instructions, alone and in a
/// batch.
private func verdict(_ key: PublicKey, _ signature: [UInt8], _ digest: Digest) -> Refusal.Code? {
    let code = outcome { () throws(Refusal) in try key.verify(signature.span, digest: digest) }.refusal?.code
    for acceleration in accelerations {
        let accelerated = outcome { () throws(Refusal) in
            try key.verify(signature.span, digest: digest, acceleration: acceleration)
        }
        require(accelerated.refusal?.code == code, "portable code and \(acceleration) agree")
        guard key.modulusBitCount == 2048 else { continue }
        var batch = SignatureBatch(acceleration: acceleration)
        for _ in 0..<8 { batch.append(signature.span, digest: digest, by: key) }
        require(batch.verify() == Array(repeating: code == nil, count: 8), "a batch agrees")
    }
    return code
}

/// EM of EMSA-PKCS1-v1_5 (RFC 8017 §9.2).
private func encodedMessage(_ algorithm: HashAlgorithm, _ digest: [UInt8], _ byteCount: Int) -> [UInt8] {
    var info = Writer()
    info.nest(.sequence) { info in
        info.nest(.sequence) { identifier in
            switch algorithm {
            case .sha1: identifier.writeObjectIdentifier(ObjectIdentifier(1, 3, 14, 3, 2, 26))
            case .sha256: identifier.writeObjectIdentifier(ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 2, 1))
            case .sha384: identifier.writeObjectIdentifier(ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 2, 2))
            case .sha512: identifier.writeObjectIdentifier(ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 2, 3))
            }
            identifier.writeNull()
        }
        info.writeOctetString(digest)
    }
    let padding = [UInt8](repeating: 0xFF, count: byteCount - 3 - info.bytes.count)
    return [0x00, 0x01] + padding + [0x00] + info.bytes
}
