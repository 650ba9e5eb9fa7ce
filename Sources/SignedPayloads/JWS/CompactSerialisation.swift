import Basics
import ECDSA
import Processor
import SHA

/// A JSON Web Signature in compact serialisation (RFC 7515 §7.1), taken apart. Taking it apart verifies
/// nothing.
///
/// ```
/// BASE64URL(UTF8(JWS Protected Header)) || '.' || BASE64URL(JWS Payload) || '.' || BASE64URL(JWS Signature)
/// ```
package struct CompactSerialisation: Sendable {
    /// The whole token.
    let token: [UInt8]
    /// The range in the token of the first segment: the header in base64url.
    let header: Range<Int>
    let payload: Segment
    let signature: Segment
    /// The range of the text that the signature covers: the first two segments with their full stop
    /// (RFC 7515 §5.1).
    private let signingInput: Range<Int>

    /// Finds the segments, and decodes the payload and the signature. The header is decoded when it is read.
    ///
    /// - Throws: `.tokenTooLarge`, `.notCompactJWS`, `.notBase64URL`.
    package init(_ token: [UInt8], limits: TokenLimits, _ acceleration: Acceleration) throws(Refusal) {
        guard token.count <= limits.tokenBytes else {
            throw Refusal(.tokenTooLarge, at: limits.tokenBytes, reading: "token")
        }
        let span = token.borrowedSpan
        let stop = UInt8(ascii: ".")
        guard let first = span.firstIndex(of: stop, in: span.indices),
            let second = span.firstIndex(of: stop, in: (first + 1)..<span.count)
        else { throw Refusal(.notCompactJWS, at: token.count, reading: "token") }
        if let third = span.firstIndex(of: stop, in: (second + 1)..<span.count) {
            throw Refusal(.notCompactJWS, at: third, reading: "token")
        }
        header = 0..<first
        signingInput = 0..<second
        payload = try Segment(span, in: (first + 1)..<second, "payload", acceleration)
        signature = try Segment(span, in: (second + 1)..<span.count, "signature", acceleration)
        self.token = token
    }

    /// Verifies the signature by ES256 (RFC 7518 §3.4): ECDSA on P-256, with SHA-256 over the signing input.
    ///
    /// - Parameters:
    ///   - tabulated: `key` with its tables; nil if it has none.
    ///   - header: the state of SHA-256 after the first segment of this token; nil to hash that segment too.
    /// - Throws: `.keyNotOnP256`, and what `ECPublicKey.verify` throws, with an offset in the token.
    package func verify(
        by key: ECPublicKey,
        tabulated: TabulatedKey? = nil,
        after header: HashFunction? = nil,
        _ acceleration: Acceleration
    ) throws(Refusal) {
        guard key.curve == .p256 else { throw Refusal(.keyNotOnP256, at: 0, reading: "header") }
        let digest = digest(after: header, acceleration)
        let octets = signature.bytes
        do throws(Refusal) {
            if let tabulated {
                try tabulated.verify(concatenated: octets.borrowedSpan, digest: digest)
            } else {
                try key.verify(concatenated: octets.borrowedSpan, digest: digest)
            }
        } catch {
            throw signature.mapped(error)
        }
    }

    /// The SHA-256 digest of the signing input.
    ///
    /// - Parameter header: the state of SHA-256 after the first segment; nil to hash that segment too.
    func digest(after header: HashFunction?, _ acceleration: Acceleration) -> Digest {
        let input = token.borrowedSpan.extracting(signingInput)
        guard var hash = header else {
            return HashAlgorithm.sha256.digest(of: input, acceleration: acceleration)
        }
        hash.update(input.extracting(droppingFirst: self.header.count))
        return hash.finalize()
    }

    /// The state of SHA-256 after the first segment, the header in base64url.
    func hashedHeader(_ acceleration: Acceleration) -> HashFunction {
        var hash = HashFunction(.sha256, acceleration: acceleration)
        hash.update(token.borrowedSpan.extracting(header))
        return hash
    }
}
