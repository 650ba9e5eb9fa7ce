import AppReceiptMint
import Basics
import DER
import ECDSA
import TestSupport
import Testing

@Suite("Public keys on P-256 and P-384")
struct KeyTests {
    @Test("reads the curve and the point of a SubjectPublicKeyInfo", arguments: TestKey.all)
    func subjectPublicKeyInfo(_ test: TestKey) throws {
        let key = try test.key()
        #expect(key.curve == test.curve)
        #expect(try key == ECPublicKey(test.curve, point: test.point))
        try key.verify(concatenated: test.r + test.s)
    }

    @Test("reads a SubjectPublicKeyInfo inside a larger buffer, with offsets from the buffer's start")
    func subrange() throws {
        let info = TestKey.p256.subjectPublicKeyInfo
        var buffer = [UInt8](repeating: 0xAA, count: 7) + info + [0xBB]
        let range = 7..<(7 + info.count)
        #expect(try ECPublicKey(subjectPublicKeyInfo: buffer.span, in: range) == TestKey.p256.key())
        refuses(.trailingBytes, at: range.upperBound) { () throws(Refusal) in
            try ECPublicKey(subjectPublicKeyInfo: buffer.span, in: 7..<buffer.count)
        }
        buffer[range.upperBound - 1] ^= 1
        refuses(.pointNotOnCurve, at: range.upperBound - 65) { () throws(Refusal) in
            try ECPublicKey(subjectPublicKeyInfo: buffer.span, in: range)
        }
    }

    // MARK: The point (SEC 1 §2.3.4, §3.2.2.1)

    /// Points that are refused: what, the point, the code, and the offset.
    static func refusedPoints(_ test: TestKey) -> [(String, [UInt8], Refusal.Code, Int)] {
        let (x, y, prime) = (test.x, test.y, test.prime)
        let zero = [UInt8](repeating: 0, count: test.count)
        let parity = y[test.count - 1] & 1
        return [
            ("empty", [], .pointForm, 0),
            ("the point at infinity", [0x00], .pointForm, 0),
            ("zeros", [0x00] + zero + zero, .pointForm, 0),
            ("compressed", [0x02 | parity] + x, .pointForm, 0),
            ("compressed, of the other y", [0x03 ^ parity] + x, .pointForm, 0),
            ("hybrid", [0x06 | parity] + x + y, .pointForm, 0),
            ("hybrid, of the other y", [0x07 ^ parity] + x + y, .pointForm, 0),
            ("form 05", [0x05] + x + y, .pointForm, 0),
            ("form 84", [0x84] + x + y, .pointForm, 0),
            ("the form alone", [0x04], .pointLength, 0),
            ("x alone", [0x04] + x, .pointLength, 0),
            ("one octet short", [0x04] + x + y.dropLast(), .pointLength, 0),
            ("one octet long", [0x04] + x + y + [0], .pointLength, 0),
            ("with padded coordinates", [0x04, 0] + x + [0] + y, .pointLength, 0),
            ("x is p", [0x04] + prime + y, .coordinateOutOfRange, 1),
            ("y is p", [0x04] + x + prime, .coordinateOutOfRange, 1 + test.count),
            ("x is p + 1", [0x04] + sum(prime, 1) + y, .coordinateOutOfRange, 1),
            ("x has all bits", [0x04] + zero.map(~) + y, .coordinateOutOfRange, 1),
            ("y has all bits", [0x04] + x + zero.map(~), .coordinateOutOfRange, 1 + test.count),
            ("x and y are zero", [0x04] + zero + zero, .pointNotOnCurve, 0),
            ("x is p - 1", [0x04] + sum(prime, -1) + y, .pointNotOnCurve, 0),
            ("x and y are exchanged", [0x04] + y + x, .pointNotOnCurve, 0),
            ("x is 1 too large", [0x04] + sum(x, 1) + y, .pointNotOnCurve, 0),
            ("y is 1 too small", [0x04] + x + sum(y, -1), .pointNotOnCurve, 0),
        ]
    }

    @Test(
        "refuses a point in another form, of another length, out of range or off the curve",
        arguments: TestKey.all
    )
    func refusedPoint(_ test: TestKey) {
        for (what, point, code, offset) in Self.refusedPoints(test) {
            let error = refusal { () throws(Refusal) in try ECPublicKey(test.curve, point: point) }
            #expect(error?.code == code, "\(what)")
            #expect(error?.offset == offset, "\(what)")
        }
    }

    @Test("refuses a point of the other curve")
    func otherCurve() {
        refuses(.pointLength) { () throws(Refusal) in try ECPublicKey(.p384, point: TestKey.p256.point) }
        refuses(.pointLength) { () throws(Refusal) in try ECPublicKey(.p256, point: TestKey.p384.point) }
    }

