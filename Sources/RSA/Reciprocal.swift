/// Division of two limbs by one, without a division: N. Möller and T. Granlund, "Improved division by
/// invariant integers" (IEEE Transactions on Computers 60, 2011), algorithm 4.
struct Reciprocal: Sendable {
    /// d, whose most significant bit is set.
    let divisor: UInt64
    /// v = ⌊(B² - 1) / d⌋ - B.
    private let reciprocal: UInt64

    init(_ divisor: UInt64) {
        self.divisor = divisor
        // B² - 1 - B·d has the high limb B - 1 - d, which is below d since d ≥ B/2.
        reciprocal = divisor.dividingFullWidth((~divisor, .max)).quotient
    }

    /// The quotient of `high·B + low` and d, and the remainder, where `high` is below d.
    @inline(__always)
    func divide(_ high: UInt64, _ low: UInt64) -> (quotient: UInt64, remainder: UInt64) {
        let product = reciprocal.multipliedFullWidth(by: high)
        var carry = false
        let fraction = add(product.low, low, &carry)
        var quotient = product.high &+ high &+ octet(carry) &+ 1
        var remainder = low &- quotient &* divisor
        if remainder > fraction {
            quotient &-= 1
            remainder &+= divisor
        }
        return remainder < divisor ? (quotient, remainder) : (quotient &+ 1, remainder &- divisor)
    }
}
