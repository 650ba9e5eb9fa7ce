import Basics
import SHA
import TestSupport
import Testing

@testable import ECDSA
@testable import SignedPayloads

@Suite("Keys with constant multiples")
struct KnownKeyTests {
    /// The table of a key, computed with doublings and sums.
    static func table(_ key: ECPublicKey) throws -> [UInt64] {
        guard case .p384(let point) = key.point else { throw UnexpectedCurve() }
        return table(point)
    }

    static func table(_ point: AffinePoint<P384>) -> [UInt64] {
        var power = JacobianPoint(point)
        var limbs: [UInt64] = []
        for _ in 0..<8 {
            let start = AffinePoint.points([power])[0]
            for point in AffinePoint.points(start.oddMultiples) {
                for form in [point.x.form, point.y.form] { limbs += (0..<6).map { form[$0] } }
            }
            for _ in 0..<49 { power.double() }
        }
        return limbs
    }

    struct UnexpectedCurve: Error {}

    static let base = P384Multiples(limbs: p384BaseParts)

    @Test("the constants are the multiples of the base point")
    func baseParts() {
        #expect(Self.table(P384.baseMultiple(1)) == p384BaseParts)
    }

    @Test(
        "the constants are the multiples of Apple's keys",
        arguments: [
            (
                // Apple Root CA - G3
                """
                0498e92f3d4072a4ed93227281131cdd1095f1c5a34e71dc1416d90ee5a6052a77647b5f4e38d3bb1c44b57ff51fb63262
                5dc9e9845b4f304f115a00fd58580ca5f50f2c4d07471375da9797976f315ced2b9d7b203bd8b954d95e99a43a510a31
                """, appleRootG3Multiples
            ),
            (
                // Apple Worldwide Developer Relations Certification Authority, G6
                """
                046ec40a0bde0fae55a66579d782dc7375524bf13d121989e00d11a99e09f737a3d3f093046fb1438b86c198f8429d9dff
                b2ae8f17f70670a5d6b0be6f3ad791872278e71dc048fedc381f9a6a8f747dca714affc46456e78806cd8191a1221a48
                """, appleWWDRG6Multiples
            ),
        ]
    )
    func appleKeys(point: String, multiples: [UInt64]) throws {
        let key = try ECPublicKey(.p384, point: hex(point).span)
        #expect(try Self.table(key) == multiples)
        #expect(KnownKey(key, multiples: multiples) != nil)
    }

    @Test("no multiple of a table is added for the factors 0 and n")
    func infinity() {
        for u in [SixLimbs(), P384.Order.value] {
            for v in [SixLimbs(), P384.Order.value] {
                #expect(P384Multiples.sum(u, of: Self.base, v, of: Self.base).isInfinity)
            }
        }
    }

    @Test("sums with tables of parts", arguments: MultipleTests.p384Multiples)
    func sums(_ multiple: MultipleTests.Multiple) {
        let (zero, one) = (SixLimbs(), SixLimbs(1))
        func sum(_ u: SixLimbs, _ v: SixLimbs) -> JacobianPoint<P384> {
            P384Multiples.sum(u, of: Self.base, v, of: Self.base)
        }
        let k: SixLimbs = number(multiple.k)
        var (minus, rest) = (P384.Order.value, k)
        _ = minus.subtract(k)
        _ = rest.subtract(one)
        // 1 + 1 is a doubling.
        for (u, v) in [(k, zero), (zero, k), (rest, one), (one, rest)] {
            #expect(MultipleTests.equals(sum(u, v), multiple))
        }
        #expect(sum(k, minus).isInfinity && sum(minus, k).isInfinity)
        // Factors of a signature are below n. The complement of a small number has the digit of 2^384.
        var complement = SixLimbs()
        for index in 0..<6 { complement[index] = ~k[index] }
        let expected = P384.sumOfMultiples(complement, k, P384.baseMultiple(1).oddMultiples)
        for (u, v) in [(complement, k), (k, complement)] {
            #expect(AffinePoint.points([sum(u, v)]) == AffinePoint.points([expected]))
        }
    }

    @Test("each digit of a scalar selects the multiple with its weight", arguments: 0..<384)
    func digit(bit: Int) {
        var power = SixLimbs()
        power[bit / 64] = 1 << UInt64(bit % 64)
        let multiples = P384.baseMultiple(1).oddMultiples
        for factor: UInt64 in [1, 15, 17] {
            // factor · 2^bit modulo R.
            var number = SixLimbs()
            for _ in 0..<factor { _ = number.add(power) }
            let expected = AffinePoint.points([P384.sumOfMultiples(SixLimbs(), number, multiples)])
            for (u, v) in [(number, SixLimbs()), (SixLimbs(), number)] {
                let sum = P384Multiples.sum(u, of: Self.base, v, of: Self.base)
                #expect(AffinePoint.points([sum]) == expected)
            }
        }
    }

    @Test("a table is one key's only")
    func otherKeys() throws {
        let key = try TestKey.p384.key()
        let table = try Self.table(key)
        #expect(KnownKey(key, multiples: table) != nil)
        #expect(KnownKey(key, multiples: p384BaseParts) == nil)
        #expect(KnownKey(try TestKey.p256.key(), multiples: table) == nil)
        // -P has the same x.
        guard case .p384(let point) = key.point else { throw UnexpectedCurve() }
        #expect(KnownKey(key, multiples: Self.table(point.negated)) == nil)
    }
}

@Suite(
    "Keys with constant multiples, and published data",
    .enabled(if: SharedData.isExpected, "../shared is not beside this checkout")
)
struct KnownKeyDataTests {
    /// The ECDSA-Sig-Value of r ‖ s.
    private static func encoded(_ signature: [UInt8]) -> [UInt8] {
        let numbers = [signature[..<48], signature[48...]].flatMap { number in
            var octets = [UInt8](number.drop { $0 == 0 })
            if octets.isEmpty || octets[0] > 0x7F { octets.insert(0, at: 0) }
            return [0x02, UInt8(octets.count)] + octets
        }
        return [0x30, UInt8(numbers.count)] + numbers
    }

    @Test(
        "a key with constant multiples gives the verdict of the key",
        arguments: ["wycheproof-ecdsa", "nist-ecdsa-sigver-186-3"]
    )
    func verdicts(_ name: String) throws {
        let keys = try VectorTests.keys(name)
        var known: [String: KnownKey] = [:]
        var (accepted, refused) = (0, 0)
        for row in try VectorSuite(name).rows() {
            let key = try #require(keys[row["key"]])
            guard key.curve == .p384 else { continue }
            let table = try known[row["key"]] ?? #require(KnownKey(key, multiples: KnownKeyTests.table(key)))
            known[row["key"]] = table
            let algorithm = try #require(VectorTests.algorithms[row["hash"]])
            let digest = algorithm.digest(of: hex(row["msg_hex"]).span)
            var signature = hex(row["sig_hex"])
            if row["sigenc"] == "p1363" {
                guard signature.count == 96 else { continue }
                signature = Self.encoded(signature)
            }
            var (refusal, other): (Refusal?, Refusal?)
            do throws(Refusal) {
                try key.verify(signature, digest: digest)
                accepted += 1
            } catch {
                refusal = error
                refused += 1
            }
            do throws(Refusal) {
                try table.verify(signature.span, digest: digest)
            } catch {
                other = error
            }
            #expect(refusal == other, "\(row["id"])")
        }
        #expect(accepted >= 12 && refused >= 48, "\(accepted) accepted, \(refused) refused")
    }
}
