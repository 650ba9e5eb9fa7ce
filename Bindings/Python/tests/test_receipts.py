"""Every case of Vectors/cases.json, and every shared receipt as the command line judges it."""

from __future__ import annotations

import base64
import hashlib
import json
import pickle
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from conformance import cases, differences
from conftest import VECTORS, Verify, shared_files
from judging import judged, policy_of

from swift_app_receipt import (
    ANY,
    Policy,
    ReceiptData,
    ReceiptError,
    TransactionReceipt,
    Validator,
    inspect_unverified,
    validate,
)
from swift_app_receipt._receipts import read_date

CASES = cases()
ANYTHING = Policy(environments=ANY, bundle_identifiers=ANY)


def compare(octets: bytes, policy: Policy, expected: dict[str, Any]) -> None:
    """Compares the verdict and all values with the command line's."""
    assert not list(differences(judged(octets, policy), expected))


def test_the_cases_have_valid_and_refused_receipts() -> None:
    verdicts = [case["expected"]["status"] for case in CASES]
    assert verdicts.count("valid") > 10 and verdicts.count("invalid") > 40


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_case_has_the_verdict_and_the_values_that_are_expected(case: dict[str, Any]) -> None:
    found = judged((VECTORS / case["receipt"]).read_bytes(), policy_of(case["policy"]))
    assert not list(differences(case["expected"], found))


@pytest.mark.parametrize("path", shared_files("receipts", ".der"))
def test_a_genuine_receipt_has_the_verdict_of_the_command_line(path: Path, verify: Verify) -> None:
    everything = ["--environment", "any", "--bundle-id", "any"]
    octets = path.read_bytes()
    compare(octets, ANYTHING, verify(*everything, path))
    compare(base64.encodebytes(octets), ANYTHING, verify(*everything, path))
    compare(octets[:-1], ANYTHING, {**verify(*everything, path), **_truncated(octets, verify)})
    narrow = Policy(environments="Production", bundle_identifiers=["com.example.app", "com.example.other"])
    compare(
        octets,
        narrow,
        verify(
            "--environment",
            "Production",
            "--bundle-id",
            "com.example.app",
            "--bundle-id",
            "com.example.other",
            path,
        ),
    )
    testing = Policy(environments=ANY, bundle_identifiers=ANY, xcode_testing=True)
    compare(octets, testing, verify("--xcode-testing", *everything, path))


def _truncated(octets: bytes, verify: Verify) -> dict[str, Any]:
    with tempfile.NamedTemporaryFile() as file:
        file.write(octets[:-1])
        file.flush()
        return verify("--environment", "any", "--bundle-id", "any", Path(file.name))


@pytest.mark.parametrize("path", shared_files("receipts", ".json"))
def test_a_genuine_receipt_matches_its_device(path: Path) -> None:
    device = json.loads(path.read_text()).get("device_identifier_hex")
    if device is None:
        return
    octets = path.with_suffix(".der").read_bytes()
    found = validate(
        octets,
        Policy(
            environments=ANY, bundle_identifiers=ANY, device_identifiers=[bytes(16), bytes.fromhex(device)]
        ),
    )
    assert "device-hash" not in found.not_checked
    with pytest.raises(ReceiptError) as caught:
        validate(octets, Policy(environments=ANY, bundle_identifiers=ANY, device_identifiers=[bytes(16)]))
    assert caught.value.step == "device-hash"


@pytest.mark.parametrize("path", shared_files("transaction-receipts", ".b64", ".plist"))
def test_a_transaction_receipt_has_the_verdict_of_the_command_line(path: Path, verify: Verify) -> None:
    compare(path.read_bytes(), ANYTHING, verify("--environment", "any", "--bundle-id", "any", path))
    narrow = Policy(environments="ProductionSandbox", bundle_identifiers="com.example.app")
    compare(
        path.read_bytes(),
        narrow,
        verify("--environment", "ProductionSandbox", "--bundle-id", "com.example.app", path),
    )


@pytest.mark.parametrize("path", shared_files("transaction-receipts", ".b64"))
def test_a_transaction_receipt_has_the_values_of_its_record(path: Path) -> None:
    record = json.loads(path.with_suffix(".json").read_text())
    info = record["purchase_info"]
    receipt = validate(path.read_bytes(), ANYTHING)
    assert isinstance(receipt, TransactionReceipt)
    (purchase,) = receipt.in_app_purchases
    flags = {"true": True, "false": False, None: None}
    assert receipt.signature_version == record["version"]
    assert dict(receipt.purchase_info) == info
    assert purchase.is_trial_period == flags[info.get("is-trial-period")]
    assert purchase.is_in_introductory_offer_period == flags[info.get("is-in-intro-offer-period")]
    assert purchase.ownership == info.get("in-app-ownership-type")
    assert receipt.subscription_group_identifier == info.get("subscription-group-identifier")