    @Test("refuses a point with any one bit flipped", arguments: TestKey.all)
    func flipped(_ test: TestKey) {
        for bit in test.point.indices.map({ 8 * $0 + $0 % 8 }) {
            var point = test.point
            point[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(
                refusal { () throws(Refusal) in try ECPublicKey(test.curve, point: point) } != nil,
                "\(bit)"
            )
        }
    }

    // MARK: The algorithm (RFC 5480 §2.1.1)

    static let ecPublicKey = ObjectIdentifier(1, 2, 840, 10045, 2, 1)
    static let secp256r1 = ObjectIdentifier(1, 2, 840, 10045, 3, 1, 7)

    /// A SubjectPublicKeyInfo with the point of P-256.
    static func info(
        _ algorithm: ObjectIdentifier = ecPublicKey,
        unusedBits: UInt8 = 0,
        behind: [UInt8] = [],
        _ parameters: (inout Writer) -> Void
    ) -> [UInt8] {
        var writer = Writer()
        writer.nest(.sequence) { info in
            info.nest(.sequence) {
                $0.writeObjectIdentifier(algorithm)
                parameters(&$0)
            }
            info.writeBitString(TestKey.p256.point, unusedBits: unusedBits)
            info.writeEncoded(behind)
        }
        return writer.bytes
    }

    @Test("the tests encode the key that the library cryptography encodes")
    func encoding() {
        let info = Self.info { $0.writeObjectIdentifier(Self.secp256r1) }
        #expect(info == TestKey.p256.subjectPublicKeyInfo)
    }

    /// Keys that are refused: what, the encoding, and the code.
    static let refusedKeys: [(String, [UInt8], Refusal.Code)] = {
        func named(_ identifier: ObjectIdentifier) -> [UInt8] {
            info { $0.writeObjectIdentifier(identifier) }
        }
        let infinity = hex("3019301306072a8648ce3d020106082a8648ce3d03010703020000")
        return [
            ("rsaEncryption", info(.init(1, 2, 840, 113549, 1, 1, 1)) { $0.writeNull() }, .notAnECKey),
            ("id-ecDH", info(.init(1, 3, 132, 1, 12)) { $0.writeObjectIdentifier(secp256r1) }, .notAnECKey),
            ("Ed25519", info(.init(1, 3, 101, 112)) { _ in }, .notAnECKey),
            ("no parameters", info { _ in }, .curveParameters),
            ("implicitCurve", info { $0.writeNull() }, .curveParameters),
            ("specifiedCurve", info { $0.nest(.sequence) { $0.writeInteger(1) } }, .curveParameters),
            ("the curve's name as text", info { $0.writeUTF8String("secp256r1") }, .curveParameters),
            ("secp192r1", named(.init(1, 2, 840, 10045, 3, 1, 1)), .unsupportedCurve),
            ("secp224r1", named(.init(1, 3, 132, 0, 33)), .unsupportedCurve),
            ("secp521r1", named(.init(1, 3, 132, 0, 35)), .unsupportedCurve),
            ("secp256k1", named(.init(1, 3, 132, 0, 10)), .unsupportedCurve),
            ("brainpoolP256r1", named(.init(1, 3, 36, 3, 3, 2, 8, 1, 7)), .unsupportedCurve),
            ("secp384r1 with a point of P-256", named(.init(1, 3, 132, 0, 34)), .pointLength),
            (
                "two parameters",
                info {
                    $0.writeObjectIdentifier(secp256r1)
                    $0.writeNull()
                }, .trailingBytes
            ),
            (
                "a set bit that is unused", info(unusedBits: 1) { $0.writeObjectIdentifier(secp256r1) },
                .invalidBitString
            ),
            (
                "octets behind the point", info(behind: [5, 0]) { $0.writeObjectIdentifier(secp256r1) },
                .trailingBytes
            ),
            ("octets behind the key", TestKey.p256.subjectPublicKeyInfo + [0], .trailingBytes),
            ("an end before the last octet", TestKey.p256.subjectPublicKeyInfo.dropLast(), .truncated),
            ("the point at infinity", infinity, .pointForm),
            ("no octet", [], .truncated),
            ("the point alone", TestKey.p256.point, .unexpectedTag),
            (
                "a length that is not minimal", [0x30, 0x81] + TestKey.p256.subjectPublicKeyInfo.dropFirst(),
                .nonMinimalLength
            ),
        ]
    }()

    @Test("refuses other algorithms, other curves and malformed encodings", arguments: refusedKeys)
    func refusedKey(what: String, info: [UInt8], code: Refusal.Code) {
        refuses(code) { () throws(Refusal) in try ECPublicKey(subjectPublicKeyInfo: info) }
    }

    @Test("refuses a point with unused bits that are zero")
    func unusedBits() {
        var info = TestKey.p256.subjectPublicKeyInfo
        // The lowest bit of y is cleared, so that the BIT STRING itself is right.
        info[25] = 1
        info[info.count - 1] &= 0xFE
        refuses(.invalidBitString, at: 25) { () throws(Refusal) in try ECPublicKey(subjectPublicKeyInfo: info)
        }
    }
}

/// The refusal that a call throws. Nil if it throws none.
func refusal<Value>(_ body: () throws(Refusal) -> Value) -> Refusal? {
    do throws(Refusal) {
        _ = try body()
        return nil
    } catch {
        return error
    }
}
