import Basics
import ECDSA
import TestSupport
import Testing

// FIPS 186-5 §6.4.2 compares r with an x-coordinate. The points for s and n - s differ in the sign of y.
@Suite("Signatures with n - s in place of s")
struct MirroredSignatureTests {
    /// n - s of the test key's signature, which Python's integers computed.
    static func negated(_ curve: Curve) -> [UInt8] {
        switch curve {
        case .p256: hex("014ec68491285a07d991534f2719cc1bb421e4b6a053720fdada2557d7ec6719")
        case .p384:
            hex(
                """
                168c03a629e61b2f05ece8cc47373123c3c44f1a10c020b4
                409b3d39363e8aa549087219c75a2cb5a10b9b074eaf8de5
                """
            )
        }
    }

    @Test("are valid, and refer back to the original", arguments: TestKey.all)
    func valid(_ test: TestKey) throws {
        let key = try test.key()
        let signature = SignatureTests.encoded(numbers: test.r, test.s)
        let mirrored = ECPublicKey.mirrored(signature.span)
        let valid = mirrored.filter { (try? key.verify($0)) != nil }
        #expect(valid.count == 1 && valid != [signature])
        // s of P-256 is below n of P-384, too.
        #expect(mirrored.count == (test.curve == .p256 ? 2 : 1))
        let other = try #require(valid.first)
        #expect(ECPublicKey.mirrored(other.span).contains(signature))
    }

    @Test("have the value n - s, in DER without needless zeros", arguments: TestKey.all)
    func values(_ test: TestKey) throws {
        let expected = SignatureTests.encoded(numbers: test.r, Self.negated(test.curve))
        let signature = SignatureTests.encoded(numbers: test.r, test.s)
        #expect(ECPublicKey.mirrored(signature.span).contains(expected))
        // r and n - 1 mirror to 1, and 1 to n - 1.
        let (last, one) = (sum(test.order, -1), [UInt8](repeating: 0, count: test.count - 1) + [1])
        for (s, mirror) in [(last, one), (one, last)] {
            let encoded = SignatureTests.encoded(numbers: one, s)
            let expected = SignatureTests.encoded(numbers: one, mirror)
            #expect(ECPublicKey.mirrored(encoded.span).contains(expected))
        }
        // An INTEGER from 80 to FF needs a zero before it (X.690 §8.3.3).
        for r in [0x00, 0x7F, 0x80, 0x81] as [UInt8] {
            let encoded = SignatureTests.encoded(numbers: [r], last)
            let expected = SignatureTests.encoded(numbers: [r], one)
            #expect(ECPublicKey.mirrored(encoded.span).contains(expected))
        }
    }

    @Test("do not exist for s outside 1…n-1, for numbers that are too long, and for what is no signature")
    func none() {
        let zero: [UInt8] = [0]
        let order = TestKey.p384.order
        for (r, s) in [(zero, zero), ([1], zero), ([1], order), ([1], sum(order, 1))] {
            #expect(ECPublicKey.mirrored(SignatureTests.encoded(numbers: r, s).span) == [])
        }
        let long = [UInt8](repeating: 1, count: 49)
        #expect(ECPublicKey.mirrored(SignatureTests.encoded(numbers: long, [1]).span) == [])
        #expect(ECPublicKey.mirrored(SignatureTests.encoded(numbers: [1], long).span) == [])
        // n of P-256 is below n of P-384.
        let p256 = ECPublicKey.mirrored(SignatureTests.encoded(numbers: [1], TestKey.p256.order).span)
        #expect(p256.count == 1)
        let good = SignatureTests.encoded(numbers: TestKey.p256.r, TestKey.p256.s)
        for malformed in [[], Array(good.dropLast()), good + [0], SignatureTests.encoded([0xFF], [1])] {
            #expect(ECPublicKey.mirrored(malformed.span) == [])
        }
    }
}
