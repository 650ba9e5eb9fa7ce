import Processor

/// SHA-512 (FIPS 180-4 §6.4): a digest of 64 bytes, from blocks of 128.
public struct SHA512: HashFunction {
    private var computation: HashComputation<SHA512State>

    /// Starts a computation with an empty message; the hash value is H(0) (FIPS 180-4 §5.3.5).
    ///
    /// - Parameter acceleration: the processor instructions to use. The digest does not depend on them.
    public init(acceleration: Acceleration) {
        // H(0): the first 64 bits of the fractions of the square roots of the first eight primes (§5.3.5).
        computation = HashComputation(
            SHA512State(
                h0: 0x6a09_e667_f3bc_c908,
                h1: 0xbb67_ae85_84ca_a73b,
                h2: 0x3c6e_f372_fe94_f82b,
                h3: 0xa54f_f53a_5f1d_36f1,
                h4: 0x510e_527f_ade6_82d1,
                h5: 0x9b05_688c_2b3e_6c1f,
                h6: 0x1f83_d9ab_fb41_bd6b,
                h7: 0x5be0_cd19_137e_2179
            ),
            acceleration
        )
    }

    /// Takes the next bytes of the message. There may be none.
    public mutating func update(_ bytes: Span<UInt8>) { computation.update(bytes) }

    /// The digest of all bytes so far, 64 bytes. The computation does not change and can take more bytes.
    public func finalize() -> Digest {
        var copy = computation
        return Digest(.sha512, copy.finish().words)
    }
}
