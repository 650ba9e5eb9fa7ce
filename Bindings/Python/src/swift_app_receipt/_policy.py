"""Policies: the requirements on a receipt."""

from __future__ import annotations

import dataclasses
import enum
import typing
from collections.abc import Collection
from ctypes import c_void_p
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal

from . import _library as c


class Anything(enum.Enum):
    """The type of ANY."""

    ANY = "any"


#: Accepts every environment, or every bundle identifier.
ANY: Final = Anything.ANY

Environment = Literal["Production", "ProductionVPP", "ProductionSandbox", "ProductionVPPSandbox", "Xcode"]

#: The requirement on evidence about revocation.
Revocation = Literal["required", "if-present"]

# In the order of the numbers in app_receipt.h, from 1.
_REVOCATIONS: Final = typing.get_args(Revocation)

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits on the work that a receipt may cause. None stands for the default, which is also the maximum."""

    # In the order of the numbers in app_receipt.h, from 1.
    input_bytes: int | None = None
    depth: int | None = None
    elements: int | None = None
    certificates: int | None = None
    extensions: int | None = None
    purposes: int | None = None
    modulus_bits: int | None = None
    exponent_bits: int | None = None
    attributes: int | None = None
    signature_checks: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The requirements on a receipt.

    `environments` and `bundle_identifiers` have no default: a sandbox receipt is signed like a real one, and
    a receipt for another app like one for yours. Each is a collection of accepted values, one value, or ANY.
    """

    environments: Collection[Environment] | Environment | Literal[Anything.ANY]
    bundle_identifiers: Collection[str] | str | Literal[Anything.ANY]
    #: The required version. None leaves the version unchecked.
    app_version: str | None = None
    #: Candidates for the device; one must match. Each is the 16 bytes of identifierForVendor, or the 6 bytes
    #: of a network interface's address. None leaves the device unchecked.
    device_identifiers: Collection[bytes] | None = None
    #: Certificates in DER to trust in place of Apple's roots. None trusts Apple's.
    roots: Collection[bytes] | None = None
    #: Does not require Apple's marker extensions, under `roots`. Every certificate that an intermediate of
    #: these roots issued can then sign receipts.
    without_markers: bool = False
    #: Trusts the certificate of StoreKit testing in Xcode in place of Apple's roots. Its private key is
    #: public. Under it only the environment Xcode is accepted. For tests. With `roots`: other self-signed
    #: certificates of that kind.
    xcode_testing: bool = False
    #: Certificates in DER between the signer of a transaction receipt and a root. Apple's are built in.
    issuers: Collection[bytes] = ()
    #: The present time, kept in UTC. None leaves the expiration date of Volume Purchase receipts unchecked.
    #: Evidence must be fresh at this time, so make another policy when time has passed.
    now: datetime | None = None
    #: When the certificates must be valid. None stands for the receipt's creation date, as Apple judges.
    path_time: datetime | None = None
    #: SHA-256 fingerprints of certificates, or of their SubjectPublicKeyInfo, that make a path invalid. None
    #: distrusts no certificate.
    distrusted: Collection[bytes] | None = None
    #: OCSP responses in DER about certificates of the path, as evidence about revocation. Nothing is fetched.
    #: Keep a validator for a policy with evidence: functions such as validate, which take a policy, read the
    #: evidence again for each call.
    ocsp_responses: Collection[bytes] | None = None
    #: Revocation lists (CRLs) in DER, as evidence.
    revocation_lists: Collection[bytes] | None = None
    #: "required", the default with evidence, refuses a receipt unless evidence proves for each certificate of
    #: the path that it is not revoked. "if-present" refuses for a revoked certificate; `not_checked` has
    #: `revocation` if evidence is missing or stale. None without evidence leaves revocation unchecked.
    revocation: Revocation | None = None
    #: The weakest hash algorithm in signatures: 160 (SHA-1), 256, 384 or 512. Genuine receipts up to 2023 use
    #: SHA-1.
    minimum_digest_bits: int = 160
    limits: Limits = Limits()

    def __post_init__(self) -> None:
        keep_collections(
            self,
            "device_identifiers",
            "roots",
            "issuers",
            "distrusted",
            "ocsp_responses",
            "revocation_lists",
        )
        keep_times(self, "now", "path_time")


