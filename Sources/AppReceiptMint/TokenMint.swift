import DER
import SHA

/// Makes signed tokens of StoreKit 2 under a private root, for tests of this package and of apps and servers
/// that validate tokens.
///
/// ```swift
/// let mint = TokenMint()
/// let transaction = mint.token(.transaction) { $0.payload["productId"] = "com.example.app.pro" }
/// let notification = mint.token(.notification) { $0.bundleIdentifier = "com.example.other" }
/// ```
///
/// A validator accepts these tokens only if its trust policy pins ``root``. For tokens of ``xcodeLike(_:)``,
/// the trust policy may accept any self-signed certificate instead. The same seed makes the same tokens, byte
/// for byte. A mint is a value that any number of tasks can use at once.
public struct TokenMint: Sendable {
    /// The root certificate to pin, in DER.
    public let root: [UInt8]
    /// The template of the tokens' header and signature. Change it to make tokens with another header, key or
    /// signature.
    public var signature: JWSTemplate
    /// The flaw that the tokens have if it applies to their payload; nil to make valid tokens.
    public let flaw: TokenFlaw?

    /// Makes a mint of tokens that resemble the App Store's, with test keys, which protect nothing.
    ///
    /// - Parameters:
    ///   - seed: the seed of the keys.
    ///   - flaw: a flaw that each token has if it applies to the token's payload; nil for valid tokens.
    public init(seed: UInt64 = 1, flaw: TokenFlaw? = nil) { self.init(TokenPKI(seed: seed), flaw: flaw) }

    /// Makes a mint of tokens that resemble the App Store's, with given certificates and keys.
    ///
    /// - Parameters:
    ///   - pki: the certificates and their keys.
    ///   - flaw: a flaw that each token has if it applies to the token's payload; nil for valid tokens.
    public init(_ pki: TokenPKI, flaw: TokenFlaw? = nil) {
        // The root is the one to pin, also if the tokens are signed under another one.
        root = pki.root.certificate
        let pki = flaw?.changed(pki) ?? pki
        signature = JWSTemplate(certificates: pki.certificates, key: pki.leaf.key)
        self.flaw = flaw
    }

    /// Makes a mint of tokens that resemble the tokens of StoreKit testing in Xcode: one self-signed
    /// certificate signs. The tokens' environment is `Production` unless the caller sets it.
    ///
    /// - Parameter key: the key of the certificate, on P-256; by default the key of the seed 1.
    public static func xcodeLike(_ key: ECPrivateKey = ECPrivateKey(seed: 1)) -> TokenMint {
        let name = NameTemplate(commonName: "StoreKit Testing in Mint", organization: "Mint", country: "US")
        var template = CertificateTemplate(
            issuer: name,
            subject: name,
            subjectPublicKeyInfo: key.subjectPublicKeyInfo
        )
        template.extensions = [
            .basicConstraints(isCertificateAuthority: true),
            .keyUsage([.digitalSignature, .keyCertSign]),
        ]
        let identity = CertifiedKey(template, key: key)
        return TokenMint(root: identity.certificate, key: key)
    }

    private init(root: [UInt8], key: ECPrivateKey) {
        self.root = root
        signature = JWSTemplate(certificates: [root], key: key)
        flaw = nil
    }

    /// Signs a payload and the tokens inside the payload, and returns the token's characters. The token has
    /// the mint's ``flaw``, if the flaw applies to the payload.
    public func token(_ template: TokenTemplate) -> [UInt8] {
        var (template, signature) = (template, signature)
        flaw?.change(&template)
        let payload = encoded(template)
        flaw?.change(&signature, payload)
        let token = signature.signed(payload: payload)
        return flaw?.changed(token) ?? token
    }

    /// Makes and signs a payload of a kind, with the members that such payloads usually have.
    ///
    /// - Parameters:
    ///   - kind: the kind of the payload.
    ///   - change: changes the payload before it is signed.
    /// - Returns: the characters of the token.
    public func token(
        _ kind: TokenTemplate.Kind,
        _ change: (inout TokenTemplate) -> Void = { _ in }
    ) -> [UInt8] {
        var template = TokenTemplate(kind)
        change(&template)
        return token(template)
    }

    /// The JSON of a payload, with signed tokens inside. The tokens inside have the mint's flaw only if the
    /// flaw is in the certificates, or was made in `template` before.
    private func encoded(_ template: TokenTemplate) -> [UInt8] {
        template.payload.encoded { nested in signature.signed(payload: encoded(nested)) }
    }
}
