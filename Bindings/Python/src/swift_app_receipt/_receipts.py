"""Receipts, and the errors of receipts that are refused."""

from __future__ import annotations

import ctypes
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple, Self

from . import _library as c


class ReceiptError(Exception):
    """Why a receipt was refused.

    `step`, `code`, `number` and `kind` are stable: programs can depend on them. `message` and `reading` are
    for people. `app-receipt errors` lists all codes.
    """

    #: The step of the validation that failed, such as `certificate-path`.
    step: str
    #: The stable name of the reason, such as `der.truncated`.
    code: str
    #: The stable number of the reason.
    number: int
    #: `invalid`, `unsupported` or `unreadable`.
    kind: str
    #: Where in the input, in bytes. If the input was base64, the offset counts in the decoded bytes.
    offset: int
    #: The certificate concerned, counted from 0 in the order of the receipt. None if it is no certificate.
    certificate: int | None
    #: The field that was read, in the words of its standard.
    reading: str
    #: One sentence.
    message: str
    #: The receipt's value if the error compares values; object identifiers are in dotted form. None if the
    #: receipt has no such value, or the error compares none.
    found: str | None
    #: The accepted values. None if the error compares none.
    expected: tuple[str, ...] | None

    def __init__(
        self,
        step: str,
        code: str,
        number: int,
        kind: str,
        offset: int,
        certificate: int | None,
        reading: str,
        message: str,
        found: str | None = None,
        expected: tuple[str, ...] | None = None,
    ) -> None:
        super().__init__(step, code, number, kind, offset, certificate, reading, message, found, expected)
        self.step = step
        self.code = code
        self.number = number
        self.kind = kind
        self.offset = offset
        self.certificate = certificate
        self.reading = reading
        self.message = message
        self.found = found
        self.expected = expected

    def __str__(self) -> str:
        place = "" if self.certificate is None else f", in certificate {self.certificate}"
        where = f"at byte {self.offset}{place}, reading {self.reading}"
        text = f"{self.step}: {self.code} {where}: {self.message}"
        if self.expected is None:
            return text
        return f"{text} Found {self.found or 'nothing'}, expected {' or '.join(self.expected)}."

    @classmethod
    def _of(cls, error: c.Error, members: dict[str, Any] | None = None) -> Self:
        expected = None if members is None else members["expected"]
        return cls(
            step=error.step.decode(),
            code=error.name.decode(),
            number=error.code,
            kind=error.kind.decode(),
            offset=error.offset,
            certificate=None if error.certificate < 0 else error.certificate,
            reading=error.reading.decode(),
            message=error.message.decode(),
            found=None if members is None else members["found"],
            expected=None if expected is None else tuple(expected),
        )


class TokenError(ReceiptError):
    """Why a token was refused. `certificate` counts in `x5c`, and `offset` in the token's characters."""

    #: The refused token inside a notification, such as `signedRenewalInfo`; `offset` counts in it. None if
    #: the error is not in one.
    nested_token: str | None

    def __init__(self, *arguments: Any, nested_token: str | None = None, **others: Any) -> None:
        super().__init__(*arguments, **others)
        self.nested_token = nested_token

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.args, {"nested_token": self.nested_token}

    def __str__(self) -> str:
        text = super().__str__()
        return text if self.nested_token is None else f"{self.nested_token}, {text}"


