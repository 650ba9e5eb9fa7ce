"""A policy that says too little or nonsense is refused before any receipt is judged."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any

import pytest

from swift_app_receipt import ANY, Limits, Policy, ReceiptError, Validator, validate
from swift_app_receipt._validator import validator_for


def test_environments_and_bundle_identifiers_have_no_default() -> None:
    with pytest.raises(TypeError):
        Policy()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Policy(environments=ANY)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Policy(bundle_identifiers=ANY)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"environments": ["Sandbox"]}, "environments 'Sandbox'"),
        ({"environments": []}, "environments or bundle identifiers"),
        ({"bundle_identifiers": []}, "environments or bundle identifiers"),
        ({"device_identifiers": []}, "device_identifiers"),
        ({"device_identifiers": [b"12345"]}, "device_identifiers: 5 bytes"),
        ({"roots": [b"no certificate"]}, "roots: 14 bytes"),
        ({"issuers": [b"no certificate"]}, "issuers: 14 bytes"),
        ({"roots": []}, "roots: pass a certificate, or None"),
        ({"without_markers": True}, "markers without roots"),
        ({"minimum_digest_bits": 128}, "minimum_digest_bits 128"),
        ({"minimum_digest_bits": 2**32 + 160}, "minimum_digest_bits: 4294967456 is out of range"),
        ({"now": datetime(2025, 1, 1)}, "now: pass a datetime with a time zone"),
        ({"path_time": datetime(2025, 1, 1)}, "path_time: pass a datetime with a time zone"),
        ({"now": datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14)))}, "now: .* no time in UTC"),
        ({"limits": Limits(depth=0)}, "depth 0"),
        ({"limits": Limits(depth=-1)}, "depth: -1 is out of range"),
        ({"limits": Limits(depth=2**64 + 5)}, "depth: .* is out of range"),
        ({"limits": Limits(input_bytes=1 << 40)}, "input_bytes"),
    ],
)
def test_a_wrong_value_is_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Validator(Policy(**{"environments": ANY, "bundle_identifiers": ANY, **options}))


@pytest.mark.parametrize(
    "options",
    [
        {"environments": [1]},
        {"environments": None},
        {"bundle_identifiers": [b"com.example.app"]},
        {"bundle_identifiers": b"com.example.app"},
        {"roots": ["text"]},
        {"roots": [5]},
        {"device_identifiers": [6]},
        {"device_identifiers": 6},
        {"issuers": "text"},
        {"issuers": None},
        {"minimum_digest_bits": 256.0},
        {"minimum_digest_bits": None},
        {"limits": Limits(depth="5")},  # type: ignore[arg-type]
    ],
)
def test_a_value_of_a_wrong_type_is_named(options: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=next(iter(options))):
        Validator(Policy(**{"environments": ANY, "bundle_identifiers": ANY, **options}))


class ClocksGoBack(tzinfo):
    """A zone whose clocks go back by an hour at noon in UTC on 15 June 2026, from 13:00 to 12:00."""

    def utcoffset(self, time: datetime | None) -> timedelta:
        is_second = time is not None and (time.hour > 12 or bool(time.fold))
        return timedelta(hours=0 if is_second else 1)

    def dst(self, time: datetime | None) -> None:
        return None

    def tzname(self, time: datetime | None) -> None:
        return None


def test_two_times_that_python_calls_equal_are_two_policies() -> None:
    first = datetime(2026, 6, 15, 12, 30, tzinfo=ClocksGoBack())
    second = first.replace(fold=1)
    assert first == second
    for name in ("now", "path_time"):
        options: list[dict[str, Any]] = [{name: first}, {name: second}]
        policies = [Policy(environments=ANY, bundle_identifiers=ANY, **option) for option in options]
        assert policies[0] != policies[1] and validator_for(policies[0]) is not validator_for(policies[1])
        assert getattr(policies[1], name) == datetime(2026, 6, 15, 12, 30, tzinfo=UTC)


def test_bytes_that_can_change_are_copied(sandbox_receipt: bytes, root: bytes) -> None:
    changing = bytearray(root)
    changeable: Any = {"roots": [changing], "device_identifiers": [bytearray(16)]}
    policy = Policy(environments=ANY, bundle_identifiers=ANY, **changeable)
    changing[0] ^= 1
    assert policy.roots == (root,) and policy.device_identifiers == (bytes(16),)
    with pytest.raises(ReceiptError) as caught:
        validate(sandbox_receipt, policy)
    assert caught.value.step == "device-hash"


def test_one_certificate_in_place_of_a_list_is_refused(root: bytes) -> None:
    with pytest.raises(TypeError, match="roots: pass a list"):
        Policy(environments=ANY, bundle_identifiers=ANY, roots=root)  # type: ignore[arg-type]


def test_a_policy_does_not_change_with_the_collections_of_its_caller(
    sandbox_receipt: bytes, root: bytes
) -> None:
    identifiers = ["com.example.receipts"]
    policy = Policy(environments=ANY, bundle_identifiers=identifiers, roots=[root])
    validator = Validator(policy)
    identifiers[0] = "com.example.other"
    assert policy.bundle_identifiers == ("com.example.receipts",)
    assert validator.validate(sandbox_receipt).bundle_identifier == "com.example.receipts"


@pytest.mark.parametrize(
    ("options", "step"),
    [
        ({"path_time": datetime(2050, 1, 1, tzinfo=UTC)}, "certificate-path"),
        ({"minimum_digest_bits": 512}, "certificate-path"),
        ({"app_version": "7"}, "app-version"),
        ({"limits": Limits(input_bytes=1000)}, "container"),
        ({"roots": None}, "root"),
    ],
)
def test_each_option_has_an_effect(
    options: dict[str, Any], step: str, sandbox_receipt: bytes, root: bytes
) -> None:
    with pytest.raises(ReceiptError) as caught:
        validate(
            sandbox_receipt,
            Policy(**{"environments": ANY, "bundle_identifiers": ANY, "roots": [root], **options}),
        )
    assert caught.value.step == step
