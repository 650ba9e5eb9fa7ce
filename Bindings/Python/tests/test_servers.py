"""verifyReceipt behind uvicorn and gunicorn, asked by clients that were written for Apple's endpoint."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import VECTORS

HERE = Path(__file__).parent
LONGEST = 3_145_728


@dataclass
class Server:
    port: int
    process: subprocess.Popen[bytes]

    def post(self, body: bytes, method: str = "POST", path: str = "/verifyReceipt") -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()


def arguments(kind: str, environment: str) -> list[str]:
    """The command of a server, without the address."""
    python = [sys.executable, "-m"]
    if kind == "uvicorn":
        return [*python, "uvicorn", "--log-level", "warning", f"served:asgi_{environment}"]
    worker = (
        ["--worker-class", "uvicorn_worker.UvicornWorker"] if kind == "gunicorn-asgi" else ["--threads", "4"]
    )
    application = "asgi" if kind == "gunicorn-asgi" else "wsgi"
    return [
        *python,
        "gunicorn",
        "--workers",
        "1",
        "--log-level",
        "warning",
        "--keep-alive",
        "30",
        *worker,
        f"served:{application}_{environment}",
    ]


@contextlib.contextmanager
def serving(kind: str, environment: str, certificate: Path | None = None) -> Iterator[Server]:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
    command = arguments(kind, environment)
    if kind == "uvicorn":
        command += ["--port", str(port)]
        if certificate is not None:
            command += ["--ssl-certfile", str(certificate), "--ssl-keyfile", str(certificate)]
    else:
        command += ["--bind", f"127.0.0.1:{port}"]
        if certificate is not None:
            command += ["--certfile", str(certificate), "--keyfile", str(certificate)]
    process = subprocess.Popen(command, cwd=HERE)
    try:
        for _ in range(200):
            assert process.poll() is None, "the server has ended"
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.1)
        else:
            raise TimeoutError("the server does not listen")
        yield Server(port, process)
    finally:
        process.terminate()
        assert process.wait(timeout=30) in (0, -15)


KINDS = ["uvicorn", "gunicorn-asgi", "gunicorn-wsgi"]


@pytest.fixture(scope="module", params=KINDS)
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    with serving(request.param, "production") as server:
        yield server


def request_for(name: str) -> bytes:
    octets = (VECTORS / "receipts" / name).read_bytes()
    return json.dumps({"receipt-data": base64.b64encode(octets).decode()}).encode()


def test_statuses_are_in_the_body_and_http_says_200(server: Server) -> None:
    for body, expected in [
        (request_for("production-sha256.der"), 0),
        (b"", 21000),
        (b"no JSON", 21000),
        (b'{"receipt-data":"foobar"}', 21002),
        (request_for("tampered-payload.der"), 21002),
        (request_for("sandbox-sha256.der"), 21007),
    ]:
        status, answer = server.post(body)
        assert (status, json.loads(answer)["status"]) == (200, expected)


def test_only_post_is_understood(server: Server) -> None:
    for method in ["GET", "PUT", "DELETE"]:
        status, answer = server.post(request_for("production-sha256.der"), method)
        assert (status, json.loads(answer)) == (200, {"status": 21000})
    for path in ["/", "/verifyReceipt/", "/verifyreceipt", "/other"]:
        assert server.post(b"{}", path=path)[0] == 404


def test_a_body_that_is_too_long_gets_413(server: Server) -> None:
    longest = request_for("production-sha256.der").ljust(LONGEST)
    status, answer = server.post(longest)
    assert (status, json.loads(answer)["status"]) == (200, 0)
    assert status_of_long_body(server, [b"Content-Length: 3145729"], longest + b" ") == 413
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in [longest, b" "]) + b"0\r\n\r\n"
    assert status_of_long_body(server, [b"Transfer-Encoding: chunked"], chunks) == 413
    chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (len(longest), longest)
    assert status_of_long_body(server, [b"Transfer-Encoding: chunked"], chunks) == 200


def status_of_long_body(server: Server, headers: list[bytes], body: bytes) -> int:
    """Sends a request as it is. The server may answer and close before it has read the body."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(
            b"\r\n".join(
                [
                    b"POST /verifyReceipt HTTP/1.1",
                    b"Host: localhost",
                    b"Connection: close",
                    *headers,
                    b"",
                    b"",
                ]
            )
        )
        with contextlib.suppress(OSError):
            connection.sendall(body)
        answer = b""
        with contextlib.suppress(OSError):
            while len(answer) < 12 and (part := connection.recv(4096)):
                answer += part
    return int(answer.split(b" ")[1])


