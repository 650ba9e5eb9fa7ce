"""Many receipts: in order, in bounded memory, in threads, with the verdicts of single receipts."""

from __future__ import annotations

import ctypes
import itertools
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import VECTORS

from swift_app_receipt import ANY, Policy, Receipt, ReceiptData, ReceiptError, Validator, validate_many
from swift_app_receipt import _library as library
from swift_app_receipt._validator import BATCH_BYTES, BATCH_RECEIPTS

FILES = sorted(path for path in (VECTORS / "receipts").iterdir() if path.suffix != ".json")
OCTETS = [path.read_bytes() for path in FILES]


@pytest.fixture(scope="module")
def policy() -> Policy:
    root = (VECTORS / "certificates" / "root.der").read_bytes()
    return Policy(environments=ANY, bundle_identifiers=ANY, roots=[root])


def alone(validator: Validator, receipt: ReceiptData) -> Receipt | str:
    try:
        return validator.validate(receipt)
    except ReceiptError as error:
        return str(error)


def comparable(found: Receipt | ReceiptError) -> Receipt | str:
    return found if isinstance(found, Receipt) else str(found)


@pytest.mark.parametrize("threads", [1, 2, 8, None])
def test_results_are_in_order_and_equal_those_of_single_receipts(policy: Policy, threads: int | None) -> None:
    validator = Validator(policy)
    expected = [alone(validator, octets) for octets in OCTETS]
    assert len({type(one) for one in expected}) == 2
    found = [comparable(one) for one in validate_many(OCTETS * 20, policy, threads=threads)]
    assert found == expected * 20
    assert list(validate_many([], policy, threads=threads)) == []


@pytest.mark.parametrize("threads", [1, 3])
def test_an_endless_iterable_is_read_no_further_than_needed(policy: Policy, threads: int) -> None:
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        for octets in itertools.cycle(OCTETS):
            taken += 1
            yield octets

    results = validate_many(endless(), policy, threads=threads)
    for _ in range(1000):
        next(results)
    results.close()  # type: ignore[attr-defined]
    assert taken <= 1000 + BATCH_RECEIPTS * (2 * threads + 1)


def test_a_batch_of_large_receipts_ends_earlier(policy: Policy) -> None:
    taken = 0

    def large() -> Iterator[bytes]:
        nonlocal taken
        for _ in range(100):
            taken += 1
            yield bytes(1 << 20)

    next(validate_many(large(), policy, threads=1))
    assert taken <= (BATCH_BYTES >> 20) + 1


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("interruption", [KeyboardInterrupt, SystemExit])
def test_an_interruption_comes_at_once(
    policy: Policy, threads: int, interruption: type[BaseException]
) -> None:
    def interrupted() -> Iterator[bytes]:
        yield from OCTETS
        raise interruption

    with pytest.raises(interruption):
        next(validate_many(interrupted(), policy, threads=threads))


def test_a_signal_handler_may_validate_while_a_receipt_is_read(policy: Policy) -> None:
    validator = Validator(policy)
    good, other = [(VECTORS / "receipts" / name).read_bytes() for name in ("sandbox-sha256.der", "vpp.der")]
    expected, wanted = validator.validate(good), validator.validate(other)
    buffer = validator.worker().buffer
    read = buffer._read
    calls = 0

    def interrupted(*arguments: Any) -> bytes | None:
        nonlocal calls
        calls += 1
        found = read(*arguments)
        # The memory holds the value of this call, which is not copied yet where a handler runs.
        assert validator.validate(other) == wanted
        return found

    before = library.Buffer._read
    try:
        library.Buffer._read = lambda self, *arguments: (  # type: ignore[method-assign]
            interrupted(*arguments) if self is buffer else before(self, *arguments)
        )
        assert validator.validate(good) == expected
    finally:
        library.Buffer._read = before  # type: ignore[method-assign]
    assert calls == 3


def test_a_handler_of_a_real_signal_does_not_mix_receipts(policy: Policy) -> None:
    validator = Validator(policy)
    good, other = [(VECTORS / "receipts" / name).read_bytes() for name in ("sandbox-sha256.der", "vpp.der")]
    expected, wanted = validator.validate(good), validator.validate(other)
    handled = 0

    def handle(*_: object) -> None:
        nonlocal handled
        handled += validator.validate(other) == wanted

    before = signal.signal(signal.SIGALRM, handle)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
        deadline = time.monotonic() + 1
        while time.monotonic() < deadline:
            assert validator.validate(good) == expected
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert handled > 100


@pytest.mark.parametrize("threads", [1, 2])
def test_the_results_before_an_error_of_the_iterable_come_first(policy: Policy, threads: int) -> None:
    def broken() -> Iterator[bytes]:
        yield from OCTETS[:3]
        raise OSError("the disk is gone")

    results = validate_many(broken(), policy, threads=threads)
    assert len([next(results) for _ in range(3)]) == 3
    with pytest.raises(OSError, match="the disk is gone"):
        next(results)
    wrong: list[object] = [*(OCTETS * 20)[:300], None]
    found = validate_many(wrong, policy, threads=threads)  # type: ignore[arg-type]
    assert len(list(itertools.islice(found, 300))) == 300
    with pytest.raises(TypeError, match="NoneType"):
        next(found)


def test_mistakes_of_the_caller_are_named(policy: Policy) -> None:
    with pytest.raises(ValueError, match="threads"):
        validate_many(OCTETS, policy, threads=0)
    with pytest.raises(TypeError, match="iterable of receipts"):
        list(validate_many(OCTETS[0], policy))  # type: ignore[arg-type]


def test_eight_threads_share_a_validator(policy: Policy) -> None:
    validator = Validator(policy)
    expected = [alone(validator, octets) for octets in OCTETS]
    wrong: list[str] = []
    barrier = threading.Barrier(8)

    def work(first: int) -> None:
        barrier.wait()
        for number in range(first, first + 5 * len(OCTETS)):
            index = number % len(OCTETS)
            if alone(validator, OCTETS[index]) != expected[index]:
                wrong.append(FILES[index].name)

    threads = [threading.Thread(target=work, args=(number * 7,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_other_threads_run_during_a_call_of_the_library(policy: Policy) -> None:
    validator = Validator(policy)
    count = 4000
    octets = (VECTORS / "receipts" / "sandbox-sha256.der").read_bytes()
    memory = ctypes.create_string_buffer(octets, len(octets))
    inputs = (library.Input * count)()
    for place in inputs:
        place.bytes = ctypes.addressof(memory)
        place.length = len(octets)
    span: list[float] = []

    def work() -> None:
        span.append(time.perf_counter())
        with validator.results(inputs, 0, count):
            span.append(time.perf_counter())

    ticks: list[float] = []
    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive():
        ticks.append(time.perf_counter())
        time.sleep(0.001)
    thread.join()
    # If the call kept the lock, this loop could run only before and after the call.
    assert len([tick for tick in ticks if span[0] < tick < span[1]]) > 10
