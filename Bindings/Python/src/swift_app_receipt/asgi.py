"""Apple's verifyReceipt as an ASGI application.

    uvicorn swift_app_receipt.asgi:production
    uvicorn swift_app_receipt.asgi:sandbox

An application of yours makes its own endpoint:

    application = VerifyReceipt(Endpoint("production", shared_secrets=[secret]))

The application answers POST /verifyReceipt. As at Apple, the HTTP status is 200 whatever the answer says, and
413 if the body is longer than 3,145,728 bytes. Any other path gets 404. Below a prefix, such as uvicorn's
--root-path or a mount of a framework, it answers the path behind the prefix.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from ._endpoint import MAXIMUM_BODY, Answer, Endpoint
from ._http import CONTENT_TYPE, answer, is_endpoint, length_of

__all__ = ["VerifyReceipt", "production", "sandbox"]

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

#: A longer body is answered in another thread, so that the event loop goes on. So is a receipt whose
#: certificates need more signature checks than a genuine one's, which any client can send. A usual answer
#: takes less time than a change of threads.
_LONG: Final = 64 << 10


class VerifyReceipt:
    """An ASGI application over an endpoint. It keeps no state between requests."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._quick_endpoint = endpoint._with_usual_checks()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _live(receive, send)
        elif scope["type"] == "http":
            await self._respond(scope, receive, send)
        else:
            raise ValueError(f"verifyReceipt speaks HTTP, not {scope['type']}")

    async def _respond(self, scope: Message, receive: Receive, send: Send) -> None:
        # Servers and frameworks put the place of the application before the path.
        if not is_endpoint(scope.get("root_path", "").rstrip("/"), scope["path"]):
            return await _send(send, 404, b"")
        lengths = [value.decode("latin-1") for name, value in scope["headers"] if name == b"content-length"]
        if any((length_of(length) or 0) > MAXIMUM_BODY for length in lengths):
            return await _send(send, 413, b"")
        # A list of chunks could take far more memory than the chunks: they may have one byte, or none.
        body, more = bytearray(), True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            chunk = message.get("body", b"")
            if len(body) + len(chunk) > MAXIMUM_BODY:
                return await _send(send, 413, b"")
            body += chunk
            more = message.get("more_body", False)
        found = await self._answer(scope["method"], bytes(body))
        await _send(send, 200, found.body, CONTENT_TYPE)

    async def _answer(self, method: str, body: bytes) -> Answer:
        if not _has_event_loop():
            return answer(self._endpoint, method, body)
        if len(body) <= _LONG:
            found = answer(self._quick_endpoint, method, body)
            if not (found.error and found.error.code == "pkix.too-many-signature-checks"):
                return found
        return await asyncio.to_thread(answer, self._endpoint, method, body)


def _has_event_loop() -> bool:
    """Whether the server runs on asyncio. Servers on other libraries wait for a long answer."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _send(send: Send, status: int, body: bytes, content_type: str | None = None) -> None:
    headers = [(b"content-length", str(len(body)).encode())]
    if content_type is not None:
        headers.append((b"content-type", content_type.encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _live(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


#: Answers as buy.itunes.apple.com.
production: Final = VerifyReceipt(Endpoint("production"))
#: Answers as sandbox.itunes.apple.com.
sandbox: Final = VerifyReceipt(Endpoint("sandbox"))
