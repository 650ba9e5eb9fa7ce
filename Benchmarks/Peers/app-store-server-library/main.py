"""Measures Apple's App Store Server Library for Python, without its online checks."""

import argparse
import base64
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

from sampling import Operation, emit, records, round_and_round, sample

MEASURES = ["token-uncached"]
FAILURES = (VerificationException, OSError, ValueError, KeyError)
APPLE_ROOT_G3 = "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"


def payload_of(token: str) -> bytes:
    text = token.split(".")[1]
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def operation_on(token: str, root: bytes) -> Operation:
    """Returns the operation that verifies a token and the tokens inside it, with a kept verifier for their app."""
    payload = json.loads(payload_of(token))
    app = payload.get("data") or payload.get("appData") or payload
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


def check(root: bytes, files: list[Path]) -> None:
    for file in files:
        token = file.read_text(encoding="ascii")
        try:
            operation_on(token, root)()
        except FAILURES as refusal:
            emit(input=file.name, verdict="refused", reason=f"{type(refusal).__name__}: {refusal}")
        else:
            emit(input=file.name, verdict="accepted", content_sha256=hashlib.sha256(payload_of(token)).hexdigest())


def prepare(root: bytes, path: Path) -> tuple[float, Operation]:
    """Returns the size of an input, and its operation."""
    contents = path.read_bytes()
    tokens = list(records(contents)) if path.suffix == ".lp" else [contents]
    turn = round_and_round([operation_on(token.decode("ascii"), root) for token in tokens])
    return sum(map(len, tokens)) / len(tokens), lambda: next(turn)()


def main() -> int:
    parser = argparse.ArgumentParser(prog="app-store-server-library", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("describe")
    check_parser = commands.add_parser("check")
    check_parser.add_argument("--root", type=Path, required=True)
    check_parser.add_argument("files", type=Path, nargs="+")
    time_parser = commands.add_parser("time")
    time_parser.add_argument("--measure", choices=MEASURES, required=True)
    time_parser.add_argument("--root", type=Path, required=True)
    time_parser.add_argument("--samples", type=int, default=31)
    time_parser.add_argument("--milliseconds", type=int, default=300)
    time_parser.add_argument("inputs", type=Path, nargs="+")
    arguments = parser.parse_args()
    if arguments.command == "describe":
        built = f"{backend.openssl_version_text()} in the wheel, Python {platform.python_version()}"
        emit(peer="Apple's Python library", version=version("app-store-server-library"), built=built,
             measures=MEASURES)
    elif arguments.command == "check":
        check(arguments.root.read_bytes(), arguments.files)
    else:
        for path in arguments.inputs:
            size, operation = prepare(arguments.root.read_bytes(), path)
            length = arguments.milliseconds * 1e6 / arguments.samples
            operations, times = sample(operation, arguments.samples, length)
            emit(measure=arguments.measure, input=path.name, bytes=size, operations=operations, nanoseconds=times)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except FAILURES as failure:
        print(f"{type(failure).__name__}: {failure}", file=sys.stderr)
        sys.exit(1)
