// Products of limbs for machines with words of 32 bits: WebAssembly, Arm Cortex-M, 32-bit RISC-V.
//
// Such a machine has no instruction for the product of two limbs. It multiplies two halves of limbs. With
// H = 2^32, a limb is two halves. Every step here is one multiply-accumulate:
//
//     one · other + addend + second  ≤  (H - 1)² + 2(H - 1)  =  H² - 1
//
// The result is below H², so no carry is lost: the low half of the result is a digit, and the high half is
// added in the next step. Arm has one instruction for the step (UMAAL), and WebAssembly has three.
//
// The functions give the same results as 64-bit instructions, bit for bit. All other arithmetic is the same
// on all machines and depends on these results only. Tests compare these with the results of 64-bit
// instructions. With `-D HalfLimbs`, a 64-bit machine uses the functions everywhere, so that it can run all
// tests with them.

// A half is kept in a UInt64 whose high half is zero. On a machine with words of 32 bits, the conversion of
// an integer to UInt64 is a call of a generic function, which takes longer than the product.

/// The low 32 bits of a limb of 64 bits.
@_transparent
private func low(_ limb: UInt64) -> UInt64 { limb & 0xFFFF_FFFF }

/// The high 32 bits of a limb of 64 bits.
@_transparent
private func high(_ limb: UInt64) -> UInt64 { limb &>> 32 }

/// The limb of 64 bits with the given halves. Each half is below 2^32.
@_transparent
private func limb(_ high: UInt64, _ low: UInt64) -> UInt64 { high &<< 32 | low }

/// `one · other + addend + second` for four numbers below H = 2^32. The result is at most H² - 1 = 2^64 - 1.
@_transparent
private func multiplyAddHalves(_ one: UInt64, _ other: UInt64, _ addend: UInt64, _ second: UInt64) -> UInt64 {
    one &* other &+ addend &+ second
}

/// A number of 256 bits as eight halves of 32 bits, each in a UInt64, the least significant in `half0`.
private struct EightHalves {
    var half0: UInt64
    var half1: UInt64
    var half2: UInt64
    var half3: UInt64
    var half4: UInt64
    var half5: UInt64
    var half6: UInt64
    var half7: UInt64

    @_transparent
    init(_ number: FourLimbs) {
        half0 = low(number.limb0)
        half1 = high(number.limb0)
        half2 = low(number.limb1)
        half3 = high(number.limb1)
        half4 = low(number.limb2)
        half5 = high(number.limb2)
        half6 = low(number.limb3)
        half7 = high(number.limb3)
    }

    /// The number as four limbs of 64 bits, the least significant in `limb0`.
    @_transparent
    var fourLimbs: FourLimbs {
        FourLimbs(
            limb0: limb(half1, half0),
            limb1: limb(half3, half2),
            limb2: limb(half5, half4),
            limb3: limb(half7, half6)
        )
    }

    /// Sets `self` to the upper eight of the nine halves of `multiplier · factor + self + addend`.
    ///
    /// `factor` and `addend` are below H = 2^32. The sum is at most (H⁸ - 1)H + (H - 1) = H⁹ - 1.
    ///
    /// - Returns: the lowest of the nine halves.
    @_transparent
    mutating func add(_ multiplier: EightHalves, _ factor: UInt64, _ addend: UInt64) -> UInt64 {
        let sum0 = multiplyAddHalves(multiplier.half0, factor, half0, addend)
        let sum1 = multiplyAddHalves(multiplier.half1, factor, half1, high(sum0))
        half0 = low(sum1)
        let sum2 = multiplyAddHalves(multiplier.half2, factor, half2, high(sum1))
        half1 = low(sum2)
        let sum3 = multiplyAddHalves(multiplier.half3, factor, half3, high(sum2))
        half2 = low(sum3)
        let sum4 = multiplyAddHalves(multiplier.half4, factor, half4, high(sum3))
        half3 = low(sum4)
        let sum5 = multiplyAddHalves(multiplier.half5, factor, half5, high(sum4))
        half4 = low(sum5)
        let sum6 = multiplyAddHalves(multiplier.half6, factor, half6, high(sum5))
        half5 = low(sum6)
        let sum7 = multiplyAddHalves(multiplier.half7, factor, half7, high(sum6))
        half6 = low(sum7)
        half7 = high(sum7)
        return low(sum0)
    }
}

/// Adds `multiplier · factor + carried` to the `count` limbs of `number`, with products of 32-bit numbers.
/// `factor` has `count` limbs, too.
///
/// Unsafe: `factor` must have `count` readable limbs, and `number` `count` writable limbs.
///
/// - Returns: the four limbs of the result above `number[count - 1]`.
@inline(never)
func addStripOfHalves(
    _ number: MutableLimbs,
    _ multiplier: FourLimbs,
    _ factor: Limbs,
    _ count: Int,
    _ carried: FourLimbs
) -> FourLimbs {
    let multiplier = EightHalves(multiplier)
    var above = EightHalves(carried)
    var index = 0
    while index < count {
        // In bounds: index < count, and both have count limbs.
        let (limbOfFactor, limbOfNumber) = unsafe (factor[index], number[index])
        let lowHalf = above.add(multiplier, low(limbOfFactor), low(limbOfNumber))
        let highHalf = above.add(multiplier, high(limbOfFactor), high(limbOfNumber))
        unsafe number[index] = limb(highHalf, lowHalf)
        index &+= 1
    }
    return above.fourLimbs
}
