import Basics
import DER
import RSA
import Testing

@testable import AppReceiptMint

/// A verifier that parses the opened signature and takes the digest it finds.
///
/// Verifiers of this kind have been fooled again and again since Bleichenbacher's forgery of 2006. This one
/// shows that a forgery is convincing, so that this project does not refuse it for another defect.
enum LenientVerifier {
    /// Opens a signature with the public exponent. The result has as many octets as the modulus.
    static func open(_ signature: [UInt8], by subjectPublicKeyInfo: [UInt8]) throws -> [UInt8] {
        let key = try PublicNumbers(subjectPublicKeyInfo)
        let power = Natural(octets: signature)
            .power(Natural(octets: key.exponent), modulo: Natural(octets: key.modulus))
        return power.octets(count: key.modulus.count)
    }

    /// Finds the digest in an encoded message; nil if there is none.
    ///
    /// The message needs block type 1, padding of any length, and after it a DigestInfo in BER with a digest.
    /// Parameters and all octets after the digest are ignored.
    static func digest(in encodedMessage: [UInt8]) -> [UInt8]? {
        guard encodedMessage.starts(with: [0x00, 0x01]) else { return nil }
        let padded = encodedMessage.dropFirst(2).drop { $0 == 0xFF }
        guard padded.first == 0x00,
            let digestInfo = element(padded.dropFirst(), 0x30),
            let algorithm = element(digestInfo.contents, 0x30),
            element(algorithm.contents, 0x06) != nil,
            let digest = element(algorithm.rest, 0x04)
        else { return nil }
        return Array(digest.contents)
    }

    /// The first element. Its length can have any form, and a length beyond the end is cut off.
    private static func element(
        _ octets: ArraySlice<UInt8>,
        _ tag: UInt8
    ) -> (contents: ArraySlice<UInt8>, rest: ArraySlice<UInt8>)? {
        var rest = octets
        guard rest.popFirst() == tag, let initial = rest.popFirst() else { return nil }
        guard initial != 0x80 else { return (rest, []) }
        var length = Int(initial)
        if initial > 0x80 {
            length = rest.prefix(Int(initial & 0x7F)).reduce(0) { ($0 << 8 | Int($1)) & 0xFFFF }
            rest = rest.dropFirst(Int(initial & 0x7F))
        }
        return (rest.prefix(length), rest.dropFirst(length))
    }
}

/// The two numbers of a public key, most significant octet first.
struct PublicNumbers {
    let modulus: [UInt8]
    let exponent: [UInt8]

    init(modulus: [UInt8], exponent: [UInt8]) {
        self.modulus = modulus
        self.exponent = exponent
    }

    init(_ key: PrivateKey) throws { try self.init(key.subjectPublicKeyInfo) }

    init(_ subjectPublicKeyInfo: [UInt8]) throws {
        var reader = Reader(subjectPublicKeyInfo.span)
        var info = try reader.nested(.sequence, "SubjectPublicKeyInfo")
        _ = try info.readElement("algorithm")
        let bits = try info.readOctetAlignedBitString("subjectPublicKey")
        var inner = Reader(subjectPublicKeyInfo.span, in: bits)
        var key = try inner.nested(.sequence, "RSAPublicKey")
        modulus = Array(subjectPublicKeyInfo[try key.readUnsignedInteger("modulus")])
        exponent = Array(subjectPublicKeyInfo[try key.readUnsignedInteger("publicExponent")])
    }

    var subjectPublicKeyInfo: [UInt8] {
        var key = Writer()
        key.nest(.sequence) {
            $0.writeUnsignedInteger(modulus)
            $0.writeUnsignedInteger(exponent)
        }
        var info = Writer()
        info.nest(.sequence) {
            $0.writeEncoded(AlgorithmTemplate.rsaEncryption.encoded())
            $0.writeBitString(key.bytes)
        }
        return info.bytes
    }
}

extension Natural {
    /// The number with one bit, 2^bit.
    static func bit(_ bit: Int) -> Natural {
        Natural(limbs: [UInt64](repeating: 0, count: bit / 64) + [1 << UInt64(bit % 64)])
    }

    /// The largest number whose cube is not above this number.
    ///
    /// - Parameter bits: a bound for the bits of the root.
    func cubeRoot(bits: Int) -> Natural {
        (0..<bits).reversed().reduce(Natural(0)) { root, bit in
            let candidate = root + .bit(bit)
            return self < candidate.cubed ? root : candidate
        }
    }

    var cubed: Natural { self * self * self }

    /// The number below 2^bits whose cube ends in the low bits of this odd number.
    ///
    /// Hensel's lemma gives it bit by bit. The square of the root is odd, so setting a bit of the root flips
    /// the same bit of the cube, and leaves the lower bits.
    func cubeRoot(modulo bits: Int) -> Natural {
        (0..<bits).reduce(Natural(0)) { root, bit in
            let isRoot = root.cubed % .bit(bit + 1) == self % .bit(bit + 1)
            return isRoot ? root : root + .bit(bit)
        }
    }
}
