// The curves P-256 and P-384 (SP 800-186 §3.2.1), which SEC 2 calls secp256r1 and secp384r1.

// swift-format-ignore-file

import Basics

/// A curve y² = x³ - 3x + b over the integers modulo p, whose points are a group of prime order n.
///
/// The cofactor is 1: every point but the point at infinity has the order n, and none has the order 2. n is
/// below p, and p is below 2n.
protocol PrimeCurve: Sendable, Hashable {
    /// The integers modulo p, for coordinates.
    associatedtype Field: Modulus
    /// The integers modulo n, for scalars.
    associatedtype Order: Modulus where Order.Number == Number
    typealias Number = Field.Number
    /// The coefficient b of the curve's equation, in Montgomery form.
    static var b: Number { get }
    /// G, 3·G, 5·G … 31·G for the base point G: for each the limbs of x and y in Montgomery form.
    static var baseMultiples: [UInt64] { get }
}

enum P256: PrimeCurve {
    static var b: FourLimbs {
        FourLimbs(
            limb0: 0xD89CDF6229C4BDDF, limb1: 0xACF005CD78843090,
            limb2: 0xE5A220ABF7212ED6, limb3: 0xDC30061D04874834)
    }
    static var baseMultiples: [UInt64] { p256BaseMultiples }

    /// p = 2^256 - 2^224 + 2^192 + 2^96 - 1.
    enum Field: Modulus {
        static var value: FourLimbs {
            FourLimbs(limb0: .max, limb1: 0x00000000FFFFFFFF, limb2: 0, limb3: 0xFFFFFFFF00000001)
        }
        static var radixSquared: FourLimbs {
            FourLimbs(
                limb0: 0x0000000000000003, limb1: 0xFFFFFFFBFFFFFFFF,
                limb2: 0xFFFFFFFFFFFFFFFE, limb3: 0x00000004FFFFFFFD)
        }
        static var negatedInverse: UInt64 { 1 }

        /// Adds k·p = k·p₃·B³ + k·2^96 - k for a digit k and the highest limb p₃ of p, and divides
        /// by B = 2^64. The digit is the lowest limb, because -1/p modulo B is 1, so that -k removes it.
        @inline(__always)
        static func reduceByLimb(_ low: inout FourLimbs) {
            let digit = low.limb0
            let product = fullProduct(digit, value.limb3)
            var carry = false
            low.limb0 = sum(low.limb1, digit &<< 32, &carry)
            low.limb1 = sum(low.limb2, digit &>> 32, &carry)
            low.limb2 = sum(low.limb3, product.low, &carry)
            low.limb3 = product.high &+ limb(of: carry)
        }
    }

    enum Order: Modulus {
        static var value: FourLimbs {
            FourLimbs(
                limb0: 0xF3B9CAC2FC632551, limb1: 0xBCE6FAADA7179E84,
                limb2: .max, limb3: 0xFFFFFFFF00000000)
        }
        static var radixSquared: FourLimbs {
            FourLimbs(
                limb0: 0x83244C95BE79EEA2, limb1: 0x4699799C49BD6FA6,
                limb2: 0x2845B2392B6BEC59, limb3: 0x66E12D94F3D95620)
        }
        static var negatedInverse: UInt64 { 0xCCD1C8AAEE00BC4F }
    }
}

enum P384: PrimeCurve {
    static var b: SixLimbs {
        SixLimbs(
            limb0: 0x081188719D412DCC, limb1: 0xF729ADD87A4C32EC, limb2: 0x77F2209B1920022E,
            limb3: 0xE3374BEE94938AE2, limb4: 0xB62B21F41F022094, limb5: 0xCD08114B604FBFF9)
    }
    static var baseMultiples: [UInt64] { p384BaseMultiples }

    /// p = 2^384 - 2^128 - 2^96 + 2^32 - 1.
    enum Field: Modulus {
        static var value: SixLimbs {
            SixLimbs(
                limb0: 0x00000000FFFFFFFF, limb1: 0xFFFFFFFF00000000, limb2: 0xFFFFFFFFFFFFFFFE,
                limb3: .max, limb4: .max, limb5: .max)
        }
        static var radixSquared: SixLimbs {
            SixLimbs(
                limb0: 0xFFFFFFFE00000001, limb1: 0x0000000200000000, limb2: 0xFFFFFFFE00000000,
                limb3: 0x0000000200000000, limb4: 0x0000000000000001, limb5: 0)
        }
        static var negatedInverse: UInt64 { 0x0000000100000001 }

        /// Adds k·p = k·B⁶ - k·B² - k·2^96 + k·2^32 - k for a digit k, and divides by B = 2^64. The
        /// lowest limb and k·2^32 - k add up to h·B. Then (k·B + k·2^32 - h)·B is subtracted, which is
        /// not negative.
        @inline(__always)
        static func reduceByLimb(_ low: inout SixLimbs) {
            let digit = low.limb0 &* negatedInverse
            var (borrow, carry) = (false, false)
            _ = difference(digit &<< 32, digit, &borrow)
            let above = digit &>> 32 &- limb(of: borrow) &+ limb(of: low.limb0 != 0)
            borrow = false
            let rest0 = difference(digit &<< 32, above, &borrow)
            let rest1 = sum(digit &>> 32 &- limb(of: borrow), digit, &carry)
            borrow = false
            low.limb0 = difference(low.limb1, rest0, &borrow)
            low.limb1 = difference(low.limb2, rest1, &borrow)
            low.limb2 = difference(low.limb3, limb(of: carry), &borrow)
            low.limb3 = difference(low.limb4, 0, &borrow)
            low.limb4 = difference(low.limb5, 0, &borrow)
            low.limb5 = digit &- limb(of: borrow)
        }
    }

    enum Order: Modulus {
        static var value: SixLimbs {
            SixLimbs(
                limb0: 0xECEC196ACCC52973, limb1: 0x581A0DB248B0A77A, limb2: 0xC7634D81F4372DDF,
                limb3: .max, limb4: .max, limb5: .max)
        }
        static var radixSquared: SixLimbs {
            SixLimbs(
                limb0: 0x2D319B2419B409A9, limb1: 0xFF3D81E5DF1AA419, limb2: 0xBC3E483AFCB82947,
                limb3: 0xD40D49174AAB1CC5, limb4: 0x3FB05B7A28266895, limb5: 0x0C84EE012B39BF21)
        }
        static var negatedInverse: UInt64 { 0x6ED46089E88FDC45 }
    }
}
