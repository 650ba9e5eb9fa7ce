"""RFC 5652: ContentInfo, SignedData and SignerInfo, as AUDIT.md lists what is enforced."""
import hashlib

import rfc5280
import rfc5280_path
import rfc8017
import x690
from rfc5280 import AlgorithmIdentifier, Certificate
from x690 import Fields, identified, only, require

ID_DATA, ID_SIGNED_DATA = identified("1.2.840.113549.1.7.1"), identified("1.2.840.113549.1.7.2")
#: Attributes (§11).
CONTENT_TYPE, MESSAGE_DIGEST, SIGNING_TIME, COUNTERSIGNATURE = (
    identified(f"1.2.840.113549.1.9.{number}") for number in (3, 4, 5, 6))
#: Digest algorithms (RFC 3370 §2.1, RFC 5754 §2).
DIGESTS = {identified("1.3.14.3.2.26"): "sha1", identified("2.16.840.1.101.3.4.2.1"): "sha256",
           identified("2.16.840.1.101.3.4.2.2"): "sha384", identified("2.16.840.1.101.3.4.2.3"): "sha512"}


def part_in_der(path):
    """The rule of `from_ber` for a ContentInfo.

    Certificates (RFC 5280 §4.1) and signed attributes (§5.3) are in DER. In a SignerInfo's issuer, the segments of a
    string are not joined, because names are compared by their octets (AUDIT.md; RFC 5280 §7.1 would compare values).
    """
    if len(path) < 5 or path[3] == (0xA0, 3):
        return "copy" if len(path) == 5 else None
    if path[3][0] == x690.SET and len(path) == 6:
        return {(0xA0, 3): "copy", (0xA0, 1): "octets"}.get(path[5])
    return "name" if path[3][0] == x690.SET and path[5:7] == ((0x30, 1), (0x30, 0)) else None


def check_digest_parameters(algorithm):
    require(algorithm.has_null or algorithm.parameters is None, "RFC 5754 §2", "parameters are NULL or absent")


class SignedData:
    """The SignedData of a message (§3, §5.1), with content of type data and one signer."""

    def __init__(self, octets):
        octets, end = x690.from_ber(message := octets, 0, part_in_der)
        require(end == len(message), "X.690 §8.1.1.1", "nothing follows the message")
        fields = Fields(only(octets), "ContentInfo")
        require(x690.object_identifier(fields.next()) == ID_SIGNED_DATA, "RFC 5652 §5.1", "the content is signedData")
        content = fields.next(0xA0)
        fields.end()
        fields = Fields(only(content.contents), "SignedData")
        require(x690.integer(fields.next()) in (1, 3, 4, 5), "RFC 5652 §5.1", "the version is 1, 3, 4 or 5")
        listed = [AlgorithmIdentifier(one) for one in x690.elements(fields.next(x690.SET).contents)]
        for algorithm in listed:
            check_digest_parameters(algorithm)
        self.content = self.read_content(fields.next(x690.SEQUENCE))
        certificates, lists = fields.optional(0xA0), fields.optional(0xA1)
        self.certificates = self.read_certificates(certificates)
        for one in x690.elements(lists.contents) if lists else []:
            check_revocation(one)
        signers = x690.elements(fields.next(x690.SET).contents)
        fields.end()
        require(len(signers) == 1, "RFC 5652 §5.1, AUDIT.md", "there is one signer")
        self.signer = SignerInfo(signers[0])
        require(self.signer.digest_algorithm.identifier in [one.identifier for one in listed], "RFC 5652 §5.1",
                "the signer's digest algorithm is listed")

    @staticmethod
    def read_content(element):
        """EncapsulatedContentInfo (§5.2)."""
        fields = Fields(element, "EncapsulatedContentInfo")
        require(x690.object_identifier(fields.next()) == ID_DATA, "RFC 5652 §4", "the content is of type data")
        inner = only(fields.next(0xA0).contents)
        fields.end()
        require(inner.tag == x690.OCTET_STRING, "RFC 5652 §5.2", "eContent is an OCTET STRING")
        return inner.contents

    @staticmethod
    def read_certificates(element):
        """CertificateSet (§10.2.3): the certificates. Other formats are no part of a path."""
        choices = x690.elements(element.contents) if element else []
        require(len(choices) <= 16, "AUDIT.md, Limits", "there are at most 16 certificates")
        for one in choices:
            if one.tag in (0xA0, 0xA1, 0xA2):
                check_signed(one)
            elif one.tag != x690.SEQUENCE:
                check_other(one, 0xA3)
        return [Certificate(one) for one in choices if one.tag == x690.SEQUENCE]

    def signer_certificate(self):
        """The certificate that the SignerInfo names (§5.3). Equal copies count as one."""
        found = {one.octets: one for one in self.certificates if self.signer.names(one)}
        require(found, "RFC 5652 §5.3", "the message has the signer's certificate")
        require(len(found) == 1, "RFC 5652 §5.3", "one certificate is the signer's")
        return next(iter(found.values()))

    def check_signature(self, certificate):
        """The signature over the content or over the signed attributes (§5.4, §5.6)."""
        signer, name = self.signer, self.signer.digest_name
        key = rfc5280_path.signing_key(certificate)
        if signer.attributes is None:
            rfc8017.check_signature(key, self.content, signer.signature, name)
            return
        digest = hashlib.new(name, self.content).digest()
        require(signer.message_digest == digest, "RFC 5652 §5.6, §11.2", "messageDigest is the content's digest")
        # The signature covers a SET OF, whose tag is not [0] (§5.4).
        rfc8017.check_signature(key, b"\x31" + signer.attributes.octets[1:], signer.signature, name)


