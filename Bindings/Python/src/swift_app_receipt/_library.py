"""The C library, as app_receipt.h declares it. Nothing here is public."""

from __future__ import annotations

import ctypes
import os
import platform
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_size_t, c_void_p
from pathlib import Path
from typing import Any, Final

OK: Final = 0
REFUSED: Final = 1
BUFFER_TOO_SMALL: Final = -4

#: The interface that this package was written for.
ABI: Final = 1

PATH: Final = Path(__file__).with_name("libapp_receipt.so")


class Input(ctypes.Structure):
    """app_receipt_input: one of many receipts or tokens."""

    _fields_ = [("bytes", c_void_p), ("length", c_size_t)]


class Error(ctypes.Structure):
    """app_receipt_error: why a receipt or token was refused."""

    _fields_ = [
        ("code", c_int32),
        ("certificate", c_int32),
        ("offset", c_int64),
        ("name", c_char_p),
        ("step", c_char_p),
        ("kind", c_char_p),
        ("message", c_char_p),
        ("reading", c_char_p),
    ]


def _load(loader: type[ctypes.CDLL]) -> ctypes.CDLL:
    try:
        return loader(os.fspath(PATH))
    except OSError as error:
        raise ImportError(
            f"no library for this machine, {platform.system()} on {platform.machine()}: {error}. "
            "Install a wheel for this machine, or build one with Bindings/Python/build."
        ) from error


# A call through CDLL releases the interpreter's lock, so that other threads run. A call through PyDLL keeps
# the lock, which is faster for functions that take less than a microsecond.
_releasing = _load(ctypes.CDLL)
_keeping = _load(ctypes.PyDLL)


def _function(library: ctypes.CDLL, name: str, *arguments: Any, result: Any = c_int32) -> Any:
    function = getattr(library, name)
    function.argtypes = arguments
    function.restype = result
    return function


_object = POINTER(c_void_p)
_length = POINTER(c_size_t)

_abi = _function(_keeping, "app_receipt_abi")
if _abi() != ABI:
    raise ImportError(f"{PATH} has the interface {_abi()}, and this package needs {ABI}")

policy_create = _function(_keeping, "app_receipt_policy_create", c_void_p, _object)
policy_release = _function(_keeping, "app_receipt_policy_release", c_void_p, result=None)
policy_accept_environment = _function(
    _keeping, "app_receipt_policy_accept_environment", c_void_p, c_char_p, c_size_t
)
policy_accept_any_environment = _function(_keeping, "app_receipt_policy_accept_any_environment", c_void_p)
policy_accept_bundle_identifier = _function(
    _keeping, "app_receipt_policy_accept_bundle_identifier", c_void_p, c_char_p, c_size_t
)
policy_accept_any_bundle_identifier = _function(
    _keeping, "app_receipt_policy_accept_any_bundle_identifier", c_void_p
)
policy_require_app_version = _function(
    _keeping, "app_receipt_policy_require_app_version", c_void_p, c_char_p, c_size_t
)
policy_accept_device = _function(_keeping, "app_receipt_policy_accept_device", c_void_p, c_char_p, c_size_t)
policy_trust_root = _function(_keeping, "app_receipt_policy_trust_root", c_void_p, c_char_p, c_size_t)
policy_omit_markers = _function(_keeping, "app_receipt_policy_omit_markers", c_void_p)
policy_trust_xcode_testing = _function(_keeping, "app_receipt_policy_trust_xcode_testing", c_void_p)
policy_add_issuer = _function(_keeping, "app_receipt_policy_add_issuer", c_void_p, c_char_p, c_size_t)
policy_set_now = _function(_keeping, "app_receipt_policy_set_now", c_void_p, c_int64)
policy_set_path_time = _function(_keeping, "app_receipt_policy_set_path_time", c_void_p, c_int64)
policy_distrust = _function(_keeping, "app_receipt_policy_distrust", c_void_p, c_char_p, c_size_t)
# These two parse up to 32 MiB.
policy_add_ocsp_response = _function(
    _releasing, "app_receipt_policy_add_ocsp_response", c_void_p, c_char_p, c_size_t
)
policy_add_revocation_list = _function(
    _releasing, "app_receipt_policy_add_revocation_list", c_void_p, c_char_p, c_size_t
)
policy_set_revocation = _function(_keeping, "app_receipt_policy_set_revocation", c_void_p, c_int32)
policy_add_latest_receipt_info = _function(_keeping, "app_receipt_policy_add_latest_receipt_info", c_void_p)
policy_set_minimum_digest = _function(_keeping, "app_receipt_policy_set_minimum_digest", c_void_p, c_int32)
policy_set_limit = _function(_keeping, "app_receipt_policy_set_limit", c_void_p, c_int32, c_int64)

