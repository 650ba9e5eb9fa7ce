"""Validation of one receipt and of many."""

from __future__ import annotations

import collections
import ctypes
import functools
import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from ctypes import c_void_p
from typing import Any, Final, TypeVar

from . import _library as c
from ._policy import Policy, has_evidence, make_validator
from ._receipts import Receipt, ReceiptError, read_result

#: A receipt: DER, Xcode's BER, base64, or an iOS 6 transaction receipt with or without base64. A str is
#: base64.
ReceiptData = bytes | bytearray | memoryview | str

Found = TypeVar("Found")
_Policy = TypeVar("_Policy")
_Validator = TypeVar("_Validator")

# A ReceiptBatch of a few hundred receipts is as fast as a larger one.
BATCH_RECEIPTS: Final = 256
# A batch of large receipts ends earlier, so that memory is bounded.
BATCH_BYTES: Final = 4 << 20


class Validator:
    """Validates receipts against a policy.

    A validator never changes, and any number of threads may use one at once. It keeps a cache for each
    thread. A cache remembers certificates and changes no verdict.
    """

    def __init__(self, policy: Policy) -> None:
        if not isinstance(policy, Policy):
            raise TypeError(f"pass a Policy, not {type(policy).__name__}")
        self._policy = policy
        self._handle = make_validator(policy)
        self._local = threading.local()

    @property
    def policy(self) -> Policy:
        """The requirements on a receipt."""
        return self._policy

    def __repr__(self) -> str:
        return f"Validator({self._policy!r})"

    def __reduce__(self) -> tuple[type[Validator], tuple[Policy]]:
        return Validator, (self._policy,)

    def validate(self, receipt: ReceiptData) -> Receipt:
        """Returns the valid receipt. Raises ReceiptError for every other input, empty input included."""
        octets = octets_of(receipt)
        worker = self.worker()
        pointer = c_void_p()
        c.check(
            c.validate(self._handle.pointer, worker.cache.pointer, octets, len(octets), pointer),
            "the receipt",
        )
        try:
            found = read_result(pointer.value, worker.buffer)
        finally:
            c.result_release(pointer)
        if isinstance(found, ReceiptError):
            raise found
        return found

    def validate_many(
        self, receipts: Iterable[ReceiptData], *, threads: int | None = None
    ) -> Iterator[Receipt | ReceiptError]:
        """Yields a Receipt or a ReceiptError for each receipt, in order.

        Threads validate batches of receipts without the interpreter's lock. By default there is a thread for
        each processor that the process may use. At most two batches for each thread are in memory, so the
        iterable can be endless. If the iterable raises an Exception, the results of the receipts before come
        first.
        """
        return judge_many(receipts, self._validate_batch, thread_count(threads))

    def _validate_batch(self, batch: list[bytes]) -> list[Receipt | ReceiptError]:
        inputs = inputs_of(batch)
        worker = self.worker()
        with self.results(inputs, 0, len(batch)) as results:
            return [read_result(result, worker.buffer) for result in results]

    def results(self, inputs: Any, start: int, count: int) -> Results:
        """Validates a part of an array of app_receipt_input. The caller keeps the array and its bytes."""
        results = (c_void_p * count)()
        first = ctypes.byref(inputs, start * ctypes.sizeof(c.Input))
        c.check(
            c.validate_many(
                self._handle.pointer,
                self.worker().cache.pointer,
                first,
                count,
                ctypes.cast(results, ctypes.POINTER(c_void_p)),
            ),
            "the receipts",
        )
        return Results(results, c.result_release)

    def worker(self) -> c.Worker:
        """The cache and the buffer of the current thread."""
        try:
            worker: c.Worker = self._local.worker
        except AttributeError:
            worker = self._local.worker = c.Worker()
        return worker


class Results:
    """Results of the library, released at the end of a `with`."""

    __slots__ = ("_release", "_results")

    def __init__(self, results: ctypes.Array[c_void_p], release: Any) -> None:
        self._results = results
        self._release = release

    def __enter__(self) -> ctypes.Array[c_void_p]:
        return self._results

    def __exit__(self, *_: object) -> None:
        for result in self._results:
            self._release(result)


def remembering(
    policies: type[_Policy], make: Callable[[_Policy], _Validator]
) -> Callable[[_Policy], _Validator]:
    """Returns a function that makes the validator of a policy, and keeps the validators of 16 policies.

    The function keeps no validator of a policy with evidence, which may have many megabytes, and is stale
    after some time.
    """
    remembered = functools.lru_cache(maxsize=16)(make)

    def find(policy: _Policy) -> _Validator:
        if isinstance(policy, policies) and has_evidence(policy):
            return make(policy)
        return remembered(policy)

    return find


