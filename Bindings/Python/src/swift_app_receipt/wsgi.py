"""Apple's verifyReceipt as a WSGI application.

    gunicorn swift_app_receipt.wsgi:production
    gunicorn swift_app_receipt.wsgi:sandbox

An application of yours makes its own endpoint:

    application = VerifyReceipt(Endpoint("production", shared_secrets=[secret]))

The module asgi says what the application answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any, Final

from ._endpoint import MAXIMUM_BODY, Endpoint
from ._http import CONTENT_TYPE, answer, is_endpoint, length_of

__all__ = ["VerifyReceipt", "production", "sandbox"]

Start = Callable[[str, list[tuple[str, str]]], Any]


class VerifyReceipt:
    """A WSGI application over an endpoint. It keeps no state between requests."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    def __call__(self, environ: dict[str, Any], start_response: Start) -> Iterable[bytes]:
        if not is_endpoint(environ.get("SCRIPT_NAME", ""), environ.get("PATH_INFO", "")):
            return _start(start_response, HTTPStatus.NOT_FOUND, b"")
        body = _read(environ)
        if body is None:
            return _start(start_response, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, b"")
        found = answer(self._endpoint, environ["REQUEST_METHOD"], body)
        return _start(start_response, HTTPStatus.OK, found.body, CONTENT_TYPE)


def _read(environ: dict[str, Any]) -> bytes | None:
    """Reads the body; None if it is too long.

    Without Content-Length a body can be read only if the server marks its end (`wsgi.input_terminated`).
    """
    header: str = environ.get("CONTENT_LENGTH") or ""
    if header:
        length = length_of(header)
        if length is None:
            return b""
        return None if length > MAXIMUM_BODY else environ["wsgi.input"].read(length)
    if not environ.get("wsgi.input_terminated"):
        return b""
    body: bytes = environ["wsgi.input"].read(MAXIMUM_BODY + 1)
    return body if len(body) <= MAXIMUM_BODY else None


def _start(start: Start, status: HTTPStatus, body: bytes, content_type: str | None = None) -> list[bytes]:
    headers = [("Content-Length", str(len(body)))]
    if content_type is not None:
        headers.append(("Content-Type", content_type))
    start(f"{status.value} {status.phrase}", headers)
    return [body]


#: Answers as buy.itunes.apple.com.
production: Final = VerifyReceipt(Endpoint("production"))
#: Answers as sandbox.itunes.apple.com.
sandbox: Final = VerifyReceipt(Endpoint("sandbox"))
