"""A policy that says too little or nonsense is refused before any receipt is judged."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from swift_app_receipt import ANY, Limits, Policy, ReceiptError, Validator, validate


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
        ({"minimum_digest_bits": 128}, "minimum_digest_bits 128"),
        ({"now": datetime(2025, 1, 1)}, "time zone"),
        ({"path_time": datetime(2025, 1, 1)}, "time zone"),
        ({"limits": Limits(depth=0)}, "depth 0"),
        ({"limits": Limits(input_bytes=1 << 40)}, "input_bytes"),
    ],
)
def test_a_wrong_value_is_named(options: dict[str, Any], message: str) -> None:
    policy = Policy(**{"environments": ANY, "bundle_identifiers": ANY, **options})
    with pytest.raises(ValueError, match=message):
        Validator(policy)


@pytest.mark.parametrize(
    "options", [{"environments": [1]}, {"bundle_identifiers": [b"com.example.app"]}, {"roots": ["text"]}]
)
def test_a_value_of_a_wrong_type_is_named(options: dict[str, Any]) -> None:
    policy = Policy(**{"environments": ANY, "bundle_identifiers": ANY, **options})
    with pytest.raises(TypeError, match=next(iter(options))):
        Validator(policy)


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
        ({"roots": []}, "root"),
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
