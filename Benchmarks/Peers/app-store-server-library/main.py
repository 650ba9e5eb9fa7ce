"""Measures Apple's App Store Server Library for Python, without its online checks."""

import hashlib
import platform
import sys
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "common"))

import jwt
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import (
    SignedDataVerifier,
    VerificationException,
    VerificationStatus,
)
from cattrs.errors import BaseValidationError
from cryptography.hazmat.backends.openssl import backend

from peer import Expected, Operation, TokenPeer

APPLE_ROOT_G3 = "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"


def verify(verifier: SignedDataVerifier, kind: str, token: str) -> None:
    """Verifies a token, and the tokens inside a notification, which the library leaves to the caller."""
    if kind == "transaction":
        verifier.verify_and_decode_signed_transaction(token)
    elif kind == "renewal-info":
        verifier.verify_and_decode_renewal_info(token)
    elif kind == "app-transaction":
        verifier.verify_and_decode_app_transaction(token)
    elif kind == "realtime-request":
        verifier.verify_and_decode_realtime_request(token)
    else:
        notification = verifier.verify_and_decode_notification(token)
        if notification.data is not None:
            if notification.data.signedTransactionInfo is not None:
                verifier.verify_and_decode_signed_transaction(notification.data.signedTransactionInfo)
            if notification.data.signedRenewalInfo is not None:
                verifier.verify_and_decode_renewal_info(notification.data.signedRenewalInfo)
        if notification.appData is not None and notification.appData.signedAppTransactionInfo is not None:
            verifier.verify_and_decode_app_transaction(notification.appData.signedAppTransactionInfo)


def claimed(token: str) -> tuple[Expected, Environment]:
    """Returns what a token for measurements claims to be, as the library's own parser reads it."""
    payload = jwt.decode(token, options={"verify_signature": False})
    marks = {
        "notificationType": "notification",
        "transactionId": "transaction",
        "receiptType": "app-transaction",
        "userLocale": "realtime-request",
    }
    kind = next((kind for mark, kind in marks.items() if mark in payload), "renewal-info")
    app = next((payload[name] for name in ("data", "summary", "appData") if name in payload), payload)
    expected = Expected(kind, app.get("bundleId", "com.example.app"), app.get("appAppleId", 0))
    return expected, Environment(app.get("environment") or app["receiptType"])


class Library(TokenPeer):
    name = "app-store-server-library"
    description = {
        "peer": "Apple's Python library",
        "version": version("app-store-server-library"),
        "built": f"{backend.openssl_version_text()} in the wheel, Python {platform.python_version()}",
    }
    refusals = (VerificationException, jwt.InvalidTokenError, BaseValidationError)

    def operation_on(self, token: str, root: bytes, expected: Expected | None) -> Operation:
        environments = [Environment.SANDBOX, Environment.PRODUCTION]
        if expected is None:
            expected, environment = claimed(token)
            environments = [environment]
        kind, *app = expected
        verifiers = [SignedDataVerifier([root], False, environment, *app) for environment in environments]
        if hashlib.sha256(root).hexdigest() != APPLE_ROOT_G3:
            # As in the library's own tests: test certificates have no key identifiers.
            for verifier in verifiers:
                verifier._chain_verifier.enable_strict_checks = False
        if len(verifiers) == 1:
            return lambda: verify(verifiers[0], kind, token)
        return lambda: verify_in_either(verifiers, kind, token)


def verify_in_either(verifiers: list[SignedDataVerifier], kind: str, token: str) -> None:
    """Verifies a token in the first environment, and in the second one if the token is not of the first."""
    try:
        verify(verifiers[0], kind, token)
    except VerificationException as refusal:
        if refusal.status != VerificationStatus.INVALID_ENVIRONMENT:
            raise
        verify(verifiers[1], kind, token)


if __name__ == "__main__":
    sys.exit(Library().main())
