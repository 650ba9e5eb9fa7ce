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
        let zero = Natural(limbs: [])
        let left = (one.isNegative ? zero : one.value).plus(other.isNegative ? zero : other.value)
            .plus(sum.isNegative ? sum.value : zero)
        let right = (one.isNegative ? one.value : zero).plus(other.isNegative ? other.value : zero)
            .plus(sum.isNegative ? zero : sum.value)
        return left.equals(right) && left.plus(one.value).subtracting(one.value).equals(right)
            && left.subtracting(right).equals(zero)
    }

    private func product(_ equation: Equation) throws -> Bool {
        let one = try number("A", equation)
        let other = try equation["B"] == nil ? one : number("B", equation)
        let product = try number(equation["B"] == nil ? "Square" : "Product", equation)
        return one.value.multiplied(by: other.value).equals(product.value)
            && (product.value.isZero || product.isNegative == (one.isNegative != other.isNegative))
    }

    /// A = Quotient · B + Remainder. The remainder has the sign of A and is smaller than B.
    private func quotient(_ equation: Equation) throws -> Bool {
        let (dividend, divisor) = (try number("A", equation).value, try number("B", equation).value)
        let (quotient, remainder) = (
            try number("Quotient", equation).value, try number("Remainder", equation).value
        )
        if let word = divisor.word {
            let found = dividend.divided(by: word)
            guard found.quotient.equals(quotient), remainder.equals(Natural(limbs: [found.remainder])),
                dividend.remainder(dividedBy: word) == found.remainder
            else { return false }
        }
        return remainder.isBelow(divisor)
            && quotient.multiplied(by: divisor).plus(remainder).equals(dividend)
    }

    private func power(_ equation: Equation) throws -> Bool {
        let (base, exponent) = (try number("A", equation).value, try number("E", equation).value)
        var power = Natural(limbs: [1])
        for _ in 0..<(exponent.word ?? 0) { power = power.multiplied(by: base) }
        return power.equals(try number("Exp", equation).value)
    }

    private func shift(_ equation: Equation) throws -> Bool {
        var value = try number("A", equation).value
        guard equation["RShift"] == nil else {
            for _ in 0..<(try number("N", equation).value.word ?? 0) { value = value.halved }
            return value.equals(try number("RShift", equation).value)
        }
        if equation["LShift1"] != nil {
            let double = try number("LShift1", equation).value
            return value.plus(value).equals(double) && double.halved.equals(value)
        }
        let places = Int(try number("N", equation).value.word ?? 0)
        let factor = [UInt64](repeating: 0, count: places / 64) + [1 << UInt64(places % 64)]
        return value.multiplied(by: Natural(limbs: factor)).equals(try number("LShift", equation).value)
    }

    private func number(_ side: String, _ equation: Equation) throws -> (value: Natural, isNegative: Bool) {
        let number = try #require(equation[side])
        return (Natural(octets: number.magnitude), number.isNegative)
    }
}

extension Natural {
    fileprivate var isZero: Bool { limbs.allSatisfy { $0 == 0 } }

    fileprivate func equals(_ other: Natural) -> Bool { !isBelow(other) && !other.isBelow(self) }

    /// The sum, with a limb more than the longer number has.
    fileprivate func plus(_ other: Natural) -> Natural {
        let room = max(limbs.count, other.limbs.count) + 1
        return Natural(limbs: limbs + [UInt64](repeating: 0, count: room - limbs.count)).adding(other)
    }

    /// The number as a word; nil if it is 2^64 or more.
    fileprivate var word: UInt64? { limbs.dropFirst().allSatisfy { $0 == 0 } ? limbs.first ?? 0 : nil }
}
