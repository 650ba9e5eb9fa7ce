import TestSupport
import Testing

@testable import ECDSA

// The expected numbers were computed with Python's integers.

@Suite("Arithmetic modulo the primes of P-256 and P-384")
struct ResidueTests {
    /// Two residues, their product, and the inverse of the first.
    struct Product: Sendable {
        let one, other, product, inverse: String
    }

    static func check<M: Modulus>(_ modulus: M.Type, _ products: [Product]) {
        for row in products {
            let (one, other) = (Residue<M>(number(row.one)), Residue<M>(number(row.other)))
            #expect((one * other).value == number(row.product))
            #expect((other * one).value == number(row.product))
            #expect(one.squared() == one * one && other.squared() == other * other)
            #expect(M.inverse(of: number(row.one)) == number(row.inverse))
            #expect(M.inverse(of: number(row.inverse)) == number(row.one))
        }
    }

    @Test("products and inverses modulo p of P-256")
    func p256Field() {
        Self.check(
            P256.Field.self,
            [
                Product(
                    one: "ffffffff00000001000000000000000000000000fffffffffffffffffffffffe",
                    other: "ffffffff00000001000000000000000000000000fffffffffffffffffffffffd",
                    product: "0000000000000000000000000000000000000000000000000000000000000002",
                    inverse: "ffffffff00000001000000000000000000000000fffffffffffffffffffffffe"
                ),
                Product(
                    one: "8000000000000000000000000000000000000000000000000000000000000001",
                    other: "00000000fffffffeffffffffffffffffffffffff000000000000000000000000",
                    product: "00000002fffffffe7fffffffffffffff7ffffffd7fffffff8000000000000001",
                    inverse: "01ba2fd125dbba140f7ae3a17635cef5358364fb55d9cd83c7ceefa8086af600"
                ),
                Product(
                    one: "ffffffff00000000ffffffff00000000ffffffff00000000ffffffff00000000",
                    other: "ffffffff00000001000000000000000000000000fffffffffffffffeffffffff",
                    product: "0000000000000000ffffffff00000001ffffffff00000000ffffffff00000000",
                    inverse: "a5a5a5a42d2d2d2e3c3c3c3b1e1e1e1e0f0f0f0f2d2d2d2b969696964b4b4b4a"
                ),
                Product(
                    one: "ffffffff00000001000000000000000000000000fffffffeffffffffffffffff",
                    other: "7fffffff80000000800000000000000000000000800000000000000000000000",
                    product: "ffffffff00000001000000000000000000000000ffffffff7fffffffffffffff",
                    inverse: "ffffffff0000000000000000ffffffff00000000fffffffffffffffeffffffff"
                ),
            ]
        )
    }

    @Test("products and inverses modulo n of P-256")
    func p256Order() {
        Self.check(
            P256.Order.self,
            [
                Product(
                    one: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550",
                    other: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc63254f",
                    product: "0000000000000000000000000000000000000000000000000000000000000002",
                    inverse: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550"
                ),
                Product(
                    one: "8000000000000000000000000000000000000000000000000000000000000001",
                    other: "00000000ffffffff00000000000000004319055258e8617b0c46353d039cdaae",
                    product: "b37096ca79ecab101422d91c95b5f62ca34cbcce24deb7d34192264adf3cf750",
                    inverse: "bf5ce026e273b36c66c8b9aba26359c6231685b7c84c9461b0ea87d3618decbf"
                ),
                Product(
                    one: "ffffffff00000000ffffffff00000000ffffffff00000000ffffffff00000000",
                    other: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac1fc632551",
                    product: "0000000000000000fffffffebce6faaea7179e83f3b9cac3fc63255100000000",
                    inverse: "e1e276ec1f41e97bd4bd9e05214e8b963c6798a310d8e52ff0517036975ad511"
                ),
                Product(
                    one: "ffffffff00000000ffffffffffffffffbce6faada7179e83f3b9cac2fc632551",
                    other: "7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a9",
                    product: "ffffffff00000000ffffffffffffffffbce6faada7179e8473b9cac2fc632551",
                    inverse: "332e3754ded10c5c212ef3a411ff43b0f295e6f0f752b45cd0b8c8228f00d375"
                ),
            ]
        )
    }

    @Test("products and inverses modulo p of P-384")
    func p384Field() {
        Self.check(
            P384.Field.self,
            [
                Product(
                    one:
                        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000fffffffe",
                    other:
                        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000fffffffd",
                    product:
                        "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000002",
                    inverse:
                        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000fffffffe"
                ),
                Product(
                    one:
                        "800000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
                    other:
                        "000000000000000000000000000000000000000000000000000000000000000100000000ffffffffffffffff00000000",
                    product:
                        "0000000000000000000000000000000080000001000000007fffffff0000000080000001800000007ffffffe80000000",
                    inverse:
                        "7a75233a8f66b0d253d566a1cf91179150762f91552b24997ee5bf1262dd29ca867648df749d111e8476eff4c7af8c58"
                ),
                Product(
                    one:
                        "ffffffff00000000ffffffff00000000ffffffff00000000ffffffff00000000ffffffff00000000ffffffff00000000",
                    other:
                        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffffeffffffffffffffffffffffff",
                    product:
                        "ffffffff00000000ffffffff00000000ffffffff00000000fffffffdffffffffffffffff00000001ffffffff00000000",
                    inverse:
                        "41d41d40c57c57c550750750f15f15f1d41d41d47c57c57c750750755f15f15edb6db6dc50750751f15f15f115f15f14"
                ),
                Product(
                    one:
                        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffffeffffffff00000000ffffffff",
                    other:
                        "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7fffffff800000000000000080000000",
                    product:
                        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffffeffffffff80000000ffffffff",
                    inverse:
                        "fffffffefffffffeffffffffffffffffffffffffffffffffffffffffffffffff000000000000000200000001fffffffe"
                ),
            ]
        )
    }