validator_create = _function(_keeping, "app_receipt_validator_create", c_void_p, _object)
validator_release = _function(_keeping, "app_receipt_validator_release", c_void_p, result=None)
cache_create = _function(_keeping, "app_receipt_cache_create", c_void_p, _object)
cache_release = _function(_keeping, "app_receipt_cache_release", c_void_p, result=None)
validate = _function(_releasing, "app_receipt_validate", c_void_p, c_void_p, c_char_p, c_size_t, _object)
validate_many = _function(
    _releasing, "app_receipt_validate_many", c_void_p, c_void_p, c_void_p, c_size_t, _object
)

result_release = _function(_keeping, "app_receipt_result_release", c_void_p, result=None)
result_verdict = _function(_keeping, "app_receipt_result_verdict", c_void_p)
result_error = _function(_keeping, "app_receipt_result_error", c_void_p, POINTER(Error))
result_text = _function(_keeping, "app_receipt_result_text", c_void_p, c_int32, c_void_p, c_size_t, _length)
result_octets = _function(
    _keeping, "app_receipt_result_octets", c_void_p, c_int32, c_void_p, c_size_t, _length
)
result_integer = _function(_keeping, "app_receipt_result_integer", c_void_p, c_int32, POINTER(c_int64))
result_purchase_count = _function(_keeping, "app_receipt_result_purchase_count", c_void_p, _length)
purchase_text = _function(
    _keeping, "app_receipt_purchase_text", c_void_p, c_size_t, c_int32, c_void_p, c_size_t, _length
)
purchase_integer = _function(
    _keeping, "app_receipt_purchase_integer", c_void_p, c_size_t, c_int32, POINTER(c_int64)
)
# This accessor hashes the container and writes text, which takes tens of microseconds: it releases the lock.
result_json = _function(_releasing, "app_receipt_result_json", c_void_p, c_void_p, c_size_t, _length)
inspect_unverified = _function(
    _releasing, "app_receipt_inspect_unverified", c_char_p, c_size_t, c_void_p, c_size_t, _length
)

policy_accept_token_environment = _function(
    _keeping, "app_receipt_policy_accept_token_environment", c_void_p, c_char_p, c_size_t
)
policy_require_app_apple_id = _function(
    _keeping, "app_receipt_policy_require_app_apple_id", c_void_p, c_int64
)
policy_require_device_verification = _function(
    _keeping, "app_receipt_policy_require_device_verification", c_void_p, c_char_p, c_size_t
)
policy_set_maximum_age = _function(_keeping, "app_receipt_policy_set_maximum_age", c_void_p, c_int64)
policy_trust_any_self_signed_proving_integrity_only = _function(
    _keeping, "app_receipt_policy_trust_any_self_signed_proving_integrity_only", c_void_p
)
policy_set_token_limit = _function(_keeping, "app_receipt_policy_set_token_limit", c_void_p, c_int32, c_int64)

token_validator_create = _function(_keeping, "app_receipt_token_validator_create", c_void_p, _object)
token_validator_release = _function(_keeping, "app_receipt_token_validator_release", c_void_p, result=None)
token_validate = _function(
    _releasing,
    "app_receipt_token_validate",
    c_void_p,
    c_void_p,
    c_int32,
    c_char_p,
    c_size_t,
    _object,
)
token_validate_many = _function(
    _releasing,
    "app_receipt_token_validate_many",
    c_void_p,
    c_void_p,
    c_int32,
    c_void_p,
    c_size_t,
    _object,
)
token_result_release = _function(_keeping, "app_receipt_token_result_release", c_void_p, result=None)
token_result_verdict = _function(_keeping, "app_receipt_token_result_verdict", c_void_p)
token_result_error = _function(_keeping, "app_receipt_token_result_error", c_void_p, POINTER(Error))
token_result_nested_token = _function(
    _keeping, "app_receipt_token_result_nested_token", c_void_p, POINTER(c_char_p)
)
token_result_text = _function(
    _keeping, "app_receipt_token_result_text", c_void_p, c_int32, c_void_p, c_size_t, _length
)
token_result_json = _function(
    _releasing, "app_receipt_token_result_json", c_void_p, c_void_p, c_size_t, _length
)
payload_text = _function(
    _keeping,
    "app_receipt_payload_text",
    c_void_p,
    c_char_p,
    c_size_t,
    c_void_p,
    c_size_t,
    _length,
)
payload_integer = _function(
    _keeping, "app_receipt_payload_integer", c_void_p, c_char_p, c_size_t, POINTER(c_int64)
)
inspect_token_unverified = _function(
    _releasing,
    "app_receipt_inspect_token_unverified",
    c_int32,
    c_char_p,
    c_size_t,
    c_void_p,
    c_size_t,
    _length,
)

