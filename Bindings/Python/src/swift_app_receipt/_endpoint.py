"""Apple's verifyReceipt, answered locally."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Collection
from ctypes import c_size_t, c_void_p
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final, Literal, final

from . import _library as c
from ._policy import ANY, Limits, Policy, Revocation, judge_path, members, milliseconds, octets, trust
from ._receipts import ReceiptError, read_error

#: The maximum length of a body in bytes, by measurement at Apple's endpoint: one byte more was answered with
#: the HTTP status 413.
MAXIMUM_BODY: Final = 3_145_728

#: A genuine receipt needs two: one by the intermediate certificate, one by the root. Some room is left.
_USUAL_CHECKS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer to one request."""

    #: Apple's status number, such as 21002. 0 stands for a valid receipt.
    status: int
    #: The JSON object to send back, with the HTTP status 200 whatever `status` is.
    body: bytes
    #: Why the status is not 0, for logs. The body does not hold it. The step is `request` if the request is
    #: at fault.
    error: ReceiptError | None


@final
class Endpoint:
    """Answers the bodies of requests to verifyReceipt as Apple's endpoint does.

    `environment` is `production` for buy.itunes.apple.com, or `sandbox` for sandbox.itunes.apple.com. The
    endpoint does not check the app: compare `bundle_id` of the answer. Only Apple's database knows
    `pending_renewal_info` and the newest `latest_receipt_info`, so these are absent.

    An endpoint never changes, and any number of threads may use one at once.
    """

    def __init__(
        self,
        environment: Literal["production", "sandbox"],
        *,
        #: The passwords that a request may have. None ignores passwords; an empty collection refuses every
        #: password.
        shared_secrets: Collection[str | bytes] | None = None,
        #: Repairs base64 that Apple refuses: spaces for plus signs, line breaks, the alphabet for URLs, no
        #: padding.
        repairs: bool = False,
        #: Adds `latest_receipt_info`, made from the receipt's own purchases, for clients that read
        #: subscriptions there. It is as old as the receipt: renewals and refunds after its signing are
        #: missing, so a subscription looks expired until the app sends a fresh receipt.
        latest_receipt_info: bool = False,
        #: As in Policy.
        roots: Collection[bytes] | None = None,
        issuers: Collection[bytes] = (),
        xcode_testing: bool = False,
        minimum_digest_bits: int = 160,
        limits: Limits = Limits(),
        distrusted: Collection[bytes] | None = None,
        #: As in Policy. Answers do not tell whether evidence was missing.
        ocsp_responses: Collection[bytes] | None = None,
        revocation_lists: Collection[bytes] | None = None,
        revocation: Revocation | None = None,
        #: The time at which evidence must be fresh, whenever a request comes: make another endpoint for newer
        #: evidence.
        now: datetime | None = None,
    ) -> None:
        if environment not in ("production", "sandbox"):
            raise ValueError(f"environment: pass 'production' or 'sandbox', not {environment!r}")
        self.environment: Final = environment
        # They are read again for the endpoint with other limits, and an iterator has its values once.
        shared_secrets = None if shared_secrets is None else members("shared_secrets", shared_secrets)
        policy = Policy(
            environments=ANY,
            bundle_identifiers=ANY,
            roots=roots,
            issuers=issuers,
            xcode_testing=xcode_testing,
            minimum_digest_bits=minimum_digest_bits,
            limits=limits,
            distrusted=distrusted,
            ocsp_responses=ocsp_responses,
            revocation_lists=revocation_lists,
            revocation=revocation,
            now=now,
        )
        self._with_limits: Final = partial(
            Endpoint,
            environment,
            shared_secrets=shared_secrets,
            repairs=repairs,
            latest_receipt_info=latest_receipt_info,
            roots=policy.roots,
            issuers=policy.issuers,
            xcode_testing=xcode_testing,
            minimum_digest_bits=minimum_digest_bits,
            distrusted=policy.distrusted,
            ocsp_responses=policy.ocsp_responses,
            revocation_lists=policy.revocation_lists,
            revocation=revocation,
            now=policy.now,
        )
        self._limits: Final = limits
        library_policy = trust(policy.roots, policy.issuers, xcode_testing, minimum_digest_bits, limits)
        judge_path(library_policy.pointer, policy)
        if latest_receipt_info:
            c.check(c.policy_add_latest_receipt_info(library_policy.pointer), "latest_receipt_info")
        pointer = c_void_p()
        is_sandbox = int(environment == "sandbox")
        if shared_secrets is None:
            c.check(
                c.endpoint_create(library_policy.pointer, is_sandbox, int(repairs), pointer), "the endpoint"
            )
        else:
            secrets = [
                secret.encode() if isinstance(secret, str) else octets("shared_secrets", secret)
                for secret in shared_secrets
            ]
            inputs = (c.Input * max(len(secrets), 1))()
            for place, secret in zip(inputs, secrets):
                place.bytes = c.address(secret)
                place.length = len(secret)
            c.check(
                c.endpoint_create_with_secrets(
                    library_policy.pointer, is_sandbox, int(repairs), inputs, len(secrets), pointer
                ),
                "the endpoint",
            )
        self._handle = c.Handle(pointer, c.endpoint_release)
        self._local = threading.local()

    def _with_usual_checks(self) -> Endpoint:
        """Returns this endpoint with a limit on signature checks that every genuine receipt meets."""
        own = self._limits.signature_checks
        checks = _USUAL_CHECKS if own is None else min(own, _USUAL_CHECKS)
        return self._with_limits(limits=replace(self._limits, signature_checks=checks))

    def __reduce__(self) -> str:
        raise TypeError("an endpoint cannot be copied or pickled; make another one")

    def answer(self, body: bytes, now: datetime) -> Answer:
        """Answers the body of a request, hostile ones included. `now` is the time for `request_date`."""
        request = octets("body", body)
        try:
            worker: c.Worker = self._local.worker
        except AttributeError:
            worker = self._local.worker = c.Worker()
        answer = c_void_p()
        c.check(
            c.endpoint_answer(
                self._handle.pointer,
                worker.cache.pointer,
                request,
                len(request),
                milliseconds(now, "now"),
                answer,
            ),
            "the request",
        )
        try:
            text, length = c_void_p(), c_size_t()
            c.check(c.answer_body(answer, text, length), "the answer")
            return Answer(
                status=c.answer_status(answer),
                body=ctypes.string_at(text, length.value) if text else b"",
                error=read_error(answer),
            )
        finally:
            c.answer_release(answer)
