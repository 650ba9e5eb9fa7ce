import Testing

@testable import ECDSA

@Suite("Digits of the factors of points")
struct DigitTests {
    static func signedDigits<Number: Limbs>(_ number: Number, _ width: Int) {
        var digits: [Int] = []
        number.forEachSignedDigit(width: width) { window, digit in
            #expect(window == digits.count)
            digits.append(digit)
        }
        #expect(digits.count == (Number.bitCount + width) / width)
        // The sum of the digits, from the highest: the sum so far doubled for each bit, and a digit.
        var sum = Number()
        for digit in digits.reversed() {
            for _ in 0..<width {
                let double = sum
                _ = sum.add(double)
            }
            let magnitude = Number(UInt64(digit.magnitude))
            if digit < 0 { _ = sum.subtract(magnitude) } else { _ = sum.add(magnitude) }
            #expect(digit > -1 << (width - 1) && digit <= 1 << (width - 1))
        }
        #expect(sum == number && digits.last.map { $0 >= 0 } == true)
    }

    @Test("digits of windows add up to the number, and are at most half of a window", arguments: 2...7)
    func signedDigits(width: Int) {
        for word: UInt64 in [
            0, 1, 2, 31, 32, 33, 63, 64, 0x5555_5555_5555_5555, 0x8208_2082_0820_8208, .max, .max - 1,
            0xDEAD_BEEF_0123_4567,
        ] {
            Self.signedDigits(FourLimbs(word), width)
            Self.signedDigits(FourLimbs(limb0: word, limb1: word, limb2: word, limb3: word), width)
            Self.signedDigits(FourLimbs(limb3: word), width)
            Self.signedDigits(SixLimbs(limb0: word, limb2: word, limb4: ~word, limb5: word), width)
        }
        for modulus in [P256.Order.value, P256.Field.value] {
            var less = modulus
            _ = less.subtract(FourLimbs(1))
            Self.signedDigits(modulus, width)
            Self.signedDigits(less, width)
        }
        for bit in 0..<256 {
            var power = FourLimbs()
            power[bit / 64] = 1 << UInt64(bit % 64)
            var less = power
            _ = less.subtract(FourLimbs(1))
            Self.signedDigits(power, width)
            Self.signedDigits(less, width)
        }
    }

    static func digits<Number: Limbs>(_ number: Number, _ width: Int) {
        let digits = number.nonAdjacentForm(width: width)
        // The sum of the digits, from the highest: twice the sum so far and a digit.
        var sum = Number()
        var last = digits.count + width
        for index in digits.indices.reversed() {
            let double = sum
            _ = sum.add(double)
            let digit = Number(UInt64(digits[index].magnitude))
            if digits[index] < 0 { _ = sum.subtract(digit) } else { _ = sum.add(digit) }
            guard digits[index] != 0 else { continue }
            #expect(digits[index] & 1 == 1 && Int(digits[index].magnitude) < 1 << (width - 1))
            #expect(last - index >= width)
            last = index
        }
        #expect(sum == number)
    }

    @Test(
        "digits in non-adjacent form add up to the number, are odd and small, and lie apart",
        arguments: 2...8
    )
    func nonAdjacentForm(width: Int) {
        for word: UInt64 in [
            0, 1, 2, 3, 0x7F, 0x80, 0x5555_5555_5555_5555, .max, .max - 1, 0xDEAD_BEEF_0123_4567,
        ] {
            Self.digits(FourLimbs(word), width)
            Self.digits(FourLimbs(limb0: word, limb1: word, limb2: word, limb3: word), width)
            Self.digits(SixLimbs(limb0: word, limb2: word, limb4: ~word, limb5: word), width)
        }
        Self.digits(P256.Order.value, width)
        Self.digits(P384.Order.value, width)
    }
}
