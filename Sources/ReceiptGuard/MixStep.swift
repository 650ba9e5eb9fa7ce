import Basics

/// One step of the arithmetic that turns a key into the next key.
///
/// Every step is a bijection of the 64-bit words, so that no step loses a part of the key.
enum MixStep {
    case add(UInt64)
    case exclusiveOr(UInt64)
    /// Multiplies the key by an odd number, modulo 2^64.
    case multiply(UInt64)
    /// Rotates the key to the left by 1 to 63 bits.
    case rotate(Int)
    /// Combines the key, by exclusive or, with the key shifted to the right by 1 to 63 bits.
    case fold(Int)

    /// Draws one of the five kinds of steps, with a random operand.
    static func random(using generator: inout SeededGenerator) -> MixStep {
        switch UInt64.random(in: 0..<5, using: &generator) {
        case 0: .add(generator.next())
        case 1: .exclusiveOr(generator.next())
        case 2: .multiply(generator.next() | 1)
        case 3: .rotate(Int.random(in: 5..<60, using: &generator))
        default: .fold(Int.random(in: 11..<40, using: &generator))
        }
    }

    /// Applies this step to a key and returns the new key.
    func applied(to key: UInt64) -> UInt64 {
        switch self {
        case .add(let number): key &+ number
        case .exclusiveOr(let number): key ^ number
        case .multiply(let number): key &* number
        case .rotate(let count): key << UInt64(count) | key >> UInt64(64 - count)
        case .fold(let count): key ^ key >> UInt64(count)
        }
    }

    /// The Swift statement that applies this step to the variable of a name.
    func statement(_ variable: String) -> String {
        switch self {
        case .add(let number): "\(variable) = \(variable) &+ \(number.literal)"
        case .exclusiveOr(let number): "\(variable) ^= \(number.literal)"
        case .multiply(let number): "\(variable) = \(variable) &* \(number.literal)"
        case .rotate(let count): "\(variable) = (\(variable) << \(count)) | (\(variable) >> \(64 - count))"
        case .fold(let count): "\(variable) ^= \(variable) >> \(count)"
        }
    }
}

extension UInt64 {
    /// The number as a hexadecimal literal of Swift.
    var literal: String { "0x" + String(self, radix: 16) }
}
