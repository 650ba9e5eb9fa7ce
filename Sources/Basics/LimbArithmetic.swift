// Arithmetic on limbs of 64 bits, for the numbers of `RSA` and `ECDSA`.

/// 1 for true, 0 for false, without a branch.
@inlinable @_transparent
package func limb(of bit: Bool) -> UInt64 {
    #if _pointerBitWidth(_32)
        // The conversion of an integer to UInt64 would be a call. The compiler emits no branch for this.
        bit ? 1 : 0
    #else
        // A Bool is one octet, 0 or 1.
        unsafe UInt64(unsafeBitCast(bit, to: UInt8.self))
    #endif
}

/// `one + other + carry`. Sets `carry` to the carry out.
///
/// At most one of the two additions overflows. The exclusive or and the conversion of the Bool avoid a
/// branch.
@inlinable @_transparent
package func sum(_ one: UInt64, _ other: UInt64, _ carry: inout Bool) -> UInt64 {
    let (partial, first) = one.addingReportingOverflow(other)
    let (result, second) = partial.addingReportingOverflow(limb(of: carry))
    carry = first != second
    return result
}

/// `one - other - borrow`. Sets `borrow` to the borrow out.
@inlinable @_transparent
package func difference(_ one: UInt64, _ other: UInt64, _ borrow: inout Bool) -> UInt64 {
    let (partial, first) = one.subtractingReportingOverflow(other)
    let (result, second) = partial.subtractingReportingOverflow(limb(of: borrow))
    borrow = first != second
    return result
}

/// The product of two limbs, which is at most B² - 2B + 1 for B = 2^64.
///
/// On a machine with addresses of 32 bits, this function multiplies halves of limbs. With `-D HalfLimbs`, it
/// does so on every machine, to run the tests on these products. Without `-D HalfLimbs`, arm64_32 is an
/// exception: it has addresses of 32 bits, but its processor multiplies limbs.
@inlinable @_transparent
package func fullProduct(_ one: UInt64, _ other: UInt64) -> (high: UInt64, low: UInt64) {
    #if HalfLimbs || (_pointerBitWidth(_32) && !arch(arm64_32))
        productOfHalves(one, other)
    #else
        one.multipliedFullWidth(by: other)
    #endif
}

/// The product of two limbs, computed with products of halves.
///
/// With H = 2^32, no sum exceeds (H - 1)² + 2(H - 1) = H² - 1.
@inlinable @_transparent
package func productOfHalves(_ one: UInt64, _ other: UInt64) -> (high: UInt64, low: UInt64) {
    let half: UInt64 = 0xFFFF_FFFF
    let lowest = (one & half) &* (other & half)
    let first = (one &>> 32) &* (other & half) &+ lowest &>> 32
    let second = (one & half) &* (other &>> 32) &+ first & half
    let highest = (one &>> 32) &* (other &>> 32) &+ first &>> 32 &+ second &>> 32
    return (highest, second &<< 32 | lowest & half)
}
