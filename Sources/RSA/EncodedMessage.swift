import SHA

/// EM of EMSA-PKCS1-v1_5 (RFC 8017 §9.2), never written out: its octets one by one.
///
/// ```
/// EM = 00 ‖ 01 ‖ PS ‖ 00 ‖ T                  -- PS = FF … FF, T is a DigestInfo
/// DigestInfo ::= SEQUENCE {
///     digestAlgorithm  AlgorithmIdentifier,   -- with NULL parameters
///     digest           OCTET STRING }
/// ```
///
/// PS has at least 8 octets: a modulus has 128 at least, and the longest T has 83.
struct EncodedMessage {
    private let digest: Digest
    /// How many octets EM has, k.
    private let byteCount: Int

    init(_ digest: Digest, byteCount: Int) {
        self.digest = digest
        self.byteCount = byteCount
    }

    /// Whether EM is this number, in limbs, the least significant first, no fewer than it has octets for.
    func equals(_ number: Span<UInt64>) -> Bool {
        // Places count from EM's end, which is where the number begins.
        func octet(_ place: Int) -> UInt8 {
            UInt8(truncatingIfNeeded: number[place / 8] &>> UInt64(place % 8 * 8))
        }
        var place = 0
        while place < digest.count {
            guard octet(place) == digest[digest.count - 1 - place] else { return false }
            place += 1
        }
        for expected in digest.algorithm.digestInfoPrefix.reversed() {
            guard octet(place) == expected else { return false }
            place += 1
        }
        guard octet(place) == 0x00 else { return false }
        place += 1
        while place < byteCount - 2 {
            // Most of PS is whole limbs.
            if place % 8 == 0 && place <= byteCount - 10 {
                guard number[place / 8] == .max else { return false }
                place += 8
            } else {
                guard octet(place) == 0xFF else { return false }
                place += 1
            }
        }
        return octet(byteCount - 2) == 0x01 && octet(byteCount - 1) == 0x00
    }
}

extension HashAlgorithm {
    /// The DER encoding of DigestInfo up to the digest's octets (RFC 8017 §9.2, note 1).
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
