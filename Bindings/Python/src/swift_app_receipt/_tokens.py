"""Validation of the tokens of StoreKit 2 and of App Store Server Notifications."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import json
import threading
from collections.abc import Collection, Iterable, Iterator
from ctypes import c_void_p
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal, TypeVar, cast
from uuid import UUID

from . import _library as c
from ._payloads import (
    AppTransaction,
    Notification,
    Payload,
    RealtimeRequest,
    RenewalInfo,
    Transaction,
    member_name,
    read_payload,
)
from ._policy import (
    ANY,
    Anything,
    Revocation,
    accept_bundle_identifiers,
    add_text,
    integer,
    judge_path,
    keep_collections,
    keep_times,
    trust,
)
from ._policy import Limits as ReceiptLimits
from ._receipts import TokenError
from ._validator import ReceiptData, Results, inputs_of, judge_many, octets_of, remembering, thread_count

#: A token, or the JSON object in which Apple sends it, such as the body of a notification.
TokenData = ReceiptData

TokenEnvironment = Literal["Production", "Sandbox", "Xcode", "LocalTesting"]

TokenKind = Literal["transaction", "renewal-info", "notification", "app-transaction", "realtime-request"]

# In the order of the numbers in app_receipt.h, from 1.
_KINDS: Final[dict[TokenKind, type[Payload]]] = {
    "transaction": Transaction,
    "renewal-info": RenewalInfo,
    "notification": Notification,
    "app-transaction": AppTransaction,
    "realtime-request": RealtimeRequest,
}

_Payload = TypeVar("_Payload", bound=Payload)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenLimits:
    """Limits on the work that a token may cause. None stands for the default, which is also the maximum."""

    # In the order of the numbers in app_receipt.h, from 1.
    token_bytes: int | None = None
    members: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenPolicy:
    """The requirements on a token.

    `environments` and `bundle_identifiers` have no default. Each is a collection of accepted values, one
    value, or ANY.
    """

    environments: Collection[TokenEnvironment] | TokenEnvironment | Literal[Anything.ANY]
    bundle_identifiers: Collection[str] | str | Literal[Anything.ANY]
    #: The app's Apple ID. A token that has one must have this, and tokens from production must have one. None
    #: leaves it unchecked.
    app_apple_id: int | None = None
    #: The device, its AppStore.deviceVerificationID. None leaves the device unchecked.
    device_verification_id: UUID | str | None = None
    #: The longest time between the signature and `now`. None leaves the age unchecked.
    maximum_age: timedelta | None = None
    #: The present time, kept in UTC, for `maximum_age` and for evidence, which must be fresh at this time.
    now: datetime | None = None
    #: SHA-256 fingerprints of certificates, or of their SubjectPublicKeyInfo, that make a path invalid. None
    #: distrusts no certificate.
    distrusted: Collection[bytes] | None = None
    #: OCSP responses and revocation lists in DER, and what they must prove, as in a Policy.
    ocsp_responses: Collection[bytes] | None = None
    revocation_lists: Collection[bytes] | None = None
    revocation: Revocation | None = None
    #: Certificates in DER to trust in place of Apple's root. None trusts Apple Root CA - G3.
    roots: Collection[bytes] | None = None
    #: Does not require Apple's marker extensions, under `roots`.
    without_markers: bool = False
    #: `roots` are the certificates of sessions of StoreKit testing, which sign tokens themselves. Only the
    #: environments Xcode and LocalTesting are accepted. For tests.
    xcode_testing: bool = False
    #: Accepts any self-signed certificate in place of roots, of Xcode and LocalTesting alone. That proves
    #: that a token is unchanged since it was signed, and nothing else: anyone can sign such a token.
    any_self_signed_proving_integrity_only: bool = False
    #: When the certificates must be valid. None stands for the token's date. Notifications of 2022 have none.
    path_time: datetime | None = None
    limits: TokenLimits = TokenLimits()

    def __post_init__(self) -> None:
        keep_collections(self, "distrusted", "ocsp_responses", "revocation_lists", "roots")
        keep_times(self, "now", "path_time")
        if self.maximum_age is not None and not isinstance(self.maximum_age, timedelta):
            raise TypeError(f"maximum_age: pass timedelta, not {type(self.maximum_age).__name__}")
        if isinstance(self.device_verification_id, UUID):
            object.__setattr__(self, "device_verification_id", str(self.device_verification_id))


class TokenValidator:
    """Validates tokens against a policy.

    A validator never changes, and any number of threads may use one at once. It keeps a cache for each
    thread. A cache remembers certificates and changes no verdict.
    """

    def __init__(self, policy: TokenPolicy) -> None:
        if not isinstance(policy, TokenPolicy):
            raise TypeError(f"pass a TokenPolicy, not {type(policy).__name__}")
        self._policy = policy
        self._handle = _make_validator(policy)
        self._local = threading.local()

    @property
    def policy(self) -> TokenPolicy:
        """The requirements on a token."""
        return self._policy

    def __repr__(self) -> str:
        return f"TokenValidator({self._policy!r})"

    def __reduce__(self) -> tuple[type[TokenValidator], tuple[TokenPolicy]]:
        return TokenValidator, (self._policy,)

    def transaction(self, token: TokenData) -> Transaction:
        """Returns the valid transaction. Raises TokenError for every other input."""
        return self._validate(token, "transaction", Transaction)

    def renewal_info(self, token: TokenData) -> RenewalInfo:
        """Returns the valid renewal information. Raises TokenError for every other input."""
        return self._validate(token, "renewal-info", RenewalInfo)

    def notification(self, body: TokenData) -> Notification:
        """Returns the valid notification. Raises TokenError for every other input.

        The tokens inside it are valid, too; their device and age are not checked. `body` is what Apple sends,
        `{"signedPayload":"…"}`, or the token alone.
        """
        return self._validate(body, "notification", Notification)

    def app_transaction(self, token: TokenData) -> AppTransaction:
        """Returns the valid app transaction. Raises TokenError for every other input."""
        return self._validate(token, "app-transaction", AppTransaction)

    def realtime_request(self, body: TokenData) -> RealtimeRequest:
        """Returns the valid request for a retention message. Raises TokenError for every other input."""
        return self._validate(body, "realtime-request", RealtimeRequest)

    def validate_many(
        self, tokens: Iterable[TokenData], kind: TokenKind, *, threads: int | None = None
    ) -> Iterator[Payload | TokenError]:
        """Yields the payload or a TokenError for each token of a kind, in order.

        Validator.validate_many has the rules for threads.
        """
        kind_number(kind)
        batch = functools.partial(self._validate_batch, kind=kind)
        return judge_many(tokens, batch, thread_count(threads))

    def _validate(self, token: TokenData, kind: TokenKind, payload: type[_Payload]) -> _Payload:
        octets = octets_of(token)
        worker = self.worker()
        pointer = c_void_p()
        status = c.token_validate(
            self._handle.pointer, worker.cache.pointer, kind_number(kind), octets, len(octets), pointer
        )
        c.check(status, "the token")
        try:
            found = _read_result(pointer.value, payload, worker.buffer)
        finally:
            c.token_result_release(pointer)
        if isinstance(found, TokenError):
            raise found
        return found

    def _validate_batch(self, batch: list[bytes], kind: TokenKind) -> list[Payload | TokenError]:
        buffer = self.worker().buffer
        with self.results(inputs_of(batch), 0, len(batch), kind) as results:
            return [_read_result(result, _KINDS[kind], buffer) for result in results]

    def results(self, inputs: Any, start: int, count: int, kind: TokenKind) -> Results:
        """Validates a part of an array of app_receipt_input. The caller keeps the array and its bytes."""
        results = (c_void_p * count)()
        status = c.token_validate_many(
            self._handle.pointer,
            self.worker().cache.pointer,
            kind_number(kind),
            ctypes.byref(inputs, start * ctypes.sizeof(c.Input)),
            count,
            ctypes.cast(results, ctypes.POINTER(c_void_p)),
        )
        c.check(status, "the tokens")
        return Results(results, c.token_result_release)

    def worker(self) -> c.Worker:
        """The cache and the buffer of the current thread."""
        try:
            worker: c.Worker = self._local.worker
        except AttributeError:
            worker = self._local.worker = c.Worker()
        return worker


def inspect_token_unverified(token: TokenData, kind: TokenKind) -> dict[str, Any]:
    """Returns what a token claims.

    The keys are `unverified_payload`, if the payload can be decoded as this kind, and `certificates`. Nothing
    is verified: anyone can write such a token.
    """
    octets = octets_of(token)
    text = c.Buffer().read(c.inspect_token_unverified, kind_number(kind), octets, len(octets))
    assert text is not None
    found: dict[str, Any] = json.loads(text)
    return found


#: The validator of a policy. Later calls use it again, unless the policy has evidence.
token_validator_for: Final = remembering(TokenPolicy, TokenValidator)


def kind_number(kind: TokenKind) -> int:
    """The number of a kind in app_receipt.h."""
    if kind not in _KINDS:
        raise ValueError(f"kind: pass {', '.join(map(repr, _KINDS))}, not {kind!r}")
    return list(_KINDS).index(kind) + 1


def documented_members(kind: TokenKind) -> frozenset[str]:
    """Apple's names of the members of a payload of this kind."""
    return frozenset(member_name(field.name) for field in dataclasses.fields(_KINDS[kind]))