def keep_collections(policy: Any, *names: str) -> None:
    """Makes tuples of the accepted values, and of the collections of bytes with these names.

    Tuples make a policy immutable and hashable, whatever the caller does with its collections.
    """
    for name in ("environments", "bundle_identifiers"):
        value = getattr(policy, name)
        if isinstance(value, str):
            value = (value,)
        elif value is not ANY:
            value = members(name, value)
        object.__setattr__(policy, name, value)
    for name in names:
        value = getattr(policy, name)
        if value is not None:
            value = tuple(octets(name, octet) for octet in members(name, value))
        object.__setattr__(policy, name, value)


def keep_times(policy: Any, *names: str) -> None:
    """Keeps the times with these names in UTC.

    Two datetimes can be equal and mean two times: `fold` does not count when they are compared.
    """
    for name in names:
        value = getattr(policy, name)
        if value is not None:
            milliseconds(value, name)
            try:
                object.__setattr__(policy, name, value.astimezone(UTC))
            except OverflowError:
                raise ValueError(f"{name}: {value!r} has no time in UTC") from None


def make_validator(policy: Policy) -> c.Handle:
    """Makes the library's validator."""
    library_policy = trust(
        policy.roots, policy.issuers, policy.xcode_testing, policy.minimum_digest_bits, policy.limits
    )
    pointer = library_policy.pointer
    if policy.environments is ANY:
        c.policy_accept_any_environment(pointer)
    else:
        for name in policy.environments:
            add_text(pointer, c.policy_accept_environment, "environments", name)
    accept_bundle_identifiers(pointer, policy.bundle_identifiers)
    if policy.app_version is not None:
        add_text(pointer, c.policy_require_app_version, "app_version", policy.app_version)
    if policy.device_identifiers is not None:
        if not policy.device_identifiers:
            raise ValueError("device_identifiers: pass a device, or None to leave the device unchecked")
        for device in policy.device_identifiers:
            add_octets(pointer, c.policy_accept_device, "device_identifiers", device)
    judge_path(pointer, policy)
    validator = c_void_p()
    c.check(c.validator_create(pointer, validator), "the policy")
    return c.Handle(validator, c.validator_release)


def judge_path(pointer: c_void_p, policy: Any) -> None:
    """Tells the library's policy what a policy of receipts or of tokens asks of a path to a root."""
    if policy.without_markers:
        c.check(c.policy_omit_markers(pointer), "without_markers")
    if policy.now is not None:
        c.check(c.policy_set_now(pointer, milliseconds(policy.now, "now")), "now")
    if policy.path_time is not None:
        c.check(c.policy_set_path_time(pointer, milliseconds(policy.path_time, "path_time")), "path_time")
    if policy.distrusted is not None:
        # A list that should have been filled would otherwise distrust nothing.
        if not policy.distrusted:
            raise ValueError("distrusted: pass a fingerprint, or None to distrust no certificate")
        for fingerprint in policy.distrusted:
            add_octets(pointer, c.policy_distrust, "distrusted", fingerprint)
    if policy.revocation is None and policy.ocsp_responses is None and policy.revocation_lists is None:
        return
    # Collections that should have been filled would otherwise leave revocation unchecked.
    if not has_evidence(policy):
        raise ValueError("revocation: pass ocsp_responses or revocation_lists, or None for all three")
    if policy.now is None:
        raise ValueError("revocation: pass now as well, such as datetime.now(timezone.utc)")
    if policy.revocation is not None:
        if policy.revocation not in _REVOCATIONS:
            raise ValueError(f"revocation: pass 'required' or 'if-present', not {policy.revocation!r}")
        c.check(
            c.policy_set_revocation(pointer, _REVOCATIONS.index(policy.revocation) + 1),
            "revocation",
        )
    for response in policy.ocsp_responses or ():
        add_octets(pointer, c.policy_add_ocsp_response, "ocsp_responses", response)
    for revocation_list in policy.revocation_lists or ():
        add_octets(pointer, c.policy_add_revocation_list, "revocation_lists", revocation_list)