@pytest.mark.parametrize("path", shared_files("verify-receipt", ".b64"))
def test_a_recorded_request_has_the_verdict_of_the_command_line(path: Path, verify: Verify) -> None:
    compare(path.read_bytes(), ANYTHING, verify("--environment", "any", "--bundle-id", "any", path))


def test_bytes_and_text_are_accepted_and_nothing_else(sandbox_receipt: bytes, root: bytes) -> None:
    policy = Policy(environments="ProductionSandbox", bundle_identifiers="com.example.receipts", roots=[root])
    receipt = validate(sandbox_receipt, policy)
    coded = base64.b64encode(sandbox_receipt)
    forms: list[ReceiptData] = [
        bytearray(sandbox_receipt),
        memoryview(sandbox_receipt),
        coded,
        coded.decode(),
    ]
    for form in forms:
        assert validate(form, policy) == receipt
    assert validate(memoryview(bytearray(sandbox_receipt + b"x"))[:-1], policy) == receipt
    for wrong in [None, 1, Path("receipt"), [1, 2]]:
        with pytest.raises(TypeError, match="bytes, bytearray, memoryview, or a str of base64"):
            validate(wrong, policy)  # type: ignore[arg-type]
    refused: list[ReceiptData] = [b"", "", "é", "\ud800", "\0", b"\x00" * 100]
    for bad in refused:
        with pytest.raises(ReceiptError) as caught:
            validate(bad, policy)
        assert caught.value.step in ("input", "container")


def test_a_receipt_is_immutable_and_answers_questions(sandbox_receipt: bytes, root: bytes) -> None:
    receipt = validate(sandbox_receipt, Policy(environments=ANY, bundle_identifiers=ANY, roots=[root]))
    assert receipt.contains("com.example.receipts.everything") and not receipt.contains("com.example.other")
    assert receipt.creation_date == datetime(2025, 6, 15, 12, tzinfo=UTC)
    assert receipt.root_fingerprint == hashlib.sha256(root).digest()
    assert receipt.signing_certificate == (VECTORS / "certificates" / "leaf.der").read_bytes()
    assert hash(receipt) == hash(pickle.loads(pickle.dumps(receipt)))
    with pytest.raises(AttributeError):
        receipt.bundle_identifier = "com.example.other"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, None),
        ("2025-06-15T12:00:00.250Z", datetime(2025, 6, 15, 12, 0, 0, 250_000, UTC)),
        ("0000-12-31T23:59:59Z", datetime.min.replace(tzinfo=UTC)),
        ("-001-12-31T23:59:59Z", datetime.min.replace(tzinfo=UTC)),
        ("10000-01-01T00:00:00Z", datetime.max.replace(tzinfo=UTC)),
    ],
)
def test_a_date_that_python_lacks_is_still_a_date(text: str | None, expected: datetime | None) -> None:
    assert read_date(text) == expected


def test_bytes_of_another_class_count_by_their_octets(sandbox_receipt: bytes, root: bytes) -> None:
    class Longer(bytes):
        def __len__(self) -> int:
            return 10**7

    policy = Policy(environments=ANY, bundle_identifiers=ANY, roots=[root])
    assert validate(Longer(sandbox_receipt), policy) == validate(sandbox_receipt, policy)


def test_an_error_says_where(root: bytes) -> None:
    octets = (VECTORS / "receipts" / "leaf-without-marker.der").read_bytes()
    with pytest.raises(ReceiptError) as caught:
        validate(octets, Policy(environments=ANY, bundle_identifiers=ANY, roots=[root]))
    error = caught.value
    assert error.certificate is not None
    assert str(error).startswith(f"{error.step}: {error.code} at byte {error.offset}, in certificate ")


def test_unverified_claims_are_named_so(sandbox_receipt: bytes) -> None:
    claims = inspect_unverified(sandbox_receipt)
    assert claims["unverified_receipt"]["bundle_id"] == "com.example.receipts"
    assert len(claims["certificates"]) == 3
    assert inspect_unverified(b"nothing")["certificates"] == []
    assert inspect_unverified(base64.b64encode(sandbox_receipt).decode()) == claims


def test_a_validator_survives_pickling(sandbox_receipt: bytes, root: bytes) -> None:
    validator = Validator(Policy(environments=ANY, bundle_identifiers=ANY, roots=[root]))
    again = pickle.loads(pickle.dumps(validator))
    assert again.policy == validator.policy
    assert again.validate(sandbox_receipt) == validator.validate(sandbox_receipt)
