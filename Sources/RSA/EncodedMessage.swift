import SHA

/// The encoded message EM of EMSA-PKCS1-v1_5 (RFC 8017 §9.2), compared with a number and never stored.
///
/// ```
/// EM = 00 ‖ 01 ‖ PS ‖ 00 ‖ T                  -- PS = FF … FF, T is a DigestInfo
/// DigestInfo ::= SEQUENCE {
///     digestAlgorithm  AlgorithmIdentifier,   -- with NULL parameters
///     digest           OCTET STRING }
/// ```
///
/// PS has at least 8 octets: a modulus has at least 128 octets, and the longest T has 83.
struct EncodedMessage {
    let digest: Digest
    /// The length of EM and of the key's modulus in octets: k in RFC 8017.
    let byteCount: Int

    /// Whether a number, written as `byteCount` octets (RFC 8017 §4.1), is exactly EM for `digest`.
    ///
    /// Precondition: the number has limbs for `byteCount` octets, the least significant limb first. Octets
    /// above them are ignored: the caller knows that the number is below a modulus of `byteCount` octets.
    func equals(_ number: Span<UInt64>) -> Bool {
        // Indices count from the end of EM, which is the least significant octet of the number.
        func octet(_ index: Int) -> UInt8 {
            UInt8(truncatingIfNeeded: number[index / 8] &>> UInt64(index % 8 * 8))
        }
        var index = 0
        while index < digest.count {
            guard octet(index) == digest[digest.count - 1 - index] else { return false }
            index += 1
        }
        for expected in digest.algorithm.digestInfoPrefix.reversed() {
            guard octet(index) == expected else { return false }
            index += 1
        }
        guard octet(index) == 0x00 else { return false }
        index += 1
        while index < byteCount - 2 {
            // Compares whole limbs, which make up most of PS.
            if index % 8 == 0 && index <= byteCount - 10 {
                guard number[index / 8] == .max else { return false }
                index += 8
            } else {
                guard octet(index) == 0xFF else { return false }
                index += 1
            }
        }
        return octet(byteCount - 2) == 0x01 && octet(byteCount - 1) == 0x00
    }
}

extension HashAlgorithm {
    /// The octets in DER of a DigestInfo for this algorithm, without the digest's octets at the end (RFC 8017
    /// §9.2, note 1).
    fileprivate var digestInfoPrefix: [UInt8] {
        switch self {
        case .sha1:
            [0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2B, 0x0E, 0x03, 0x02, 0x1A, 0x05, 0x00, 0x04, 0x14]
        case .sha256:
            [
                0x30, 0x31, 0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01,
                0x05, 0x00, 0x04, 0x20,
            ]
        case .sha384:
            [
                0x30, 0x41, 0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02,
                0x05, 0x00, 0x04, 0x30,
            ]
        case .sha512:
            [
                0x30, 0x51, 0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03,
                0x05, 0x00, 0x04, 0x40,
            ]
        }
    }
}
