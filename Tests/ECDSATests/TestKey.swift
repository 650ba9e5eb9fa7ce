import Basics
import DER
import ECDSA
import SHA
import TestSupport

/// A key for each curve, and its signature for "abc" with SHA-256. Python's integers made them, and the
/// library `cryptography` encoded the keys and verified the signatures.
struct TestKey: Sendable, CustomStringConvertible {
    let curve: Curve
    let subjectPublicKeyInfo: [UInt8]
    let r: [UInt8]
    let s: [UInt8]
    /// The prime p of the field.
    let prime: [UInt8]
    /// The order n.
    let order: [UInt8]

    var description: String { "\(curve)" }
    /// The length of a coordinate and of a scalar.
    var count: Int { order.count }
    /// 04, x and y, at the end of the encoding.
    var point: [UInt8] { subjectPublicKeyInfo.suffix(1 + 2 * count) }
    var x: [UInt8] { Array(point[1...count]) }
    var y: [UInt8] { point.suffix(count) }
    static var digest: Digest { HashAlgorithm.sha256.digest(of: Array("abc".utf8).span) }

    func key() throws(Refusal) -> ECPublicKey {
        try ECPublicKey(subjectPublicKeyInfo: subjectPublicKeyInfo)
    }

    static let all = [p256, p384]
    static let p256 = TestKey(
        curve: .p256,
        subjectPublicKeyInfo: hex(
            """
            3059301306072a8648ce3d020106082a8648ce3d030107034200
            040db896da141eff78ccbdc815a31b4234638e0cbfbe2464fad0b26bd46f1a811a
            44c3444de13cc46b17c23de7c619fe0684ec1cc99a7326e034d100242ec0d2f9
            """
        ),
        r: hex("f1f84c51c777ba68da9ca4d248a0ec00cca993abfbe2f9d0a977ede539b42ce7"),
        s: hex("feb1397a6ed7a5f9266eacb0d8e633e408c515f706c42c7518dfa56b2476be38"),
        prime: hex("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"),
        order: hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
    )
    static let p384 = TestKey(
        curve: .p384,
        subjectPublicKeyInfo: hex(
            """
            3076301006072a8648ce3d020106052b81040022036200
            040d7f67e205b2440579fac5c0c156f974a41483c1c5451d6153e31731ef24dda6388b2ecff2953305139c43563a882447
            f965c01d297f72956f7662535ba33a1f6cd4e0510b8159406f5fffc2d86880f1d92a5320b136a3ccc7d89013ce989fc9
            """
        ),
        r: hex(
            """
            88f3c89a4f62c6dfb230813623af3e1b9e6a25e373bff9d8
            7187ab1c9eb234fc0b51c5e6eb9a368447e2d77e8055fd1c
            """
        ),
        s: hex(
            """
            e973fc59d619e4d0fa131733b8c8cedc3c3bb0e5ef3fdf4b
            86c81048bdf8a33a0f119b9881567ac54be07e637e159b8e
            """
        ),
        prime: hex(
            """
            ffffffffffffffffffffffffffffffffffffffffffffffff
            fffffffffffffffeffffffff0000000000000000ffffffff
            """
        ),
        order: hex(
            """
            ffffffffffffffffffffffffffffffffffffffffffffffff
            c7634d81f4372ddf581a0db248b0a77aecec196accc52973
            """
        )
    )
}

/// The number plus a small number, which may be negative, in as many octets.
func sum(_ number: [UInt8], _ addend: Int) -> [UInt8] {
    var carry = addend
    let sum = number.reversed().map { octet in
        carry += Int(octet)
        defer { carry >>= 8 }
        return UInt8(carry & 0xFF)
    }
    return sum.reversed()
}

// Overloads for arrays.

extension ECPublicKey {
    init(subjectPublicKeyInfo: [UInt8]) throws(Refusal) {
        try self.init(subjectPublicKeyInfo: subjectPublicKeyInfo.span, in: 0..<subjectPublicKeyInfo.count)
    }

    init(_ curve: Curve, point: [UInt8]) throws(Refusal) {
        try self.init(curve, point: point.span)
    }

    func verify(_ signature: [UInt8], digest: Digest = TestKey.digest) throws(Refusal) {
        try verify(signature.span, digest: digest)
    }

    func verify(concatenated signature: [UInt8], digest: Digest = TestKey.digest) throws(Refusal) {
        try verify(concatenated: signature.span, digest: digest)
    }
}