def check_signed(element):
    """The form of a signed object: a SEQUENCE, an algorithm, and a signature in a BIT STRING."""
    require(element.is_constructed, "X.690 §8.9.1", "a signed object is a SEQUENCE")
    fields = Fields(element, "a signed object", element.tag)
    x690.check_all(fields.next(x690.SEQUENCE).contents)
    AlgorithmIdentifier(fields.next(x690.SEQUENCE))
    x690.bit_string(fields.next())
    fields.end()


def check_other(element, tag):
    """OtherCertificateFormat (§10.2.2) and OtherRevocationInfoFormat (§10.2.1): an identifier, and any element."""
    fields = Fields(element, "another format", tag)
    x690.object_identifier(fields.next())
    value = fields.next()
    fields.end()
    if value.is_constructed:
        x690.check_all(value.contents)


def check_revocation(element):
    """RevocationInfoChoice (§10.2.1)."""
    check_signed(element) if element.tag == x690.SEQUENCE else check_other(element, 0xA1)


class SignerInfo:
    """SignerInfo (§5.3)."""

    def __init__(self, element):
        fields = Fields(element, "SignerInfo")
        version, identifier = x690.integer(fields.next()), fields.next()
        self.key, self.issuer = None, None
        if identifier.tag == 0x80:
            require(version == 3, "RFC 5652 §5.3", "the version is 3 with a subjectKeyIdentifier")
            self.key = identifier.contents
        else:
            require(version == 1, "RFC 5652 §5.3", "the version is 1 with an issuerAndSerialNumber")
            inner = Fields(identifier, "IssuerAndSerialNumber")
            self.issuer, serial = inner.next(), inner.next()
            inner.end()
            rfc5280.check_name(self.issuer, "issuer")
            x690.integer(serial)
            self.issuer, self.serial = self.issuer.octets, serial.contents
        self.digest_algorithm = AlgorithmIdentifier(fields.next(x690.SEQUENCE))
        require(self.digest_algorithm.identifier in DIGESTS, "AUDIT.md, Out of scope",
                "the digest algorithm is supported")
        check_digest_parameters(self.digest_algorithm)
        self.digest_name = DIGESTS[self.digest_algorithm.identifier]
        self.attributes = fields.optional(0xA0)
        self.check_algorithm(AlgorithmIdentifier(fields.next(x690.SEQUENCE)))
        self.signature = fields.next(x690.OCTET_STRING).contents
        unsigned = fields.optional(0xA1)
        fields.end()
        if self.attributes:
            self.read_signed(self.attributes)
        if unsigned:
            for kind, _ in attributes_of(unsigned):
                require(kind not in (CONTENT_TYPE, MESSAGE_DIGEST, SIGNING_TIME), "RFC 5652 §11.1, §11.2, §11.3",
                        "the attribute is signed")

    def check_algorithm(self, algorithm):
        """signatureAlgorithm: rsaEncryption (RFC 3370 §3.2), or one that names the same hash (RFC 5754 §3.2)."""
        if algorithm.identifier == rfc5280.RSA_ENCRYPTION:
            require(algorithm.has_null, "RFC 3370 §3.2", "the parameters of rsaEncryption are NULL")
        else:
            require(rfc5280_path.signature_hash(algorithm) == self.digest_name, "RFC 5652 §5.3",
                    "the signature algorithm names the digest algorithm")

    def read_signed(self, element):
        """SignedAttributes (§5.3, §11), which are in DER."""
        values, parts = {}, x690.elements(element.contents)
        x690.check_order(parts)
        for kind, found in attributes_of(element):
            x690.check_order(found)
            values.setdefault(kind, []).append(found)
        for kind, section in ((CONTENT_TYPE, "RFC 5652 §11.1"), (MESSAGE_DIGEST, "RFC 5652 §11.2"),
                              (SIGNING_TIME, "RFC 5652 §11.3")):
            require(kind in values or kind == SIGNING_TIME, "RFC 5652 §5.3", "contentType and messageDigest are there")
            require(kind not in values or [len(found) for found in values[kind]] == [1], section,
                    "the attribute occurs once, with one value")
        (content_type,), (digest,) = values[CONTENT_TYPE][0], values[MESSAGE_DIGEST][0]
        require(x690.object_identifier(content_type) == ID_DATA, "RFC 5652 §11.1", "contentType is the eContentType")
        require(digest.tag == x690.OCTET_STRING, "RFC 5652 §11.2", "messageDigest is an OCTET STRING")
        self.message_digest = digest.contents
        if SIGNING_TIME in values:
            check_signing_time(values[SIGNING_TIME][0][0])
        require(COUNTERSIGNATURE not in values, "RFC 5652 §11.4", "a countersignature is not signed")

    def names(self, certificate):
        """Whether the identifier names a certificate."""
        if self.issuer:
            return (self.issuer, self.serial) == (certificate.issuer, certificate.serial)
        return self.key == certificate.values.get(rfc5280.SUBJECT_KEY_IDENTIFIER)


def attributes_of(element):
    """The types and values of a SET SIZE (1..MAX) OF Attribute (§5.3)."""
    parts = x690.elements(element.contents)
    require(parts, "RFC 5652 §5.3", "there is an attribute (SIZE (1..MAX))")
    for part in parts:
        fields = Fields(part, "Attribute")
        kind, values = x690.object_identifier(fields.next()), fields.next(x690.SET)
        fields.end()
        x690.check_all(values.contents)
        yield kind, x690.elements(values.contents)


def check_signing_time(element):
    """SigningTime (§11.3): a UTCTime for the years 1950 to 2049."""
    rfc5280.time(element)
    is_late = element.tag == x690.GENERALIZED_TIME and not b"1950" <= element.contents[:4] < b"2050"
    require(element.tag == x690.UTC_TIME or is_late, "RFC 5652 §11.3", "the years 1950 to 2049 are a UTCTime")
