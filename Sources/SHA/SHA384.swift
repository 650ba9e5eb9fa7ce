import Processor

/// SHA-384 (FIPS 180-4 §6.5): SHA-512 with another H(0), cut to 48 bytes.
public struct SHA384: HashFunction {
    private var computation: HashComputation<SHA512State>

    /// Starts a computation with an empty message; the hash value is H(0) (FIPS 180-4 §5.3.4).
    ///
    /// - Parameter acceleration: the processor instructions to use. The digest does not depend on them.
    public init(acceleration: Acceleration) {
        // H(0): the first 64 bits of the fractions of the square roots of the ninth to sixteenth primes
        // (§5.3.4).
        computation = HashComputation(
            SHA512State(
                h0: 0xcbbb_9d5d_c105_9ed8,
                h1: 0x629a_292a_367c_d507,
                h2: 0x9159_015a_3070_dd17,
                h3: 0x152f_ecd8_f70e_5939,
                h4: 0x6733_2667_ffc0_0b31,
                h5: 0x8eb4_4a87_6858_1511,
                h6: 0xdb0c_2e0d_64f9_8fa7,
                h7: 0x47b5_481d_befa_4fa4
            ),
            acceleration
        )
    }

    /// Takes the next bytes of the message. There may be none.
    public mutating func update(_ bytes: Span<UInt8>) { computation.update(bytes) }

    /// The digest of all bytes so far, 48 bytes. The computation does not change and can take more bytes.
    public func finalize() -> Digest {
        var copy = computation
        return Digest(.sha384, copy.finish().words)
    }
}
