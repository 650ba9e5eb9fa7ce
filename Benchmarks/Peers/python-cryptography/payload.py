"""Reads the payload of a receipt with a small DER reader (X.690).

A receipt's payload is a SET OF SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }. It is not decoded
with cryptography's asn1 module, because that module requires the order of a SET (X.690 section 11.6), which some
writers of receipts do not keep.
"""

from collections.abc import Iterator
from datetime import datetime

from cryptography.exceptions import InvalidSignature

INTEGER, OCTET_STRING, NULL, OBJECT_IDENTIFIER, IA5_STRING = 0x02, 0x04, 0x05, 0x06, 0x16
SEQUENCE, SET = 0x30, 0x31
CREATION_DATE, IN_APP_PURCHASE = 12, 17


class Refused(Exception):
    """The receipt is refused. The text gives the reason."""


# The exceptions that hostile input causes. Decoders and dates raise ValueError or TypeError, and reading past
# the end raises IndexError.
REFUSALS = (Refused, ValueError, IndexError, TypeError, InvalidSignature)


def contents(data: bytes, tag: int, at: int, end: int) -> tuple[int, int]:
    """Returns where the contents of the element at `at` start and end.

    Raises unless the element has the given tag and ends at or before `end`.
    """
    if data[at] != tag:
        raise Refused(f"tag {data[at]:#04x} at {at}, not {tag:#04x}")
    length = data[at + 1]
    start = at + 2
    if length >= 0x80:
        start += length & 0x7F
        length = int.from_bytes(data[at + 2 : start], "big")
        if length < 0x80 or data[at + 2] == 0:
            raise Refused(f"the length at {at} is not DER")
    if start + length > end:
        raise Refused(f"the element at {at} ends after its container")
    return start, start + length


def attributes(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Yields type, version, start of the value and end of the value for each attribute of the SET at `at`."""
    at, last = contents(data, SET, at, end)
    if last != end:
        raise Refused(f"octets follow the SET that ends at {last}")
    while at < end:
        start, after = contents(data, SEQUENCE, at, end)
        type_start, type_end = contents(data, INTEGER, start, after)
        version_start, version_end = contents(data, INTEGER, type_end, after)
        value_start, value_end = contents(data, OCTET_STRING, version_end, after)
        if value_end != after:
            raise Refused(f"octets follow the value of the attribute at {at}")
        kind = int.from_bytes(data[type_start:type_end], "big", signed=True)
        version = int.from_bytes(data[version_start:version_end], "big", signed=True)
        yield kind, version, value_start, value_end
        at = after


def date(data: bytes, start: int, end: int) -> datetime:
    """Returns the time in the value of a date attribute, an IA5String in the format of RFC 3339."""
    first, last = contents(data, IA5_STRING, start, end)
    if first == last:
        raise Refused("the creation date is empty")
    time = datetime.fromisoformat(str(data[first:last], "ascii"))
    if time.tzinfo is None:
        raise Refused("the creation date has no time zone")
    return time


def creation_date(payload: bytes) -> datetime:
    """Returns the creation date that the payload states. Ignores the rest of the payload."""
    for kind, _, start, end in attributes(payload, 0, len(payload)):
        if kind == CREATION_DATE:
            return date(payload, start, end)
    raise Refused("no creation date")
