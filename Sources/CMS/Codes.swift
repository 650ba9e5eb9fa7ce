import Basics

// swift-format-ignore
/// The refusal codes of `CMS`, numbers 400 to 499. The sentence in each row is also its documentation.
extension Refusal.Code {
    package static var notSignedData: Self { .init(400, "cms.not-signed-data",
        "The content type is not signedData (RFC 5652 §5.1).", kind: .unsupported) }
    package static var signedDataVersion: Self { .init(401, "cms.version",
        "The version is not one that RFC 5652 §5.1 defines.") }
    package static var contentDetached: Self { .init(402, "cms.content-detached",
        "The signed content is not in the message.") }
    package static var tooManyCertificates: Self { .init(403, "cms.too-many-certificates",
        "The message has more certificates than the limit allows.", kind: .unsupported) }
    package static var noSigner: Self { .init(404, "cms.no-signer",
        "The message has no signature: it has no SignerInfo.") }
    package static var severalSigners: Self { .init(405, "cms.several-signers",
        "The message has more than one SignerInfo; exactly one is accepted.", kind: .unsupported) }
    package static var signerInfoVersion: Self { .init(406, "cms.signer-info-version",
        "The version is not 1 with an issuer and serial number, or 3 with a key identifier (RFC 5652 §5.3).") }
    package static var unsupportedDigestAlgorithm: Self { .init(407, "cms.unsupported-digest-algorithm",
        "The digest algorithm is not SHA-1, SHA-256, SHA-384 or SHA-512.", kind: .unsupported) }
    package static var digestAlgorithmNotListed: Self { .init(408, "cms.digest-algorithm-not-listed",
        "The signer's digest algorithm is not among the message's digestAlgorithms (RFC 5652 §5.1).") }
    package static var contradictingAlgorithms: Self { .init(409, "cms.contradicting-algorithms",
        "The signature algorithm names another hash algorithm than the digest algorithm.") }
    package static var signerCertificateNotFound: Self { .init(410, "cms.signer-certificate-not-found",
        "No certificate matches the signer's identifier.") }
    package static var ambiguousSigner: Self { .init(411, "cms.ambiguous-signer",
        "Several different certificates match the signer's identifier.") }
    package static var signedAttributesRequired: Self { .init(412, "cms.signed-attributes-required",
        "Content that is not of type data must be signed with attributes (RFC 5652 §5.3).") }
    package static var missingAttribute: Self { .init(413, "cms.missing-attribute",
        "The signed attributes lack contentType or messageDigest (RFC 5652 §11).") }
    package static var duplicateAttribute: Self { .init(414, "cms.duplicate-attribute",
        "A signed attribute appears twice (RFC 5652 §11).") }
    package static var attributeValueCount: Self { .init(415, "cms.attribute-value-count",
        "The signed attribute does not have exactly one value (RFC 5652 §11).") }
    package static var contentTypeMismatch: Self { .init(416, "cms.content-type-mismatch",
        "The contentType attribute differs from the eContentType (RFC 5652 §11.1).") }
    package static var messageDigestMismatch: Self { .init(417, "cms.message-digest-mismatch",
        "The messageDigest attribute differs from the digest of the content (RFC 5652 §11.2).") }
    package static var contentIsSignedAttributes: Self { .init(418, "cms.content-is-signed-attributes",
        "Content that is signed without attributes has the form of signed attributes, perhaps another message's.") }
    package static var misplacedAttribute: Self { .init(419, "cms.misplaced-attribute",
        "An attribute is signed that must be unsigned, or unsigned that must be signed (RFC 5652 §11).") }
    package static var emptyAttributes: Self { .init(420, "cms.empty-attributes",
        "The set of unsigned attributes is present but empty (RFC 5652 §5.3).") }
    package static var signingTimeType: Self { .init(421, "cms.signing-time-type",
        "The signing time lies in the years 1950 to 2049 and is not a UTCTime (RFC 5652 §11.3).") }
}

extension Refusal.Code {
    /// All refusal codes of the module `CMS`, in the order of their numbers.
    package static var cms: [Self] {
        [
            .notSignedData, .signedDataVersion, .contentDetached, .tooManyCertificates, .noSigner,
            .severalSigners, .signerInfoVersion, .unsupportedDigestAlgorithm, .digestAlgorithmNotListed,
            .contradictingAlgorithms, .signerCertificateNotFound, .ambiguousSigner,
            .signedAttributesRequired, .missingAttribute, .duplicateAttribute, .attributeValueCount,
            .contentTypeMismatch, .messageDigestMismatch, .contentIsSignedAttributes,
            .misplacedAttribute, .emptyAttributes, .signingTimeType,
        ]
    }
}
