"""The applications without a server: what a server's tests do not reach."""

from __future__ import annotations

import asyncio
import io
from collections.abc import MutableMapping
from typing import Any

import pytest
from served import asgi_production, wsgi_production

from swift_app_receipt import MAXIMUM_BODY


def run(messages: list[dict[str, Any]], **scope: Any) -> list[MutableMapping[str, Any]]:
    """Sends messages to the application for ASGI, and returns what it sends."""
    sent: list[MutableMapping[str, Any]] = []
    left = iter(messages)

    async def receive() -> dict[str, Any]:
        return next(left)

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    defaults = {"type": "http", "method": "POST", "path": "/verifyReceipt", "headers": []}
    asyncio.run(asgi_production({**defaults, **scope}, receive, send))
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