def has_evidence(policy: Any) -> bool:
    """Whether a policy of receipts or of tokens has evidence about revocation."""
    return bool(policy.ocsp_responses or policy.revocation_lists)


def accept_bundle_identifiers(pointer: c_void_p, identifiers: Any) -> None:
    """Tells the library's policy the accepted bundle identifiers: a collection, or ANY."""
    if identifiers is ANY:
        c.policy_accept_any_bundle_identifier(pointer)
    else:
        for identifier in identifiers:
            add_text(pointer, c.policy_accept_bundle_identifier, "bundle_identifiers", identifier)


def trust(
    roots: Collection[bytes] | None,
    issuers: Collection[bytes],
    xcode_testing: bool,
    minimum_digest_bits: int,
    limits: Limits,
) -> c.Handle:
    """Makes the library's policy with the settings that a validator and an endpoint share."""
    pointer = c_void_p()
    c.check(c.policy_create(None, pointer), "a policy")
    policy = c.Handle(pointer, c.policy_release)
    if roots is not None:
        # A list that should have been filled would otherwise trust Apple's roots.
        if not roots:
            raise ValueError("roots: pass a certificate, or None to trust Apple's roots")
        for root in roots:
            add_octets(pointer, c.policy_trust_root, "roots", root)
    for issuer in members("issuers", issuers):
        add_octets(pointer, c.policy_add_issuer, "issuers", issuer)
    if xcode_testing:
        c.check(c.policy_trust_xcode_testing(pointer), "xcode_testing")
    bits = integer("minimum_digest_bits", minimum_digest_bits, 2**31)
    c.check(c.policy_set_minimum_digest(pointer, bits), f"minimum_digest_bits {bits}")
    for number, field in enumerate(dataclasses.fields(limits), start=1):
        value = getattr(limits, field.name)
        if value is not None:
            name = f"limits: {field.name}"
            c.check(c.policy_set_limit(pointer, number, integer(name, value, 2**63)), f"{name} {value}")
    return policy


def milliseconds(time: datetime, name: str) -> int:
    """Returns milliseconds since 1970. A time without a zone has no such number."""
    if not isinstance(time, datetime) or time.utcoffset() is None:
        raise ValueError(
            f"{name}: pass a datetime with a time zone, such as datetime.now(timezone.utc), not {time!r}"
        )
    return (time - _EPOCH) // timedelta(milliseconds=1)


def members(name: str, value: Collection[Any]) -> tuple[Any, ...]:
    """Returns the elements of a collection. One value in place of a collection is a mistake."""
    if isinstance(value, (str, bytes, bytearray, memoryview)):
        raise TypeError(f"{name}: pass a list, not one {type(value).__name__}")
    try:
        return tuple(value)
    except TypeError:
        raise TypeError(f"{name}: pass a list, not {type(value).__name__}") from None


def octets(name: str, value: Any) -> bytes:
    """Returns the bytes of a value that holds bytes. A number is a mistake: bytes(5) are five zeros."""
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise TypeError(f"{name}: pass bytes, not {type(value).__name__}")
    return memoryview(value).tobytes()


def integer(name: str, value: Any, limit: int) -> int:
    """Returns a number that a parameter of the library can hold. ctypes would cut off higher bits."""
    if not isinstance(value, int):
        raise TypeError(f"{name}: pass int, not {type(value).__name__}")
    if not 0 <= value < limit:
        raise ValueError(f"{name}: {value} is out of range")
    return value


def add_text(policy: c_void_p, function: Any, name: str, value: str) -> None:
    """Tells the library's policy a text."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: pass str, not {type(value).__name__}")
    text = value.encode()
    c.check(function(policy, text, len(text)), f"{name} {value!r}")


def add_octets(policy: c_void_p, function: Any, name: str, value: bytes) -> None:
    """Tells the library's policy a value of bytes."""
    content = octets(name, value)
    c.check(function(policy, content, len(content)), f"{name}: {len(content)} bytes")
