import AppReceiptMint

extension Attack {
    /// Attacks with text that is sent instead of a container. The limit on text is twice the limit on a
    /// container.
    static let texts: [Attack] = [
        Attack(
            "base64",
            "a container in base64",
            upTo: 16_770_000,
            ceiling: 25,
            memory: 1,
            work: .decode
        ) { mint, size in
            base64(size / 4 * 3, mint)
        },
        Attack(
            "base64-in-lines-of-one",
            "base64 with a line break after every character",
            upTo: 16_770_000,
            ceiling: 40,
            memory: 1,
            work: .decode
        ) { mint, size in
            base64(size / 8 * 3, mint).flatMap { [$0, 0x0A] }
        },
        Attack(
            "base64-with-spaces",
            "base64 with a space after every character; the decoder first tries each space as a plus sign",
            upTo: 16_770_000,
            ceiling: 85,
            memory: 1,
            work: .decode
        ) { mint, size in
            spaced(base64(size / 8 * 3, mint))
        },
        Attack(
            "base64-twice",
            "base64 of base64, both with spaces, and each is read in three ways",
            upTo: 16_770_000,
            ceiling: 116,
            memory: 2,
            outcome: "input.base64-twice",
            work: .decode
        ) { mint, size in
            let inner = spaced(base64(size / 64 * 9, mint))
            return spaced(base64(of: inner))
        },
        Attack(
            "white-space",
            "white space with a letter at the start and one in the middle",
            upTo: 16_770_000,
            ceiling: 26,
            memory: 1,
            outcome: "input.not-base64",
            work: .decode
        ) { _, size in
            let half = [UInt8](repeating: 0x0A, count: size / 2)
            // The first letter of every container in base64.
            let letter: [UInt8] = [0x4D]
            return letter + half + letter + half
        },
    ]

    private static func spaced(_ text: [UInt8]) -> [UInt8] { text.flatMap { [$0, 0x20] } }

    /// Returns, in base64, a container of approximately the given number of bytes.
    private static func base64(_ byteCount: Int, _ mint: AttackMint) -> [UInt8] {
        base64(
            of: mint.receipt(payload: {
                $0.rawAttributes = [
                    AttributeTemplate(100, value: [UInt8](repeating: 0, count: max(1, byteCount - 4000)))
                ]
            })
        )
    }

    private static func base64(of bytes: [UInt8]) -> [UInt8] {
        let alphabet = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count / 3 * 4 + 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let octets = bytes[start..<min(start + 3, bytes.count)]
            let group = (0..<3).reduce(0) {
                $0 << 8 | (start + $1 < bytes.count ? Int(octets[start + $1]) : 0)
            }
            for index in 0..<4 {
                text.append(index <= octets.count ? alphabet[group >> (18 - 6 * index) & 63] : 0x3D)
            }
        }
        return text
    }
}
