@testable import RSA

// Products and powers by the steps of `withPower`, for numbers and exponents that it does not take.
extension MontgomeryModulus {
    /// The Montgomery form of a number: `number · R mod n`. The number may have any length.
    func montgomeryForm(of number: [UInt64]) -> [UInt64] {
        unsafe result { constants, form, _ in
            for limb in number.reversed() { unsafe shiftUp(form, limb, constants.modulus) }
            for _ in 0..<count { unsafe shiftUp(form, 0, constants.modulus) }
        }
    }

    /// Converts a Montgomery form to the number, which is below n.
    func number(ofMontgomeryForm form: [UInt64]) -> [UInt64] {
        multiply(form, [1] + [UInt64](repeating: 0, count: count - 1))
    }

    /// Multiplies two numbers of ``count`` limbs in Montgomery form. The result is in Montgomery form.
    func multiply(_ one: [UInt64], _ other: [UInt64]) -> [UInt64] {
        unsafe result { constants, result, product in
            unsafe storeProduct(product, one, other, count)
            unsafe reduce(result, product, constants)
            unsafe normalize(result, constants)
        }
    }

    /// Squares a number of ``count`` limbs in Montgomery form. The result is in Montgomery form.
    func square(_ root: [UInt64]) -> [UInt64] {
        unsafe result { constants, result, product in
            unsafe storeSquare(product, root, count)
            unsafe reduce(result, product, constants)
            unsafe normalize(result, constants)
        }
    }

    /// `base` to the power of `exponent` modulo n. Neither is in Montgomery form, and both may have any
    /// length.
    func power(_ base: [UInt64], _ exponent: [UInt64]) -> [UInt64] {
        let form = montgomeryForm(of: base)
        var power = montgomeryForm(of: [1])
        for limb in exponent.reversed() {
            for bit in (0..<64).reversed() {
                power = square(power)
                if limb >> UInt64(bit) & 1 == 1 { power = multiply(power, form) }
            }
        }
        return number(ofMontgomeryForm: power)
    }

    /// A number of ``count`` limbs, which are zero until `body` sets them, and memory for a product.
    private func result(_ body: (Constants, MutableLimbs, _ product: MutableLimbs) -> Void) -> [UInt64] {
        var limbs = [UInt64](repeating: 0, count: count)
        unsafe limbs.withUnsafeMutableBufferPointer { buffer in
            guard let number = buffer.baseAddress else { return }
            unsafe withScratch(2) { unsafe body($0, number, $1) }
        }
        return limbs
    }
}
