import Processor
import SHA
import TestSupport
import Testing

@testable import ECDSA

// The expected numbers were computed with Python's integers.

@Suite("Multiples of points")
struct MultipleTests {
    /// k·G, for k in hexadecimal digits.
    struct Multiple: Sendable {
        let k, x, y: String
    }

    static func equals<Curve: PrimeCurve>(_ sum: JacobianPoint<Curve>, _ multiple: Multiple) -> Bool {
        let (x, y) = (Residue<Curve.Field>(number(multiple.x)), Residue<Curve.Field>(number(multiple.y)))
        let zz = sum.z.squared()
        return !sum.isInfinity && x * zz == sum.x && y * zz * sum.z == sum.y
    }

    /// Checks k·G + 0·G, 0·G + k·G, and sums whose last addition is a doubling or meets an opposite point.
    static func check<Curve: PrimeCurve>(_: Curve.Type, _ multiples: [Multiple]) {
        let base = Curve.baseMultiple(1)
        #expect(base.isOnCurve)
        let table = base.oddMultiples
        let (zero, one) = (Curve.Field.Number(), Curve.Field.Number(1))
        for multiple in multiples {
            let k: Curve.Field.Number = number(multiple.k)
            var (minus, rest) = (Curve.Order.value, k)
            _ = minus.subtract(k)
            _ = rest.subtract(one)
            #expect(equals(Curve.sumOfMultiples(k, zero, table), multiple), "\(multiple.k)")
            #expect(equals(Curve.sumOfMultiples(zero, k, table), multiple), "\(multiple.k)")
            #expect(equals(Curve.sumOfMultiples(rest, one, table), multiple), "\(multiple.k)")
            #expect(equals(Curve.sumOfMultiples(one, rest, table), multiple), "\(multiple.k)")
            #expect(Curve.sumOfMultiples(k, minus, table).isInfinity, "\(multiple.k)")
            #expect(Curve.sumOfMultiples(minus, k, table).isInfinity, "\(multiple.k)")
        }
        #expect(Curve.sumOfMultiples(zero, zero, table).isInfinity)
        #expect(Curve.sumOfMultiples(Curve.Order.value, zero, table).isInfinity)
        #expect(Curve.sumOfMultiples(zero, Curve.Order.value, table).isInfinity)
        // Each odd multiple in the table of the base point.
        for factor in stride(from: 1, to: 32, by: 2) {
            #expect(Curve.baseMultiple(factor).isOnCurve)
            let k = Curve.Field.Number(UInt64(factor))
            var minus = Curve.Order.value
            _ = minus.subtract(k)
            #expect(Curve.sumOfMultiples(k, minus, table).isInfinity, "\(k)")
        }
    }