# A client of verifyReceipt, in a process in which Apple's two names lead to the servers of this test. The
# client's code and its addresses are unchanged: it speaks TLS with buy.itunes.apple.com and
# sandbox.itunes.apple.com.
CLIENT = """
import asyncio, json, os, socket, sys, warnings
ports = {"buy.itunes.apple.com": int(sys.argv[1]), "sandbox.itunes.apple.com": int(sys.argv[2])}
original = socket.getaddrinfo
def getaddrinfo(host, port, *arguments, **options):
    host = host.decode() if isinstance(host, bytes) else host
    return original("127.0.0.1", ports[host], *arguments, **options)
socket.getaddrinfo = getaddrinfo
receipt, tampered = sys.argv[3:5]
"""
INAPPPY = (
    CLIENT
    + """
from inapppy import AppStoreValidator, InAppPyValidationError
answer = AppStoreValidator(auto_retry_wrong_env_request=True).validate(receipt, "secret", True)
print(json.dumps(answer))
for text, status in [(receipt, 21007), (tampered, 21002), ("foobar", 21002)]:
    try:
        AppStoreValidator().validate(text)
    except InAppPyValidationError as error:
        assert error.raw_response == {"status": status}, error.raw_response
    else:
        raise AssertionError(status)
"""
)
INAPPPY_ASYNCIO = (
    CLIENT
    + """
import aiohttp
# Another resolver of aiohttp does not call getaddrinfo.
aiohttp.connector.DefaultResolver = aiohttp.ThreadedResolver
from inapppy import InAppPyValidationError
from inapppy.asyncio import AppStoreValidator
async def main():
    client = AppStoreValidator(auto_retry_wrong_env_request=True)
    async with client:
        print(json.dumps(await client.validate(receipt)))
    client = AppStoreValidator()
    async with client:
        try:
            await client.validate(tampered)
        except InAppPyValidationError as error:
            assert error.raw_response == {"status": 21002}
asyncio.run(main())
"""
)
ITUNES_IAP = (
    CLIENT
    + """
warnings.simplefilter("ignore")
import itunesiap
response = itunesiap.verify(receipt, env=itunesiap.env.review)
assert response.receipt.last_in_app.product_id.startswith("com.example.receipts."), response
print(json.dumps(response._))
production, sandbox = itunesiap.env.production, itunesiap.env.sandbox
for text, env, status in [(receipt, production, 21007), (tampered, sandbox, 21002)]:
    try:
        itunesiap.verify(text, env=env)
    except itunesiap.exc.InvalidReceipt as error:
        assert error.status == status, error
    else:
        raise AssertionError(status)
"""
)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate with its key for both of Apple's names."""
    place = tmp_path_factory.mktemp("tls")
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=buy.itunes.apple.com",
            "-addext",
            "subjectAltName=DNS:buy.itunes.apple.com,DNS:sandbox.itunes.apple.com",
            "-keyout",
            "key.pem",
            "-out",
            "certificate.pem",
        ],
        cwd=place,
        check=True,
        stderr=subprocess.DEVNULL,
    )
    both = place / "both.pem"
    both.write_bytes((place / "key.pem").read_bytes() + (place / "certificate.pem").read_bytes())
    return both


@pytest.fixture(scope="module", params=KINDS)
def pair(request: pytest.FixtureRequest, certificate: Path) -> Iterator[tuple[Server, Server]]:
    with (
        serving(request.param, "production", certificate) as production,
        serving(request.param, "sandbox", certificate) as sandbox,
    ):
        yield production, sandbox


@pytest.mark.parametrize(
    ("package", "client"),
    [("inapppy", INAPPPY), ("inapppy", INAPPPY_ASYNCIO), ("itunesiap", ITUNES_IAP)],
    ids=["inapppy", "inapppy-asyncio", "itunes-iap"],
)
def test_a_client_that_was_written_for_apple_works_unchanged(
    package: str, client: str, pair: tuple[Server, Server], certificate: Path, sandbox_receipt: bytes
) -> None:
    pytest.importorskip(package)
    tampered = (VECTORS / "receipts" / "tampered-signature.der").read_bytes()
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            client,
            *(str(server.port) for server in pair),
            base64.b64encode(sandbox_receipt).decode(),
            base64.b64encode(tampered).decode(),
        ],
        # The first variable is read by requests, the second by OpenSSL, which aiohttp uses.
        env=os.environ | {"REQUESTS_CA_BUNDLE": str(certificate), "SSL_CERT_FILE": str(certificate)},
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr.decode()
    answer = json.loads(done.stdout)
    assert answer["status"] == 0 and answer["environment"] == "Sandbox"
    assert answer["receipt"]["bundle_id"] == "com.example.receipts"
    assert len(answer["receipt"]["in_app"]) == 2


REQUESTS, CONNECTIONS = 10_000, 64


@pytest.mark.parametrize("kind", KINDS)
def test_ten_thousand_requests_over_64_connections(kind: str) -> None:
    with serving(kind, "production") as server:
        started = time.perf_counter()
        answers = asyncio.run(load(server.port, request_for("production-sha256.der")))
        seconds = time.perf_counter() - started
    assert answers == {(200, 0): REQUESTS}
    print(f"{kind}: {REQUESTS / seconds:.0f} requests in a second")


async def load(port: int, body: bytes) -> dict[tuple[int, Any], int]:
    """Counts the answers by HTTP status and status. No connection is opened twice."""
    head = b"POST /verifyReceipt HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body)
    left = REQUESTS
    answers: dict[tuple[int, Any], int] = {}

    async def work() -> None:
        nonlocal left
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while left > 0:
            left -= 1
            writer.write(head + body)
            answer = await reader.readuntil(b"\r\n\r\n")
            headers = dict(
                line.lower().split(b": ", 1) for line in answer.split(b"\r\n")[1:] if b": " in line
            )
            found = json.loads(await reader.readexactly(int(headers[b"content-length"])))
            key = (int(answer.split(b" ")[1]), found["status"])
            answers[key] = answers.get(key, 0) + 1
        writer.close()
        await writer.wait_closed()

    await asyncio.gather(*(work() for _ in range(CONNECTIONS)))
    return answers
