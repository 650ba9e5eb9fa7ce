"""Judges with the installed package, and writes its values under the names of results.

PYTHONPATH=Vectors python Bindings/Python/tests/judging.py runs the cases of Vectors/cases.json. It needs the
package alone, so it runs where the tests cannot, such as in an emulator.
"""

from __future__ import annotations

import pickle
import sys
from datetime import UTC, datetime
from typing import Any, cast

from conformance import VECTORS, cases, differences

from swift_app_receipt import (
    Attribute,
    Environment,
    InAppPurchase,
    Policy,
    Receipt,
    ReceiptError,
    TransactionReceipt,
    validate,
)


def policy_of(members: dict[str, Any]) -> Policy:
    """The policy of a case."""
    device = members.get("device_identifier")
    now = members.get("now")
    return Policy(
        environments=[cast(Environment, members["environment"])],
        bundle_identifiers=members["bundle_identifier"],
        app_version=members.get("app_version"),
        device_identifiers=[bytes.fromhex(device)] if device else None,
        roots=[(VECTORS / members["root"]).read_bytes()],
        issuers=[(VECTORS / members["issuer"]).read_bytes()] if "issuer" in members else [],
        xcode_testing=members.get("xcode_testing", False),
        now=datetime.fromisoformat(now) if now else None,
    )


def judged(octets: bytes, policy: Policy) -> dict[str, Any]:
    """The verdict and the values, under the names of results."""
    try:
        receipt = validate(octets, policy)
    except ReceiptError as error:
        assert error.number >= 100 and error.reading
        assert str(pickle.loads(pickle.dumps(error))) == str(error)
        names = ("message", "offset", "certificate", "reading", "found")
        expected = None if error.expected is None else list(error.expected)
        place = {**{name: getattr(error, name) for name in names}, "expected": expected}
        return {"status": error.kind, "step": error.step, "code": error.code, "error": place}
    assert receipt.signing_certificate[:1] == b"0" and len(receipt.root_fingerprint) == 32
    found = {"sha256": receipt.sha256.hex(), "status": "valid", "step": None, "code": None}
    if isinstance(receipt, TransactionReceipt):
        values = {"transaction_receipt": transaction_members(receipt)}
    else:
        assert type(receipt) is Receipt
        values = {"receipt": receipt_members(receipt)}
    return {**found, "not_checked": list(receipt.not_checked), **values}


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
        "content_sha256": receipt.content_sha256.hex(),
        "in_app": [
            {
                **purchase_members(purchase),
                "cancellation_reason": purchase.cancellation_reason,
                "product_type": purchase.product_type,
                "promotional_offer_id": purchase.promotional_offer_identifier,
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
        "in_app_ownership_type": purchase.ownership,
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
        "content_sha256": receipt.content_sha256.hex(),
        "purchase_info": [{"key": key, "value": value} for key, value in receipt.purchase_info],
    }


def main() -> None:
    mistakes = 0
    for case in cases():
        found = judged((VECTORS / case["receipt"]).read_bytes(), policy_of(case["policy"]))
        for difference in differences(case["expected"], found):
            mistakes += 1
            print(f"{case['name']}: {difference}", file=sys.stderr)
    print(f"{len(cases())} cases, {mistakes} differences")
    sys.exit(mistakes > 0)


if __name__ == "__main__":
    main()