class Attribute(NamedTuple):
    """An attribute whose type has no published name."""

    type: int
    version: int
    value: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class MalformedInAppPurchase:
    """A purchase that does not decode. It grants nothing."""

    #: Why it does not decode.
    code: str
    value: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class InAppPurchase:
    """A purchase in a valid receipt.

    A value is None if the receipt has none or an empty one. Dates are in UTC. A date that datetime does not
    have is datetime.min or datetime.max in UTC.
    """

    quantity: int | None
    product_identifier: str | None
    transaction_identifier: str | None
    original_transaction_identifier: str | None
    purchase_date: datetime | None
    original_purchase_date: datetime | None
    #: When a subscription ends.
    expires_date: datetime | None
    #: When Apple refunded the purchase, or when the customer moved to another subscription.
    cancellation_date: datetime | None
    cancellation_reason: int | None
    product_type: int | None
    web_order_line_item_identifier: int | None
    is_trial_period: bool | None
    is_in_introductory_offer_period: bool | None
    promotional_offer_identifier: str | None
    #: `PURCHASED` or `FAMILY_SHARED`.
    ownership: str | None
    undocumented_attributes: tuple[Attribute, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """A valid receipt.

    A value is None if the receipt has none or an empty one. Dates are in UTC.

    A receipt describes the moment when it was signed. Later renewals and refunds are not in it.
    """

    #: `Production`, `ProductionVPP`, `ProductionSandbox`, `ProductionVPPSandbox` or `Xcode`. None in a
    #: transaction receipt, which does not sign its environment.
    environment: str | None
    bundle_identifier: str | None
    app_version: str | None
    original_app_version: str | None
    #: When the receipt was signed. None in a transaction receipt.
    creation_date: datetime | None
    purchase_date: datetime | None
    original_purchase_date: datetime | None
    preorder_date: datetime | None
    #: When a receipt of the Volume Purchase Program ends.
    expiration_date: datetime | None
    app_store_identifier: int | None
    developer_identifier: int | None
    download_identifier: int | None
    version_external_identifier: int | None
    age_rating: str | None
    platform: int | None
    opaque_value: bytes | None
    sha1_hash: bytes | None
    #: In the order of the receipt.
    in_app_purchases: tuple[InAppPurchase, ...]
    malformed_in_app_purchases: tuple[MalformedInAppPurchase, ...]
    undocumented_attributes: tuple[Attribute, ...]
    #: The steps that the policy left out, such as `device-hash`.
    not_checked: tuple[str, ...]
    #: SHA-256 of the container. It identifies no receipt: parts of a valid receipt can be changed.
    sha256: bytes
    #: SHA-256 of the signed content, which identifies the receipt.
    content_sha256: bytes
    #: The signer's certificate in DER.
    signing_certificate: bytes
    #: SHA-256 of the root's certificate.
    root_fingerprint: bytes

    def contains(self, product_identifier: str) -> bool:
        """Returns true if the product was bought and not refunded.

        For a subscription, also compare `expires_date`.
        """
        return any(
            purchase.product_identifier == product_identifier and purchase.cancellation_date is None
            for purchase in self.in_app_purchases
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionReceipt(Receipt):
    """A valid iOS 6 transaction receipt: it has one purchase, and lacks most of a receipt's values."""

    #: The signature covers SHA-1 in versions 2 and 3, and SHA-256 in version 4.
    signature_version: int
    #: `Sandbox`, or None in a receipt from production. The value is not signed: anyone can remove it.
    claimed_environment: str | None
    item_identifier: str | None
    unique_identifier: str | None
    unique_vendor_identifier: str | None
    subscription_group_identifier: str | None
    #: All entries of the signed purchase-info, in its order.
    purchase_info: tuple[tuple[str, str], ...]


def read_result(result: int | None, buffer: c.Buffer) -> Receipt | ReceiptError:
    """Makes a receipt or an error of the library's result."""
    text = buffer.read(c.result_json, result)
    assert text is not None
    members = json.loads(text)
    if c.result_verdict(result) != c.OK:
        error = c.Error()
        c.check(c.result_error(result, error), "a result")
        return ReceiptError._of(error, members["error"])
    values = members.get("receipt") or members["transaction_receipt"]
    octets = {
        "sha256": bytes.fromhex(members["sha256"]),
        "content_sha256": bytes.fromhex(values["content_sha256"]),
        "signing_certificate": buffer.read(c.result_octets, result, c.SIGNING_CERTIFICATE),
        "root_fingerprint": buffer.read(c.result_octets, result, c.ROOT_FINGERPRINT),
    }
    not_checked = tuple(members["not_checked"])
    if "receipt" in members:
        return _receipt(members["receipt"], not_checked, octets)
    return _transaction_receipt(members["transaction_receipt"], not_checked, octets)


def read_error(pointer: ctypes.c_void_p) -> ReceiptError | None:
    """Makes an error of the library's answer; None if the answer has no error."""
    error = c.Error()
    return ReceiptError._of(error) if c.answer_error(pointer, error) == c.OK else None


def _receipt(members: dict[str, Any], not_checked: tuple[str, ...], octets: dict[str, Any]) -> Receipt:
    return Receipt(
        environment=members["receipt_type"],
        bundle_identifier=members["bundle_id"],
        app_version=members["application_version"],
        original_app_version=members["original_application_version"],
        creation_date=read_date(members["receipt_creation_date"]),
        purchase_date=read_date(members["purchase_date"]),
        original_purchase_date=read_date(members["original_purchase_date"]),
        preorder_date=read_date(members["preorder_date"]),
        expiration_date=read_date(members["expiration_date"]),
        app_store_identifier=read_integer(members["app_item_id"]),
        developer_identifier=read_integer(members["developer_id"]),
        download_identifier=read_integer(members["download_id"]),
        version_external_identifier=read_integer(members["version_external_identifier"]),
        age_rating=members["age_rating"],
        platform=read_integer(members["platform"]),
        opaque_value=_octets(members["opaque_value"]),
        sha1_hash=_octets(members["sha1_hash"]),
        in_app_purchases=tuple([_purchase(purchase) for purchase in members["in_app"]]),
        malformed_in_app_purchases=tuple(
            MalformedInAppPurchase(code=malformed["code"], value=bytes.fromhex(malformed["value"]))
            for malformed in members["malformed_in_app"]
        ),
        undocumented_attributes=_attributes(members["undocumented_attributes"]),
        not_checked=not_checked,
        **octets,
    )


def _purchase(members: dict[str, Any]) -> InAppPurchase:
    return InAppPurchase(
        quantity=read_integer(members["quantity"]),
        product_identifier=members["product_id"],
        transaction_identifier=members["transaction_id"],
        original_transaction_identifier=members["original_transaction_id"],
        purchase_date=read_date(members["purchase_date"]),
        original_purchase_date=read_date(members["original_purchase_date"]),
        expires_date=read_date(members["expires_date"]),
        cancellation_date=read_date(members["cancellation_date"]),
        cancellation_reason=read_integer(members.get("cancellation_reason")),
        product_type=read_integer(members.get("product_type")),
        web_order_line_item_identifier=read_integer(members["web_order_line_item_id"]),
        is_trial_period=members["is_trial_period"],
        is_in_introductory_offer_period=members["is_in_intro_offer_period"],
        promotional_offer_identifier=members.get("promotional_offer_id"),
        ownership=members["in_app_ownership_type"],
        undocumented_attributes=_attributes(members.get("undocumented_attributes", ())),
    )


def _transaction_receipt(
    members: dict[str, Any], not_checked: tuple[str, ...], octets: dict[str, Any]
) -> TransactionReceipt:
    return TransactionReceipt(
        environment=None,
        bundle_identifier=members["bundle_id"],
        app_version=members["application_version"],
        original_app_version=None,
        creation_date=None,
        purchase_date=None,
        original_purchase_date=None,
        preorder_date=None,
        expiration_date=None,
        app_store_identifier=read_integer(members["app_item_id"]),
        developer_identifier=None,
        download_identifier=None,
        version_external_identifier=read_integer(members["version_external_identifier"]),
        age_rating=None,
        platform=None,
        opaque_value=None,
        sha1_hash=None,
        in_app_purchases=(_purchase(members),),
        malformed_in_app_purchases=(),
        undocumented_attributes=(),
        not_checked=not_checked,
        signature_version=members["signature_version"],
        claimed_environment=members["claimed_environment"],
        item_identifier=members["item_id"],
        unique_identifier=members["unique_identifier"],
        unique_vendor_identifier=members["unique_vendor_identifier"],
        subscription_group_identifier=members["subscription_group_identifier"],
        purchase_info=tuple((entry["key"], entry["value"]) for entry in members["purchase_info"]),
        **octets,
    )


def read_date(value: str | None) -> datetime | None:
    if value is None:
        return None
    try:
        return datetime.fromisoformat(value)
    except ValueError:  # The year 0 and those from 10000 on. None would mean that there is no date.
        limit = datetime.min if value.startswith(("0000", "-")) else datetime.max
        return limit.replace(tzinfo=UTC)


def read_integer(value: int | str | None) -> int | None:
    """Returns a number.

    The library writes identifiers as text, because not every JSON reader keeps 64 bits.
    """
    if not isinstance(value, str):
        return value
    try:
        return int(value)
    except ValueError:  # A transaction receipt has free text.
        return None


def _octets(value: str | None) -> bytes | None:
    return None if value is None else bytes.fromhex(value)


def _attributes(attributes: list[dict[str, Any]] | tuple[()]) -> tuple[Attribute, ...]:
    return tuple(
        [
            Attribute(attribute["type"], attribute["version"], bytes.fromhex(attribute["value"]))
            for attribute in attributes
        ]
    )
