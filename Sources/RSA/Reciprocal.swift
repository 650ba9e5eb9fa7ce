import Basics

/// Divides two limbs by one fixed limb with multiplications (N. Möller and T. Granlund, "Improved division by
/// invariant integers", IEEE Transactions on Computers 60, 2011, algorithm 4). A limb is below B = 2^64.
struct Reciprocal: Sendable, Equatable {
    /// The divisor, d. Its most significant bit is set.
    let divisor: UInt64
    /// The reciprocal of the divisor d: v = ⌊(B² - 1) / d⌋ - B, with B = 2^64.
    private let reciprocal: UInt64

    /// Computes the reciprocal of a divisor. Traps unless the divisor's most significant bit is set.
    init(_ divisor: UInt64) {
        self.divisor = divisor
        // No overflow: the high limb of B² - 1 - B·d is B - 1 - d, which is below d because d ≥ B/2.
        reciprocal = divisor.dividingFullWidth((~divisor, .max)).quotient
    }

    /// The quotient and the remainder of `(high·B + low) / d`, with B = 2^64 and the divisor d.
    ///
    /// Precondition, not checked: `high` is below d.
    @_transparent
    func divide(_ high: UInt64, _ low: UInt64) -> (quotient: UInt64, remainder: UInt64) {
        let product = fullProduct(reciprocal, high)
        var carry = false
        let fraction = sum(product.low, low, &carry)
        var quotient = product.high &+ high &+ limb(of: carry) &+ 1
        var remainder = low &- quotient &* divisor
        if remainder > fraction {
            quotient &-= 1
            remainder &+= divisor
        }
        return remainder < divisor ? (quotient, remainder) : (quotient &+ 1, remainder &- divisor)
    }
}
