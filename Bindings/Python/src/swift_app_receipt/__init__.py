"""Validates App Store receipts.

    from swift_app_receipt import Policy, ReceiptError, validate

    policy = Policy(environments=["Production"], bundle_identifiers=["com.example.app"])
    try:
        receipt = validate(octets, policy)
    except ReceiptError as error:
        print(error.step, error.code, error)

The module columns validates columns of Arrow and pandas. The modules asgi and wsgi answer as Apple's
verifyReceipt.
"""

from ._endpoint import MAXIMUM_BODY, Answer, Endpoint
from ._policy import ANY, Environment, Limits, Policy
from ._receipts import (
    Attribute,
    InAppPurchase,
    MalformedInAppPurchase,
    Receipt,
    ReceiptError,
    TransactionReceipt,
)
from ._validator import ReceiptData, Validator, inspect_unverified, validate, validate_many
from .columns import validate_column

__all__ = [
    "ANY",
    "MAXIMUM_BODY",
    "Answer",
    "Attribute",
    "Endpoint",
    "Environment",
    "InAppPurchase",
    "Limits",
    "MalformedInAppPurchase",
    "Policy",
    "Receipt",
    "ReceiptData",
    "ReceiptError",
    "TransactionReceipt",
    "Validator",
    "inspect_unverified",
    "validate",
    "validate_column",
    "validate_many",
]
