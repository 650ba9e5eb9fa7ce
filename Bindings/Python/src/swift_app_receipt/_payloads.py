"""The payloads of valid tokens.

An attribute has Apple's name in lower case with underscores, and Apple's documentation has its meaning. It is
None if the payload lacks the member. Dates are in UTC. A date that datetime does not have is datetime.min or
datetime.max in UTC.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from ._receipts import read_date, read_integer


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadPart:
    """An object of a payload."""

    #: The members that this version does not know, by Apple's names, with their JSON values.
    unknown_members: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload(PayloadPart):
    """The payload of a valid token."""

    #: The steps that the policy left out, such as `age`. None for a token inside a notification: the
    #: notification has `revocation` if either lacks evidence.
    not_checked: tuple[str, ...] | None
    #: SHA-256 of the token's characters. It identifies no payload: one can be signed twice. None for a token
    #: inside a notification.
    sha256: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionCommitment(PayloadPart):
    """The commitment of a subscription that is billed in parts."""

    billing_period_number: int | None
    total_billing_periods: int | None
    commitment_price: int | None
    commitment_expires_date: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RenewalCommitment(PayloadPart):
    """The commitment that the next period of a subscription begins."""

    commitment_auto_renew_product_id: str | None
    commitment_renewal_billing_plan_type: str | None
    commitment_auto_renew_status: int | None
    commitment_renewal_price: int | None
    commitment_renewal_date: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvancedCommerceDescriptors(PayloadPart):
    """The texts about a purchase or subscription that the customer sees."""

    description: str | None
    display_name: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvancedCommerceOffer(PayloadPart):
    """A lower price for an item, for some periods."""

    period: str | None
    period_count: int | None
    price: int | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvancedCommerceRefund(PayloadPart):
    """A refund of an item."""

    refund_amount: int | None
    refund_date: datetime | None
    refund_reason: str | None
    refund_type: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvancedCommercePriceIncrease(PayloadPart):
    """An increase of an item's price."""

    dependent_skus: tuple[str, ...] | None
    price: int | None
    status: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvancedCommerceTransactionItem(PayloadPart):
    """An item that was bought with the Advanced Commerce API."""

    sku: str | None
    description: str | None
    display_name: str | None
    offer: AdvancedCommerceOffer | None
    price: int | None
    refunds: tuple[AdvancedCommerceRefund, ...] | None
    revocation_date: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvancedCommerceTransaction(PayloadPart):
    """The data of a purchase that was made with the Advanced Commerce API."""

    descriptors: AdvancedCommerceDescriptors | None
    estimated_tax: int | None
    items: tuple[AdvancedCommerceTransactionItem, ...] | None
    period: str | None
    request_reference_id: str | None
    tax_code: str | None
    tax_exclusive_price: int | None
    tax_rate: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvancedCommerceRenewalItem(PayloadPart):
    """An item of a subscription of the Advanced Commerce API."""

    sku: str | None
    description: str | None
    display_name: str | None
    offer: AdvancedCommerceOffer | None
    price: int | None
    price_increase_info: AdvancedCommercePriceIncrease | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvancedCommerceRenewal(PayloadPart):
    """The data of a renewal, for a subscription of the Advanced Commerce API."""

    consistency_token: str | None
    descriptors: AdvancedCommerceDescriptors | None
    items: tuple[AdvancedCommerceRenewalItem, ...] | None
    period: str | None
    request_reference_id: str | None
    tax_code: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transaction(Payload):
    """A valid transaction (JWSTransaction)."""

    transaction_id: str | None
    original_transaction_id: str | None
    web_order_line_item_id: str | None
    bundle_id: str | None
    product_id: str | None
    subscription_group_identifier: str | None
    purchase_date: datetime | None
    original_purchase_date: datetime | None
    expires_date: datetime | None
    quantity: int | None
    type: str | None
    device_verification: str | None
    device_verification_nonce: str | None
    app_account_token: str | None
    in_app_ownership_type: str | None
    signed_date: datetime | None
    #: When Apple refunded or revoked the purchase. Grant nothing for such a transaction.
    revocation_date: datetime | None
    revocation_reason: int | None
    is_upgraded: bool | None
    offer_type: int | None
    environment: str | None
    transaction_reason: str | None
    storefront: str | None
    storefront_id: str | None
    #: In thousandths of the currency's unit.
    price: int | None
    currency: str | None
    app_transaction_id: str | None
    offer_discount_type: str | None
    offer_identifier: str | None
    offer_period: str | None
    revocation_percentage: int | None
    revocation_type: str | None
    billing_plan_type: str | None
    commitment_info: TransactionCommitment | None
    advanced_commerce_info: AdvancedCommerceTransaction | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RenewalInfo(Payload):
    """Valid renewal information of a subscription (JWSRenewalInfo). It names no bundle identifier."""

    expiration_intent: int | None
    original_transaction_id: str | None
    auto_renew_product_id: str | None
    product_id: str | None
    auto_renew_status: int | None
    is_in_billing_retry_period: bool | None
    #: In thousandths of the currency's unit.
    renewal_price: int | None
    currency: str | None
    signed_date: datetime | None
    environment: str | None
    recent_subscription_start_date: datetime | None
    renewal_date: datetime | None
    app_transaction_id: str | None
    device_verification: str | None
    device_verification_nonce: str | None
    grace_period_expires_date: datetime | None
    offer_type: int | None
    price_increase_status: int | None
    app_account_token: str | None
    offer_discount_type: str | None
    offer_identifier: str | None
    offer_period: str | None
    renewal_billing_plan_type: str | None
    eligible_win_back_offer_ids: tuple[str, ...] | None
    commitment_info: RenewalCommitment | None
    advanced_commerce_info: AdvancedCommerceRenewal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AppTransaction(Payload):
    """A valid app transaction (JWSAppTransaction)."""

    #: The environment.
    receipt_type: str | None
    app_apple_id: int | None
    bundle_id: str | None
    application_version: str | None
    version_external_identifier: int | None
    receipt_creation_date: datetime | None
    request_date: datetime | None
    original_purchase_date: datetime | None
    original_application_version: str | None
    device_verification: str | None
    device_verification_nonce: str | None
    app_transaction_id: str | None
    original_platform: str | None
    preorder_date: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RealtimeRequest(Payload):
    """A valid request for a retention message. It names no bundle identifier."""

    original_transaction_id: str | None
    app_apple_id: int | None
    product_id: str | None
    user_locale: str | None
    request_identifier: str | None
    environment: str | None
    signed_date: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationData(PayloadPart):
    """The data of a notification about a purchase. The tokens inside it are valid, too."""

    app_apple_id: int | None
    bundle_id: str | None
    bundle_version: str | None
    environment: str | None
    signed_transaction_info: Transaction | None
    signed_renewal_info: RenewalInfo | None
    status: int | None
    consumption_request_reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationSummary(PayloadPart):
    """The summary of an extension of renewal dates."""

    request_identifier: str | None
    environment: str | None
    app_apple_id: int | None
    bundle_id: str | None
    product_id: str | None
    storefront_country_codes: tuple[str, ...] | None
    failed_count: int | None
    succeeded_count: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalPurchase(PayloadPart):
    """The token of an external purchase, in a notification."""

    external_purchase_id: str | None
    token_creation_date: datetime | None
    app_apple_id: int | None
    bundle_id: str | None
    token_type: str | None
    token_expiration_date: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationAppData(PayloadPart):
    """The data of a notification about an app. The token inside it is valid, too."""

    app_apple_id: int | None
    bundle_id: str | None
    environment: str | None
    signed_app_transaction_info: AppTransaction | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notification(Payload):
    """A valid App Store Server Notification of version 2. It has one object of four."""

    #: The event, such as `DID_RENEW`.
    notification_type: str | None
    subtype: str | None
    #: The same each time that Apple sends the notification again.
    notification_uuid: str | None
    data: NotificationData | None
    summary: NotificationSummary | None
    external_purchase_token: ExternalPurchase | None
    app_data: NotificationAppData | None
    version: str | None
    signed_date: datetime | None


