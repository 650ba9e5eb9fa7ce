import AppReceiptMint

/// One step of the arithmetic that turns a key into the next key.
///
/// Every step is a bijection of the 64-bit words, so that no step loses a part of the key.
enum MixStep {
    case add(UInt64)
    case exclusiveOr(UInt64)
    /// Multiplies by an odd number.
    case multiply(UInt64)
    /// Rotates to the left by 1 to 63 bits.
    case rotate(Int)
    /// Adds the upper bits to the lower bits by exclusive or, shifted by 1 to 63 bits.
    case fold(Int)

    /// A random step.
    static func random(using generator: inout SeededGenerator) -> MixStep {
        switch UInt64.random(in: 0..<5, using: &generator) {
        case 0: .add(generator.next())
        case 1: .exclusiveOr(generator.next())
        case 2: .multiply(generator.next() | 1)
        case 3: .rotate(Int.random(in: 5..<60, using: &generator))
        default: .fold(Int.random(in: 11..<40, using: &generator))
        }
    }

    /// The next key.
    func applied(to key: UInt64) -> UInt64 {
        switch self {
        case .add(let number): key &+ number
        case .exclusiveOr(let number): key ^ number
        case .multiply(let number): key &* number
        case .rotate(let count): key << UInt64(count) | key >> UInt64(64 - count)
        case .fold(let count): key ^ key >> UInt64(count)
        }
    }

    /// The Swift statement that does this step to a variable.
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
