import Basics
import DER
import PKIX

/// Parts of a signed message that neither the certification path nor the check of the signature needs.
///
/// They are checked for their form, and then skipped. `limit` is the maximum number of elements in each of
/// their values. Parameters of algorithms have the default limit instead.
extension Reader {
    /// Checks the form of `crls [1]` and skips it if it is next (RFC 5652 §10.2.1). Otherwise does nothing.
    ///
    /// ```
    /// RevocationInfoChoices ::= SET OF RevocationInfoChoice
    /// RevocationInfoChoice ::= CHOICE {
    ///     crl    CertificateList,
    ///     other  [1] IMPLICIT OtherRevocationInfoFormat }
    /// ```
    @_lifetime(self: copy self)
    mutating func skipRevocationInfo(limit: Int) throws(Refusal) {
        guard isNext(.constructed(1)) else { return }
        var choices = try nested(.constructed(1), "crls")
        while !choices.isAtEnd {
            if choices.isNext(.constructed(1)) {
                try choices.skipOtherFormat(.constructed(1), "crls", limit: limit)
            } else {
                try choices.skipSigned(.sequence, "crls", limit: limit)
            }
        }
    }

    /// Checks the form of a CertificateChoices that is not a certificate, and skips it (RFC 5652 §10.2.2).
    ///
    /// ```
    /// extendedCertificate  [0] IMPLICIT ExtendedCertificate,
    /// v1AttrCert           [1] IMPLICIT AttributeCertificateV1,
    /// v2AttrCert           [2] IMPLICIT AttributeCertificateV2,
    /// other                [3] IMPLICIT OtherCertificateFormat
    /// ```
    @_lifetime(self: copy self)
    mutating func skipOtherCertificate(limit: Int) throws(Refusal) {
        for number: UInt32 in 0...2 where isNext(.constructed(number)) {
            try skipSigned(.constructed(number), "certificates", limit: limit)
            return
        }
        try skipOtherFormat(.constructed(3), "certificates", limit: limit)
    }

    /// Checks the form of `unsignedAttrs [1]` and skips it if it is next (RFC 5652 §5.3).
    ///
    /// An empty set is refused with `.emptyAttributes`. A contentType, messageDigest or signingTime, which
    /// must be signed (§11.1 to §11.3), is refused with `.misplacedAttribute`. Values may come in any
    /// order, because only signed attributes must be DER.
    ///
    /// ```
    /// Attribute ::= SEQUENCE { attrType OBJECT IDENTIFIER, attrValues SET OF ANY }
    /// ```
    @_lifetime(self: copy self)
    mutating func skipUnsignedAttributes(limit: Int) throws(Refusal) {
        guard isNext(.constructed(1)) else { return }
        let start = offset
        var attributes = try nested(.constructed(1), "unsignedAttrs")
        guard !attributes.isAtEnd else {
            throw Refusal(.emptyAttributes, at: start, reading: "unsignedAttrs")
        }
        while !attributes.isAtEnd {
            let start = attributes.offset
            var attribute = try attributes.nested(.sequence, "unsignedAttrs")
            let type = ObjectIdentifier(bytes, in: try attribute.readObjectIdentifier("attrType"))
            guard type != .contentType, type != .messageDigest, type != .signingTime else {
                throw Refusal(.misplacedAttribute, at: start, reading: "unsignedAttrs")
            }
            var values = try attribute.nested(.set, "attrValues")
            try attribute.finish("unsignedAttrs")
            while !values.isAtEnd { _ = try values.readWellFormedElement("attrValues", limit: limit) }
        }
    }

    /// Checks the form of a value of a signed type, and skips it: a revocation list (RFC 5280 §5.1), an
    /// attribute certificate (RFC 5755 §4.1), or an extended certificate (PKCS #6 §6).
    ///
    /// ```
    /// SEQUENCE { toBeSigned SEQUENCE, algorithm AlgorithmIdentifier, signature BIT STRING }
    /// ```
    @_lifetime(self: copy self)
    private mutating func skipSigned(_ tag: Tag, _ reading: StaticString, limit: Int) throws(Refusal) {
        var signed = try nested(tag, reading)
        let toBeSigned = try signed.readWellFormedElement(reading, limit: limit)
        guard toBeSigned.tag == .sequence else {
            throw Refusal(.unexpectedTag, at: toBeSigned.start, reading: reading)
        }
        _ = try AlgorithmIdentifier(&signed, reading)
        _ = try signed.readBitString(reading)
        try signed.finish(reading)
    }

    /// Checks the form of an OtherCertificateFormat or OtherRevocationInfoFormat, and skips it (RFC 5652
    /// §10.2.1, §10.2.2): `SEQUENCE { OBJECT IDENTIFIER, ANY }`.
    @_lifetime(self: copy self)
    private mutating func skipOtherFormat(_ tag: Tag, _ reading: StaticString, limit: Int) throws(Refusal) {
        var other = try nested(tag, reading)
        _ = try other.readObjectIdentifier(reading)
        _ = try other.readWellFormedElement(reading, limit: limit)
        try other.finish(reading)
    }
}
