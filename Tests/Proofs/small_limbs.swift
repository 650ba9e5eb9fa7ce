// Runs the arithmetic of RSA with limbs of a few bits, and compares it with integers. small_limbs.py compiles
// this file with the shipped sources, in which `UInt64` is `Limb`, and with a file that defines `bits`, the
// number of bits of a limb.

/// A number of ``bits`` bits, with the operations of `UInt64` that the arithmetic uses.
struct Limb: Comparable, ExpressibleByIntegerLiteral, Sendable, BitwiseCopyable {
    /// The number. It is below 2^bits.
    let value: UInt8

    init(_ number: Int) {
        precondition(number >= 0 && number >> bits == 0)
        value = UInt8(number)
    }
    init(low number: Int) { value = UInt8(truncatingIfNeeded: number & (1 << bits - 1)) }
    init(_ octet: UInt8) { self.init(Int(octet)) }
    init(integerLiteral number: Int) { self.init(number) }
    static var max: Limb { Limb(1 << bits - 1) }
    var int: Int { Int(value) }

    static func < (one: Limb, other: Limb) -> Bool { one.value < other.value }
    static prefix func ~ (one: Limb) -> Limb { Limb(low: ~one.int) }
    static func | (one: Limb, other: Limb) -> Limb { Limb(low: one.int | other.int) }
    static func & (one: Limb, other: Limb) -> Limb { Limb(low: one.int & other.int) }
    static func &+ (one: Limb, other: Limb) -> Limb { Limb(low: one.int + other.int) }
    static func &- (one: Limb, other: Limb) -> Limb { Limb(low: one.int - other.int) }
    static func &* (one: Limb, other: Limb) -> Limb { Limb(low: one.int * other.int) }
    static func &+= (one: inout Limb, other: Limb) { one = one &+ other }
    static func &-= (one: inout Limb, other: Limb) { one = one &- other }
    static func &<< (one: Limb, count: Int) -> Limb { Limb(low: one.int << (count % bits)) }
    static func &>> (one: Limb, count: Int) -> Limb { Limb(low: one.int >> (count % bits)) }
    static func << (one: Limb, count: Int) -> Limb { Limb(low: one.int << count) }
    static func >> (one: Limb, count: Int) -> Limb { Limb(low: one.int >> count) }
    var leadingZeroBitCount: Int { value.leadingZeroBitCount - (8 - bits) }

    func addingReportingOverflow(_ other: Limb) -> (partialValue: Limb, overflow: Bool) {
        (self &+ other, int + other.int >= 1 << bits)
    }
    func subtractingReportingOverflow(_ other: Limb) -> (partialValue: Limb, overflow: Bool) {
        (self &- other, int < other.int)
    }
    func multipliedFullWidth(by other: Limb) -> (high: Limb, low: Limb) {
        (Limb(low: (int * other.int) >> bits), self &* other)
    }
    func dividingFullWidth(_ dividend: (high: Limb, low: Limb)) -> (quotient: Limb, remainder: Limb) {
        let number = dividend.high.int << bits + dividend.low.int
        return (Limb(number / int), Limb(number % int))
    }
}

/// Stops the program unless a condition holds.
func check(_ holds: Bool, _ text: @autoclosure () -> String) {
    if !holds { fatalError(text()) }
}

/// Compares all operations of a limb with those of integers, for all operands.
func checkLimb() {
    let radix = 1 << bits
    func low(_ number: Int) -> Int { ((number % radix) + radix) % radix }
    check(Limb.max.int == radix - 1 && (2 as Limb).int == 2, "a constant")
    for a in 0..<radix {
        let one = Limb(a)
        check(
            one.int == a && Limb(low: a - radix) == one && Limb(UInt8(a)) == one
                && (~one).int == radix - 1 - a,
            "one"
        )
        check(one.leadingZeroBitCount == (0..<bits).first { a << $0 >= radix / 2 } ?? bits, "leading zeros")
        for count in 0...bits {
            check((one << count).int == low(a << count) && (one >> count).int == a >> count, "a shift")
            guard count < bits else { continue }
            check((one &<< count) == one << count && (one &>> count) == one >> count, "a masked shift")
        }
        for b in 0..<radix {
            let other = Limb(b)
            check((one < other, one == other, one > other) == (a < b, a == b, a > b), "a comparison")
            check(((one | other).int, (one & other).int) == (a | b, a & b), "bits")
            check(((one &+ other).int, (one &- other).int) == (low(a + b), low(a - b)), "a sum or difference")
            check(((one &* other).int) == low(a * b), "a product")
            var (sum, difference) = (one, one)
            sum &+= other
            difference &-= other
            check((sum, difference) == (one &+ other, one &- other), "an assignment")
            check(one.addingReportingOverflow(other) == (sum, a + b >= radix), "a sum with overflow")
            check(
                one.subtractingReportingOverflow(other) == (difference, a < b),
                "a difference with overflow"
            )
            let product = one.multipliedFullWidth(by: other)
            check(product.high.int * radix + product.low.int == a * b, "a full product")
            for high in 0..<b {
                let (quotient, remainder) = other.dividingFullWidth((Limb(high), one))
                check(quotient.int * b + remainder.int == high * radix + a && remainder < other, "a quotient")
            }
        }
    }
}

