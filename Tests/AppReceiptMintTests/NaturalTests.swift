import TestSupport
import Testing

@testable import AppReceiptMint

@Suite(
    "BoringSSL's equations of integers",
    .enabled(if: SharedData.isExpected, "../shared is not beside this checkout")
)
struct NaturalVectorTests {
    /// The numbers of the mint are natural, so the test takes care of the signs.
    @Test("sums, differences, products, powers, quotients and shifts are correct")
    func equations() throws {
        let suite = try VectorSuite("bignum-natural")
        let judgements = try Equation.all(of: suite).map { equation in
            let holds =
                if equation["Sum"] != nil {
                    try sum(equation)
                } else if equation["Quotient"] != nil {
                    try quotient(equation)
                } else if equation["Exp"] != nil {
                    try power(equation)
                } else if equation["Product"] ?? equation["Square"] != nil {
                    try product(equation)
                } else {
                    try shift(equation)
                }
            return VectorSuite.Judgement(
                equation.name,
                demanded: .accept,
                decided: holds ? .accept : .reject,
                why: "another number"
            )
        }
        suite.judge(judgements)
        #expect(judgements.count == 2004)
    }

    /// A + B = Sum, with negative numbers moved to the other side.
    private func sum(_ equation: Equation) throws -> Bool {
        let (one, other, sum) = (
            try number("A", equation), try number("B", equation), try number("Sum", equation)
        )
        let zero = Natural(0)
        let left =
            (one.isNegative ? zero : one.value) + (other.isNegative ? zero : other.value)
            + (sum.isNegative ? sum.value : zero)
        let right =
            (one.isNegative ? one.value : zero) + (other.isNegative ? other.value : zero)
            + (sum.isNegative ? zero : sum.value)
        return left == right && left + one.value - one.value == right && left - right == zero
    }

    private func product(_ equation: Equation) throws -> Bool {
        let one = try number("A", equation)
        let other = try equation["B"] == nil ? one : number("B", equation)
        let product = try number(equation["B"] == nil ? "Square" : "Product", equation)
        return one.value * other.value == product.value
            && (product.value == Natural(0) || product.isNegative == (one.isNegative != other.isNegative))
    }

    /// A = Quotient · B + Remainder. The remainder has the sign of A and is smaller than B.
    private func quotient(_ equation: Equation) throws -> Bool {
        let (dividend, divisor) = (try number("A", equation).value, try number("B", equation).value)
        let (quotient, remainder) = (
            try number("Quotient", equation).value, try number("Remainder", equation).value
        )
        if let word = divisor.word { guard remainder == Natural(dividend % word) else { return false } }
        let found = dividend.divided(by: divisor)
        return remainder < divisor && found.quotient == quotient && found.remainder == remainder
            && quotient * divisor + remainder == dividend
    }

    private func power(_ equation: Equation) throws -> Bool {
        let (base, exponent) = (try number("A", equation).value, try number("E", equation).value)
        var power = Natural(1)
        for _ in 0..<(exponent.word ?? 0) { power = power * base }
        return power == (try number("Exp", equation).value)
    }

    private func shift(_ equation: Equation) throws -> Bool {
        let value = try number("A", equation).value
        if equation["LShift1"] != nil {
            let double = try number("LShift1", equation).value
            return value + value == double && double.divided(by: Natural(2)).quotient == value
        }
        let places = Int(try number("N", equation).value.word ?? 0)
        let limbs = [UInt64](repeating: 0, count: places / 64) + [1 << UInt64(places % 64)]
        let factor = Natural(limbs: limbs)
        guard equation["RShift"] == nil else {
            return value.divided(by: factor).quotient == (try number("RShift", equation).value)
        }
        return value * factor == (try number("LShift", equation).value)
    }

    private func number(_ side: String, _ equation: Equation) throws -> (value: Natural, isNegative: Bool) {
        let number = try #require(equation[side])
        return (Natural(octets: number.magnitude), number.isNegative)
    }
}

extension Natural {
    /// The number as a word; nil if it is 2^64 or more.
    fileprivate var word: UInt64? { limbs.count > 1 ? nil : limbs.first ?? 0 }
}