    static let p256Multiples: [Multiple] = [
        Multiple(
            k: "01",
            x: "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
            y: "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
        ),
        Multiple(
            k: "02",
            x: "7cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978",
            y: "07775510db8ed040293d9ac69f7430dbba7dade63ce982299e04b79d227873d1"
        ),
        Multiple(
            k: "03",
            x: "5ecbe4d1a6330a44c8f7ef951d4bf165e6c6b721efada985fb41661bc6e7fd6c",
            y: "8734640c4998ff7e374b06ce1a64a2ecd82ab036384fb83d9a79b127a27d5032"
        ),
        Multiple(
            k: "3f",
            x: "6a9501d85bf5dc802a1f28a08acc7d8fdf53c8af01a7cd3832a290825d8bdac1",
            y: "ca640ad19347374381c6c6e44a3c56a3f8461b5c697a6f3530aff53d5f1ef1a3"
        ),
        Multiple(
            k: "40",
            x: "0a0643fb8fcc14def67a6a5eb1bf8e9125b35edc7338d816aa4110a6b90ee785",
            y: "553438324a9e7955c520dacda2920e700da10d00e7012ed7bac0d100861f9cc2"
        ),
        Multiple(
            k: "41",
            x: "34325dcb458d8e5b343d0535537dd5e09c7046afcbf39f6611aa2ec254ea3410",
            y: "8568d1dc5029554796cd238c49676718794deb3ead76feb86f3b1601f3c869c9"
        ),
        Multiple(
            k: "7f",
            x: "534d45db6baca8e2d2a5d0a765f16013a8d4eb58c6aaad3567cebdfac42d623c",
            y: "fad669c89a2a54e44154357f992ccec8eef093e0f23a631d17fdf664419e500c"
        ),
        Multiple(
            k: "8000000000000000000000000000000000000000000000000000000000000000",
            x: "77b20a912e6b23135066e911891524bc4efe3560e3e92350b52dec8f375f2b54",
            y: "a3dc291825cea3f7f7b10bfcdd038a72df623da1e850e0f1caa801fcd6cc67ff"
        ),
        Multiple(
            k: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc63254f",
            x: "7cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978",
            y: "f888aaee24712fc0d6c26539608bcf244582521ac3167dd661fb4862dd878c2e"
        ),
        Multiple(
            k: "7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a9",
            x: "2afa386b3f2bdcdb83f4d83f8fa3874d7b74dcb454bd644fdd6bf3d1f2da8db6",
            y: "8de7b41d3557a9cc9d4ac90ef7ad299a51759b030e1472b36b952a7686908d63"
        ),
        Multiple(
            k: "1f",
            x: "301d9e502dc7e05da85da026a7ae9aa0fac9db7d52a95b3e3e3f9aa0a1b45b8b",
            y: "6551b6f6b3061223e0d23c026b017d72298d9ae46887ca61d58db6aea17ee267"
        ),
        Multiple(
            k: "20",
            x: "2377c7d690a242ca6c45074e8ea5beefaa557fd5b68371d9d1475bd52a7ed0e1",
            y: "47a13fb98413a4393f8d90e9bf901b7e6658a6cdecf46716e7c067b1ddb8d2b2"
        ),
        Multiple(
            k: "21",
            x: "9807d699fcd81356fa9aa25b89d9d34ea03b0a533aa872fd65c100f3cb2cd793",
            y: "c2a59cdccab11bf286a01a4d1d091b2fffe630b96c5878532f6bf92479634af4"
        ),
        Multiple(
            k: "010000000000000000",
            x: "0fa822bc2811aaa58492592e326e25de29493baaad651f7e90e75cb48e14db63",
            y: "bff44ae8f5dba80d6f4ad4bcb3df188b34b1a65050fe82f5e41124545f462ee7"
        ),
        Multiple(
            k: "1000000000000000000000000000000000000000000000000000000000000000",
            x: "b12fadf52943dfa54943fccb3b7893e796357686c10319e31ead3233444c0448",
            y: "02e2459599b0f4ace96f8f6677b2a6a71d05e70332fc4df296575e76b369de57"
        ),
        Multiple(
            k: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550",
            x: "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
            y: "b01cbd1c01e58065711814b583f061e9d431cca994cea1313449bf97c840ae0a"
        ),
    ]

    @Test("multiples of the base point of P-256")
    func p256() { Self.check(P256.self, Self.p256Multiples) }

    @Test("sums with tables of multiples on P-256", arguments: p256Multiples)
    func tables(_ multiple: Multiple) {
        let (zero, one) = (FourLimbs(), FourLimbs(1))
        let table = Self.table
        func sum(_ u: FourLimbs, _ v: FourLimbs) -> JacobianPoint<P256> {
            P256Multiples.sum(u, of: table, v, of: table)
        }
        let k: FourLimbs = number(multiple.k)
        var (minus, rest) = (P256.Order.value, k)
        _ = minus.subtract(k)
        _ = rest.subtract(one)
        // 1 + 1 is a doubling.
        for (u, v) in [(k, zero), (zero, k), (rest, one), (one, rest)] {
            #expect(Self.equals(sum(u, v), multiple))
        }
        #expect(sum(k, minus).isInfinity && sum(minus, k).isInfinity)
        // Factors of a signature are below n. The other numbers have the largest digits.
        let complement = FourLimbs(limb0: ~k[0], limb1: ~k[1], limb2: ~k[2], limb3: ~k[3])
        let expected = P256.sumOfMultiples(complement, k, P256.baseMultiple(1).oddMultiples)
        for (u, v) in [(complement, k), (k, complement)] {
            #expect(AffinePoint.points([sum(u, v)]) == AffinePoint.points([expected]))
        }
    }

    static let table = P256Multiples.ofBasePoint

