import RSA
import TestSupport
import Testing

@Suite(
    "BoringSSL's modular equations",
    .enabled(if: SharedData.isExpected, "../shared is not beside this checkout")
)
struct BignumVectorTests {
    @Test("computes products, squares, powers and inverses, and refuses an even or a short modulus")
    func equations() throws {
        let suite = try VectorSuite("bignum-montgomery")
        let judgements = try Equation.all(of: suite).map { equation in
            let divisor = try #require(equation["M"])
            let isOurs = divisor.magnitude.last.map { $0 & 1 == 1 } == true && divisor.bitCount > 192
            let modulus = MontgomeryModulus(bigEndian: divisor.magnitude)
            return VectorSuite.Judgement(
                equation.name,
                demanded: isOurs ? .accept : .reject,
                decided: try modulus.map { try !isOurs || $0.holds(equation) } == true ? .accept : .reject,
                why: modulus == nil ? "the modulus is refused" : "another number"
            )
        }
        suite.judge(judgements)
        #expect(judgements.count == 605)
    }
}

extension MontgomeryModulus {
    fileprivate func holds(_ equation: Equation) throws -> Bool {
        let divisor = limbs(try #require(equation["M"]).magnitude)
        // n is odd, so n - 1 differs from n only in the lowest limb.
        let minusOne = montgomeryForm(of: [divisor[0] - 1] + divisor.dropFirst())
        func form(_ side: String) throws -> [UInt64] {
            let value = try #require(equation[side])
            let form = montgomeryForm(of: limbs(value.magnitude))
            return value.isNegative ? multiply(minusOne, form) : form
        }
        let first = try form("A")
        if equation["ModSquare"] != nil {
            let expected = try form("ModSquare")
            return multiply(first, first) == expected && square(first) == expected
        }
        if equation["ModMul"] != nil { return try multiply(first, form("B")) == form("ModMul") }
        if equation["ModInv"] != nil {
            return number(ofMontgomeryForm: try multiply(first, form("ModInv"))) == [1]
                + [UInt64](repeating: 0, count: count - 1)
        }
        let exponent = try #require(equation["E"])
        let base = try #require(equation["A"])
        #expect(!exponent.isNegative)
        let power = power(
            base.isNegative ? number(ofMontgomeryForm: first) : limbs(base.magnitude),
            limbs(exponent.magnitude)
        )
        return power == number(ofMontgomeryForm: try form("ModExp"))
    }
}
