"""RFC 5280 §4: a certificate and its extensions, as AUDIT.md lists what is enforced."""
import re

import x690
from x690 import Fields, identified, only, require

#: Extensions whose value is decoded in every certificate (§4.2.1).
SUBJECT_KEY_IDENTIFIER, KEY_USAGE, BASIC_CONSTRAINTS = map(identified, ("2.5.29.14", "2.5.29.15", "2.5.29.19"))
AUTHORITY_KEY_IDENTIFIER, EXTENDED_KEY_USAGE = identified("2.5.29.35"), identified("2.5.29.37")
#: This extension is decoded only if it is critical.
CERTIFICATE_POLICIES = identified("2.5.29.32")
ID_QT_CPS, ID_QT_UNOTICE = identified("1.3.6.1.5.5.7.2.1"), identified("1.3.6.1.5.5.7.2.2")
RSA_ENCRYPTION = identified("1.2.840.113549.1.1.1")
#: The last bit of KeyUsage (§4.2.1.3).
DECIPHER_ONLY = 8
#: GeneralName (§4.2.1.6): the tags of its choices; those that are constructed hold other elements.
GENERAL_NAMES = (0xA0, 0x81, 0x82, 0xA3, 0xA4, 0xA5, 0x86, 0x87, 0x88)


class AlgorithmIdentifier:
    """AlgorithmIdentifier (§4.1.1.2): an identifier, and the parameters' octets, or None."""

    def __init__(self, element):
        fields = Fields(element, "AlgorithmIdentifier")
        self.octets = element.octets
        self.identifier = x690.object_identifier(fields.next())
        parameters = fields.rest and fields.next()
        fields.end()
        if parameters and parameters.is_constructed:
            x690.check_all(parameters.contents)
        self.parameters = parameters.octets if parameters else None

    @property
    def has_null(self):
        return self.parameters == b"\x05\x00"


def check_name(element, what):
    """Name (§4.1.2.4). Names are compared by their octets, so the strings are not read."""
    require(element.tag == x690.SEQUENCE, "RFC 5280 §4.1.2.4", f"{what} is a SEQUENCE")
    for relative in x690.elements(element.contents):
        require(relative.tag == x690.SET, "RFC 5280 §4.1.2.4", "a RelativeDistinguishedName is a SET")
        attributes = x690.elements(relative.contents)
        require(attributes, "RFC 5280 §4.1.2.4", "a RelativeDistinguishedName has an attribute (SIZE (1..MAX))")
        for attribute in attributes:
            fields = Fields(attribute, "AttributeTypeAndValue")
            x690.object_identifier(fields.next())
            value = fields.next()
            fields.end()
            if value.is_constructed:
                x690.check_all(value.contents)