    #if Accelerated && arch(x86_64)
        @Test(
            "sums with tables of multiples on P-256 in lanes",
            .enabled(if: acceleration.allows(.avx512IFMA), "this processor lacks AVX-512 IFMA")
        )
        func lanes() throws {
            let table = Self.table
            for start in Self.p256Multiples.indices {
                for count in 1...8 {
                    let terms = (0..<count).map { lane -> (Multiple, FourLimbs, FourLimbs) in
                        let all = Self.p256Multiples
                        let multiple = all[(start + lane) % all.count]
                        let k: FourLimbs = number(multiple.k)
                        let half = k.halved(carry: false)
                        var rest = k
                        _ = rest.subtract(half)
                        return lane % 2 == 0 ? (multiple, half, rest) : (multiple, FourLimbs(), k)
                    }
                    let sums = P256Multiples.sums(terms.map { ($0.1, table, $0.2, table) })
                    #expect(sums.count == count)
                    for (sum, (multiple, u, v)) in zip(sums, terms) {
                        let expected = P256Multiples.sum(u, of: table, v, of: table)
                        #expect(Self.equals(expected, multiple))
                        let scale = sum.z.squared()
                        let x = try #require(AffinePoint.points([expected]).first).x
                        // The points for the windows of one scalar never meet.
                        #expect(sum.isInfinity ? !u.isZero : sum.x == x * scale)
                    }
                }
            }
        }

        @Test(
            "a sum in lanes that meets an equal or an opposite point, or no point, is the point at infinity",
            .enabled(if: acceleration.allows(.avx512IFMA), "this processor lacks AVX-512 IFMA")
        )
        func exceptionsInLanes() {
            let (one, zero, table) = (FourLimbs(1), FourLimbs(), Self.table)
            var minus = P256.Order.value
            _ = minus.subtract(one)
            let factors = [(one, one), (one, minus), (zero, zero), (one, zero), (zero, one)]
            let sums = P256Multiples.sums(factors.map { ($0, table, $1, table) })
            #expect(sums.map(\.isInfinity) == [true, true, true, false, false])
            #expect(sums[3].x == sums[3].z.squared() * P256.baseMultiple(1).x)
            #expect(sums[4].x == sums[4].z.squared() * P256.baseMultiple(1).x)
        }
    #endif

