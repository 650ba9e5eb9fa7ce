"""The applications without a server: what a server's tests do not reach."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import threading
import tracemalloc
from collections.abc import MutableMapping
from typing import Any

import pytest
from served import asgi_production, asgi_sandbox, wsgi_production

from swift_app_receipt import MAXIMUM_BODY, Answer, asgi
from swift_app_receipt._http import answer


def run(
    messages: list[dict[str, Any]], application: asgi.VerifyReceipt = asgi_production, **scope: Any
) -> list[MutableMapping[str, Any]]:
    """Sends messages to the application for ASGI, and returns what it sends."""
    sent: list[MutableMapping[str, Any]] = []
    left = iter(messages)

    async def receive() -> dict[str, Any]:
        return next(left)

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    defaults = {"type": "http", "method": "POST", "path": "/verifyReceipt", "headers": []}
    asyncio.run(application({**defaults, **scope}, receive, send))
    return sent


def part(body: bytes, more: bool = False) -> dict[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


def test_a_body_may_come_in_parts() -> None:
    start, body = run([part(b'{"receipt-data"', True), part(b"", True), part(b':"foobar"}')])
    assert (start["status"], body["body"]) == (200, b'{"status":21002}')
    assert (b"content-type", b"application/json") in start["headers"]
    assert run([{"type": "http.request"}])[1]["body"] == b'{"status":21000}'


def test_parts_that_are_too_long_together_get_413_without_more_reading() -> None:
    start, body = run([part(bytes(MAXIMUM_BODY), True), part(b"x", True)])
    assert (start["status"], body["body"]) == (413, b"")
    for length in (b"3145729", b"9" * 5000):
        assert run([], headers=[(b"content-length", length)])[0]["status"] == 413


def test_a_client_that_goes_away_gets_nothing() -> None:
    assert run([part(b"{", True), {"type": "http.disconnect"}]) == []


def test_the_lifespan_and_other_protocols() -> None:
    sent = run([{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}], type="lifespan")
    assert [message["type"] for message in sent] == [
        "lifespan.startup.complete",
        "lifespan.shutdown.complete",
    ]
    with pytest.raises(ValueError, match="websocket"):
        run([], type="websocket")


@pytest.mark.parametrize(
    ("scope", "status"),
    [
        ({"path": "/other"}, 404),
        ({"path": "/verifyReceipt/"}, 404),
        ({"path": "/api/verifyReceipt"}, 404),
        ({"path": "/api/verifyReceipt", "root_path": "/api"}, 200),
        ({"path": "/api/verifyReceipt", "root_path": "/api/"}, 200),
        ({"path": "/verifyReceipt", "root_path": "/api"}, 200),
        ({"path": "/api/other", "root_path": "/api"}, 404),
        ({"path": "/apiverifyReceipt", "root_path": "/api"}, 404),
        ({"path": "/verifyReceipt", "root_path": "/verify"}, 200),
        # A framework mounts the application at the path itself.
        ({"path": "/verifyReceipt", "root_path": "/verifyReceipt"}, 200),
        ({"path": "/api/verifyReceipt/", "root_path": "/api/verifyReceipt"}, 200),
        ({"path": "/verifyReceipt/other", "root_path": "/verifyReceipt"}, 404),
    ],
)
def test_the_place_of_the_application(scope: dict[str, Any], status: int) -> None:
    assert run([part(b"{}")], **scope)[0]["status"] == status
    prefix = scope.get("root_path", "").rstrip("/")
    below = scope["path"].removeprefix(prefix) if scope["path"].startswith(f"{prefix}/") else ""
    if below or scope["path"] == prefix:
        found, _ = call(b"{}", SCRIPT_NAME=prefix, PATH_INFO=below, CONTENT_LENGTH="2")
        assert found.startswith(f"{status} ")


def test_memory_does_not_depend_on_the_number_of_parts() -> None:
    for count, chunk in ((1 << 16, b" "), (1 << 16, b"")):
        messages = [part(chunk, True)] * count + [part(b"{}")]
        tracemalloc.start()
        try:
            start, _ = run(messages)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert start["status"] == 200
        # A list would take eight bytes for each part, and more if the parts differ.
        assert peak < count * 8, peak


def element(tag: int, contents: bytes) -> bytes:
    """Encodes a DER element of 128 bytes or more."""
    size = len(contents).to_bytes((len(contents).bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(size)]) + size + contents


def elements(encoding: bytes) -> list[tuple[int, bytes, bytes]]:
    """Splits consecutive DER elements into their tags, contents and whole encodings."""
    found, place = [], 0
    while place < len(encoding):
        start, length = place + 2, encoding[place + 1]
        if length >= 0x80:
            start += length - 0x80
            length = int.from_bytes(encoding[place + 2 : start], "big")
        found.append((encoding[place], encoding[start : start + length], encoding[place : start + length]))
        place = start + length
    return found


def with_look_alikes(receipt: bytes, count: int) -> bytes:
    """Puts copies of the intermediate certificate with wrong signatures before it."""
    [(_, info, _)] = elements(receipt)
    [(_, _, kind), (_, explicit, _)] = elements(info)
    [(_, signed, _)] = elements(explicit)
    parts = elements(signed)
    [leaf, intermediate, root] = [encoding for _, _, encoding in elements(parts[3][1])]
    look_alikes = [intermediate[:-1] + bytes([number]) for number in range(count)]
    certificates = element(0xA0, b"".join([leaf, *look_alikes, intermediate, root]))
    encodings = [encoding for _, _, encoding in parts]
    signed = element(0x30, b"".join([*encodings[:3], certificates, *encodings[4:]]))
    return element(0x30, kind + element(0xA0, signed))


@pytest.mark.parametrize(
    ("count", "padding", "is_main"),
    [(0, 0, [True]), (2, 0, [True]), (3, 0, [True, False]), (6, 0, [True, False]), (0, 1 << 17, [False])],
)
def test_an_expensive_answer_leaves_the_event_loop(
    count: int, padding: int, is_main: list[bool], sandbox_receipt: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[bool] = []

    def spy(*arguments: Any) -> Answer:
        found.append(threading.current_thread() is threading.main_thread())
        return answer(*arguments)

    monkeypatch.setattr(asgi, "answer", spy)
    receipt = base64.b64encode(with_look_alikes(sandbox_receipt, count)).decode()
    body = json.dumps({"receipt-data": receipt, "padding": "x" * padding}).encode()
    sent = run([part(body)], application=asgi_sandbox)
    assert json.loads(sent[1]["body"])["status"] == 0
    assert found == is_main


def test_a_long_body_needs_no_asyncio() -> None:
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return part(b" " * (1 << 17))

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/verifyReceipt", "headers": []}
    # A loop of another library runs the coroutine, which waits for nothing here.
    with pytest.raises(StopIteration):
        asgi_production(scope, receive, send).send(None)
    assert [sent[0]["status"], sent[1]["body"]] == [200, b'{"status":21000}']


def call(body: bytes, **environ: Any) -> tuple[str, bytes]:
    """Calls the application for WSGI."""
    statuses: list[str] = []
    request = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/verifyReceipt",
        "wsgi.input": io.BytesIO(body),
        **environ,
    }
    answer = b"".join(wsgi_production(request, lambda status, headers: statuses.append(status)))
    return statuses[0], answer


@pytest.mark.parametrize(
    ("environ", "status", "answer"),
    [
        ({"CONTENT_LENGTH": "25"}, "200 OK", b'{"status":21002}'),
        ({"CONTENT_LENGTH": "3145729"}, "413 Request Entity Too Large", b""),
        ({"CONTENT_LENGTH": "-1"}, "200 OK", b'{"status":21000}'),
        ({"CONTENT_LENGTH": "many"}, "200 OK", b'{"status":21000}'),
        ({"CONTENT_LENGTH": "9" * 5000}, "413 Request Entity Too Large", b""),
        ({"CONTENT_LENGTH": "0" * 5000 + "25"}, "200 OK", b'{"status":21002}'),
        ({"CONTENT_LENGTH": "²"}, "200 OK", b'{"status":21000}'),
        ({"CONTENT_LENGTH": ""}, "200 OK", b'{"status":21000}'),
        ({"wsgi.input_terminated": True}, "200 OK", b'{"status":21002}'),
        ({"PATH_INFO": "/other"}, "404 Not Found", b""),
        (
            {"SCRIPT_NAME": "/verifyReceipt", "PATH_INFO": "", "CONTENT_LENGTH": "2"},
            "200 OK",
            b'{"status":21000}',
        ),
    ],
)
def test_the_length_of_a_body_under_wsgi(environ: dict[str, Any], status: str, answer: bytes) -> None:
    assert call(b'{"receipt-data":"foobar"}', **environ) == (status, answer)


def test_a_body_without_a_length_that_is_too_long_gets_413() -> None:
    assert call(bytes(MAXIMUM_BODY + 1), **{"wsgi.input_terminated": True})[0].startswith("413 ")
