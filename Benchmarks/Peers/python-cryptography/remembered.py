"""Validates receipts with paths known from earlier receipts. Certificates are compared as bytes, not decoded.

The reader of payload.py reads the container. The library verifies only the signature, with a kept key.
"""

from dataclasses import dataclass
from datetime import datetime

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from payload import (
    CREATION_DATE,
    IN_APP_PURCHASE,
    INTEGER,
    NULL,
    OBJECT_IDENTIFIER,
    OCTET_STRING,
    REFUSALS,
    SEQUENCE,
    SET,
    Refused,
    attributes,
    contents,
    date,
)
from validator import Validator

CONTEXT_0 = 0xA0
DATA = bytes.fromhex("2a864886f70d010701")
SIGNED_DATA = bytes.fromhex("2a864886f70d010702")
CONTENT_TYPE = bytes.fromhex("2a864886f70d010903")
MESSAGE_DIGEST = bytes.fromhex("2a864886f70d010904")
RSA_ENCRYPTION = bytes.fromhex("2a864886f70d010101")
# For each digest's object identifier: the hash, and the identifier of RSA with that hash.
DIGESTS = {
    bytes.fromhex("2b0e03021a"): (hashes.SHA1(), bytes.fromhex("2a864886f70d010105")),
    bytes.fromhex("608648016503040201"): (hashes.SHA256(), bytes.fromhex("2a864886f70d01010b")),
    bytes.fromhex("608648016503040202"): (hashes.SHA384(), bytes.fromhex("2a864886f70d01010c")),
    bytes.fromhex("608648016503040203"): (hashes.SHA512(), bytes.fromhex("2a864886f70d01010d")),
}


@dataclass(slots=True)
class Path:
    """A known path: the certificates' bytes, the signer's identifier, its key, and the path's validity."""

    certificates: bytes
    signer: bytes
    key: rsa.RSAPublicKey
    not_before: datetime
    not_after: datetime


@dataclass(slots=True)
class Container:
    """The positions of the parts of a SignedData with one signer, as starts and ends."""

    content: tuple[int, int]
    certificates: tuple[int, int]
    signer: tuple[int, int]
    digest_algorithm: bytes
    signed_attributes: tuple[int, int] | None
    signature_algorithm: bytes
    signature: tuple[int, int]


class RememberingValidator:
    """A validator that keeps the paths of earlier receipts."""

    def __init__(self, root: bytes):
        self.validator = Validator(root)
        self.paths: list[Path] = []
        self.padding = padding.PKCS1v15()

    def validate(self, receipt: bytes) -> int:
        """Validates a receipt. Returns the number of attributes, including the attributes of purchases."""
        container = read_container(receipt)
        path = self.remembered(receipt, container)
        start, end = container.content
        content = receipt[start:end]
        check_signature(receipt, container, content, path.key, self.padding)
        time, count = walk(content)
        if not path.not_before <= time <= path.not_after:
            raise Refused(f"the path is not valid at {time}")
        return count

    def remembered(self, receipt: bytes, container: Container) -> Path:
        certificates = receipt[slice(*container.certificates)]
        signer = receipt[slice(*container.signer)]
        for path in self.paths:
            if path.certificates == certificates and path.signer == signer:
                return path
        _, chain = self.validator.validate(receipt)
        path = Path(
            certificates=certificates,
            signer=signer,
            key=chain[0].public_key(),
            not_before=max(certificate.not_valid_before_utc for certificate in chain),
            not_after=min(certificate.not_valid_after_utc for certificate in chain),
        )
        self.paths.append(path)
        return path


