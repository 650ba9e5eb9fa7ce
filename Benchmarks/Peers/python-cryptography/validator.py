"""Verifies a whole receipt with cryptography: PKCS #7, certificate path, signature.

The library cannot verify a SignedData. Its users declare the ASN.1 that they need with its asn1 module, and
verify with its x509 and rsa modules. Its path validation (x509.verification) is for TLS and refuses SHA-1
signatures, which the certificates of receipts had until 2023. This module therefore implements RFC 5280
section 6.1 by hand.
"""

from datetime import datetime
from typing import Annotated

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat import asn1
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes
from cryptography.x509.oid import SignatureAlgorithmOID

from payload import Refused, creation_date

DATA = x509.ObjectIdentifier("1.2.840.113549.1.7.1")
SIGNED_DATA = x509.ObjectIdentifier("1.2.840.113549.1.7.2")
CONTENT_TYPE = x509.ObjectIdentifier("1.2.840.113549.1.9.3")
MESSAGE_DIGEST = x509.ObjectIdentifier("1.2.840.113549.1.9.4")
RSA_ENCRYPTION = x509.ObjectIdentifier("1.2.840.113549.1.1.1")
# For each digest: the hash, and the identifier of RSA with that hash (RFC 3279 section 2.2.1, RFC 4055
# section 5).
DIGESTS = {
    x509.ObjectIdentifier("1.3.14.3.2.26"): (hashes.SHA1(), SignatureAlgorithmOID.RSA_WITH_SHA1),
    x509.ObjectIdentifier("2.16.840.1.101.3.4.2.1"): (hashes.SHA256(), SignatureAlgorithmOID.RSA_WITH_SHA256),
    x509.ObjectIdentifier("2.16.840.1.101.3.4.2.2"): (hashes.SHA384(), SignatureAlgorithmOID.RSA_WITH_SHA384),
    x509.ObjectIdentifier("2.16.840.1.101.3.4.2.3"): (hashes.SHA512(), SignatureAlgorithmOID.RSA_WITH_SHA512),
}
KNOWN_EXTENSIONS = (x509.BasicConstraints, x509.KeyUsage, x509.ExtendedKeyUsage, x509.CertificatePolicies)
MAXIMUM_PATH = 5


@asn1.sequence
class AlgorithmIdentifier:
    algorithm: x509.ObjectIdentifier
    parameters: asn1.Null | None


@asn1.sequence
class EncapsulatedContentInfo:
    content_type: x509.ObjectIdentifier
    content: Annotated[bytes | None, asn1.Explicit(0)]


@asn1.sequence
class Attribute:
    type: x509.ObjectIdentifier
    values: asn1.SetOf[asn1.TLV]


@asn1.sequence
class IssuerAndSerialNumber:
    issuer: x509.Name
    serial_number: int


@asn1.sequence
class SignerInfo:
    version: int
    identifier: IssuerAndSerialNumber
    digest_algorithm: AlgorithmIdentifier
    signed_attributes: Annotated[asn1.SetOf[Attribute] | None, asn1.Implicit(0)]
    signature_algorithm: AlgorithmIdentifier
    signature: bytes


# The standard declares the certificates as a SET OF. A list accepts them in any order, as they occur in
# receipts.
@asn1.sequence
class SignedData:
    version: int
    digest_algorithms: asn1.SetOf[AlgorithmIdentifier]
    encapsulated: EncapsulatedContentInfo
    certificates: Annotated[list[x509.Certificate] | None, asn1.Implicit(0)]
    signer_infos: asn1.SetOf[SignerInfo]


@asn1.sequence
class ContentInfo:
    content_type: x509.ObjectIdentifier
    content: Annotated[SignedData, asn1.Explicit(0)]


