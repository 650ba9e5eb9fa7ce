"""RFC 5280 §6: a certification path from a signer to a trusted root, as AUDIT.md lists what is enforced."""
import rfc8017
from rfc5280 import (AUTHORITY_KEY_IDENTIFIER, BASIC_CONSTRAINTS, CERTIFICATE_POLICIES, DECODERS, EXTENDED_KEY_USAGE,
                     KEY_USAGE, RSA_ENCRYPTION, SUBJECT_KEY_IDENTIFIER)
from x690 import Violation, identified, require

#: Bits of KeyUsage (§4.2.1.3).
DIGITAL_SIGNATURE, KEY_CERT_SIGN = 0, 5
ANY_EXTENDED_KEY_USAGE = identified("2.5.29.37.0")
#: Signature algorithms with a hash function (RFC 3279 §2.2.1, RFC 4055 §5).
SHA1_WITH_RSA = identified("1.2.840.113549.1.1.5")
SIGNATURES = {SHA1_WITH_RSA: "sha1", identified("1.2.840.113549.1.1.11"): "sha256",
              identified("1.2.840.113549.1.1.12"): "sha384", identified("1.2.840.113549.1.1.13"): "sha512"}


def signature_hash(algorithm):
    """The hash function of a signature algorithm."""
    require(algorithm.identifier in SIGNATURES, "RFC 5280 §4.1.1.2", "the signature algorithm is supported")
    require(algorithm.has_null or algorithm.parameters is None and algorithm.identifier != SHA1_WITH_RSA,
            "RFC 3279 §2.2.1, RFC 4055 §5", "parameters are NULL, or absent with SHA-2")
    return SIGNATURES[algorithm.identifier]


def signing_key(certificate):
    """The key of a certificate that verifies a signature."""
    require(certificate.key_algorithm.identifier == RSA_ENCRYPTION, "AUDIT.md, Out of scope", "the key is an RSA key")
    rfc8017.check_key(*certificate.key)
    return certificate.key


def check_any(certificate, time, purposes, marker):
    """What holds for each certificate of a path, also the root, at a time (§6.1.3 a 2, §6.1.4 o, §6.1.5 f).

    `purposes` are those that its extendedKeyUsage may name, and `marker` is an extension that it must have, or None.
    """
    require(certificate.not_before <= time, "RFC 5280 §6.1.3 a 2", "the validity has begun")
    # The second of notAfter belongs to the validity (§4.1.2.5).
    require(time < certificate.not_after + 1000, "RFC 5280 §6.1.3 a 2", "the validity has not ended")
    for identifier, is_critical in certificate.extensions.items():
        require(not is_critical or identifier in DECODERS or identifier in (CERTIFICATE_POLICIES, marker),
                "RFC 5280 §6.1.4 o, §6.1.5 f", "each critical extension is processed")
    named = certificate.values.get(EXTENDED_KEY_USAGE)
    require(named is None or not {ANY_EXTENDED_KEY_USAGE, *purposes}.isdisjoint(named),
            "RFC 5280 §4.2.1.12", "the extended key usage permits the purpose")
    require(marker is None or marker in certificate.extensions, "RECEIPTS.md, Trust", "a certificate has its marker")


def check_issuer(issuer, below):
    """What holds for an issuer (§6.1.4); `below` counts the intermediates below it that are not self-issued."""
    constraints = issuer.values.get(BASIC_CONSTRAINTS)
    require(constraints and constraints.is_authority, "RFC 5280 §6.1.4 k", "an issuer is an authority")
    require(constraints.path_length is None or below <= constraints.path_length, "RFC 5280 §6.1.4 l, m",
            "pathLenConstraint allows the certificates below")
    usage = issuer.values.get(KEY_USAGE)
    require(usage is None or KEY_CERT_SIGN in usage, "RFC 5280 §6.1.4 n", "the key usage of an issuer has keyCertSign")


def check_signer(signer):
    usage = signer.values.get(KEY_USAGE)
    require(usage is None or DIGITAL_SIGNATURE in usage, "RFC 5280 §4.2.1.3",
            "the key usage of a signer has digitalSignature")


def check_issued(certificate, issuer):
    """The issuer's name (§6.1.3 a 4) and key identifier (§4.2.1.1), and its signature (§6.1.3 a 1)."""
    require(certificate.issuer == issuer.subject, "RFC 5280 §6.1.3 a 4", "the issuer's name is its subject")
    authority = certificate.values.get(AUTHORITY_KEY_IDENTIFIER)
    if authority:
        key = issuer.values.get(SUBJECT_KEY_IDENTIFIER)
        require(None in (authority.key, key) or authority.key == key, "RFC 5280 §4.2.1.1", "key identifiers are equal")
        require(authority.issuer in (None, issuer.issuer) and authority.serial in (None, issuer.serial),
                "RFC 5280 §4.2.1.1", "the authority's issuer and serial number are those of the issuer")
    rfc8017.check_signature(signing_key(issuer), certificate.signed, certificate.signature,
                            signature_hash(certificate.algorithm))


def check_path(path, time, purposes=(), markers=()):
    """A path, from the signer to a trusted root. The root's own signature means nothing (§6.1)."""
    check_signer(path[0])
    below = 0
    for index, certificate in enumerate(path):
        check_any(certificate, time, purposes, markers[index] if index < len(markers) else None)
        if index > 0:
            check_issuer(certificate, below)
            check_issued(path[index - 1], certificate)
            below += certificate.issuer != certificate.subject


def paths(path, others, roots, size):
    """The prospective paths (§6.1) that go on from a path: names chain, no certificate twice, a root at the end."""
    is_root = any(path[-1].octets == root.octets for root in roots)
    if is_root and len(path) == size:
        yield path
    if is_root or len(path) == size:
        return
    for issuer in {one.octets: one for one in (*others, *roots)}.values():
        if issuer.subject == path[-1].issuer and all(issuer.octets != one.octets for one in path):
            yield from paths([*path, issuer], others, roots, size)


def find_path(signer, others, roots, size, *rules):
    """A valid path with a number of certificates. Raises the violation of the last path that was tried."""
    last = Violation("RFC 5280 §6.1: there is a path of this length to a trusted root")
    for path in paths([signer], others, roots, size):
        try:
            check_path(path, *rules)
            return path
        except Violation as violation:
            last = violation
    raise last
