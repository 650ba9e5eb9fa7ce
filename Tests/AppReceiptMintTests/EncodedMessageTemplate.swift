import DER
import SHA

@testable import AppReceiptMint

/// A template of EM of EMSA-PKCS1-v1_5 (RFC 8017 §9.2) in which every part can be wrong.
struct EncodedMessageTemplate {
    var blockType: UInt8 = 0x01
    var padding: UInt8 = 0xFF
    /// The number of padding octets; nil to fill the available room.
    var paddingCount: Int?
    var separator: [UInt8] = [0x00]
    var digestInfo: [UInt8]

    init(_ digestInfo: [UInt8]) { self.digestInfo = digestInfo }

    /// Encodes the message. Meaningless octets fill it up to the length of the key's modulus.
    func encoded(_ key: PrivateKey) -> [UInt8] {
        let count = key.modulusByteCount - 2 - separator.count - digestInfo.count
        let message =
            [0x00, blockType] + [UInt8](repeating: padding, count: paddingCount ?? count) + separator
            + digestInfo
        return message + [UInt8](repeating: 0xAA, count: key.modulusByteCount - message.count)
    }

    /// Encodes an AlgorithmIdentifier with parameters; NULL by default.
    static func algorithm(_ hash: HashAlgorithm, parameters: [UInt8] = [0x05, 0x00]) -> [UInt8] {
        var algorithm = AlgorithmTemplate.digest(hash)
        algorithm.parameters = parameters
        return algorithm.encoded()
    }

    /// Encodes a DigestInfo (RFC 8017 §9.2). It is correct unless the caller gives another algorithm.
    static func digestInfo(_ digest: Digest, algorithm: [UInt8]? = nil) -> [UInt8] {
        var writer = Writer()
        writer.nest(.sequence) {
            $0.writeEncoded(algorithm ?? Self.algorithm(digest.algorithm))
            $0.writeOctetString(digest.bytes)
        }
        return writer.bytes
    }
}

/// Forged signatures for a key with e = 3. They are cube roots.
///
/// The forger does not need the private key, because the cube is below the modulus.
enum CubeRoot {
    /// The cube root of a message that is correct up to the end of its digest.
    static func garbageAtTheEnd(_ digest: Digest, byteCount: Int) -> [UInt8] {
        let front =
            [0x00, 0x01] + [UInt8](repeating: 0xFF, count: 8) + [0x00]
            + EncodedMessageTemplate.digestInfo(digest)
        let most = front + [UInt8](repeating: 0xFF, count: byteCount - front.count)
        return Natural(octets: most).cubeRoot(bits: 8 * byteCount / 3).octets(count: byteCount)
    }

    /// The cube root of a message that is correct except for the algorithm's parameters, which have garbage
    /// in place of NULL.
    ///
    /// Precondition: the digest is an odd number.
    static func garbageInTheParameters(_ digest: Digest, byteCount: Int) -> [UInt8] {
        let back = [0x04, UInt8(digest.bytes.count)] + digest.bytes
        let identifier = EncodedMessageTemplate.algorithm(digest.algorithm, parameters: []).dropFirst(2)
        // Each header has three octets, so that the parts add up to the length of the modulus.
        let digestInfoCount = byteCount - 11 - 3
        let algorithmCount = digestInfoCount - back.count - 3
        let parametersCount = algorithmCount - identifier.count - 3
        var front: [UInt8] = [0x00, 0x01]
        front += [UInt8](repeating: 0xFF, count: 8)
        front += [0x00, 0x30, 0x81, UInt8(digestInfoCount), 0x30, 0x81, UInt8(algorithmCount)]
        front += identifier
        front += [0x04, 0x81, UInt8(parametersCount)]
        let most = front + [UInt8](repeating: 0xFF, count: byteCount - front.count)
        let bits = 8 * back.count
        let root = Natural(octets: most).cubeRoot(bits: 8 * byteCount / 3)
        // Go down to the multiple of 2^bits before the last one, and add the correct low end. The sum is
        // never above the root.
        let step = Natural.bit(bits)
        let low = Natural(octets: back).cubeRoot(modulo: bits)
        return (root - root % step - step + low).octets(count: byteCount)
    }
}