def read_container(data: bytes) -> Container:
    at, end = contents(data, SEQUENCE, 0, len(data))
    if end != len(data):
        raise Refused("octets follow the receipt")
    at = expect(data, SIGNED_DATA, at, end)
    at, end = contents(data, CONTEXT_0, at, end)
    at, end = contents(data, SEQUENCE, at, end)
    _, at = contents(data, INTEGER, at, end)
    _, at = contents(data, SET, at, end)
    start, after = contents(data, SEQUENCE, at, end)
    start = expect(data, DATA, start, after)
    content = contents(data, OCTET_STRING, contents(data, CONTEXT_0, start, after)[0], after)
    certificates = contents(data, CONTEXT_0, after, end)
    at, end = contents(data, SET, certificates[1], end)
    at, last = contents(data, SEQUENCE, at, end)
    if last != end:
        raise Refused("more than one signer")
    _, at = contents(data, INTEGER, at, end)
    signer = contents(data, SEQUENCE, at, end)
    digest_algorithm, at = algorithm(data, signer[1], end)
    signed_attributes = None
    if data[at] == CONTEXT_0:
        signed_attributes = (at, contents(data, CONTEXT_0, at, end)[1])
        at = signed_attributes[1]
    signature_algorithm, at = algorithm(data, at, end)
    signature = contents(data, OCTET_STRING, at, end)
    return Container(
        content, certificates, signer, digest_algorithm, signed_attributes, signature_algorithm, signature
    )


def expect(data: bytes, identifier: bytes, at: int, end: int) -> int:
    """Returns where the object identifier at `at` ends. Raises unless it is the given one."""
    start, after = contents(data, OBJECT_IDENTIFIER, at, end)
    if data[start:after] != identifier:
        raise Refused(f"the object identifier at {at} is not the expected one")
    return after


def algorithm(data: bytes, at: int, end: int) -> tuple[bytes, int]:
    """Returns the object identifier of the AlgorithmIdentifier at `at`, and where the latter ends."""
    start, after = contents(data, SEQUENCE, at, end)
    first, last = contents(data, OBJECT_IDENTIFIER, start, after)
    if last != after and contents(data, NULL, last, after) != (after, after):
        raise Refused(f"the algorithm at {at} has parameters")
    return data[first:last], after


def check_signature(
    data: bytes, container: Container, content: bytes, key: rsa.RSAPublicKey, scheme: padding.PKCS1v15
) -> None:
    digest, digest_with_rsa = DIGESTS.get(container.digest_algorithm, (None, None))
    if digest is None or container.signature_algorithm not in (RSA_ENCRYPTION, digest_with_rsa):
        raise Refused("the algorithm is unknown")
    signed = content
    if container.signed_attributes is not None:
        start, end = container.signed_attributes
        # The signature covers the attributes with the tag of a SET, not with [0] (RFC 5652 section 5.4).
        signed = bytes([SET]) + data[start + 1 : end]
        check_signed_attributes(signed, hashes.Hash.hash(digest, content))
    key.verify(data[slice(*container.signature)], signed, scheme, digest)


def check_signed_attributes(data: bytes, digest: bytes) -> None:
    values = {}
    at, end = contents(data, SET, 0, len(data))
    while at < end:
        start, after = contents(data, SEQUENCE, at, end)
        first, last = contents(data, OBJECT_IDENTIFIER, start, after)
        if data[first:last] in values:
            raise Refused("a signed attribute occurs twice")
        values[data[first:last]] = data[slice(*contents(data, SET, last, after))]
        at = after
    if values.get(CONTENT_TYPE) != bytes([OBJECT_IDENTIFIER, len(DATA)]) + DATA:
        raise Refused("the signed content type is not the content's")
    if values.get(MESSAGE_DIGEST) != bytes([OCTET_STRING, len(digest)]) + digest:
        raise Refused("the signed digest is not the content's")


def walk(payload: bytes) -> tuple[datetime, int]:
    """Returns the payload's creation date and number of attributes, including the attributes of purchases."""
    time = None
    count = 0
    for kind, _, start, end in attributes(payload, 0, len(payload)):
        count += 1
        if kind == CREATION_DATE and time is None:
            time = date(payload, start, end)
        elif kind == IN_APP_PURCHASE:
            try:
                count += sum(1 for _ in attributes(payload, start, end))
            except REFUSALS:
                # A purchase that cannot be read is skipped. The receipt is valid without it.
                continue
    if time is None:
        raise Refused("no creation date")
    return time, count