_Part = TypeVar("_Part", bound=PayloadPart)


def read_payload(kind: type[_Part], members: dict[str, Any], **others: Any) -> _Part:
    """Makes a payload, or a part of one, of the library's JSON."""
    hashable: Any = kind
    values = {name: read(members[member]) for name, member, read in _attributes(hashable)}
    if issubclass(kind, Payload):
        values |= {"not_checked": None, "sha256": None} | others
    unknown: dict[str, Any] = members["unknown_members"]
    return kind(unknown_members=unknown, **values)


@functools.cache
def _attributes(kind: Any) -> list[tuple[str, str, Callable[[Any], Any]]]:
    """The name of each attribute, Apple's name, and the function that makes its value."""
    hints = typing.get_type_hints(kind)
    inherited = {field.name for field in dataclasses.fields(Payload)}
    return [
        (field.name, member_name(field.name), _reader(hints[field.name]))
        for field in dataclasses.fields(kind)
        if field.name not in inherited
    ]


def member_name(attribute: str) -> str:
    """Apple's name of an attribute."""
    name = re.sub("_([a-z])", lambda letter: letter[1].upper(), attribute)
    capitals = {"notificationUuid": "notificationUUID", "sku": "SKU", "dependentSkus": "dependentSKUs"}
    return capitals.get(name, name)


def _reader(hint: Any) -> Callable[[Any], Any]:
    value = next(part for part in typing.get_args(hint) if part is not types.NoneType)
    if value is datetime:
        return read_date
    if value is int:
        return read_integer
    if typing.get_origin(value) is tuple:
        element = typing.get_args(value)[0]
        read = _reader(element | None)
        return lambda elements: None if elements is None else tuple(map(read, elements))
    if isinstance(value, type) and issubclass(value, PayloadPart):
        part = value
        return lambda members: None if members is None else read_payload(part, members)
    return lambda text: text
