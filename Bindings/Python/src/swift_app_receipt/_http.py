"""What the applications for ASGI and WSGI share."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from ._endpoint import MAXIMUM_BODY, Endpoint

PATH: Final = "/verifyReceipt"
CONTENT_TYPE: Final = "application/json"


def answer(endpoint: Endpoint, method: str, body: bytes) -> bytes:
    """Answers a request now. A method other than POST gets the status 21000, as Apple documents it."""
    return endpoint.answer(body if method == "POST" else b"", datetime.now(UTC)).body


def is_too_long(content_length: str | bytes | None) -> bool:
    """Whether the header Content-Length announces a longer body than the endpoint takes."""
    try:
        return content_length is not None and int(content_length) > MAXIMUM_BODY
    except ValueError:
        return False
