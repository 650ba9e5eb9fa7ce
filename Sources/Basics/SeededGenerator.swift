/// A generator of pseudorandom numbers that gives the same numbers from the same seed on every platform.
///
/// It is SplitMix64 by G. L. Steele, D. Lea and C. H. Flood ("Fast splittable pseudorandom number
/// generators", OOPSLA 2014), which is small and fast. Do not use it for secrets: anyone who knows the seed
/// or one number can compute all later numbers.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Starts the sequence with the state `seed`.
    public init(seed: UInt64) { state = seed }

    /// Returns the next number, of 64 bits, of the sequence that the seed determines.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
