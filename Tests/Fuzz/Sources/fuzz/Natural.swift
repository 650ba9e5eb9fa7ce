/// Natural numbers with schoolbook arithmetic: slow, and simple enough to compare the fast arithmetic with.
struct Natural {
    /// The limbs, least significant first, without zeros at the end.
    private var limbs: [UInt32]

    static var one: Natural { Natural(bigEndian: [1]) }

    private init(limbs: [UInt32]) {
        self.limbs = limbs
        while self.limbs.last == 0 { self.limbs.removeLast() }
    }

    init(bigEndian bytes: [UInt8]) {
        var limbs = [UInt32](repeating: 0, count: (bytes.count + 3) / 4)
        for (place, byte) in bytes.reversed().enumerated() {
            limbs[place / 4] |= UInt32(byte) << UInt32(place % 4 * 8)
        }
        self.init(limbs: limbs)
    }

    /// Without leading zeros.
    var bigEndian: [UInt8] {
        let bytes = limbs.flatMap { limb in (0..<4).map { UInt8(truncatingIfNeeded: limb >> UInt32(8 * $0)) }
        }
        return Array(bytes.reversed().drop { $0 == 0 })
    }

    static func * (one: Natural, other: Natural) -> Natural {
        var product = [UInt32](repeating: 0, count: one.limbs.count + other.limbs.count)
        for (place, limb) in one.limbs.enumerated() {
            var carry: UInt64 = 0
            for (further, factor) in other.limbs.enumerated() {
                carry += UInt64(limb) * UInt64(factor) + UInt64(product[place + further])
                product[place + further] = UInt32(truncatingIfNeeded: carry)
                carry >>= 32
            }
            product[place + other.limbs.count] = UInt32(carry)
        }
        return Natural(limbs: product)
    }

    /// The difference. The second number must not exceed the first.
    static func - (one: Natural, other: Natural) -> Natural {
        var difference = one.limbs
        var borrow: Int64 = 0
        for place in difference.indices {
            let digit = place < other.limbs.count ? Int64(other.limbs[place]) : 0
            let result = Int64(difference[place]) - digit - borrow
            difference[place] = UInt32(truncatingIfNeeded: result)
            borrow = result < 0 ? 1 : 0
        }
        require(borrow == 0, "a difference of natural numbers is not negative")
        return Natural(limbs: difference)
    }
}
