"""Answers equal those that Apple's endpoint gave, and those of the command line."""

from __future__ import annotations

import base64
import copy
import io
import json
import pickle
import subprocess
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from conftest import VECTORS, shared_files

from swift_app_receipt import MAXIMUM_BODY, Answer, Endpoint, wsgi

NOW = datetime(2025, 7, 1, 12, 34, 56, 789000, UTC)
ROOT = VECTORS / "certificates" / "root.der"


def request(receipt: bytes, **members: object) -> bytes:
    return json.dumps({"receipt-data": base64.b64encode(receipt).decode(), **members}).encode()


def endpoint(environment: Any = "sandbox", **options: Any) -> Endpoint:
    return Endpoint(environment, roots=[ROOT.read_bytes()], **options)


def status(answer: Answer) -> int:
    found: int = json.loads(answer.body)["status"]
    assert found == answer.status
    assert (answer.error is None) == (found == 0)
    return found


@pytest.mark.parametrize("path", shared_files("verify-receipt", ".b64"))
def test_an_answer_equals_the_recorded_one_and_the_command_line(path: Path, app_receipt: Path) -> None:
    recorded = json.loads(path.with_suffix(".response.json").read_text())
    environment: Any = "production" if "-to-production-" in path.name else "sandbox"
    milliseconds = int(recorded.get("receipt", {}).get("request_date_ms", 1_538_738_661_611))
    now = datetime.fromtimestamp(milliseconds // 1000, UTC).replace(microsecond=milliseconds % 1000 * 1000)
    body = json.dumps({"receipt-data": path.read_text().strip()}).encode()
    answer = Endpoint(environment).answer(body, now)
    done = subprocess.run(
        [
            app_receipt,
            "answer",
            f"--{environment}",
            "--quiet",
            "--now",
            now.isoformat().replace("+00:00", "Z"),
            "-",
        ],
        input=body,
        stdout=subprocess.PIPE,
    )
    assert answer.body == done.stdout.rstrip(b"\n")
    found = json.loads(answer.body)
    assert status(answer) == (
        21006 if path.name == "ios6-mbaasy-subscription-2015.b64" else recorded["status"]
    )
    if "request_date_ms" not in recorded.get("receipt", {}):
        return
    # Apple answered another is_trial_period for one purchase in November 2016; VERIFY-RECEIPT.md says why.
    different = [
        one["transaction_id"]
        for one, other in zip(found["receipt"].pop("in_app"), recorded["receipt"].pop("in_app"), strict=True)
        if one != other
    ]
    assert different in ([], ["1000000248850692"])
    assert found["receipt"] == recorded["receipt"]


def test_statuses(sandbox_receipt: bytes) -> None:
    production = (VECTORS / "receipts" / "production-sha256.der").read_bytes()
    tampered = (VECTORS / "receipts" / "tampered-payload.der").read_bytes()
    assert status(endpoint().answer(request(sandbox_receipt), NOW)) == 0
    assert status(endpoint("production").answer(request(production), NOW)) == 0
    assert status(endpoint("production").answer(request(sandbox_receipt), NOW)) == 21007
    assert status(endpoint().answer(request(production), NOW)) == 21008
    assert status(endpoint().answer(request(tampered), NOW)) == 21002
    for body in [b"", b"{", b"[]", b"\xff", b'{"receipt-data":"foobar"}x', b" " * (MAXIMUM_BODY + 1)]:
        answer = endpoint().answer(body, NOW)
        assert status(answer) == 21000
        assert answer.error is not None and answer.error.step == "request"
    assert status(endpoint().answer(b'{"receipt-data":"foobar"}', NOW)) == 21002
    assert status(endpoint().answer(b"{}", NOW)) == 21002
    assert status(Endpoint("sandbox").answer(request(sandbox_receipt), NOW)) == 21002


@pytest.mark.parametrize("path", shared_files("receipts", "-sandbox.der"))
def test_the_ready_applications_trust_apple(path: Path) -> None:
    body = request(path.read_bytes())
    for application, expected in [(wsgi.sandbox, 0), (wsgi.production, 21007)]:
        environ = {
            "REQUEST_METHOD": "POST",
            "PATH_INFO": "/verifyReceipt",
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.input": io.BytesIO(body),
        }
        answer = b"".join(application(environ, lambda status, headers: None))
        assert json.loads(answer)["status"] == expected


def test_shared_secrets(sandbox_receipt: bytes) -> None:
    secret = endpoint(shared_secrets=["first", b"second"])
    assert status(secret.answer(request(sandbox_receipt, password="second"), NOW)) == 0
    assert status(secret.answer(request(sandbox_receipt, password="third"), NOW)) == 21004
    assert status(secret.answer(request(sandbox_receipt), NOW)) == 21003
    assert status(endpoint(shared_secrets=[]).answer(request(sandbox_receipt, password=""), NOW)) == 21004
    assert status(endpoint().answer(request(sandbox_receipt, password="third"), NOW)) == 0


def test_repairs(sandbox_receipt: bytes) -> None:
    body = json.dumps({"receipt-data": base64.encodebytes(sandbox_receipt).decode()}).encode()
    assert status(endpoint().answer(body, NOW)) == 21002
    assert status(endpoint(repairs=True).answer(body, NOW)) == 0


def test_latest_receipt_info_is_optional(sandbox_receipt: bytes) -> None:
    body = request(sandbox_receipt)
    plain = json.loads(endpoint().answer(body, NOW).body)
    listing = json.loads(endpoint(latest_receipt_info=True).answer(body, NOW).body)
    assert "latest_receipt_info" not in plain
    purchases = listing.pop("latest_receipt_info")
    assert purchases == sorted(plain["receipt"]["in_app"], key=lambda one: int(one["purchase_date_ms"]))
    assert any("expires_date" in purchase for purchase in purchases)
    assert listing == plain
    with_secret = endpoint(latest_receipt_info=True, shared_secrets=["secret"])
    assert "latest_receipt_info" not in json.loads(with_secret.answer(body, NOW).body)


def test_mistakes_of_the_caller_are_named() -> None:
    with pytest.raises(ValueError, match="environment"):
        Endpoint("Production")  # type: ignore[arg-type]
    # bytes(3) are three zeros.
    wrong: list[Any] = ["secret", b"secret", bytearray(b"secret"), memoryview(b"secret"), [0], [3], [None], 3]
    for secrets in wrong:
        with pytest.raises(TypeError, match="shared_secrets: pass "):
            endpoint(shared_secrets=secrets)
    with pytest.raises(TypeError, match="body: pass bytes"):
        endpoint().answer(5, NOW)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="roots: pass a certificate"):
        Endpoint("production", roots=[])
    copies: list[Callable[[Endpoint], object]] = [copy.copy, copy.deepcopy, pickle.dumps]
    for make in copies:
        with pytest.raises(TypeError, match="cannot be copied or pickled"):
            make(endpoint())
    with pytest.raises(ValueError, match="time zone"):
        endpoint().answer(b"{}", datetime(2025, 1, 1))


def test_eight_threads_share_an_endpoint(sandbox_receipt: bytes) -> None:
    shared = endpoint()
    body = request(sandbox_receipt)
    expected = shared.answer(body, NOW)
    wrong: list[int] = []

    def work() -> None:
        for _ in range(100):
            if shared.answer(body, NOW) != expected:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