#: The validator of a policy. Later calls use it again, unless the policy has evidence.
validator_for: Final = remembering(Policy, Validator)


def validate(receipt: ReceiptData, policy: Policy) -> Receipt:
    """Returns the valid receipt. Raises ReceiptError for every other input.

    Takes bytes, bytearray, memoryview, or a str of base64.
    """
    return validator_for(policy).validate(receipt)


def validate_many(
    receipts: Iterable[ReceiptData], policy: Policy, *, threads: int | None = None
) -> Iterator[Receipt | ReceiptError]:
    """Yields a Receipt or a ReceiptError for each receipt, in order. See Validator.validate_many."""
    return validator_for(policy).validate_many(receipts, threads=threads)


def inspect_unverified(receipt: ReceiptData) -> dict[str, Any]:
    """Returns what a container claims, with the names of `app-receipt inspect --json`.

    The keys are `unverified_receipt` or `unverified_transaction_receipt` if the container can be decoded, and
    `certificates`. Nothing is verified: anyone can write such a receipt.
    """
    octets = octets_of(receipt)
    text = c.Buffer().read(c.inspect_unverified, octets, len(octets))
    assert text is not None
    found: dict[str, Any] = json.loads(text)
    return found


def octets_of(receipt: ReceiptData) -> bytes:
    """Returns the bytes of a receipt. Bytes that could change during a call are copied."""
    if type(receipt) is bytes:
        return receipt
    if isinstance(receipt, str):
        return str.encode(receipt, "utf-8", "surrogatepass")
    # A class derived from bytes may have another length than its bytes.
    if isinstance(receipt, (bytes, bytearray, memoryview)):
        return memoryview(receipt).tobytes()
    raise TypeError(
        f"a receipt is bytes, bytearray, memoryview, or a str of base64, not {type(receipt).__name__}; "
        "for a file pass Path(name).read_bytes()"
    )


def thread_count(threads: int | None) -> int:
    """The number of threads to use: the given one, or one for each processor that the process may use."""
    if threads is None:
        return len(os.sched_getaffinity(0))
    if threads < 1:
        raise ValueError(f"threads: pass 1 or more, not {threads}")
    return threads


def inputs_of(batch: Sequence[bytes]) -> Any:
    """An array of app_receipt_input, with an element at least. The caller keeps the bytes."""
    inputs = (c.Input * max(len(batch), 1))()
    for place, octets in zip(inputs, batch):
        place.bytes = c.address(octets)
        place.length = len(octets)
    return inputs


def judge_many(
    receipts: Iterable[ReceiptData], judge: Callable[[list[bytes]], list[Found]], threads: int
) -> Iterator[Found]:
    """Yields what `judge` finds for batches of receipts or tokens, in order."""
    if threads == 1:
        return _many_here(receipts, judge)
    return _many_in_threads(receipts, judge, threads)


def _many_here(
    receipts: Iterable[ReceiptData], judge: Callable[[list[bytes]], list[Found]]
) -> Iterator[Found]:
    for batch in _batches(receipts):
        yield from judge(batch)


def _many_in_threads(
    receipts: Iterable[ReceiptData], judge: Callable[[list[bytes]], list[Found]], threads: int
) -> Iterator[Found]:
    waiting: collections.deque[Future[list[Found]]] = collections.deque()
    failure: Exception | None = None
    pool = ThreadPoolExecutor(threads, thread_name_prefix="app-receipt")
    try:
        batches = _batches(receipts)
        while True:
            try:
                batch = next(batches)
            except StopIteration:
                break
            except Exception as error:
                failure = error
                break
            waiting.append(pool.submit(judge, batch))
            if len(waiting) >= 2 * threads:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    if failure is not None:
        raise failure


def _batches(receipts: Iterable[ReceiptData]) -> Iterator[list[bytes]]:
    if isinstance(receipts, (bytes, bytearray, memoryview, str)):
        raise TypeError("pass an iterable of receipts; for one receipt call validate")
    batch: list[bytes] = []
    size = 0
    iterator = iter(receipts)
    while True:
        try:
            octets = octets_of(next(iterator))
        except StopIteration:
            break
        except Exception:
            if batch:
                yield batch
            raise
        batch.append(octets)
        size += len(octets)
        if len(batch) >= BATCH_RECEIPTS or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
