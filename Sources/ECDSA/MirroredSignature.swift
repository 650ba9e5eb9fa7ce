import Basics

extension ECPublicKey {
    /// The signatures that anyone can make from one in DER without the private key: (r, n - s) is valid for a
    /// message and a key if (r, s) is. There is one for each curve for which s is in 1…n-1, because the
    /// function does not know the curve of the key.
    ///
    /// - Returns: encodings of ECDSA-Sig-Value; none if the signature is malformed or too long.
    package static func mirrored(_ signature: Span<UInt8>) -> [[UInt8]] {
        guard let (r, s) = try? numbers(of: signature), r.count <= P384.Number.octetCount else { return [] }
        let (first, second) = ([UInt8](signature, in: r), signature.extracting(s))
        return [P256.negated(second), P384.negated(second)].compactMap { $0 }.map { negated in
            let contents = integer(first) + integer(negated)
            return [0x30, UInt8(contents.count)] + contents
        }
    }

    /// The encoding of an INTEGER that is not negative and has at most 49 octets.
    private static func integer(_ magnitude: [UInt8]) -> [UInt8] {
        let octets = [0] + magnitude.drop { $0 == 0 }
        let contents = octets.count > 1 && octets[1] < 0x80 ? octets.dropFirst() : octets[...]
        return [0x02, UInt8(contents.count)] + contents
    }
}

extension PrimeCurve {
    /// n - s in octets; nil unless s is in 1…n-1.
    fileprivate static func negated(_ octets: Span<UInt8>) -> [UInt8]? {
        guard octets.count <= Number.octetCount else { return nil }
        let s = Number(octets)
        var negated = Order.value
        guard !s.isZero, !negated.subtract(s), !negated.isZero else { return nil }
        return negated.octets
    }
}