def milliseconds(numbers, section):
    """A date's milliseconds since 1970, from its year, month, day, hour, minute and second."""
    year, month, day, hour, minute, second = numbers
    require(1 <= month <= 12 and hour < 24 and minute < 60 and second < 60, section, "a time is one of the day")
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = (31, 28 + is_leap, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    require(1 <= day <= days[month - 1], section, "a date is one of the calendar")
    # Days before the year: February 29 falls in each fourth year, but not in three of four hundredth years.
    before = 365 * year + sum(-(-year // n) * sign for n, sign in ((4, 1), (100, -1), (400, 1)))
    return 1000 * (86_400 * (before - 719_528 + sum(days[:month - 1]) + day - 1) + 3600 * hour + 60 * minute + second)


def time(element):
    """Time (§4.1.2.5), in milliseconds since 1970. Fractions of a second and offsets are not allowed."""
    text = element.contents.decode("latin-1")
    if element.tag == x690.UTC_TIME:
        section, text = "RFC 5280 §4.1.2.5.1", ("19" if text[:2] >= "50" else "20") + text
    else:
        section = "RFC 5280 §4.1.2.5.2"
        require(element.tag == x690.GENERALIZED_TIME, "RFC 5280 §4.1.2.5", "a Time is a UTCTime or a GeneralizedTime")
    require(re.fullmatch("[0-9]{14}Z", text), section, "a time has its digits, up to the seconds, and Z")
    return milliseconds((int(text[:4]), *(int(text[at:at + 2]) for at in range(4, 14, 2))), section)


def public_key(element):
    """SubjectPublicKeyInfo (§4.1.2.7): the algorithm, and the numbers of an RSAPublicKey (RFC 8017 §A.1.1), or None."""
    fields = Fields(element, "SubjectPublicKeyInfo")
    algorithm, key = AlgorithmIdentifier(fields.next(x690.SEQUENCE)), fields.next()
    fields.end()
    if algorithm.identifier != RSA_ENCRYPTION:
        x690.bit_string(key)
        return algorithm, None
    require(algorithm.has_null, "RFC 3279 §2.3.1", "the parameters of rsaEncryption are NULL")
    fields = Fields(only(x690.whole_octets(key)), "RSAPublicKey")
    numbers = x690.integer(fields.next()), x690.integer(fields.next())
    fields.end()
    require(min(numbers) >= 0, "RFC 8017 §3.1", "modulus and exponent are positive; 0 is refused when the key is used")
    return algorithm, numbers


class BasicConstraints:
    """BasicConstraints (§4.2.1.9)."""

    def __init__(self, value):
        fields = Fields(value, "BasicConstraints")
        self.is_authority = x690.boolean_of_default_false(fields.optional(x690.BOOLEAN))
        limit = fields.optional(x690.INTEGER)
        fields.end()
        self.path_length = x690.integer(limit) if limit else None
        require(limit is None or self.path_length >= 0, "RFC 5280 §4.2.1.9", "pathLenConstraint is INTEGER (0..MAX)")
        require(limit is None or self.is_authority, "RFC 5280 §4.2.1.9", "pathLenConstraint stands only with cA")
        require(limit is None or self.path_length < 2**63, "stricter than RFC 5280 §4.2.1.9", "64 bits hold it")


def key_usage(value):
    """KeyUsage (§4.2.1.3): the numbers of the bits that are set."""
    unused, octets = x690.bit_string(value)
    bits = {8 * n + bit for n, octet in enumerate(octets) for bit in range(8) if octet & 0x80 >> bit}
    require(bits, "RFC 5280 §4.2.1.3", "at least one bit is set")
    require(max(bits) == 8 * len(octets) - unused - 1, "X.690 §11.2.2", "a list of named bits ends with a one")
    require(max(bits) <= DECIPHER_ONLY, "stricter than X.680 §22.6", "no bit is set that has no name")
    return bits


def extended_key_usage(value):
    """ExtKeyUsageSyntax (§4.2.1.12): the purposes."""
    require(value.tag == x690.SEQUENCE, "RFC 5280 §4.2.1.12", "ExtKeyUsageSyntax is a SEQUENCE")
    purposes = [x690.object_identifier(one) for one in x690.elements(value.contents)]
    require(purposes, "RFC 5280 §4.2.1.12", "ExtKeyUsageSyntax has a purpose (SIZE (1..MAX))")
    require(len(purposes) <= 64, "AUDIT.md, Limits", "there are at most 64 purposes")
    return purposes


def subject_key_identifier(value):
    """SubjectKeyIdentifier (§4.2.1.2)."""
    require(value.tag == x690.OCTET_STRING, "RFC 5280 §4.2.1.2", "a KeyIdentifier is an OCTET STRING")
    return value.contents


class AuthorityKeyIdentifier:
    """AuthorityKeyIdentifier (§4.2.1.1): the key, and the issuer's first directoryName and its serial number."""

    def __init__(self, value):
        fields = Fields(value, "AuthorityKeyIdentifier")
        key, names, serial = fields.optional(0x80), fields.optional(0xA1), fields.optional(0x82)
        fields.end()
        self.key = key.contents if key else None
        self.serial, self.issuer = None, None
        require((names is None) == (serial is None), "RFC 5280 §A.2",
                "authorityCertIssuer and authorityCertSerialNumber stand together")
        if names:
            self.serial = serial.contents
            check_serial(serial, 0x82)
            choices = x690.elements(names.contents)
            require(choices, "RFC 5280 §4.2.1.6", "GeneralNames has a name (SIZE (1..MAX))")
            for choice in choices:
                self.add(choice)

    def add(self, choice):
        """GeneralName (§4.2.1.6)."""
        require(choice.tag in GENERAL_NAMES, "RFC 5280 §4.2.1.6", "a GeneralName is one of nine choices")
        if choice.tag == 0xA4:
            name = only(choice.contents)
            check_name(name, "directoryName")
            self.issuer = self.issuer or name.octets
        elif choice.is_constructed:
            x690.check_all(choice.contents)


def check_policies(value):
    """CertificatePolicies (§4.2.1.4), with the qualifiers that the section defines."""
    require(value.tag == x690.SEQUENCE and value.contents, "RFC 5280 §4.2.1.4", "there is a policy (SIZE (1..MAX))")
    policies = []
    for information in x690.elements(value.contents):
        fields = Fields(information, "PolicyInformation")
        policies.append(x690.object_identifier(fields.next()))
        qualifiers = fields.optional(x690.SEQUENCE)
        fields.end()
        require(qualifiers is None or qualifiers.contents, "RFC 5280 §4.2.1.4", "there is a qualifier (SIZE (1..MAX))")
        for qualifier in x690.elements(qualifiers.contents) if qualifiers else []:
            inner = Fields(qualifier, "PolicyQualifierInfo")
            kind, content = x690.object_identifier(inner.next()), inner.next()
            inner.end()
            require(kind in (ID_QT_CPS, ID_QT_UNOTICE), "RFC 5280 §4.2.1.4", "the qualifier is CPSuri or UserNotice")
            require(content.tag == (x690.IA5_STRING if kind == ID_QT_CPS else x690.SEQUENCE), "RFC 5280 §4.2.1.4",
                    "a CPSuri is an IA5String, and a UserNotice a SEQUENCE")
            if content.is_constructed:
                x690.check_all(content.contents)
    require(len(set(policies)) == len(policies), "RFC 5280 §4.2.1.4", "no policy appears twice")


def check_serial(element, tag=x690.INTEGER):
    """CertificateSerialNumber (§4.1.2.2); numbers that are not positive are accepted, as the section asks."""
    x690.integer(element, tag)
    require(len(element.contents) <= 20, "RFC 5280 §4.1.2.2", "a serial number has at most 20 octets")


DECODERS = {SUBJECT_KEY_IDENTIFIER: subject_key_identifier, KEY_USAGE: key_usage, BASIC_CONSTRAINTS: BasicConstraints,
            AUTHORITY_KEY_IDENTIFIER: AuthorityKeyIdentifier, EXTENDED_KEY_USAGE: extended_key_usage}


class Certificate:
    """Certificate (§4.1). `extensions` has the criticality and the value of each, by its identifier."""

    def __init__(self, element):
        self.octets = element.octets
        fields = Fields(element, "Certificate")
        signed = fields.next(x690.SEQUENCE)
        self.signed = signed.octets
        self.algorithm = AlgorithmIdentifier(fields.next(x690.SEQUENCE))
        self.signature = x690.whole_octets(fields.next())
        fields.end()

        fields = Fields(signed, "TBSCertificate")
        version = self.version(fields.optional(0xA0))
        serial = fields.next()
        check_serial(serial)
        self.serial = serial.contents
        require(fields.next().octets == self.algorithm.octets, "RFC 5280 §4.1.1.2",
                "the signature algorithm is equal inside and outside of the signed part")
        issuer = fields.next()
        check_name(issuer, "issuer")
        require(issuer.contents, "RFC 5280 §4.1.2.4", "the issuer is not empty")
        validity = Fields(fields.next(), "Validity")
        self.not_before, self.not_after = time(validity.next()), time(validity.next())
        validity.end()
        subject = fields.next()
        check_name(subject, "subject")
        self.issuer, self.subject = issuer.octets, subject.octets
        self.key_algorithm, self.key = public_key(fields.next())
        for tag in (0x81, 0x82):
            identifier = fields.optional(tag)
            if identifier:
                x690.bit_string(identifier, tag)
                require(version > 0, "RFC 5280 §4.1.2.8", "unique identifiers stand in versions 2 and 3")
        extensions = fields.optional(0xA3)
        fields.end()
        require(extensions is None or version == 2, "RFC 5280 §4.1.2.9", "extensions stand in version 3")
        self.read_extensions(only(extensions.contents) if extensions else None)

    @staticmethod
    def version(element):
        """Version (§4.1.2.1): the number, which is one less than the version."""
        if element is None:
            return 0
        version = x690.integer(only(element.contents))
        require(version != 0, "X.690 §11.5", "version 1 is the default and not encoded")
        require(version in (1, 2), "RFC 5280 §4.1.2.1", "the version is 1, 2 or 3")
        return version

    def read_extensions(self, element):
        """Extensions (§4.1.2.9, §4.2)."""
        self.extensions, self.values = {}, {}
        if element is None:
            return
        require(element.tag == x690.SEQUENCE and element.contents, "RFC 5280 §4.1.2.9", "extensions has SIZE (1..MAX)")
        for extension in x690.elements(element.contents):
            fields = Fields(extension, "Extension")
            identifier = x690.object_identifier(fields.next())
            is_critical = x690.boolean_of_default_false(fields.optional(x690.BOOLEAN))
            value = fields.next(x690.OCTET_STRING).contents
            fields.end()
            require(identifier not in self.extensions, "RFC 5280 §4.2", "no extension appears twice")
            self.extensions[identifier] = is_critical
            if identifier in DECODERS:
                self.values[identifier] = DECODERS[identifier](only(value))
            elif identifier == CERTIFICATE_POLICIES and is_critical:
                check_policies(only(value))
        require(len(self.extensions) <= 64, "AUDIT.md, Limits", "a certificate has at most 64 extensions")
