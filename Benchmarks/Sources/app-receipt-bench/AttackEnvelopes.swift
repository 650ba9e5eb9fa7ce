import AppReceiptMint
import Basics
import DER
import SHA

extension Attack {
    /// Attacks in the container: its BER encoding, and its fields that the signature does not cover.
    static let envelopes: [Attack] = [
        // The limit of 2^20 elements is reached before the limit on bytes.
        Attack(
            "segments-of-one",
            "BER with the content in segments of one octet",
            upTo: 3_140_000,
            ceiling: 207,
            memory: 5
        ) { mint, size in
            mint.receipt {
                $0.encoding = .ber(segmentByteCount: 1)
            } payload: {
                let value = [UInt8](repeating: 0x61, count: max(1, size / 3 - 400))
                $0.rawAttributes = [AttributeTemplate(1000, value: value)]
            }
        },
        Attack(
            "segments-of-none",
            "BER with empty segments: two bytes for each element",
            upTo: 2_090_000,
            ceiling: 256,
            memory: 7
        ) { mint, size in
            mint.receipt(beforeSegment: filled(size - 4000, with: [0x04, 0x00]))
        },
        Attack(
            "segments-nested",
            "BER with segments of indefinite length nested 26 deep, repeated",
            upTo: 4_180_000,
            ceiling: 157
        ) { mint, size in
            let open = filled(52, with: [0x24, 0x80])
            let close = filled(52, with: [0x00, 0x00])
            return mint.receipt(beforeSegment: filled(size - 4000, with: open + close))
        },
        Attack(
            "lengths-padded",
            "BER with empty segments whose lengths have 126 octets",
            ceiling: 27,
            memory: 1
        ) { mint, size in
            let padded = [0x04, 0xFE] + [UInt8](repeating: 0, count: 126)
            return mint.receipt(beforeSegment: filled(size - 4000, with: padded))
        },
        Attack(
            "elements-in-ber",
            "BER with a list of digest algorithms full of the shortest possible ones",
            upTo: 2_610_000,
            ceiling: 446,
            memory: 3
        ) { mint, size in
            mint.receipt {
                $0.encoding = .ber(segmentByteCount: 1024)
                $0.digestAlgorithms = digests(size - 4000)
            }
        },
        Attack(
            "digests",
            "a list of digest algorithms full of the shortest possible ones",
            ceiling: 62
        ) { mint, size in
            mint.receipt { $0.digestAlgorithms = digests(size - 4000) }
        },
        Attack(
            "signed-attributes",
            "as many signed attributes as fit, all identical",
            ceiling: 132
        ) { mint, size in
            mint.receipt {
                let attribute: [UInt8] = [0x30, 0x05, 0x06, 0x01, 0x2A, 0x31, 0x00]
                $0.signers[0].sortsSignedAttributes = false
                $0.signers[0].signedAttributes =
                    [.encoded(filled(size - 4000, with: attribute))] + .standard
            }
        },
        Attack(
            "signed-attributes-long",
            "a few long signed attributes that differ only in their last octet",
            ceiling: 78
        ) { mint, size in
            mint.receipt {
                $0.signers[0].sortsSignedAttributes = false
                $0.signers[0].signedAttributes =
                    .standard
                    + (0..<8).map { (index: UInt8) in
                        let value = [UInt8](repeating: 0, count: (size - 4000) / 8) + [index]
                        return .attribute(ObjectIdentifier(1, 2), values: [element(.octetString, value)])
                    }
            }
        },
        Attack(
            "unsigned-attributes",
            "an unsigned attribute with as many values as fit, of two bytes each, 20 levels deep",
            upTo: 2_090_000,
            ceiling: 121
        ) { mint, size in
            mint.receipt {
                var value = filled(size - 4000, with: [0x30, 0x00])
                for _ in 0..<20 { value = element(.sequence, value) }
                let type: [UInt8] = [0x06, 0x01, 0x2A]
                $0.signers[0].unsignedAttributes = [element(.sequence, type + element(.set, value))]
            }
        },
        // Combines all expensive features that can occur together. A signature must be as long as the key
        // that verifies it, so an imitation of the genuine intermediate cannot have a longer one.
        Attack(
            "everything",
            "BER with a full list of digest algorithms, many signed attributes, and thirteen imitations of the issuer",
            ceiling: 231,
            memory: 2
        ) { mint, size in
            mint.receipt { message in
                let attribute: [UInt8] = [0x30, 0x05, 0x06, 0x01, 0x2A, 0x31, 0x00]
                message.encoding = .ber(segmentByteCount: 1024)
                message.digestAlgorithms = digests(size / 16 * 5 - 30_000)
                message.signers[0].sortsSignedAttributes = false
                message.signers[0].signedAttributes =
                    [.encoded(filled(size / 16 * 11, with: attribute))] + .standard
                message.certificates =
                    (0..<13).map { index in
                        var template = mint.pki.intermediate.template
                        template.subjectPublicKeyInfo = largeKey(UInt8(index), octets: 256)
                        return template.certificate(signature: [UInt8](repeating: 0x55, count: 256))
                    } + message.certificates
            }
        },
    ]

    private static func digests(_ byteCount: Int) -> [AlgorithmTemplate] {
        let shortest = AlgorithmTemplate(ObjectIdentifier(1, 2), parameters: [])
        return [AlgorithmTemplate](repeating: shortest, count: byteCount / 5) + [.digest(.sha256)]
    }
}
