"""Every vector and every shared receipt has the verdict and the values of the command line."""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import pickle
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
from conftest import VECTORS, Verify, shared_files

from swift_app_receipt import (
    ANY,
    Attribute,
    Environment,
    InAppPurchase,
    Policy,
    Receipt,
    ReceiptData,
    ReceiptError,
    TransactionReceipt,
    Validator,
    inspect_unverified,
    validate,
)
from swift_app_receipt._receipts import _date as read_date

with (VECTORS / "receipts.tsv").open(newline="") as _table:
    ROWS = list(csv.DictReader(_table, delimiter="\t", quoting=csv.QUOTE_NONE))
ANYTHING = Policy(environments=ANY, bundle_identifiers=ANY)


def policy_of(row: dict[str, str]) -> Policy:
    return Policy(
        environments=[cast(Environment, row["environment"])],
        bundle_identifiers=row["bundle_identifier"],
        app_version=row["app_version"] or None,
        device_identifiers=[bytes.fromhex(row["device_identifier"])] if row["device_identifier"] else None,
        roots=[(VECTORS / "certificates" / row["root"]).read_bytes()],
        xcode_testing=is_xcode(row),
        now=datetime.fromisoformat(row["now"]) if row["now"] else None,
    )


def is_xcode(row: dict[str, str]) -> bool:
    return row["environment"] == "Xcode" and row["root"] == "storekit.der"


def arguments_of(row: dict[str, str]) -> list[str | Path]:
    arguments: list[str | Path] = [
        "--root",
        VECTORS / "certificates" / row["root"],
        "--environment",
        row["environment"],
        "--bundle-id",
        row["bundle_identifier"],
    ]
    for option, column in [
        ("--app-version", "app_version"),
        ("--device-id", "device_identifier"),
        ("--now", "now"),
    ]:
        if row[column]:
            arguments += [option, row[column]]
    return [*arguments, *(["--xcode-testing"] if is_xcode(row) else []), VECTORS / "receipts" / row["file"]]


def compare(octets: bytes, policy: Policy, expected: dict[str, Any]) -> None:
    """Compares the verdict with the command line's."""
    if expected["status"] == "valid":
        receipt = validate(octets, policy)
        assert receipt.sha256.hex() == expected["sha256"]
        assert receipt.signing_certificate[:1] == b"0" and len(receipt.root_fingerprint) == 32
        assert list(receipt.not_checked) == expected["not_checked"]
        if "receipt" in expected:
            assert type(receipt) is Receipt
            assert receipt_members(receipt) == expected["receipt"]
        else:
            assert isinstance(receipt, TransactionReceipt)
            assert transaction_members(receipt) == expected["transaction_receipt"]
        return
    with pytest.raises(ReceiptError) as caught:
        validate(octets, policy)
    error = caught.value
    assert (error.step, error.code, error.kind) == (expected["step"], expected["code"], expected["status"])
    assert (error.offset, error.message) == (expected["error"]["offset"], expected["error"]["message"])
    assert error.number >= 100 and error.reading
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def date(value: datetime | None) -> str | None:
    if value is None:
        return None
    assert value.tzinfo == UTC
    precision = "milliseconds" if value.microsecond else "seconds"
    return value.isoformat(timespec=precision).replace("+00:00", "Z")


def text(value: int | None) -> str | None:
    return None if value is None else str(value)


def attributes(values: tuple[Attribute, ...]) -> list[dict[str, Any]]:
    return [{"type": one.type, "version": one.version, "value": one.value.hex()} for one in values]


def receipt_members(receipt: Receipt) -> dict[str, Any]:
    """The members that the command line writes, made of the receipt's values."""
    return {
        "receipt_type": receipt.environment,
        "bundle_id": receipt.bundle_identifier,
        "application_version": receipt.app_version,
        "original_application_version": receipt.original_app_version,
        "receipt_creation_date": date(receipt.creation_date),
        "purchase_date": date(receipt.purchase_date),
        "original_purchase_date": date(receipt.original_purchase_date),
        "preorder_date": date(receipt.preorder_date),
        "expiration_date": date(receipt.expiration_date),
        "app_item_id": text(receipt.app_store_identifier),
        "developer_id": text(receipt.developer_identifier),
        "download_id": text(receipt.download_identifier),
        "version_external_identifier": text(receipt.version_external_identifier),
        "age_rating": receipt.age_rating,
        "platform": receipt.platform,
        "opaque_value": None if receipt.opaque_value is None else receipt.opaque_value.hex(),
        "sha1_hash": None if receipt.sha1_hash is None else receipt.sha1_hash.hex(),
        "in_app": [
            {
                **purchase_members(purchase),
                "cancellation_reason": purchase.cancellation_reason,
                "product_type": purchase.product_type,
                "promotional_offer_id": purchase.promotional_offer_identifier,
                "in_app_ownership_type": purchase.ownership,
                "undocumented_attributes": attributes(purchase.undocumented_attributes),
            }
            for purchase in receipt.in_app_purchases
        ],
        "malformed_in_app": [
            {"code": one.code, "value": one.value.hex()} for one in receipt.malformed_in_app_purchases
        ],
        "undocumented_attributes": attributes(receipt.undocumented_attributes),
    }


def purchase_members(purchase: InAppPurchase) -> dict[str, Any]:
    """The members that purchases of both formats have."""
    return {
        "quantity": purchase.quantity,
        "product_id": purchase.product_identifier,
        "transaction_id": purchase.transaction_identifier,
        "original_transaction_id": purchase.original_transaction_identifier,
        "purchase_date": date(purchase.purchase_date),
        "original_purchase_date": date(purchase.original_purchase_date),
        "expires_date": date(purchase.expires_date),
        "cancellation_date": date(purchase.cancellation_date),
        "web_order_line_item_id": text(purchase.web_order_line_item_identifier),
        "is_trial_period": purchase.is_trial_period,
        "is_in_intro_offer_period": purchase.is_in_introductory_offer_period,
    }


def transaction_members(receipt: TransactionReceipt) -> dict[str, Any]:
    (purchase,) = receipt.in_app_purchases
    return {
        "signature_version": receipt.signature_version,
        "claimed_environment": receipt.claimed_environment,
        "bundle_id": receipt.bundle_identifier,
        "application_version": receipt.app_version,
        "item_id": receipt.item_identifier,
        "app_item_id": text(receipt.app_store_identifier),
        "version_external_identifier": text(receipt.version_external_identifier),
        "unique_identifier": receipt.unique_identifier,
        "unique_vendor_identifier": receipt.unique_vendor_identifier,
        "subscription_group_identifier": receipt.subscription_group_identifier,
        **purchase_members(purchase),
        "purchase_info": [{"key": key, "value": value} for key, value in receipt.purchase_info],
    }


def test_the_table_has_accepted_and_refused_receipts() -> None:
    verdicts = [row["verdict"] for row in ROWS]
    assert verdicts.count("accept") > 10 and verdicts.count("reject") > 40


@pytest.mark.parametrize("row", ROWS, ids=[f"{line}-{row['file']}" for line, row in enumerate(ROWS, start=2)])
def test_a_vector_has_the_verdict_of_the_table_and_of_the_command_line(
    row: dict[str, str], verify: Verify
) -> None:
    expected = verify(*arguments_of(row))
    # The table is about app receipts. The command line and this package also judge transaction receipts.
    if row["file"] != "transaction-receipt.b64":
        assert (
            expected["status"] == "valid" if row["verdict"] == "accept" else expected["step"] == row["step"]
        )
    compare((VECTORS / "receipts" / row["file"]).read_bytes(), policy_of(row), expected)


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
