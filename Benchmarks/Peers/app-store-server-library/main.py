"""Measures Apple's App Store Server Library for Python, without its online checks."""

import hashlib
import json
import platform
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "common"))

from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException
from cryptography.hazmat.backends.openssl import backend

from sampling import Operation
from tokens import Peer, payload_of

APPLE_ROOT_G3 = "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"


def operation_on(token: str, root: bytes) -> Operation:
    """Returns the operation that verifies a token and the tokens inside it, with a kept verifier for their app."""
    payload = json.loads(payload_of(token))
    holders = ("data", "summary", "appData", "externalPurchaseToken")
    app = next((payload[name] for name in holders if name in payload), payload)
    if "externalPurchaseId" in app:
        environment = Environment.SANDBOX if app["externalPurchaseId"].startswith("SANDBOX") else Environment.PRODUCTION
    else:
        environment = Environment(app.get("environment") or app["receiptType"])
    bundle = app.get("bundleId", "com.example.app")
    verifier = SignedDataVerifier([root], False, environment, bundle, app.get("appAppleId"))
    if hashlib.sha256(root).hexdigest() != APPLE_ROOT_G3:
        # As in the library's own tests: test certificates have no key identifiers.
        verifier._chain_verifier.enable_strict_checks = False
    if "notificationType" in payload:
        return lambda: verify_notification(verifier, token)
    if "transactionId" in payload:
        verify: Callable[[str], object] = verifier.verify_and_decode_signed_transaction
    elif "receiptType" in payload:
        verify = verifier.verify_and_decode_app_transaction
    elif "userLocale" in payload:
        verify = verifier.verify_and_decode_realtime_request
    else:
        verify = verifier.verify_and_decode_renewal_info
    return lambda: verify(token)


def verify_notification(verifier: SignedDataVerifier, token: str) -> None:
    """Verifies a notification, and the tokens inside it, which the library leaves to the caller."""
    notification = verifier.verify_and_decode_notification(token)
    if notification.data is not None:
        if notification.data.signedTransactionInfo is not None:
            verifier.verify_and_decode_signed_transaction(notification.data.signedTransactionInfo)
        if notification.data.signedRenewalInfo is not None:
            verifier.verify_and_decode_renewal_info(notification.data.signedRenewalInfo)
    if notification.appData is not None and notification.appData.signedAppTransactionInfo is not None:
        verifier.verify_and_decode_app_transaction(notification.appData.signedAppTransactionInfo)


DESCRIPTION = {
    "peer": "Apple's Python library",
    "version": version("app-store-server-library"),
    "built": f"{backend.openssl_version_text()} in the wheel, Python {platform.python_version()}",
}
FAILURES = (VerificationException, OSError, ValueError, KeyError)

if __name__ == "__main__":
    sys.exit(Peer("app-store-server-library", DESCRIPTION, operation_on, FAILURES).main())