/// Compares the division by a reciprocal with that of integers, for all operands.
func checkReciprocal() {
    for divisor in (1 << (bits - 1))..<(1 << bits) {
        let reciprocal = Reciprocal(Limb(divisor))
        for dividend in 0..<(divisor << bits) {
            let (quotient, remainder) = reciprocal.divide(Limb(dividend >> bits), Limb(low: dividend))
            let right = (quotient.int, remainder.int) == (dividend / divisor, dividend % divisor)
            check(right, "\(dividend) divided by \(divisor)")
        }
    }
}

/// The number of bits of an octet: two octets form a limb.
let octetBits = bits / 2

/// Whether all is run, and not the part that is run for each change.
let all = CommandLine.arguments.contains("all")

/// A modulus n of the shipped code, and memory for numbers.
struct Modulus: ~Copyable {
    let n: Int
    let shipped: MontgomeryModulus
    /// The number of limbs, k, and R = B^k.
    let count, radix: Int
    /// Memory for k limbs, for k limbs, and for 2·k limbs.
    let one, other, product: MutableLimbs

    /// Returns nil if the shipped code refuses the modulus.
    init?(_ n: Int) {
        guard let shipped = MontgomeryModulus(bigEndian: octets(n).span) else { return nil }
        self.n = n
        self.shipped = shipped
        count = shipped.count
        radix = 1 << (bits * count)
        one = .allocate(capacity: 4 * count)
        other = one + count
        product = other + count
        check(n < radix && shipped.bitCount == Int.bitWidth - n.leadingZeroBitCount, "\(n): a length")
    }

    deinit { one.deallocate() }

    /// Checks n, M and -1/n.
    func checkConstants() {
        shipped.withConstants { constants in
            let power = 1 << (4 * bits)
            let (shift, inverse) = (number(constants.shift, count), number(shipped.negatedInverse.limbs.span))
            check(number(constants.modulus, count) == n, "\(n): the modulus")
            check(shift < n && shift * power % n == 1, "\(n): M is \(shift)")
            check(n * inverse % power == power - 1, "\(n): -1/n is \(inverse)")
        }
    }

    /// Checks that `shiftUp` gives (x·B + lowest) mod n.
    func checkShift(_ x: Int, _ lowest: Int) {
        set(one, x, count)
        shipped.withConstants { shipped.shiftUp(one, Limb(lowest), $0.modulus) }
        check(number(one, count) == (x << bits + lowest) % n, "\(n): \(x) is shifted up with \(lowest)")
    }

    /// Checks that the reduction of T in `product` gives r with r·R = T modulo n. It is at most T/R + 2n.
    @discardableResult func checkReduction(_ t: Int) -> Int {
        shipped.withConstants { shipped.reduce(one, product, $0) }
        let r = number(one, count)
        check((r * radix - t) % n == 0 && r * radix <= t + 2 * n * radix, "\(n): \(t) is reduced to \(r)")
        return r
    }

    /// Checks the product of two numbers below R, and its reduction.
    func checkProduct(_ x: Int, _ y: Int) {
        set(one, x, count)
        set(other, y, count)
        storeProduct(product, one, other, count)
        check(number(product, 2 * count) == x * y, "\(n): \(x) times \(y)")
        checkReduction(x * y)
    }

    /// Checks the square of a number below R, and its reduction.
    @discardableResult func checkSquare(_ x: Int) -> Int {
        set(one, x, count)
        storeSquare(product, one, count)
        check(number(product, 2 * count) == x * x, "\(n): \(x) squared")
        return checkReduction(x * x)
    }

    /// Checks the power of a number that is given in as many octets as n has.
    func checkPower(_ base: Int, _ exponent: UInt64, _ octets: inout [UInt8]) {
        set(&octets, base)
        let power = shipped.withPower(octets.span, exponent, acceleration: Acceleration()) { number($0) }
        check(
            power == (base < n ? plainPower(base, exponent) : nil),
            "\(n): \(base) to the power of \(exponent)"
        )
    }

    /// The power of a number modulo n.
    func plainPower(_ base: Int, _ exponent: UInt64) -> Int {
        var power = 1
        for bit in (0..<(64 - exponent.leadingZeroBitCount)).reversed() {
            power = power * power % n
            if exponent >> UInt64(bit) & 1 == 1 { power = power * base % n }
        }
        return power
    }

