"""Measures the PyPI package apple-purchase-receipt-verifier: WebAssembly made from Rust, run by wasmtime."""

import functools
import json
import platform
import sys
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "common"))

from apple_purchase_receipt_verifier import Config, Verifier

from peer import Expected, Operation, TokenPeer


class Refused(Exception):
    """The package did not verify a token."""


@functools.cache
def verifier_of(root: bytes) -> Verifier:
    return Verifier(Config(roots=[root]))


def verify(verifier: Verifier, token: str) -> None:
    """Verifies a token, and the tokens inside a notification, which the package leaves to the caller."""
    result = verifier.verify_signed_data(token)
    if not result.verified:
        raise Refused(f"{result.failure.reason.name}: {result.failure.message}")
    payload = json.loads(result.payload.json)
    holder = payload.get("data") or payload.get("appData") or {}
    for member in ("signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo"):
        if member in holder:
            verify(verifier, holder[member])


class Package(TokenPeer):
    """The package asks for no kind, and leaves the app to the caller."""

    name = "apple-purchase-receipt-verifier"
    description = {
        "peer": name,
        "version": version(name),
        "built": f"wasmtime {version('wasmtime')}, Python {platform.python_version()}",
    }
    refusals = (Refused,)

    def operation_on(self, token: str, root: bytes, expected: Expected | None) -> Operation:
        verifier = verifier_of(root)
        return lambda: verify(verifier, token)


if __name__ == "__main__":
    sys.exit(Package().main())
