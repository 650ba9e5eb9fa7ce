import TestSupport
import Testing

@testable import AppReceiptMint

@Suite(
    "BoringSSL's modular equations, computed by the mint",
    .enabled(if: SharedData.isExpected, "../shared is not beside this checkout")
)
struct ModularTests {
    @Test("computes products, squares, powers and inverses")
    func equations() throws {
        let equations = try Equation.all(of: VectorSuite("bignum-montgomery"))
        for equation in equations { #expect(try holds(equation), "\(equation.name)") }
        #expect(equations.count == 605)
    }

    private func holds(_ equation: Equation) throws -> Bool {
        let modulus = Natural(octets: try #require(equation["M"]).magnitude)
        func value(_ side: String) throws -> Natural {
            let number = try #require(equation[side])
            let value = Natural(octets: number.magnitude) % modulus
            return number.isNegative ? (modulus - value) % modulus : value
        }
        let first = try value("A")
        if equation["ModSquare"] != nil { return first * first % modulus == (try value("ModSquare")) }
        if equation["ModMul"] != nil { return first * (try value("B")) % modulus == (try value("ModMul")) }
        if equation["ModInv"] != nil { return first.inverse(modulo: modulus) == (try value("ModInv")) }
        let exponent = Natural(octets: try #require(equation["E"]).magnitude)
        return first.power(exponent, modulo: modulus) == (try value("ModExp"))
    }
}