    @Test("products and inverses modulo n of P-384")
    func p384Order() {
        Self.check(
            P384.Order.self,
            [
                Product(
                    one:
                        "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52972",
                    other:
                        "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52971",
                    product:
                        "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000002",
                    inverse:
                        "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52972"
                ),
                Product(
                    one:
                        "800000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
                    other:
                        "000000000000000000000000000000000000000000000000389cb27e0bc8d220a7e5f24db74f58851313e695333ad68c",
                    product:
                        "06427700959cdf909fd82dbd1413344aea06a48ba5558e62fa6d7d5c84407db45391ba19cb34fe4f2022c0dca677701a",
                    inverse:
                        "ae03566b029f2d9447832c0d685ba96cf9f4ebff6dbe389ee517c6a40b29ab1dcfa3045264edb461b428472d9d6bb3bd"
                ),
                Product(
                    one:
                        "ffffffff00000000ffffffff00000000ffffffff00000000ffffffff00000000ffffffff00000000ffffffff00000000",
                    other:
                        "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec1969ccc52973",
                    product:
                        "ffffffff00000000ffffffff00000000fffffffec7634d82f4372dde581a0db348b0a779ecec196bccc5297300000000",
                    inverse:
                        "69d4b81a7549bee9e806df8a543322252e658bc31eb845634c8a1158ef0aafea2af766c074aa66e6d9b988420e772fe0"
                ),
                Product(
                    one:
                        "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a779ecec196accc52973",
                    other:
                        "7fffffffffffffffffffffffffffffffffffffffffffffffe3b1a6c0fa1b96efac0d06d9245853bd76760cb5666294ba",
                    product:
                        "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77a6cec196accc52973",
                    inverse:
                        "912b9f76177023baffffffffffffffffffffffffffffffffdfe599512fe1d656db459a6124d73dade8b91f5e2c8a20c4"
                ),
            ]
        )
    }

    static func edges<M: Modulus>(_ modulus: M.Type) {
        let (zero, one) = (Residue<M>.zero, Residue<M>.one)
        let last = zero - one
        var number = M.value
        _ = number.subtract(M.Number(1))
        #expect(Residue<M>(M.Number()) == zero && zero.isZero && zero.value.isZero)
        #expect(Residue<M>(M.Number(1)) == one && one.value == M.Number(1) && !one.isZero)
        #expect(Residue<M>(M.value) == zero)
        #expect(last.value == number && Residue<M>(number) == last)
        #expect(last + one == zero && one + last == zero && last + last + one == last)
        #expect(zero - zero == zero && last - last == zero && one - last == one + one)
        #expect(last * last == one && last.squared() == one && last * zero == zero && zero.squared() == zero)
        #expect(one.halved() + one.halved() == one && last.halved() + last.halved() == last)
        #expect(zero.halved() == zero && (one + one).halved() == one)
        #expect(M.inverse(of: M.Number(1)) == M.Number(1) && M.inverse(of: number) == number)
    }

    @Test("0, 1 and m - 1 are added, subtracted, multiplied, halved and inverted right")
    func edges() {
        Self.edges(P256.Field.self)
        Self.edges(P256.Order.self)
        Self.edges(P384.Field.self)
        Self.edges(P384.Order.self)
    }

    /// p with Montgomery reduction for any modulus.
    enum PlainP256: Modulus {
        static var value: FourLimbs { P256.Field.value }
        static var radixSquared: FourLimbs { P256.Field.radixSquared }
        static var negatedInverse: UInt64 { P256.Field.negatedInverse }
    }
    enum PlainP384: Modulus {
        static var value: SixLimbs { P384.Field.value }
        static var radixSquared: SixLimbs { P384.Field.radixSquared }
        static var negatedInverse: UInt64 { P384.Field.negatedInverse }
    }

    static func compare<M: Modulus, Plain: Modulus>(_: M.Type, _: Plain.Type) where M.Number == Plain.Number {
        #expect(M.negatedInverse &* M.value[0] == .max)
        // Limbs with carries at every place: each takes one of these values in turn.
        let limbs: [UInt64] = [0, 1, 0xFFFF_FFFF, 1 << 32, 1 << 63, .max - 1, .max, 0xFFFF_FFFF_0000_0000]
        var state: UInt64 = 1
        for _ in 0..<20_000 {
            var number = M.Number()
            for index in 0..<M.Number.count {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                number[index] = limbs[Int(state >> 61)]
            }
            var (special, plain) = (number, number)
            M.reduceByLimb(&special)
            Plain.reduceByLimb(&plain)
            #expect(special == plain, "\(number)")
        }
    }

    @Test("reduction by the form of p gives the number that reduction modulo any number gives")
    func reductions() {
        Self.compare(P256.Field.self, PlainP256.self)
        Self.compare(P384.Field.self, PlainP384.self)
    }
}

extension Residue {
    /// The number below m.
    var value: M.Number { (self * Self(form: M.Number(1))).form }
}