class Validator:
    """Verifies receipts whose certificates lead to one pinned root."""

    def __init__(self, root: bytes):
        self.root = x509.load_der_x509_certificate(root)
        self.padding = padding.PKCS1v15()

    def validate(self, receipt: bytes) -> tuple[bytes, list[x509.Certificate]]:
        """Validates a receipt. Returns its payload and its path, leaf first."""
        signed_data = decode_signed_data(receipt)
        content = signed_data.encapsulated.content
        if content is None:
            raise Refused("the message has no content")
        signers = signed_data.signer_infos.as_list()
        if len(signers) != 1:
            raise Refused(f"the message has {len(signers)} signers")
        certificates = signed_data.certificates or []
        leaf = signer_certificate(signers[0], certificates)
        path = self.path(leaf, certificates, creation_date(content))
        self.check_signature(signers[0], leaf.public_key(), content)
        return content, path

    def path(
        self, leaf: x509.Certificate, certificates: list[x509.Certificate], time: datetime
    ) -> list[x509.Certificate]:
        """Returns the certificates from the leaf to the pinned root. Each must be valid at the given time."""
        path = [leaf]
        check_certificate(leaf, time)
        while path[-1] != self.root:
            issuer = issuer_of(path[-1], [self.root, *certificates])
            if issuer == path[-1] or len(path) == MAXIMUM_PATH:
                raise Refused("the path does not lead to the root")
            check_certificate(issuer, time)
            check_authority(issuer, below=len(path) - 1)
            path.append(issuer)
        return path

    def check_signature(self, signer: SignerInfo, key: CertificatePublicKeyTypes, content: bytes) -> None:
        """Raises unless the signature verifies with the key. It must be over the content, or over signed
        attributes that contain the content's digest (RFC 5652 section 5.4)."""
        if not isinstance(key, rsa.RSAPublicKey):
            raise Refused("the key is not an RSA key")
        digest, digest_with_rsa = DIGESTS.get(signer.digest_algorithm.algorithm, (None, None))
        if digest is None or signer.signature_algorithm.algorithm not in (RSA_ENCRYPTION, digest_with_rsa):
            raise Refused("the algorithm is unknown")
        signed = content
        if signer.signed_attributes is not None:
            check_signed_attributes(signer.signed_attributes.as_list(), hashes.Hash.hash(digest, content))
            signed = asn1.encode_der(signer.signed_attributes)
        key.verify(signer.signature, signed, self.padding, digest)


def decode_signed_data(receipt: bytes) -> SignedData:
    content_info = asn1.decode_der(ContentInfo, receipt)
    if content_info.content_type != SIGNED_DATA or content_info.content.encapsulated.content_type != DATA:
        raise Refused("the message is not a SignedData with content of type data")
    return content_info.content


def signer_certificate(signer: SignerInfo, certificates: list[x509.Certificate]) -> x509.Certificate:
    for certificate in certificates:
        # Compares the serial number first, because comparing names is expensive.
        if (
            certificate.serial_number == signer.identifier.serial_number
            and certificate.issuer == signer.identifier.issuer
        ):
            return certificate
    raise Refused("the signer's certificate is missing")


def issuer_of(certificate: x509.Certificate, candidates: list[x509.Certificate]) -> x509.Certificate:
    """Returns the candidate that has the issuer's name and whose key verifies the certificate's signature.

    Certificate.verify_directly_issued_by does the same, but does not support SHA-1.
    """
    name = certificate.issuer
    for candidate in candidates:
        key = candidate.public_key()
        if candidate.subject != name or not isinstance(key, rsa.RSAPublicKey):
            continue
        try:
            key.verify(
                certificate.signature,
                certificate.tbs_certificate_bytes,
                certificate.signature_algorithm_parameters,
                certificate.signature_hash_algorithm,
            )
            return candidate
        except InvalidSignature:
            continue
    raise Refused(f"no candidate issued {certificate.subject.rfc4514_string()}")


def check_certificate(certificate: x509.Certificate, time: datetime) -> None:
    """Raises unless the certificate is valid at the given time and all its critical extensions are known."""
    if not certificate.not_valid_before_utc <= time <= certificate.not_valid_after_utc:
        raise Refused(f"{certificate.subject.rfc4514_string()} is not valid at {time}")
    for extension in certificate.extensions:
        if extension.critical and not isinstance(extension.value, KNOWN_EXTENSIONS):
            raise Refused(f"{extension.oid.dotted_string} is critical and unknown")


def check_authority(certificate: x509.Certificate, below: int) -> None:
    """Raises unless the certificate may issue with `below` authorities below it (RFC 5280 section 6.1.4)."""
    try:
        constraints = certificate.extensions.get_extension_for_class(x509.BasicConstraints).value
    except x509.ExtensionNotFound:
        raise Refused("an issuer has no basic constraints") from None
    if not constraints.ca or (constraints.path_length is not None and constraints.path_length < below):
        raise Refused("an issuer is not an authority, or its path length constraint is exceeded")
    try:
        usage = certificate.extensions.get_extension_for_class(x509.KeyUsage).value
    except x509.ExtensionNotFound:
        return
    if not usage.key_cert_sign:
        raise Refused("an issuer's key usage does not allow it to sign certificates")


def check_signed_attributes(attributes: list[Attribute], digest: bytes) -> None:
    values = {attribute.type: attribute.values.as_list() for attribute in attributes}
    if len(values) != len(attributes):
        raise Refused("a signed attribute occurs twice")
    if [value.parse(x509.ObjectIdentifier) for value in values.get(CONTENT_TYPE, [])] != [DATA]:
        raise Refused("the signed content type is not the content's")
    if [value.parse(bytes) for value in values.get(MESSAGE_DIGEST, [])] != [digest]:
        raise Refused("the signed digest is not the content's")