    /// Checks everything at values where something may carry: near 0, powers of B, R, and multiples of n.
    func checkEdges() {
        let edges = [
            0, 1, 2, 1 << bits - 1, 1 << (2 * bits), radix / 2, radix - n, radix - 2, radix - 1,
            n / 2, n - 1, n, n + 1, 2 * n - 1, 2 * n, 4 * n - 1, 8 * n - 1,
        ].filter { $0 < radix }
        var octets = octets(n)
        checkConstants()
        for edge in edges {
            checkSquare(edge)
            for other in edges { checkProduct(edge, other) }
            if edge < n { for lowest in 0..<(1 << bits) { checkShift(edge, lowest) } }
            if edge >> (octets.count * octetBits) == 0 { checkPower(edge, 65537, &octets) }
        }
        for excess in 1...4 {
            set(product, radix * radix - excess, 2 * count)
            checkReduction(radix * radix - excess)
        }
    }

    /// Checks each step of the powers of all numbers below n with the exponent 65537: the shifts of all
    /// numbers below n, the squares of all numbers below R and 8n, and the last product.
    func checkSteps() {
        let squares = (0..<min(radix, 8 * n)).map { UInt32(checkSquare($0)) }
        for x in 0..<n {
            checkShift(x, 0)
            checkShift(x, 1 << bits - 1)
            var power = x * radix % n
            for _ in 0..<16 { power = Int(squares[power]) }
            checkProduct(power, x)
            shipped.withConstants { shipped.normalize(one, $0) }
            check(number(one, count) == plainPower(x, 65537), "\(n): the steps of the power of \(x)")
        }
    }

    /// Checks the powers of all numbers below n with an exponent.
    func checkPowers(_ exponent: UInt64) {
        var octets = octets(n)
        for x in 0..<n { checkPower(x, exponent, &octets) }
    }

    /// Checks the powers of all numbers below n with odd exponents: all below 40, and long ones.
    func checkExponents() {
        let long: [UInt64] = [1 << 31 + 1, 1 << 32 + 1, 1 << 63 + 1, .max, .max / 3]
        for exponent in stride(from: 3, to: 40, by: 2) + long { checkPowers(exponent) }
    }

    /// Checks the products of all pairs of numbers below R, and the reductions of all numbers below R².
    func checkPairs() {
        for x in 0..<radix { for y in 0..<radix { checkProduct(x, y) } }
        for t in 0..<(radix * radix) {
            set(product, t, 2 * count)
            checkReduction(t)
        }
    }
}

/// The acceleration that the arithmetic is asked for. The shipped type has kernels, and this one has none.
struct Acceleration {}

/// Sets limbs to a number.
func set(_ limbs: MutableLimbs, _ number: Int, _ count: Int) {
    for index in 0..<count { limbs[index] = Limb(low: number >> (bits * index)) }
}

/// The number that limbs form.
func number(_ limbs: Limbs, _ count: Int) -> Int {
    var number = 0
    for index in 0..<count { number |= limbs[index].int << (bits * index) }
    return number
}

func number(_ limbs: Span<Limb>) -> Int {
    var number = 0
    for index in limbs.indices { number |= limbs[index].int << (bits * index) }
    return number
}

extension FourLimbs {
    var limbs: [Limb] { [limb0, limb1, limb2, limb3] }
}

/// Sets octets, of ``octetBits`` bits each, to a number, the most significant octet first.
func set(_ octets: inout [UInt8], _ number: Int) {
    for index in octets.indices {
        octets[octets.count - 1 - index] = UInt8(number >> (octetBits * index) & (1 << octetBits - 1))
    }
}

/// The octets of a number without leading zeros.
func octets(_ number: Int) -> [UInt8] {
    let count = (Int.bitWidth - number.leadingZeroBitCount + octetBits - 1) / octetBits
    var octets = [UInt8](repeating: 0, count: count)
    set(&octets, number)
    return octets
}

func checkAll() {
    checkLimb()
    checkReciprocal()
    // The code refuses even numbers, and numbers of three limbs or fewer.
    for n in 0..<(1 << 16) {
        guard let modulus = Modulus(n) else {
            check(n % 2 == 0 || n < 1 << (3 * bits), "\(n) is refused")
            continue
        }
        check(n % 2 == 1 && n >= 1 << (3 * bits), "\(n) is accepted")
        modulus.checkEdges()
        // Limbs of 4 bits take all moduli from 2^12 on, and in a fifth of the time.
        let steps = all ? bits == 4 || n < 1 << 12 || n / 2 % 7 == 3 : n / 2 % 127 == 7
        if steps { modulus.checkSteps() }
        if n / 2 % (all ? 499 : 4001) == 99 { modulus.checkPowers(65537) }
        if [4099, 8189].contains(n) || all && n / 2 % 4001 == 100 { modulus.checkExponents() }
        if modulus.radix == 256 { modulus.checkPairs() }
    }
    // Twelve limbs of 2 bits, so that two steps of the reduction use M, or four of 6 bits. Squares of eight
    // limbs of 4 bits do not fit in an Int.
    for n in stride(from: 1 << 16 + 1, to: bits == 4 ? 0 : 1 << 24, by: 2 * (all ? 509 : 4099)) {
        if let modulus = Modulus(n) {
            modulus.checkEdges()
        } else {
            check(n < 1 << (3 * bits), "\(n) is refused")
        }
    }
    print("\(bits) bits: right")
}

checkAll()