def _read_result(result: int | None, kind: type[_Payload], buffer: c.Buffer) -> _Payload | TokenError:
    """Makes a payload or an error of the library's result."""
    text = buffer.read(c.token_result_json, result)
    assert text is not None
    found = json.loads(text)
    if c.token_result_verdict(result) == c.OK:
        return read_payload(
            kind,
            found["payload"],
            not_checked=tuple(found["not_checked"]),
            sha256=bytes.fromhex(found["sha256"]),
        )
    error = c.Error()
    c.check(c.token_result_error(result, error), "a result")
    refusal = TokenError._of(error, found["error"])
    refusal.nested_token = found["error"].get("nested_token")
    return refusal


def _make_validator(policy: TokenPolicy) -> c.Handle:
    """Makes the library's validator."""
    library_policy = trust(policy.roots, (), policy.xcode_testing, 160, ReceiptLimits())
    pointer = library_policy.pointer
    if policy.environments is ANY:
        c.policy_accept_any_environment(pointer)
    else:
        for name in policy.environments:
            add_text(pointer, c.policy_accept_token_environment, "environments", name)
    accept_bundle_identifiers(pointer, policy.bundle_identifiers)
    if policy.app_apple_id is not None:
        number = integer("app_apple_id", policy.app_apple_id, 2**63)
        c.check(c.policy_require_app_apple_id(pointer, number), f"app_apple_id {number}")
    if policy.device_verification_id is not None:
        device = cast(str, policy.device_verification_id)
        add_text(pointer, c.policy_require_device_verification, "device_verification_id", device)
    if policy.maximum_age is not None:
        if policy.now is None:
            raise ValueError("maximum_age: pass now as well, such as datetime.now(timezone.utc)")
        age = policy.maximum_age // timedelta(milliseconds=1)
        c.check(c.policy_set_maximum_age(pointer, age), f"maximum_age {policy.maximum_age}")
    judge_path(pointer, policy)
    if policy.any_self_signed_proving_integrity_only:
        if policy.roots is not None:
            raise ValueError("any_self_signed_proving_integrity_only: leave out roots")
        c.policy_trust_any_self_signed_proving_integrity_only(pointer)
    elif policy.xcode_testing and policy.roots is None:
        raise ValueError("xcode_testing: pass the certificate of the session as roots")
    for limit, field in enumerate(dataclasses.fields(policy.limits), start=1):
        value = getattr(policy.limits, field.name)
        if value is not None:
            name = f"limits: {field.name}"
            c.check(c.policy_set_token_limit(pointer, limit, integer(name, value, 2**63)), f"{name} {value}")
    validator = c_void_p()
    c.check(c.token_validator_create(pointer, validator), "the policy")
    return c.Handle(validator, c.token_validator_release)
