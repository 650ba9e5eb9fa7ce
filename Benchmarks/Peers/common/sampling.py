"""What the peers in Python share: corpora, samples and output."""

import json
import time
from collections.abc import Callable, Iterator

# An operation performs the measured work once, and raises an exception if it fails.
Operation = Callable[[], object]


def records(corpus: bytes) -> Iterator[bytes]:
    """Yields the records of a corpus. The length of each record precedes it in four octets."""
    at = 0
    while at < len(corpus):
        start = at + 4
        at = start + int.from_bytes(corpus[at:start], "big")
        if at > len(corpus):
            raise ValueError("the last record is incomplete")
        yield corpus[start:at]


def round_and_round(receipts: list[bytes]) -> Iterator[bytes]:
    if not receipts:
        raise ValueError("no record")
    while True:
        yield from receipts


def sample(operation: Operation, samples: int, length: float) -> tuple[int, list[float]]:
    """Times runs that take about `length` nanoseconds, after a warm-up of about one such run.

    A failed operation raises an exception, so all operations of a completed run have succeeded.
    """

    def run(operations: int) -> int:
        # The time does not grow while another process has the processor.
        start = time.process_time_ns()
        for _ in range(operations):
            operation()
        return time.process_time_ns() - start

    operations = 1
    while (elapsed := run(operations)) < length:
        operations *= 2
    operations = max(1, int(operations * length / elapsed))
    return operations, [run(operations) / operations for _ in range(samples)]


def emit(**members: object) -> None:
    print(json.dumps(members), flush=True)
