"""The applications that the tests let servers run. They trust the root of Vectors."""

from __future__ import annotations

from pathlib import Path

from swift_app_receipt import Endpoint, asgi, wsgi

_ROOT = (Path(__file__).resolve().parents[3] / "Vectors" / "certificates" / "root.der").read_bytes()
_production = Endpoint("production", roots=[_ROOT])
_sandbox = Endpoint("sandbox", roots=[_ROOT])

asgi_production = asgi.VerifyReceipt(_production)
asgi_sandbox = asgi.VerifyReceipt(_sandbox)
wsgi_production = wsgi.VerifyReceipt(_production)
wsgi_sandbox = wsgi.VerifyReceipt(_sandbox)