    @Test("a signature for which u·G and v·Q are equal is valid, alone and together with others")
    func equalPoints() throws {
        // Q is G, and x is that of 2·G. If e = s = r = x, then u and v are 1.
        let (one, two) = (Self.p256Multiples[0], try #require(Self.p256Multiples.first { $0.k == "02" }))
        let base = try ECPublicKey(.p256, point: hex("04" + one.x + one.y))
        let key = try #require(TabulatedKey(base, base: Self.table))
        let x = hex(two.x)
        let number = Digest(.sha256, bytes: x.span)
        let (signature, digest) = (x + x, try #require(number))
        try base.verify(concatenated: signature, digest: digest)
        for acceleration in [.none] + accelerations {
            var signatures = TabulatedSignatures(acceleration: acceleration)
            for _ in 1...3 { signatures.append(concatenated: signature.span, digest: digest, by: key) }
            #expect(signatures.verify() == [true, true, true])
        }
    }

    @Test("no multiple of a table is added for the factors 0 and n")
    func infinity() {
        for u in [FourLimbs(), P256.Order.value] {
            for v in [FourLimbs(), P256.Order.value] {
                #expect(P256Multiples.sum(u, of: Self.table, v, of: Self.table).isInfinity)
            }
        }
    }

    // `Vectors/ecdsa/base-multiples.py --windows` prints the digests.
    @Test(
        "a table holds the multiple for each window and digit",
        arguments: [
            (nil, "59d4e2d589e57eef1535c845b39c8c5b24b8a56050246bef96f583eaf8ca8526"),
            (TestKey.p256, "b63172941995ee684eac36f74b2678c6953348f90b750cd643bd2e75d43217fc"),
        ]
    )
    func windows(of key: TestKey?, digest: String) throws {
        var table = Self.table
        if let key, case .p256(let point) = try key.key().point { table = P256Multiples(of: point) }
        #expect(table.points.count == 43 * 32)
        var octets: [UInt8] = []
        for point in table.points {
            #expect(point.isOnCurve)
            for coordinate in [point.x.value, point.y.value] {
                for limb in (0..<4).reversed() {
                    let limb = coordinate[limb]
                    octets += (0..<8).reversed().map { UInt8(truncatingIfNeeded: limb >> (8 * UInt64($0))) }
                }
            }
        }
        #expect(HashAlgorithm.sha256.digest(of: octets.span).bytes == hex(digest))
    }

    static let p384Multiples = [
        Multiple(
            k: "01",
            x:
                "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7",
            y:
                "3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f"
        ),
        Multiple(
            k: "02",
            x:
                "08d999057ba3d2d969260045c55b97f089025959a6f434d651d207d19fb96e9e4fe0e86ebe0e64f85b96a9c75295df61",
            y:
                "8e80f1fa5b1b3cedb7bfe8dffd6dba74b275d875bc6cc43e904e505f256ab4255ffd43e94d39e22d61501e700a940e80"
        ),
        Multiple(
            k: "03",
            x:
                "077a41d4606ffa1464793c7e5fdc7d98cb9d3910202dcd06bea4f240d3566da6b408bbae5026580d02d7e5c70500c831",
            y:
                "c995f7ca0b0c42837d0bbe9602a9fc998520b41c85115aa5f7684c0edc111eacc24abd6be4b5d298b65f28600a2f1df1"
        ),
        Multiple(
            k: "3f",
            x:
                "b32e89eb942aab112cae508f5164ca6cac334769de358b333c968cfbb83c8f7b941560583def5431afd574f7e008f8af",
            y:
                "b1e3ae7166d9710324e2bf69603ffd5ba770fc48b73edc0679cddd7a0499009535daedff59e74a1ac81abe0944e11e2c"
        ),
        Multiple(
            k: "40",
            x:
                "c1e179aa178a780046e35841766073612ea5e5abd26608f259a599fc9a8425a3ea639d94cbe63fde1d69c70f9327605f",
            y:
                "c3842f6e4dbca6d609ba6171650371b2adc07640a2420eabf7e8291eafa21b56eef31860c20ddeb88b45f0b4856f8ea5"
        ),
        Multiple(
            k: "41",
            x:
                "88d136b5cf915a2bd452d40530433542cec9289d95cc77ab51273a44b269db68d1602978c69cc18b6dfdfc9d07d6c3e7",
            y:
                "bcb5765b04501d46e9add37f1694ea0c1b74e2086f4485f96028fcb86db0ebca42df7f37b8e7546751156170ed6f32c9"
        ),
        Multiple(
            k: "7f",
            x:
                "35496041ea253b0d153c9bfbc18a9e41af348afd8b1c33a5ca5d7fbbfa2d5d9d436ed1011b3d9d93e4b45d2a4b2327f1",
            y:
                "73ce1eaa4ffddc1d69d9e09d164619ae8dd2ce266f9db6c330a5057c7d62de8f8ec3ce9ba7c171b9b02ada1cb3426158"
        ),
        Multiple(
            k:
                "800000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
            x:
                "e3e25cdb160208b6474e2b34d72bf586bba14f72c3f97f515a405d1429196e6673161b78ad80afe664ee504d4b161ab7",
            y:
                "3770b64d5442695959fb89da7eb3a7cafcba079d32031df6213049c1cc509e3f9120caf8dd9109115f403859ac337acc"
        ),
        Multiple(
            k:
                "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52971",
            x:
                "08d999057ba3d2d969260045c55b97f089025959a6f434d651d207d19fb96e9e4fe0e86ebe0e64f85b96a9c75295df61",
            y:
                "717f0e05a4e4c312484017200292458b4d8a278a43933bc16fb1afa0da954bd9a002bc15b2c61dd29eafe190f56bf17f"
        ),
        Multiple(
            k:
                "7fffffffffffffffffffffffffffffffffffffffffffffffe3b1a6c0fa1b96efac0d06d9245853bd76760cb5666294ba",
            x:
                "d36fed39ca71063a5163e8119a37aff10f6b86d50f02f1d324238d2b090d80670849550566396ff5778738c0b39b107a",
            y:
                "b93c19d47a47d0f22053470acdefe4b47d1f824e37023c92e0a8d7bcbe97bf52230d43e242acd9987e0304578c6551ae"
        ),
    ]

    @Test("multiples of the base point of P-384")
    func p384() { Self.check(P384.self, Self.p384Multiples) }
}
