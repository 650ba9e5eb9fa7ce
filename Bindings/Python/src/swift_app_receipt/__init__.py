"""Validates App Store receipts.

    from swift_app_receipt import Policy, ReceiptError, validate

    policy = Policy(environments=["Production"], bundle_identifiers=["com.example.app"])
    try:
        receipt = validate(octets, policy)
    except ReceiptError as error:
        print(error.step, error.code, error)

TokenValidator validates transactions and notifications of StoreKit 2.

The module columns validates columns of Arrow and pandas. The modules asgi and wsgi answer as Apple's
verifyReceipt.
"""

from ._endpoint import MAXIMUM_BODY, Answer, Endpoint
from ._payloads import (
    AdvancedCommerceDescriptors,
    AdvancedCommerceOffer,
    AdvancedCommercePriceIncrease,
    AdvancedCommerceRefund,
    AdvancedCommerceRenewal,
    AdvancedCommerceRenewalItem,
    AdvancedCommerceTransaction,
    AdvancedCommerceTransactionItem,
    AppTransaction,
    ExternalPurchase,
    Notification,
    NotificationAppData,
    NotificationData,
    NotificationSummary,
    Payload,
    RealtimeRequest,
    RenewalCommitment,
    RenewalInfo,
    Transaction,
    TransactionCommitment,
)
from ._policy import ANY, Environment, Limits, Policy, Revocation
from ._receipts import (
    Attribute,
    InAppPurchase,
    MalformedInAppPurchase,
    Receipt,
    ReceiptError,
    TokenError,
    TransactionReceipt,
)
from ._tokens import (
    TokenData,
    TokenEnvironment,
    TokenKind,
    TokenLimits,
    TokenPolicy,
    TokenValidator,
    inspect_token_unverified,
)
from ._validator import ReceiptData, Validator, inspect_unverified, validate, validate_many
from .columns import validate_column, validate_token_column

__all__ = [
    "ANY",
    "MAXIMUM_BODY",
    "AdvancedCommerceDescriptors",
    "AdvancedCommerceOffer",
    "AdvancedCommercePriceIncrease",
    "AdvancedCommerceRefund",
    "AdvancedCommerceRenewal",
    "AdvancedCommerceRenewalItem",
    "AdvancedCommerceTransaction",
    "AdvancedCommerceTransactionItem",
    "Answer",
    "AppTransaction",
    "Attribute",
    "Endpoint",
    "Environment",
    "ExternalPurchase",
    "InAppPurchase",
    "Limits",
    "MalformedInAppPurchase",
    "Notification",
    "NotificationAppData",
    "NotificationData",
    "NotificationSummary",
    "Payload",
    "Policy",
    "RealtimeRequest",
    "Receipt",
    "ReceiptData",
    "ReceiptError",
    "RenewalCommitment",
    "RenewalInfo",
    "Revocation",
    "TokenData",
    "TokenEnvironment",
    "TokenError",
    "TokenKind",
    "TokenLimits",
    "TokenPolicy",
    "TokenValidator",
    "Transaction",
    "TransactionCommitment",
    "TransactionReceipt",
    "Validator",
    "inspect_token_unverified",
    "inspect_unverified",
    "validate",
    "validate_column",
    "validate_many",
    "validate_token_column",
]
