import Basics

/// Writes Swift statements, masks the values that they must hide, and follows the key that unmasks them.
///
/// The key begins with the first byte of the app receipt's container, which is 0x30 in every such container
/// (X.690 §8.9.1: the tag of a SEQUENCE). The compiler does not know that byte, so it cannot fold the masked
/// constants into plain constants. Under any other first byte the constants are noise, and the container is
/// refused.
struct GuardWriter {
    /// The first byte of every container of an app receipt: the tag of a SEQUENCE.
    static let firstByte: UInt8 = 0x30

    private(set) var generator: SeededGenerator
    private(set) var lines: [String] = []
    private var usedNames: Set<String>
    /// The name of the variable that holds the key in the written code.
    private let key: String
    /// The value that the key has after the statements written so far, if the receipt begins with
    /// ``firstByte``.
    private var keyValue: UInt64 = 0

    /// Begins without lines, and chooses the key's name. No random name equals `reserved`.
    init(seed: UInt64, reserved: String) {
        generator = SeededGenerator(seed: seed)
        usedNames = [reserved]
        key = Self.name(&generator, &usedNames)
    }

    // MARK: Names and order

    /// A random Swift identifier that was not used before: letters in lower case and a digit.
    mutating func name() -> String { Self.name(&generator, &usedNames) }

    private static func name(_ generator: inout SeededGenerator, _ used: inout Set<String>) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz".utf8)
        while true {
            var text: [UInt8] = []
            for _ in 0..<Int.random(in: 5...9, using: &generator) {
                text.append(letters[Int.random(in: 0..<letters.count, using: &generator)])
            }
            // No keyword of Swift has a digit.
            text.append(UInt8(ascii: "0") + UInt8.random(in: 0..<10, using: &generator))
            let name = String(decoding: text, as: UTF8.self)
            if used.insert(name).inserted { return name }
        }
    }

    /// A random Boolean value. True and false are equally likely.
    mutating func isChosen() -> Bool { generator.next() >> 63 == 1 }

    /// A random number from 0 to `bound` - 1. Precondition: the bound is positive.
    mutating func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

    /// The elements in random order.
    mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
        elements.shuffled(using: &generator)
    }

    // MARK: Statements

    /// Appends a line, indented by four spaces as in the body of a function, to ``lines``.
    mutating func line(_ text: String) { lines.append("    " + text) }

    /// Writes the key's declaration, from the first byte of the variable that `container` names, and steps
    /// that mix it.
    mutating func beginKey(container: String) {
        keyValue = UInt64(Self.firstByte)
        line("var \(key) = UInt64(\(container).first ?? 0)")
        mix(rounds: 5...8)
    }

    /// Writes steps that change the key: an addition, and a number of random steps drawn from `rounds`.
    mutating func mix(rounds: ClosedRange<Int> = 1...3) {
        // A shift of a small key by a fold would change nothing, so that an addition comes first.
        var steps = [MixStep.add(generator.next())]
        for _ in 0..<Int.random(in: rounds, using: &generator) { steps.append(.random(using: &generator)) }
        for step in steps {
            line(step.statement(key))
            keyValue = step.applied(to: keyValue)
        }
    }

    /// Writes steps that change the key, and returns an expression that has the given value only under the
    /// new key.
    mutating func masked(_ value: UInt64) -> String {
        mix()
        switch number(below: 3) {
        case 0: return "(\(key) ^ \((keyValue ^ value).literal))"
        case 1: return "(\(key) &+ \((value &- keyValue).literal))"
        default: return "(\((value &+ keyValue).literal) &- \(key))"
        }
    }

    /// Writes steps that change the key, and returns an expression that is zero, under the new key, only if
    /// the expression `actual` has the given value.
    mutating func difference(of actual: String, from value: UInt64) -> String {
        let expected = masked(value)
        return switch number(below: 3) {
        case 0: "\(expected) ^ \(actual)"
        case 1: "\(expected) &- \(actual)"
        default: "\(actual) &- \(expected)"
        }
    }

    /// A random word whose lowest `bits` bits are zero, to be combined with a value of so many bits.
    mutating func noise(above bits: Int) -> UInt64 { generator.next() << UInt64(bits) }
}

extension Array<UInt8> {
    /// The bytes as words of eight bytes. The last word is padded at the end.
    ///
    /// - Parameters:
    ///   - isBigEndian: whether the first byte of a word is its most significant.
    ///   - padding: gives each byte that the last word lacks.
    func words(isBigEndian: Bool, padding: () -> UInt8) -> [UInt64] {
        stride(from: 0, to: count, by: 8).map { start in
            (0..<8).reduce(UInt64(0)) { word, index in
                let byte = start + index < count ? self[start + index] : padding()
                return word | UInt64(byte) << UInt64(8 * (isBigEndian ? 7 - index : index))
            }
        }
    }
}