endpoint_create = _function(_keeping, "app_receipt_endpoint_create", c_void_p, c_int32, c_int32, _object)
endpoint_create_with_secrets = _function(
    _keeping,
    "app_receipt_endpoint_create_with_secrets",
    c_void_p,
    c_int32,
    c_int32,
    POINTER(Input),
    c_size_t,
    _object,
)
endpoint_release = _function(_keeping, "app_receipt_endpoint_release", c_void_p, result=None)
endpoint_answer = _function(
    _releasing, "app_receipt_endpoint_answer", c_void_p, c_void_p, c_char_p, c_size_t, c_int64, _object
)
answer_status = _function(_keeping, "app_receipt_answer_status", c_void_p)
answer_body = _function(_keeping, "app_receipt_answer_body", c_void_p, POINTER(c_void_p), _length)
answer_error = _function(_keeping, "app_receipt_answer_error", c_void_p, POINTER(Error))
answer_release = _function(_keeping, "app_receipt_answer_release", c_void_p, result=None)

# The names of fields, from app_receipt.h.
ENVIRONMENT: Final = 1
BUNDLE_IDENTIFIER: Final = 2
APP_VERSION: Final = 3
ORIGINAL_APP_VERSION: Final = 4
CREATION_DATE: Final = 5
SIGNING_CERTIFICATE: Final = 18
ROOT_FINGERPRINT: Final = 19
QUANTITY: Final = 101
PRODUCT_IDENTIFIER: Final = 102
TRANSACTION_IDENTIFIER: Final = 103
ORIGINAL_TRANSACTION_IDENTIFIER: Final = 104
PURCHASE_DATE: Final = 105
ORIGINAL_PURCHASE_DATE: Final = 106
EXPIRES_DATE: Final = 107
CANCELLATION_DATE: Final = 108
IS_TRIAL_PERIOD: Final = 112

_mistakes = {
    -1: "a pointer is NULL",
    -2: "a length or an index is out of range",
    -3: "the library does not take this value",
    -4: "a buffer is too small",
    -5: "the policy lacks environments or bundle identifiers, or leaves out markers without roots",
}


def check(status: int, what: str) -> None:
    """Raises ValueError for a negative status. `what` names the value that was given."""
    if status < 0:
        raise ValueError(f"{what}: {_mistakes.get(status, f'status {status}')}")


def address(octets: bytes) -> c_void_p:
    """Where the bytes are. The caller keeps them while the library uses the address."""
    anything: Any = octets
    return ctypes.cast(anything, c_void_p)


class Handle:
    """Owns an object of the library and releases it."""

    __slots__ = ("pointer", "_release")

    def __init__(self, pointer: c_void_p, release: Any) -> None:
        self.pointer = pointer
        self._release = release

    def __del__(self) -> None:
        self._release(self.pointer)

    def __reduce__(self) -> str:
        raise TypeError("an object of the library cannot be copied or pickled")


class Buffer:
    """Memory that the library copies text and octets into. Each thread needs its own."""

    __slots__ = ("_memory", "_capacity", "_length", "_is_in_use")

    def __init__(self) -> None:
        self._is_in_use = False
        self._resize(16384)

    def _resize(self, capacity: int) -> None:
        self._memory = ctypes.create_string_buffer(capacity)
        self._capacity = capacity
        self._length = c_size_t()

    def read(self, function: Any, *arguments: object) -> bytes | None:
        """Calls a function of the library that copies a value. Returns the value, or None if it is absent."""
        # A signal handler can run between the call and the copy, and may read, too.
        if self._is_in_use:
            return Buffer().read(function, *arguments)
        self._is_in_use = True
        try:
            return self._read(function, *arguments)
        finally:
            self._is_in_use = False

    def _read(self, function: Any, *arguments: object) -> bytes | None:
        status = function(*arguments, self._memory, self._capacity, self._length)
        if status == BUFFER_TOO_SMALL:
            self._resize(self._length.value)
            status = function(*arguments, self._memory, self._capacity, self._length)
        if status != OK:
            check(status, "the library refused a call")
            return None
        return ctypes.string_at(self._memory, self._length.value)


class Worker:
    """The cache and the buffer of one thread."""

    __slots__ = ("cache", "buffer")

    def __init__(self) -> None:
        pointer = c_void_p()
        check(cache_create(None, pointer), "a cache")
        self.cache = Handle(pointer, cache_release)
        self.buffer = Buffer()
