"""Measures the PyPI package apple-purchase-receipt-verifier: WebAssembly made from Rust, run by wasmtime."""

import functools
import json
import platform
import sys
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "common"))

from apple_purchase_receipt_verifier import Config, Verifier

from sampling import Operation
from tokens import Peer

NAME = "apple-purchase-receipt-verifier"


@functools.cache
def verifier_of(root: bytes) -> Verifier:
    return Verifier(Config(roots=[root]))


def operation_on(token: str, root: bytes) -> Operation:
    """Returns the operation that verifies a token and the tokens inside it, with one kept verifier."""
    verifier = verifier_of(root)
    return lambda: verify(verifier, token)


def verify(verifier: Verifier, token: str) -> None:
    """Verifies a token, and the tokens inside a notification, which the package leaves to the caller."""
    result = verifier.verify_signed_data(token)
    if not result.verified:
        raise ValueError(f"{result.failure.reason.name}: {result.failure.message}")
    payload = json.loads(result.payload.json)
    holder = payload.get("data") or payload.get("appData") or {}
    for member in ("signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo"):
        if member in holder:
            verify(verifier, holder[member])


DESCRIPTION = {
    "peer": "apple-purchase-receipt-verifier",
    "version": version(NAME),
    "built": f"wasmtime {version('wasmtime')}, Python {platform.python_version()}",
}

if __name__ == "__main__":
    sys.exit(Peer(NAME, DESCRIPTION, operation_on, (OSError, ValueError)).main())
