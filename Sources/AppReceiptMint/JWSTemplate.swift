import Basics
import SHA

/// A JSON Web Signature in compact serialisation to make (RFC 7515 §7.1).
///
/// Every part can be set to a wrong value. The defaults make a token as the App Store does.
public struct JWSTemplate: Sendable {
    /// The members of the header: by default `alg`, which is ES256, and `x5c`. A member whose value is
    /// ``PayloadValue/token(_:)`` is written as an empty string.
    public var header: ObjectTemplate
    /// The signer's private key. It makes the signature. If ``forgery`` is set, that closure gets this key
    /// and makes the signature in any way.
    public var key: ECPrivateKey
    /// Makes the signature in place of ``ECPrivateKey/signConcatenated(_:)``, if set. The closure receives
    /// the digest to sign and the signer's key. It can sign another message, use another form or another key.
    public var forgery: (@Sendable (_ digest: Digest, _ key: ECPrivateKey) -> [UInt8])?
    /// The payload to write in place of the signed one. Nil stands for the signed one.
    public var writtenPayload: [UInt8]?

    /// Makes a template.
    ///
    /// - Parameters:
    ///   - certificates: the certificates of `x5c` in DER, first the signer's.
    ///   - key: the private key of the first certificate.
    public init(certificates: [[UInt8]], key: ECPrivateKey) {
        header = ObjectTemplate([("alg", "ES256"), ("x5c", Self.value(of: certificates))])
        self.key = key
    }

    /// The value of `x5c` for certificates in DER: their base64 (RFC 7515 §4.1.6).
    public static func value(of certificates: [[UInt8]]) -> PayloadValue {
        .texts(
            certificates.map { certificate in
                var text: [UInt8] = []
                text.append(base64: certificate[...])
                return String(decoding: text, as: UTF8.self)
            }
        )
    }

    /// Signs a payload, which need not be JSON, and returns the token's characters. The signature is made
    /// with SHA-256 and ``key``, unless ``forgery`` makes it.
    public func signed(payload: [UInt8]) -> [UInt8] {
        let stop = [UInt8(ascii: ".")]
        let head = Self.base64URL(header.encoded { _ in [] })
        let input = head + stop + Self.base64URL(payload)
        let digest = HashAlgorithm.sha256.digest(of: input.borrowedSpan)
        let signature = forgery.map { $0(digest, key) } ?? key.signConcatenated(digest)
        let written = writtenPayload.map { head + stop + Self.base64URL($0) } ?? input
        return written + stop + Self.base64URL(signature)
    }

    /// Base64 with the alphabet for URLs, without padding (RFC 7515 §2).
    static func base64URL(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        text.append(base64: bytes[...])
        while text.last == UInt8(ascii: "=") { text.removeLast() }
        for index in text.indices {
            if text[index] == UInt8(ascii: "+") { text[index] = UInt8(ascii: "-") }
            if text[index] == UInt8(ascii: "/") { text[index] = UInt8(ascii: "_") }
        }
        return text
    }
}
