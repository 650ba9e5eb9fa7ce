"""The code that the applications for ASGI and WSGI share."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from ._endpoint import Answer, Endpoint

PATH: Final = "/verifyReceipt"
CONTENT_TYPE: Final = "application/json"


def answer(endpoint: Endpoint, method: str, body: bytes) -> Answer:
    """Answers a request now. A method other than POST gets the status 21000, as Apple documents it."""
    return endpoint.answer(body if method == "POST" else b"", datetime.now(UTC))


def is_endpoint(prefix: str, path: str) -> bool:
    """Whether a path is the endpoint's.

    The path may begin with `prefix`, the place of the application. That place may be the endpoint's path.
    """
    if path == prefix or path.startswith(prefix + "/"):
        path = path.removeprefix(prefix)
    return path == PATH or (prefix.endswith(PATH) and path in ("", "/"))


def length_of(content_length: str) -> int | None:
    """The length that the header Content-Length announces; None if the header is malformed."""
    if not (content_length.isascii() and content_length.isdigit()):
        return None
    # Python does not convert thousands of digits.
    digits = content_length.lstrip("0")[:20]
    return int(digits or "0")
